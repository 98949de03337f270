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

async function open(hash = "", { prepare, ...options } = {}) {
  await page?.close();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  errors = [];
  page.on("pageerror", (e) => errors.push(e.message));
  await prepare?.(page);
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
    ["#arrivals=toString", /^arrivals = "?toString"?: want /, "#jx-arrivals-other"],
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

test("a link that the form cannot hold runs no other system, and stays as it is", async () => {
  for (const [hash, want, field] of [
    ["#policy=foo", "policy = foo: want jsq, pod:D or pod:D:replacement", "#jx-rule"],
    ["#policy=jsqq", "policy = jsqq: want jsq, pod:D or pod:D:replacement", "#jx-rule"],
    ["#policy=pod:2:replacment", "policy = pod:2:replacment: want jsq, pod:D or pod:D:replacement", "#jx-rule"],
    ["#model=xx", "model = xx: want dt or ct"],
    ["#routing=xx", "routing = xx: want batch or job"],
    ["#view=xx", "view = xx: want density, cdf or difference"],
    ["#rel_error=0.5", "rel_error = 0.5: want 0.05, 0.02, 0.01 or 0.003", "#jx-rel_error"],
    ["#rel_error=abc", "rel_error = abc: want 0.05, 0.02, 0.01 or 0.003", "#jx-rel_error"],
    ["#servers=many", "servers = many: want a number", "#jx-servers"],
    ["#alpha=", "alpha = nothing: want a number", "#jx-alpha"],
    ["#server=5", "server: no such setting"],
  ]) {
    await open(hash);
    assert.equal(await text("#jx-error"), want);
    assert.equal(await text("#jx-w1"), "no result", hash);
    assert.equal(await text("#jx-command"), "", hash);
    assert.equal(new URL(page.url()).hash, hash);
    if (field) assert.equal(await page.getAttribute(field, "aria-invalid"), "true", hash);
    assert.deepEqual(errors, []);
  }
  await page.evaluate(() => (location.hash = "servers=4&alpha=3&policy=pod:2:replacement"));
  await shows("jsq distance --servers 4 --alpha 3 --policy pod:2:replacement --rel-error 0.05");
  await page.evaluate(() => (location.hash = "servers=4&alpha=3&policy=foo"));
  await page.waitForFunction(() => /^policy = foo/.test(document.querySelector("#jx-error").textContent));
  assert.deepEqual(await page.$$eval("#jx .jx-before", (all) => all.map((e) => e.id)), ["jx-law-card", "jx-path-card", "jx-numbers-card"]);
  await page.click("#jx-run"); // what the form shows
  await shows("jsq distance --servers 4 --alpha 3 --rel-error 0.05");
  assert.equal(new URL(page.url()).hash, "#servers=4&alpha=3");
});

test("a program that could not be loaded is asked for again", async () => {
  let broken = true;
  await open("#servers=4&alpha=3", { prepare: (page) => page.route("**/explorer.wasm*", (route) => (broken ? route.abort() : route.continue())) });
  assert.match(await text("#jx-error"), /^the program cannot be loaded: /);
  broken = false;
  await page.click("#jx-run");
  await shows("jsq distance --servers 4 --alpha 3 --rel-error 0.05");
  assert.equal(await text("#jx-error"), "");
  await page.waitForFunction(() => document.querySelector("#jx-path").getAttribute("aria-label"));
});

test("Stop while the program is loaded is no error of the worker", async () => {
  await open("#servers=4&alpha=3", { prepare: (page) => page.addInitScript(() => {
    const instantiate = WebAssembly.compile;
    WebAssembly.compile = (bytes) => new Promise((done) => setTimeout(() => done(instantiate.call(WebAssembly, bytes)), 3000));
    addEventListener("DOMContentLoaded", () => document.querySelector("#jx-run").click());
  }) });
  assert.equal(await text("#jx-error"), "stopped before there was a result");
  assert.deepEqual(errors, []);
  await page.click("#jx-run");
  await shows("jsq distance --servers 4 --alpha 3 --rel-error 0.05");
});

test("what is missing is told", async () => {
  const abort = (glob) => (page) => page.route(glob, (route) => route.fulfill({ status: 404 }));
  for (const [what, prepare, want] of [
    ["explorer.js", abort("**/explorer/explorer.js"), /^The explorer’s scripts cannot be loaded/],
    ["chart.js", abort("**/explorer/chart.js"), /^The explorer’s scripts cannot be loaded/],
    ["worker.js", abort("**/explorer/worker.js"), /^the worker failed: worker\.js cannot be loaded$/],
    ["Worker", (page) => page.addInitScript(() => delete globalThis.Worker), /^no worker can be started: Worker is not defined$/],
    ["another program", (page) => page.route("**/explorer.wasm*", (route) => route.fulfill({ body: Buffer.from("0061736d01000000", "hex") })), /^the computation ended unexpectedly: /],
  ]) {
    await page?.close();
    page = await browser.newPage();
    await prepare(page);
    await page.goto(server.url + "explorer.html#servers=4&alpha=3");
    await page.waitForFunction(() => document.querySelector("#jx-error").textContent, null, { timeout: 30_000 });
    assert.match(await text("#jx-error"), want, what);
    assert.ok((await page.isHidden("#jx-run")) || (await text("#jx-run")) === "Run again", what);
  }
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
    assert.deepEqual(await marked(), ["jx-law-card", "jx-path-card", "jx-numbers-card"]);
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

test("playing ends when there is no path for what is chosen", async () => {
  await open("#servers=5&alpha=2");
  await page.click("#jx-play");
  await page.fill("#jx-alpha", "-1");
  await page.waitForFunction(() => document.querySelector("#jx-play").textContent === "Play");
  assert.equal(await page.getAttribute("#jx-play", "aria-pressed"), "false");
  assert.ok(await page.evaluate(() => document.querySelector("#jx-path-card").classList.contains("jx-before")));
  await page.fill("#jx-alpha", "2.5");
  await page.waitForFunction(() => !document.querySelector("#jx-path-card").classList.contains("jx-before"));
});

test("a path has new random numbers in every part, for the largest seed too", async () => {
  const seeds = [];
  await open("#servers=6&alpha=3&seed=18446744073709551615", { prepare: async (page) => {
    await page.exposeFunction("seedSeen", (seed) => seeds.push(seed));
    await page.addInitScript(() => {
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (data) {
        if (data.path) globalThis.seedSeen(JSON.parse(data.path).seed);
        return post.call(this, data);
      };
    });
  } });
  await page.click("#jx-play");
  await page.waitForFunction(() => / between [1-9]/.test(document.querySelector("#jx-path").getAttribute("aria-label")));
  await page.click("#jx-play");
  assert.deepEqual(seeds.slice(0, 3), ["18446744073709551615", "0", "1"]);
});

test("what has the focus is not under the result", async () => {
  for (const [width, height] of [[360, 640], [320, 256], [1280, 640]]) {
    await open("#servers=4&alpha=3", { viewport: { width, height } });
    await page.focus("#jx-servers");
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press("Tab");
      const under = await page.evaluate(() => {
        const result = document.querySelector("#jx-result"), e = document.activeElement;
        if (result.contains(e) || getComputedStyle(result).position !== "sticky") return "";
        const a = e.getBoundingClientRect(), b = result.getBoundingClientRect();
        return a.top >= b.top && a.bottom <= b.bottom && a.left < b.right && a.right > b.left ? e.outerHTML.slice(0, 80) : "";
      });
      assert.equal(under, "", `${width} x ${height}, ${i + 1} tabs`);
    }
  }
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
