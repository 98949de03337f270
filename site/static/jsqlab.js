// Formulas that are wider than the page scroll by themselves: let the keyboard reach those.
window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  const reach = () => {
    for (const formula of document.querySelectorAll('div.math, mjx-container[display="true"]')) {
      if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
      else formula.removeAttribute("tabindex");
    }
  };
  reach();
  window.addEventListener("resize", reach);
});
