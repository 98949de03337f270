// The explorer page of the built site in a real browser, held against the command.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SITE, launch, serve } from "./browser.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser, server, page, errors;

before(async () => {
  [browser, server] = [await launch(), await serve(SITE)];
});
after(async () => {
  await browser?.close();
  await server?.close();
});

async function open(hash = "", options = {}) {
  await page?.close();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  errors = [];
  page.on("pageerror", (e) => errors.push(e.message));
  await page.goto(server.url + "explorer.html" + hash);
  await idle();
}
/** Waits until nothing runs. */
const idle = () => page.waitForFunction(() => document.querySelector("#jx-run").textContent === "Run again", null, { timeout: 60_000 });
const text = (selector) => page.textContent(selector);
/** Waits for the command of the result shown to be this one. */
const shows = (command) => page.waitForFunction((c) => document.querySelector("#jx-command").textContent === c, command, { timeout: 60_000 });

/** Runs a question in the page's worker, past the charts. */
const ask = (request) => page.evaluate(async (request) => {
  const url = new URL(document.querySelector("script[src$='explorer/explorer.js']").src);
  const bytes = await (await fetch(new URL("explorer.wasm", url))).arrayBuffer();
  const worker = new Worker(new URL("worker.js", url));
  return new Promise((resolve, reject) => {
    worker.onerror = (e) => reject(new Error(e.message));
    worker.onmessage = ({ data }) => (data.ready ? worker.postMessage({ id: 1, distance: JSON.stringify(request) }) : data.answer && resolve(JSON.parse(data.answer)));
    WebAssembly.compile(bytes).then((module) => worker.postMessage({ module }));
  }).finally(() => worker.terminate());
}, request);

const jsq = (command) => JSON.parse(execFileSync("go", ["run", "./cmd/jsq", ...command.split(" ").slice(1), "--json"], { cwd: ROOT, encoding: "utf8" }));

test("WebAssembly gives the numbers of the command, up to rounding: exp and log differ in the last bit", async () => {
  await open();
  for (const request of [
    { servers: 50, alpha: 4.5, rel_error: 0.05 },
    { servers: 10, alpha: 1.3, routing: "job", seed: "3", rel_error: 0.05 },
    { servers: 6, alpha: 3, policy: "pod:2", arrivals: "pmf:0.8,0,0,0,0,0.2", rel_error: 0.1 },
    { model: "ct", servers: 20, alpha: 2, seed: "9", rel_error: 0.05 },
  ]) {
    const got = await ask(request), want = jsq(got.command);
    for (const key of ["command", "gap", "limit_mean", "wasserstein", "wasserstein_low", "wasserstein_high", "certificate_low", "certificate_high", "mean_total", "mean_total_low", "boundary_mean", "qtilde_mean_high", "slots", "total_slots", "ceiling", "ceiling_shift_in_sigma", "warnings"]) {
      const [g, w] = [got[key], want[key]], what = `${got.command}: ${key}`;
      if (typeof w === "number" && !Number.isInteger(w)) assert.ok(Math.abs(g - w) <= 1e-12 * Math.abs(w), `${what}: ${g} and ${w}`);
      else assert.deepEqual(g, w, what);
    }
  }
});

test("W1 at N = 50, alpha = 4.5 is shown as the command has it", async () => {
  await open();
  const want = jsq("jsq distance --servers 50 --alpha 4.5 --rel-error 0.05");
  assert.equal(await text("#jx-command"), want.command);
  const half = (want.wasserstein_high - want.wasserstein_low) / 2;
  assert.ok((await text("#jx-w1")).startsWith(`W1 = (${(want.wasserstein * 1e5).toFixed(3)} ± ${(half * 1e5).toFixed(3)}) × 10⁻⁵`), await text("#jx-w1"));
  assert.match(await text("#jx-status"), /^W1 = .*certificate from /);
  assert.deepEqual(errors, []);
});

