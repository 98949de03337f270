// Every page of the built site in a real browser. Prints for each page what it loads and when its first figure shows; no time is asserted.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";

import { launch, serve, SITE } from "./browser.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Bytes that a page may load until it was read to its end, without the data and the program of the explorer. 0.4 MB of them are the
// theme's style sheet, kept whole: a browser loads it once for all pages.
const LIMIT = 2e6;
const PAGES = (await readdir(SITE, { recursive: true })).filter((name) => name.endsWith(".html") && !name.startsWith("_")).sort();

let server, browser;
before(async () => {
  server = await serve(SITE);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens a page and waits until its formulas are set. What went wrong while it loaded is in faults, how much it loaded in bytes(). */
async function open(name, { width, dark }) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  const faults = [];
  const sizes = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && faults.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => faults.push(`script: ${e}`));
  page.on("requestfailed", (r) => faults.push(`failed: ${r.url()}`));
  page.on("request", (r) => {
    if (!/^(data|blob):/.test(r.url()) && !r.url().startsWith(server.url)) faults.push(`leaves the site: ${r.url()}`);
  });
  page.on("response", (r) => r.status() >= 400 && faults.push(`${r.status()}: ${r.url()}`));
  page.on("requestfinished", (r) => r.url().includes("/explorer/") || sizes.push(r.sizes().catch(() => ({ responseBodySize: NaN })))); // a page that is closed has none
  await page.goto(server.url + name);
  await page.evaluate(async () => {
    await window.MathJax?.startup?.promise;
    await document.fonts.ready;
  });
  return { context, page, faults, bytes: async () => (await Promise.all(sizes)).reduce((sum, s) => sum + s.responseBodySize, 0) };
}

