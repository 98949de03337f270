// The explorer page: settings in the URL's hash, runs in workers, results as numbers, charts and tables.

import { draw, format, marker, minus, power } from "./chart.js";

const $ = (id) => document.getElementById("jx-" + id);
const form = $("form");
const N_STEPS = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200];
const LAWS = {
  "binomial:2": "binomial, at most 2", "binomial:5": "binomial, at most 5", "binomial:20": "binomial, at most 20",
  bernoulli: "at most one (bernoulli)", "pmf:0.8,0,0,0,0,0.2": "five at once, or none", other: "other …",
};
const DEFAULTS = { model: "dt", servers: "50", alpha: "4.5", arrivals: "binomial:2", service: "binomial:2", policy: "jsq", routing: "batch", rel_error: "0.05", seed: "1", view: "density" };
const CONSTANT = { model: "dt", arrivals: "binomial:2", service: "binomial:2", policy: "jsq", routing: "batch" };

// --- settings -------------------------------------------------------------------------------------------------------------------------------------------

for (const name of ["arrivals", "service"]) for (const [value, text] of Object.entries(LAWS)) $(name).add(new Option(text, value));
$("servers-slider").max = N_STEPS.length - 1;

/** What the form says, as the words of the command line. */
function words() {
  const f = new FormData(form);
  const s = { model: f.get("model"), servers: f.get("servers").trim(), alpha: f.get("alpha").trim(), seed: f.get("seed").trim(), rel_error: f.get("rel_error"), view: f.get("view") };
  s.policy = f.get("rule") === "jsq" ? "jsq" : "pod:" + f.get("choices").trim() + (f.get("rule") === "pod" ? "" : ":replacement");
  for (const name of ["arrivals", "service"]) s[name] = f.get(name) === "other" ? f.get(name + "-other").trim() : f.get(name);
  s.routing = f.get("routing");
  return s;
}

/** The same, with nothing that does not apply. */
function settings() {
  const s = words();
  return s.model === "ct" ? { ...s, arrivals: CONSTANT.arrivals, service: CONSTANT.service, routing: CONSTANT.routing } : s;
}

function show(s) {
  for (const name of ["servers", "alpha", "seed"]) form.elements[name].value = s[name];
  for (const name of ["model", "routing", "view", "rel_error"]) form.elements[name].value = s[name];
  const [, d, again] = /^pod:([^:]*)(:replacement)?$/.exec(s.policy) ?? [];
  form.elements.rule.value = s.policy === "jsq" ? "jsq" : again ? "pod-replacement" : "pod";
  if (d !== undefined) form.elements.choices.value = d;
  for (const name of ["arrivals", "service"]) {
    const known = s[name] !== "other" && Object.hasOwn(LAWS, s[name]);
    form.elements[name].value = known ? s[name] : "other";
    if (!known) form.elements[name + "-other"].value = s[name];
  }
}

const WANT = { model: "dt or ct", policy: "jsq, pod:D or pod:D:replacement", routing: "batch or job", rel_error: "0.05, 0.02, 0.01 or 0.003", view: "density, cdf or difference" };

/** Sets the form from the link. What the form cannot hold is left as it usually is, and told as an answer: no other system may run in its place. */
function fromHash() {
  const s = { ...DEFAULTS };
  let bad;
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    if (Object.hasOwn(DEFAULTS, name)) s[name] = value.replace(/\s+/g, " ").trim();
    else bad ??= { error: `${name}: no such setting` };
  }
  show(s);
  const got = words(), wrong = Object.keys(s).filter((name) => got[name] !== s[name]);
  if (!wrong.length) return bad;
  show({ ...s, ...Object.fromEntries(wrong.map((name) => [name, DEFAULTS[name]])) });
  return { field: wrong[0], error: `${wrong[0]} = ${s[wrong[0]] || "nothing"}: want ${WANT[wrong[0]] ?? "a number"}` };
}