test("a slider moves by the keyboard, numbers follow, and the address keeps them", async () => {
  await open("#servers=8&alpha=3");
  const before = await text("#jx-w1");
  await page.focus("#jx-alpha-slider");
  await page.keyboard.press("ArrowLeft");
  await shows("jsq distance --servers 8 --alpha 2.95 --rel-error 0.05");
  assert.notEqual(await text("#jx-w1"), before);
  await page.focus("#jx-servers-slider");
  await page.keyboard.press("ArrowRight");
  await shows("jsq distance --servers 10 --alpha 2.95 --rel-error 0.05");
  assert.equal(await page.inputValue("#jx-servers"), "10");
  assert.match(page.url(), /#servers=10&alpha=2\.95$/);
  await page.check("input[name=routing][value=job]");
  await shows("jsq distance --servers 10 --alpha 2.95 --routing job --rel-error 0.05");
  const link = page.url(), w1 = await text("#jx-w1");
  await open(new URL(link).hash);
  assert.equal(await text("#jx-w1"), w1);
  assert.ok(await page.isChecked("input[name=routing][value=job]"));
});

test("what cannot be used is one line that names it", async () => {
  for (const [hash, want, field] of [
    ["#servers=20&alpha=3&policy=pod:1", /^policy = pod:1: want a rule/, "#jx-choices"],
    ["#servers=20&alpha=3&policy=pod:30", /^policy = pod:30: want jsq, pod:D/, "#jx-choices"],
    ["#servers=1", /^servers = 1: want a whole number from 2/, "#jx-servers"],
    ["#arrivals=pmf:1,1", /^arrivals = a pmf that sums to 2: want sum 1/, "#jx-arrivals-other"],
    ["#servers=2&alpha=30&arrivals=deterministic&service=pmf:0.5,0,0.5", /want an X/, "#jx-servers"],
  ]) {
    await open(hash);
    const said = await text("#jx-error");
    assert.match(said, want);
    assert.ok(!said.includes("\n"));
    assert.equal(await page.getAttribute(field, "aria-invalid"), "true", hash);
  }
  await page.fill("#jx-servers", "20");
  await page.selectOption("#jx-arrivals", "binomial:2");
  await page.selectOption("#jx-service", "binomial:2");
  await shows("jsq distance --servers 20 --alpha 30 --rel-error 0.05");
  assert.equal(await text("#jx-error"), "");
  assert.equal(await page.locator("#jx [aria-invalid]").count(), 0);
});

test("Stop ends a long run, and what follows runs", async () => {
  await open("#servers=4&alpha=3");
  await page.evaluate(() => (location.hash = "servers=900&alpha=3&rel_error=0.003"));
  await page.waitForFunction(() => /slots/.test(document.querySelector("#jx-progress-text").textContent), null, { timeout: 60_000 });
  assert.ok(await page.evaluate(() => document.querySelector("#jx-progress").value > 0));
  await page.focus("#jx-alpha");
  await page.keyboard.press("Escape"); // as the button Stop, which the next test presses
  await idle();
  assert.match((await text("#jx-error")) + (await text("#jx-warnings")), /stopped before there was a result|interrupted/);
  await page.fill("#jx-servers", "6");
  await shows("jsq distance --servers 6 --alpha 3 --rel-error 0.003");
  assert.equal(await text("#jx-error"), "");
});

test("a system without a result has none in the headline, and what is left of another one is marked", async () => {
  const marked = () => page.$$eval("#jx .jx-before", (all) => all.map((e) => e.id));
  await open("#servers=4&alpha=3");
  const first = await text("#jx-w1");
  await page.evaluate(() => (location.hash = "servers=900&alpha=3&rel_error=0.003"));
  await page.waitForFunction(() => /slots/.test(document.querySelector("#jx-progress-text").textContent), null, { timeout: 60_000 });
  await page.click("#jx-run");
  await idle();
  if (/stopped before/.test(await text("#jx-error"))) {
    assert.equal(await text("#jx-w1"), "no result");
    assert.deepEqual(await marked(), ["jx-law-card", "jx-numbers-card"]);
  } else assert.match(await text("#jx-command"), /--servers 900 /);
  await page.evaluate(() => (location.hash = "servers=4&alpha=3"));
  await shows("jsq distance --servers 4 --alpha 3 --rel-error 0.05");
  await page.waitForFunction((first) => document.querySelector("#jx-w1").textContent === first, first);
  await idle();
  assert.deepEqual(await marked(), []);
  for (const [field, value, want] of [["#jx-servers", "", /^servers = nothing: want a number/], ["#jx-servers", "1", /^servers = 1: want/]]) {
    await page.fill(field, value);
    await page.waitForFunction((w) => document.querySelector("#jx-error").textContent.startsWith(w), want.source.slice(1, 14));
    assert.match(await text("#jx-error"), want);
    assert.equal(await text("#jx-w1"), "no result");
    assert.deepEqual(await marked(), ["jx-law-card", "jx-numbers-card"]);
    assert.equal(await page.getAttribute(field, "aria-invalid"), "true");
  }
  await open("#servers=4&alpha=1e400");
  assert.match(await text("#jx-error"), /^alpha = (1e400|nothing): want a number/);
});

test("Enter on Trace keeps the focus there", async () => {
  await open("#servers=4&alpha=2");
  await page.focus("#jx-trace-run");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /Tracing/.test(document.querySelector("#jx-trace-run").textContent));
  assert.equal(await page.evaluate(() => document.activeElement.id), "jx-trace-run");
  await page.waitForFunction(() => document.querySelector("#jx-trace-run").textContent === "Trace over α", null, { timeout: 60_000 });
  assert.equal(await page.evaluate(() => document.activeElement.id), "jx-trace-run");
});