/** Serious and critical faults that axe finds, one line each. */
async function axe(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter((v) => ["serious", "critical"].includes(v.impact))
      .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}: ${n.html.slice(0, 120)}`));
  });
}

/** Elements that make the page wider than the window, if it is. */
const overflow = (page) => page.evaluate(() => {
  if (document.documentElement.scrollWidth <= window.innerWidth) return [];
  return [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1)
    .map((e) => `${e.tagName}.${e.className}`).slice(-5);
});

/** Figures whose content has not the proportions of their files, to within a pixel. */
const distorted = (page) => page.evaluate(async () => {
  const all = [...document.querySelectorAll("article img")];
  for (const e of all) e.loading = "eager";
  await Promise.all(all.map((e) => e.decode().catch(() => {})));
  return all.flatMap((e) => {
    const s = getComputedStyle(e);
    const width = e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight);
    const height = e.clientHeight - parseFloat(s.paddingTop) - parseFloat(s.paddingBottom);
    const want = (width * e.naturalHeight) / e.naturalWidth;
    return width > 100 && Math.abs(height - want) <= 1 ? [] : [`${e.src}: ${width} x ${height}: want a height of ${want}`];
  });
});

test("there are pages", () => assert.ok(PAGES.length > 20, `${PAGES.length} pages in ${SITE}: want the whole site`));

for (const name of PAGES) {
  test(name, async (t) => {
    let { context, page, faults, bytes } = await open(name, { width: 1280, dark: false });
    const math = await page.evaluate(() => {
      const all = [...document.querySelectorAll(".math")];
      const copy = (document.querySelector("article") ?? document.querySelector("main")).cloneNode(true);
      copy.querySelectorAll("pre, code, script, mjx-container").forEach((e) => e.remove());
      return {
        bare: all.filter((e) => !e.querySelector("mjx-container")).map((e) => e.textContent),
        wrong: [...document.querySelectorAll("mjx-merror, [data-mjx-error]")].map((e) => e.textContent),
        raw: copy.textContent.match(/\\[([]|\$\$|\\(?:frac|alpha|mathrm|text|begin|le|infty)\b.{0,40}/g) ?? [],
      };
    });
    if (name.startsWith("api/")) math.raw = []; // which speaks of TeX
    assert.deepEqual(math, { bare: [], wrong: [], raw: [] }, "formulas");
    const figures = await page.evaluate(async () => {
      const all = [...document.querySelectorAll("article img")];
      for (const e of all) e.loading = "eager";
      await Promise.all(all.map((e) => e.decode().catch(() => {})));
      const drawings = [...document.querySelectorAll("article svg")].filter((e) => !e.checkVisibility || e.checkVisibility());
      return {
        missing: all.filter((e) => !e.complete || e.naturalWidth === 0).map((e) => e.src),
        empty: drawings.filter((e) => e.getBoundingClientRect().width === 0).length,
        shown: performance.getEntriesByType("resource").filter((e) => e.initiatorType === "img").map((e) => e.responseEnd)[0],
      };
    });
    assert.deepEqual([figures.missing, figures.empty], [[], 0], "figures");
    assert.deepEqual(await distorted(page), [], "figures at 1280 px");
    assert.deepEqual(await overflow(page), [], "wider than 1280 px");
    assert.deepEqual(await axe(page), [], "axe, light");
    assert.deepEqual(faults, [], "loading");
    const size = await bytes();
    assert.ok(size <= LIMIT, `${name}: ${size} bytes: want <= ${LIMIT}`);
    t.diagnostic(`${name}: ${Math.round(size / 1000)} kB${figures.shown ? `, first figure after ${Math.round(figures.shown)} ms` : ""}`);
    await context.close();

    ({ context, page, faults } = await open(name, { width: 360, dark: true }));
    assert.deepEqual(await overflow(page), [], "wider than 360 px");
    assert.deepEqual(await distorted(page), [], "figures at 360 px");
    const dead = await page.evaluate(() => document.querySelector(".secondary-toggle")?.checkVisibility() && !document.querySelector("#pst-secondary-sidebar a"));
    assert.ok(!dead, "a button for contents that are not there");
    const cards = await page.evaluate(() => [...document.querySelectorAll("article img")].map((e) => getComputedStyle(e))
      .filter((s) => s.backgroundColor !== "rgb(255, 255, 255)" || s.filter !== "none").length);
    assert.equal(cards, 0, "figures without a light card in dark mode");
    assert.deepEqual(await axe(page), [], "axe, dark");
    assert.deepEqual(faults, [], "loading, dark");
    await context.close();
  });
}

test("links lead to pages, files and places that are there", async () => {
  const ids = new Map();
  const links = [];
  for (const name of PAGES) {
    const html = await readFile(path.join(SITE, name), "utf8");
    ids.set(name, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map((m) => m[1])));
    for (const [, href] of html.matchAll(/<a\s[^>]*href="([^"]*)"/g)) links.push([name, href.replaceAll("&amp;", "&")]);
  }
  const files = new Set(await readdir(SITE, { recursive: true }));
  // An anchor with = is a state of the explorer.
  const bad = links.filter(([name, href]) => {
    if (/^[a-z]+:/.test(href)) return !/^(https|mailto):/.test(href);
    const [file, anchor] = href.split("#");
    const to = file ? path.normalize(path.join(path.dirname(name), decodeURIComponent(file.split("?")[0]))) : name;
    return href.startsWith("/") || !files.has(to) || (anchor && !anchor.includes("=") && ids.has(to) && !ids.get(to).has(decodeURIComponent(anchor)));
  });
  assert.ok(links.length > 500);
  assert.deepEqual(bad, []);
});

test("the search finds a word of the notebooks and a name of the library", async () => {
  for (const [word, want] of [["wasserstein", "notebooks/06-wasserstein-rates.html"], ["queue", "notebooks/01-the-model.html"], ["NewKernel", "api/law.html"]]) {
    const { context, page, faults, bytes } = await open(`search.html?q=${word}`, { width: 1280, dark: false });
    await page.waitForSelector("#search-results li a");
    await page.waitForFunction((want) => [...document.querySelectorAll("#search-results a")].some((e) => e.href.includes(want)), want);
    await page.waitForTimeout(1000); // whatever it loads after the results
    assert.deepEqual(faults, []);
    const size = await bytes();
    assert.ok(size <= LIMIT, `the search for ${word}: ${size} bytes: want <= ${LIMIT}`);
    await context.close();
  }
});

test("the search box on a page leads to the results", async () => {
  const { context, page } = await open("notebooks/00-tour.html", { width: 1280, dark: false });
  await page.click(".bd-sidebar-primary .search-button__button");
  await page.fill("#pst-search-dialog input", "certificate");
  await page.press("#pst-search-dialog input", "Enter");
  await page.waitForURL(/search\.html\?q=certificate/);
  await page.waitForSelector("#search-results li a");
  await context.close();
});

test("the menus open, lead on and close on phones and tablets; the side bar of a wide window hides and comes back", async () => {
  for (const width of [360, 800]) {
    const { context, page, faults } = await open("notebooks/00-tour.html", { width, dark: false });
    await page.click(".primary-toggle:visible");
    await page.waitForSelector("#pst-primary-sidebar-modal[open]");
    assert.deepEqual(await axe(page), [], `the menu at ${width} px`);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog[open]"));
    await page.click(".primary-toggle:visible");
    await page.click("#pst-primary-sidebar-modal a:visible >> text=Explorer");
    await page.waitForURL(/explorer\.html/);
    await page.goBack();
    await page.click(".secondary-toggle:visible");
    await page.waitForSelector("#pst-secondary-sidebar-modal[open]");
    const link = page.locator("#pst-secondary-sidebar-modal a:visible").nth(1);
    const to = await link.getAttribute("href");
    await link.click();
    assert.equal(new URL(page.url()).hash, decodeURI(to));
    assert.deepEqual(faults.filter((f) => f.startsWith("script")), []); // fonts of the page that was left may be missing
    await context.close();
  }
  const { context, page } = await open("notebooks/00-tour.html", { width: 1280, dark: false });
  await page.click(".primary-toggle:visible");
  await page.waitForFunction(() => getComputedStyle(document.querySelector("#pst-primary-sidebar")).visibility === "hidden");
  await page.click(".primary-toggle:visible");
  await page.waitForFunction(() => getComputedStyle(document.querySelector("#pst-primary-sidebar")).visibility === "visible");
  await context.close();
});

test("the colour mode can be chosen and is kept", async () => {
  const { context, page } = await open("index.html", { width: 1280, dark: false });
  await page.click(".theme-switch-button");
  await page.click('.theme-change-button[data-mode="dark"]');
  await page.goto(`${server.url}guide.html`);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await context.close();
});