function toHash(s) {
  const q = Object.entries(s).filter(([key, value]) => value !== DEFAULTS[key]).map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2C", ",")}`);
  history.replaceState(null, "", q.length ? "#" + q.join("&") : location.pathname + location.search);
}

/** Sliders follow the numbers, and what does not apply is hidden. */
function arrange() {
  const n = Number(form.elements.servers.value);
  const nearest = N_STEPS.reduce((best, x, i) => (Math.abs(Math.log(x / n)) < Math.abs(Math.log(N_STEPS[best] / n)) ? i : best), 0);
  $("servers-slider").value = nearest;
  $("servers-slider").setAttribute("aria-valuetext", `N = ${form.elements.servers.value}`);
  $("alpha-slider").value = form.elements.alpha.value;
  $("choices-slider").max = Math.max(2, Math.min(n || 2, 20));
  $("choices-slider").value = form.elements.choices.value;
  for (const e of document.querySelectorAll("#jx .jx-dt")) e.hidden = form.elements.model.value === "ct";
  document.querySelector("#jx .jx-pod").hidden = form.elements.rule.value === "jsq";
  for (const name of ["arrivals", "service"]) $(name + "-other").hidden = form.elements[name].value !== "other";
}

// --- workers --------------------------------------------------------------------------------------------------------------------------------------------