test("the trace over alpha falls as alpha grows, with its table", async () => {
  await open("#servers=6&alpha=2");
  await page.click("#jx-trace-run");
  await page.waitForFunction(() => document.querySelector("#jx-trace-run").textContent === "Trace over α", null, { timeout: 60_000 });
  await page.click("#jx-trace-table summary");
  await page.waitForSelector("#jx-trace-table tbody tr");
  const rows = await page.$$eval("#jx-trace-table tbody tr", (trs) => trs.map((tr) => [...tr.cells].map((c) => c.textContent)));
  assert.equal(rows.length, 11);
  const value = (cell) => Number(cell.replace(/ × 10(.*)/, (_, e) => "e" + [...e].map((c) => ({ "⁻": "-" })[c] ?? "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)).join("")));
  for (let i = 1; i < rows.length; i++) assert.ok(value(rows[i][2]) < value(rows[i - 1][2]), `W1 at alpha = ${rows[i][1]}`);
});

test("the path plays and pauses", async () => {
  await open("#servers=5&alpha=2");
  const path = () => page.getAttribute("#jx-path", "aria-label");
  const first = await path();
  await page.click("#jx-play");
  assert.equal(await page.getAttribute("#jx-play", "aria-pressed"), "true");
  await page.waitForFunction((first) => document.querySelector("#jx-path").getAttribute("aria-label") !== first, first);
  await page.click("#jx-play");
  await page.waitForTimeout(300);
  const paused = await path();
  await page.waitForTimeout(300);
  assert.equal(await path(), paused);
});

test("no serious fault for assistive technology, light and dark; nothing wider than a phone", async () => {
  for (const [colorScheme, width, hash] of [["light", 1280, "#servers=6&alpha=2&policy=pod:2&view=difference"], ["dark", 1280, "#servers=6&alpha=2&view=cdf"], ["light", 360, "#servers=6&alpha=3"]]) {
    await open(hash, { viewport: { width, height: 740 }, colorScheme });
    for (const summary of await page.$$("#jx details summary")) await summary.click();
    await page.waitForFunction(() => document.querySelectorAll("#jx table").length === document.querySelectorAll("#jx details").length);
    await page.evaluate(AXE);
    const found = await page.evaluate(() => axe.run("#jx"));
    const bad = found.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`);
    assert.deepEqual(bad, [], `${colorScheme}, ${width} px`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(over <= 0, `${over} px too wide at ${width}`);
    assert.deepEqual(errors, []);
  }
});
