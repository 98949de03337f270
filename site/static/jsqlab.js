// Formulas and tables that are wider than the page scroll by themselves: let the keyboard reach those.
window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  const reach = () => {
    for (const wide of document.querySelectorAll('div.math, mjx-container[display="true"], .bd-article table')) {
      if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
      else wide.removeAttribute("tabindex");
    }
  };
  reach();
  window.addEventListener("resize", reach);
});

// The menu of colour modes, which the theme leaves to a library of 80 kB.
window.addEventListener("DOMContentLoaded", () => {
  for (const menu of document.querySelectorAll(".theme-switch-container")) {
    const button = menu.querySelector(".theme-switch-button"), list = menu.querySelector(".dropdown-menu");
    const open = (on) => {
      list.classList.toggle("show", on);
      button.setAttribute("aria-expanded", String(on));
    };
    open(false);
    button.addEventListener("click", () => open(!list.classList.contains("show")));
    list.addEventListener("click", () => open(false));
    document.addEventListener("click", (e) => menu.contains(e.target) || open(false));
    menu.addEventListener("keydown", (e) => {
      if (e.key !== "Escape") return;
      open(false);
      button.focus();
    });
  }
});

// On paper as by day.
let mode;
window.addEventListener("beforeprint", () => {
  mode = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
});
window.addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = mode;
});