async function load() {
  const packed = "DecompressionStream" in globalThis;
  const response = await fetch(new URL(packed ? "explorer.wasm.gz" : "explorer.wasm", import.meta.url));
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  let body = await response.arrayBuffer();
  if (new Uint8Array(body)[0] === 0x1f) { // some servers unpack it by themselves
    body = await new Response(new Blob([body]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  return WebAssembly.compile(body);
}
let loaded;
/** The program, compiled; asked for again after a failure. */
const program = () => (loaded ??= load().catch((e) => {
  loaded = undefined;
  throw e;
}));

/** One worker, one question at a time. It is started again when it fails or does not stop. */
class Engine {
  #worker; #ready; #pending; #count = 0;

  #start() {
    const worker = new Worker(new URL("worker.js", import.meta.url));
    this.#worker = worker;
    this.#ready = new Promise((ready) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) ready();
        else if (data.ended) this.#fail("the computation ended unexpectedly: " + data.ended);
        else if (data.id === this.#pending?.id) {
          if (data.progress) this.#pending.progress?.(JSON.parse(data.progress));
          else this.#end(JSON.parse(data.answer));
        }
      };
      worker.onerror = (e) => this.#fail("the worker failed: " + (e.message ?? "worker.js cannot be loaded"));
    });
    program().then((module) => worker.postMessage({ module }), (e) => worker === this.#worker && this.#fail("the program cannot be loaded: " + e.message));
  }
  #end(answer) {
    clearTimeout(this.#pending.timer);
    const { resolve } = this.#pending;
    this.#pending = undefined;
    resolve(answer);
  }
  #fail(error) {
    this.#worker?.terminate();
    this.#worker = undefined;
    if (this.#pending) this.#end({ error });
  }
  ask(kind, request, progress) {
    try {
      if (!this.#worker) this.#start();
    } catch (e) {
      return Promise.resolve({ error: "no worker can be started: " + e.message });
    }
    const id = ++this.#count;
    return new Promise((resolve) => {
      this.#pending = { id, resolve, progress };
      const worker = this.#worker;
      this.#ready.then(() => worker.postMessage({ id, [kind]: JSON.stringify(request) }));
    });
  }
  /** Ends the running question: it answers with what it has, or not at all if that takes a second. */
  stop() {
    if (!this.#pending || this.#pending.timer) return;
    this.#worker?.postMessage({ stop: true });
    this.#pending.timer = setTimeout(() => this.#fail("stopped before there was a result"), 800);
  }
}
const engine = new Engine(), pathEngine = new Engine();

function request(s) {
  const number = (text) => (text === "" || Number.isNaN(Number(text)) ? 0 : Number(text));
  return { model: s.model, servers: number(s.servers), alpha: number(s.alpha), arrivals: s.arrivals, service: s.service, policy: s.policy, routing: s.routing, seed: s.seed };
}

// --- the run --------------------------------------------------------------------------------------------------------------------------------------------

let wanted = 0; // number of the newest run asked for
let running; // promise of the run under way
let result; // the last one shown
let shown; // and what it is the result of

/** All of the settings that a result depends on. */
const key = ({ view, ...s }) => JSON.stringify(s);

/** Without a result for the settings s, or for a link that gives none: the headline says so, and what is still on the page is marked as that of others. */
function noResult(s) {
  if (s && result && shown === key(s)) return showResult(result, s);
  $("w1").textContent = "no result";
  before(Boolean(result));
}

function before(on) {
  for (const part of ["law-card", "numbers-card"]) $(part).classList.toggle("jx-before", on);
}

/** The first field that holds no number, as an answer; undefined if all do. */
function unusable(s) {
  for (const name of ["servers", "alpha"]) {
    if (s[name] === "" || !Number.isFinite(Number(s[name]))) return { field: name, error: `${name} = ${s[name] || "nothing"}: want a number` };
  }
}

const plusMinus = (d, key) => {
  const x = d[key], low = d[key + "_low"], high = d[key + "_high"];
  if (low === undefined) return format(x);
  const h = (high - low) / 2, top = Math.max(Math.abs(x), h);
  if (!(h > 1e-12 * top)) return `${format(x)} ± 0`; // all replications agree
  const e = top < 1e-3 || top >= 1e5 ? Math.floor(Math.log10(top)) : 0;
  const digits = Math.min(Math.max(1 - Math.floor(Math.log10(h / 10 ** e)), 0), 12);
  const text = minus((x / 10 ** e).toFixed(digits)) + " ± " + (h / 10 ** e).toFixed(digits);
  return e ? `(${text}) × ${power(e)}` : text;
};

function fail(answer) {
  $("error").textContent = answer.error ?? "";
  for (const e of document.querySelectorAll("#jx [aria-invalid]")) {
    e.removeAttribute("aria-invalid");
    e.removeAttribute("aria-describedby");
  }
  const name = answer.field === "policy" && form.elements.rule.value !== "jsq" ? "choices" : answer.field === "policy" ? "rule" : answer.field;
  const field = name && (form.elements[name + "-other"]?.hidden === false ? form.elements[name + "-other"] : document.getElementById("jx-" + name));
  if (field) {
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", "jx-error");
  }
}

function busy(on) {
  $("run").textContent = on ? "Stop" : "Run again";
  $("run").dataset.busy = on ? "true" : "";
  $("result").setAttribute("aria-busy", String(on));
  $("result").classList.toggle("jx-stale", on);
  if (!on) {
    $("progress").value = 0;
    $("progress").style.visibility = "hidden";
    $("progress-text").textContent = "";
  }
}

function progress(p) {
  $("progress").style.visibility = "";
  $("progress").value = p.slots / p.planned;
  const phase = /L=(\d+)(?: tau=(\d+))?(.*)$/.exec(p.phase);
  const text = phase ? `ceiling ${phase[1]}${phase[2] ? `, τ = ${phase[2]}` : ""}${phase[3]}` : p.phase;
  $("progress-text").textContent = `${text}: ${format(p.slots, 2)} of ${format(p.planned, 2)} ${settings().model === "ct" ? "steps" : "slots"}` + (p.rel_error ? `, error ${format(100 * p.rel_error, 2)} %` : "");
}

/** Runs the settings s, stopping what runs before; undefined if a newer run came in between. What is bad is the answer, without a run. */
async function run(s, bad = unusable(s)) {
  const mine = ++wanted;
  engine.stop();
  while (running) await running;
  if (mine !== wanted) return undefined;
  busy(true);
  const answering = bad ? Promise.resolve(bad) : engine.ask("distance", { ...request(s), rel_error: Number(s.rel_error) }, (p) => mine === wanted && progress(p));
  running = answering.then(() => (running = undefined));
  const answer = await answering;
  if (mine !== wanted) return undefined;
  busy(false);
  fail(answer);
  if (answer.error) return answer;
  if (!answer.warnings.length || !answer.stopped) remember(s, answer);
  return answer;
}

function showResult(d, s) {
  result = d;
  shown = key(s);
  before(false);
  const share = d.wasserstein / d.limit_mean;
  $("w1").innerHTML = `<i>W</i><sub>1</sub> = ${plusMinus(d, "wasserstein")} <small>certificate ${format(d.certificate_low)} … ${format(d.certificate_high)}</small>`;
  const ct = d.model === "ct", unit = ct ? "mean services" : "slots";
  const rows = [
    ["W₁ as a share of the limit’s mean", share >= 1e-3 ? `${format(100 * share, 3)} %` : format(share, 3)],
    [ct ? "Gap 1 − λ" : "Gap e, share of service left over", format(d.gap)],
    ["Mean total, E Q", plusMinus(d, "mean_total")],
    ["Mean of the limit, m", format(d.limit_mean)],
    [ct ? "Total seen by an idle server, E[I Q]/E I" : "Total seen by an unused service, E[U Q⁺]/E U", plusMinus(d, "boundary_mean")],
    ["Boundary part of the total, E Q̃", plusMinus(d, "qtilde_mean")],
    [`One independent sample of Q takes, 2v/ε²`, `${format(d.relaxation, 2)} ${unit}`],
    [ct ? "Steps of this run" : "Slots of this run", format(d.total_slots, 3)],
    ["Estimator", d.estimator],
    ["Ceiling L, and the check of the run", d.ceiling_shift_in_sigma === undefined ? `${d.ceiling}, not checked` : `${d.ceiling}, ${format(d.ceiling_shift_in_sigma, 2)} σ`],
  ];
  $("numbers").replaceChildren(...rows.map(([name, value]) => {
    const div = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = value;
    div.append(dt, dd);
    return div;
  }));
  $("warnings").replaceChildren(...d.warnings.map((w) => Object.assign(document.createElement("li"), { textContent: "Warning: " + w })));
  $("command").textContent = d.command;
  $("status").textContent = `${d.stopped ? "Stopped. " : ""}W1 = ${d.wasserstein.toPrecision(3)}, certificate from ${d.certificate_low.toPrecision(4)} to ${d.certificate_high.toPrecision(4)}` +
    (d.warnings.length ? `, ${d.warnings.length} warning${d.warnings.length > 1 ? "s" : ""}` : "");
  drawLaw();
}

async function runNow(bad) {
  const s = settings(), answer = await run(s, bad);
  if (answer?.error) noResult(bad ? undefined : s);
  else if (answer) showResult(answer, s);
  drawTrace();
}

// --- the law --------------------------------------------------------------------------------------------------------------------------------------------

function drawLaw() {
  if (!result) return;
  const { law, limit_mean: m, wasserstein: w1, model } = result, view = form.elements.view.value;
  const high = law.cdf.x.at(-1), z = Array.from({ length: 201 }, (_, i) => (high * i) / 200);
  const x = { label: model === "ct" ? "z, of Z = (1 − λ) Q" : "z, of Z = N^(−α) Q", low: 0, high };
  const limit = view === "density" ? z.map((t) => Math.exp(-t / m) / m) : z.map((t) => -Math.expm1(-t / m));
  const gap = `W₁ = ${format(w1, 3)}`;
  let layers, y, legend, note;
  if (view === "difference") {
    const values = law.difference.y, low = Math.min(0, ...values), top = Math.max(0, ...values);
    y = { label: "F(z) − G(z)", low: low - 0.04 * (top - low), high: top + 0.04 * (top - low), zero: true };
    layers = [{ kind: "area", class: "jx-c0", ...law.difference }, { kind: "line", class: "jx-c0", ...law.difference }];
    legend = [["line", "jx-c0", `F − G; the area between it and 0 is ${gap}`]];
    note = "F is the distribution function of Z, G that of the exponential limit. Below 0, Z is larger than its limit.";
  } else if (view === "cdf") {
    y = { label: "probability", low: 0, high: 1 };
    layers = [{ kind: law.steps && law.cdf.x.length < 120 ? "steps" : "line", class: "jx-c0", ...law.cdf }, { kind: "line", class: "jx-limit", x: z, y: limit }];
    legend = [["line", "jx-c0", "P(Z ≤ z)"], ["line", "jx-limit", `limit, 1 − exp(−z/m), m = ${format(m)}`]];
    note = `The area between the two is ${gap}.` + (w1 < 0.01 * m ? " They cannot be told apart by eye here: see their difference." : "");
  } else {
    const most = Math.max(1 / m, ...law.density.y);
    y = { label: "density of Z, per unit of z", low: 0, high: 1.05 * Math.min(most, 4 / m) };
    layers = [{ kind: "line", class: "jx-c0", ...law.density }, { kind: "line", class: "jx-limit", x: z, y: limit }];
    legend = [["line", "jx-c0", law.steps ? "P(Q = n) over the lattice span of Z" : "density of Z"], ["line", "jx-limit", `limit, exp(−z/m)/m, m = ${format(m)}`]];
    note = w1 < 0.01 * m ? `They cannot be told apart by eye here, ${gap}: see their difference.` : "";
  }
  const describe = `${legend.map((l) => l[2]).join("; ")}. z from 0 to ${format(high, 3)}; ${y.label}. Mean of Z ${format(result.gap * result.mean_total)}, of the limit ${format(m)}.`;
  draw($("law"), { x, y, layers, describe, height: 270 });
  showLegend("law", legend);
  $("law-note").textContent = note;
  const every = Math.max(1, Math.ceil(law.cdf.x.length / 40));
  table("law", "The law of Z and its limit G", ["z", "F(z)", "G(z)", "density of Z", "density of the limit"], () =>
    law.cdf.x.filter((_, i) => i % every === 0).map((t, i) => [t, law.cdf.y[i * every], -Math.expm1(-t / m), law.density.y[i * every], Math.exp(-t / m) / m]));
}

// --- W1 against alpha -----------------------------------------------------------------------------------------------------------------------------------

const traces = new Map(); // name of the system without alpha -> Map(alpha -> result)
const MOST_TRACES = 5;

function nameOf(s) {
  const law = s.arrivals === CONSTANT.arrivals && s.service === CONSTANT.service ? "" : `, ${s.arrivals} / ${s.service}`;
  return `N = ${Number(s.servers)}, ${s.model === "ct" ? "continuous" : s.routing} time`.replace(/(batch|job) time/, "$1") + (s.policy === "jsq" ? "" : `, ${s.policy.replace(/\d+/, (d) => Number(d))}`) + law;
}

function remember(s, d) {
  const name = nameOf(s);
  const points = traces.get(name) ?? new Map();
  traces.delete(name); // to the end: the newest
  points.set(d.alpha, { x: d.alpha, y: d.wasserstein / d.limit_mean, low: d.certificate_low / d.limit_mean, high: d.certificate_high / d.limit_mean });
  traces.set(name, points);
  if (traces.size > MOST_TRACES) traces.delete(traces.keys().next().value);
}
const looks = new Map(); // name -> number of its colour and marker

function drawTrace() {
  const s = settings(), now = nameOf(s);
  for (const name of looks.keys()) if (!traces.has(name)) looks.delete(name);
  for (const name of traces.keys()) if (!looks.has(name)) looks.set(name, [0, 1, 2, 3, 4].find((k) => ![...looks.values()].includes(k)));
  const layers = [], legend = [], rows = [];
  let low = Infinity, high = 0, left = 0.9, right = 6.1;
  for (const [name, points] of traces) {
    const k = looks.get(name);
    const sorted = [...points.values()].sort((a, b) => a.x - b.x).map((p) => ({ ...p, current: name === now && p.x === Number(s.alpha) }));
    layers.push({ kind: "points", class: "jx-c" + k, marker: k, points: sorted });
    legend.push(["points", "jx-c" + k, name, k]);
    for (const p of sorted) {
      low = Math.min(low, p.y);
      high = Math.max(high, p.y);
      left = Math.min(left, p.x);
      right = Math.max(right, p.x);
      rows.push([name, p.x, p.y, p.low, p.high]);
    }
  }
  if (!rows.length) [low, high] = [1e-3, 10];
  low = 10 ** Math.floor(Math.log10(low) - 0.1);
  high = 10 ** Math.ceil(Math.log10(high) + 0.1);
  if (s.policy === "jsq") {
    if (s.model === "ct") layers.unshift({ kind: "mark", x: 1, label: "α = 1: onset [literature]" });
    else if (s.routing === "job") layers.unshift({ kind: "mark", x: 1, label: "α = 1: onset [measured]" });
    else layers.unshift({ kind: "mark", x: 2, label: "α = 2: onset [measured]" }, { kind: "mark", x: 4, label: "α > 4 [paper]", row: 1 });
  }
  draw($("trace"), {
    x: { label: "α", low: left, high: right },
    y: { label: "W₁ as a share of the limit’s mean, W₁/m", low, high, log: true },
    layers, height: 300,
    describe: rows.length ? `W1/m against alpha, logarithmic, for ${[...traces.keys()].join("; ")}. ${rows.length} points between ${format(low, 2)} and ${format(high, 2)}.` : "No points yet.",
  });
  showLegend("trace", legend);
  table("trace", "W₁/m and its certificate", ["system", "α", "W₁/m", "at least", "at most"], () => rows);
}

let tracing = false;
/** Ends the run under way, and a trace between two of its runs too. */
function stop() {
  tracing = false;
  engine.stop();
}

/** Runs alpha = 1, 1.5, ..., 6 for the system chosen. */
async function traceAll() {
  if ($("trace-run").getAttribute("aria-disabled")) return; // not disabled: it would lose the focus
  const s = settings();
  if (shown !== key(s)) noResult(s);
  $("trace-run").setAttribute("aria-disabled", "true");
  tracing = true;
  for (let alpha = 1; tracing && alpha <= 6; alpha += 0.5) {
    $("trace-run").textContent = `Tracing, α = ${alpha}`;
    const answer = await run({ ...s, alpha: String(alpha) });
    drawTrace();
    if (!answer || answer.stopped || (answer.error && answer.field !== "servers")) break; // stopped, or other settings
    if (!answer.error) $("status").textContent = `alpha ${alpha}: W1 = ${answer.wasserstein.toPrecision(3)}`;
  }
  $("trace-run").textContent = "Trace over α";
  $("trace-run").removeAttribute("aria-disabled");
}

// --- the path -------------------------------------------------------------------------------------------------------------------------------------------

const WINDOW = 600; // points shown
let path; // {time, total, low, high, unused, queues, chunk, s}
let pathJob = 0;
let playing = false;

/** Asks for steps more points, from nothing if there is no path. */
async function extend(s, steps, from) {
  const every = Number($("every").value);
  const seed = from ? String(BigInt.asUintN(64, BigInt(s.seed) + BigInt(from.chunk))) : s.seed; // other random numbers for every part
  const p = await pathEngine.ask("path", { ...request(s), seed, steps, every, start: from?.queues });
  if (p.error || !from) return p.error ? p : { ...p, s, chunk: 1 };
  const end = from.time.at(-1), out = { s, chunk: from.chunk + 1, queues: p.queues };
  for (const key of ["time", "total", "low", "high", "unused"]) {
    const more = key === "time" ? p.time.slice(1).map((t) => t + end) : p[key].slice(1);
    out[key] = from[key].concat(more).slice(-WINDOW - 1);
  }
  return out;
}

/** Without a path for what is chosen, the one on the page is marked as that of other settings. */
function noPath() {
  $("path-card").classList.toggle("jx-before", Boolean($("path").firstChild));
  path = undefined;
  setPlaying(false);
}

async function newPath(s) {
  const job = ++pathJob;
  while (pathRunning) await pathRunning;
  if (job !== pathJob) return;
  if (unusable(s)) return noPath();
  const asked = extend(s, WINDOW);
  pathRunning = asked.finally(() => (pathRunning = undefined));
  const p = await asked;
  if (job !== pathJob) return;
  if (p.error) return noPath();
  path = p;
  $("path-card").classList.remove("jx-before");
  drawPath();
  if (playing) play();
}
let pathRunning;

async function play() {
  const job = ++pathJob;
  while (playing && job === pathJob && path) {
    while (pathRunning) await pathRunning;
    const begin = performance.now();
    const asked = extend(path.s, 5, path);
    pathRunning = asked.finally(() => (pathRunning = undefined));
    const p = await asked;
    if (job !== pathJob) return;
    if (p.error) return noPath();
    path = p;
    if (!document.hidden) drawPath();
    await new Promise((next) => setTimeout(next, Math.max(50 - (performance.now() - begin), 0)));
  }
}

function setPlaying(on) {
  playing = on;
  $("play").textContent = on ? "Pause" : "Play";
  $("play").setAttribute("aria-pressed", String(on));
  if (on) path ? play() : newPath(settings()); // which plays it
  else pathJob++;
}

function drawPath() {
  if (!path) return;
  const { time, total, low, high, unused, queues, s } = path, ct = s.model === "ct", n = queues.length;
  const top = Math.max(4, ...total), marks = time.filter((_, i) => (ct ? unused[i] > 0 : i > 0 && unused[i] > 0));
  const word = ct ? "an idle server" : "unused service";
  draw($("path"), {
    x: { label: ct ? "time (mean services)" : "slot", low: time[0], high: time.at(-1) },
    y: { label: "total Q (jobs)", low: 0, high: 1.05 * top },
    layers: [{ kind: "rug", class: "jx-c1", x: marks }, { kind: "line", class: "jx-c0", x: time, y: total }],
    height: 230,
    describe: `Total queue length, from ${total[0]} to ${total.at(-1)} jobs, at most ${top}, between ${format(time[0])} and ${format(time.at(-1))} ${ct ? "mean services" : "slots"}; ${word} at ${marks.length} of ${time.length} points.`,
  });
  const longest = high.at(-1), mean = total.at(-1) / n;
  draw($("queues"), {
    x: { label: `server, of ${n}`, low: 0, high: n },
    y: { label: "queues at the end (jobs)", low: 0, high: Math.max(1.05 * Math.max(...high), 2) },
    layers: [{ kind: "bars", class: "jx-c0", y: queues }, { kind: "level", y: mean }],
    height: 230,
    describe: `The ${n} queues at the end: shortest ${low.at(-1)}, longest ${longest}, mean ${format(mean, 3)} jobs.`,
  });
  showLegend("path", [["line", "jx-c0", "total Q, and the queues"], ["rug", "jx-c1", ct ? "a server is idle" : "some service goes unused"], ["line", "jx-limit", "mean queue"]]);
  $("path-note").textContent = `Shortest queue ${low.at(-1)}, longest ${longest}. The path starts from empty queues. With many servers it hardly depends on α once α ≥ 2: the law is decided on a far longer time scale, see the numbers.`;
  const every = Math.max(1, Math.ceil(time.length / 60));
  table("path", "Total, shortest and longest queue, unused service", [ct ? "time" : "slot", "Q", "shortest", "longest", ct ? "idle servers" : "unused since the point before"], () =>
    time.map((t, i) => [t, total[i], low[i], high[i], unused[i]]).filter((_, i) => i % every === 0));
}

// --- legends and tables ---------------------------------------------------------------------------------------------------------------------------------

function showLegend(name, entries) {
  $(name + "-legend").replaceChildren(...entries.map(([kind, style, text, k]) => {
    const li = document.createElement("li");
    li.innerHTML = `<svg viewBox="0 0 34 14" aria-hidden="true">` + (kind === "rug" ? `<path class="jx-rug ${style}" d="M6,3v8M13,3v8M16,3v8M27,3v8"/>` : `<path class="jx-line ${style}" d="M0,7H34"/>`) +
      (kind === "points" ? `<path class="jx-points ${style}" d="${marker(k, 17, 7, 4)}"/>` : "") + `</svg>`;
    li.append(text);
    return li;
  }));
}

/** Fills the table of a chart when it is open; rows() gives its rows. */
function table(name, caption, head, rows) {
  const details = $(name + "-table");
  const fill = () => {
    if (!details.open) return;
    const box = document.createElement("div");
    box.className = "jx-scroll";
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", caption);
    const t = box.appendChild(document.createElement("table"));
    t.createCaption().textContent = caption;
    const top = t.createTHead().insertRow();
    for (const text of head) top.append(Object.assign(document.createElement("th"), { textContent: text, scope: "col" }));
    const body = t.createTBody();
    for (const row of rows()) {
      const r = body.insertRow();
      for (const cell of row) r.insertCell().textContent = typeof cell === "number" ? format(cell, 5) : cell ?? "";
    }
    const old = details.querySelector(".jx-scroll"), at = old?.scrollTop;
    old?.remove();
    details.append(box);
    box.scrollTop = at ?? 0;
  };
  details.ontoggle = fill;
  fill();
}

// --- events ---------------------------------------------------------------------------------------------------------------------------------------------

/** Runs what the form says; or, if the link is bad, tells why not. */
function begin(bad) {
  const s = settings();
  drawTrace();
  runNow(bad);
  if (bad) return noPath();
  toHash(s);
  newPath(s);
}

let soon;
function changed(bad) {
  arrange();
  clearTimeout(soon);
  soon = setTimeout(begin, 120, bad);
}

form.addEventListener("submit", (e) => e.preventDefault());
form.addEventListener("input", (e) => {
  if (e.target === $("servers-slider")) form.elements.servers.value = N_STEPS[e.target.value];
  if (e.target === $("alpha-slider")) form.elements.alpha.value = e.target.value;
  if (e.target === $("choices-slider")) form.elements.choices.value = e.target.value;
  changed();
});
for (const e of document.querySelectorAll("#jx input[name=view]")) {
  e.addEventListener("change", () => {
    toHash(settings());
    drawLaw();
  });
}
addEventListener("hashchange", () => {
  if (location.hash && !location.hash.includes("=")) return;
  changed(fromHash());
});
document.querySelectorAll("#jx .jx-try a").forEach((a) => a.addEventListener("click", () => $("result").scrollIntoView({ block: "nearest" })));
$("run").addEventListener("click", () => {
  if ($("run").dataset.busy) return stop();
  toHash(settings());
  runNow();
  if (!path) newPath(settings());
});
document.getElementById("jx").addEventListener("keydown", (e) => e.key === "Escape" && stop());
$("trace-run").addEventListener("click", traceAll);
$("trace-clear").addEventListener("click", () => {
  traces.clear();
  drawTrace();
});
$("play").addEventListener("click", () => setPlaying(!playing));
$("restart").addEventListener("click", () => newPath(settings()));
$("every").addEventListener("change", () => newPath(settings()));

async function copy(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    $("status").textContent = button.textContent = "Copied";
  } catch {
    button.textContent = "Cannot copy";
  }
  setTimeout(() => (button.textContent = label), 1500);
}
$("copy-command").addEventListener("click", () => copy($("copy-command"), $("command").textContent));
$("copy-link").addEventListener("click", () => copy($("copy-link"), location.href));

let width = 0;
new ResizeObserver(() => {
  if (document.getElementById("jx").clientWidth === width) return;
  width = document.getElementById("jx").clientWidth;
  drawLaw();
  drawTrace();
  drawPath();
}).observe(document.getElementById("jx"));

const bad = fromHash();
arrange();
busy(true);
begin(bad);
