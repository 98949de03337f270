// Small SVG charts: axes with labels and units, lines, areas, bars, points with intervals, and vertical marks.

const NS = "http://www.w3.org/2000/svg";
const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

export const power = (exponent) => "10" + [...String(exponent)].map((c) => SUPERSCRIPT[c]).join("");
export const minus = (text) => text.replace("-", "−");

/** x with some significant digits, as 1.25 or 1.25 × 10⁻⁷. */
export function format(x, digits = 4) {
  if (x === 0) return "0";
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e").map(Number);
  if (exponent >= -3 && exponent < 6) return minus(String(Number(x.toPrecision(digits))));
  return minus(mantissa.toFixed(digits - 1)) + " × " + power(exponent);
}

/** Round numbers from low to high, about count of them. */
function linearTicks(low, high, count) {
  const raw = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * [1, 2, 5, 10].find((k) => k * unit >= raw);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return ticks;
}

function logTicks(low, high, count) {
  const a = Math.ceil(Math.log10(low) - 1e-9), b = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((b - a) / count));
  const ticks = [];
  for (let k = b; k >= a; k -= step) ticks.unshift(10 ** k);
  return ticks;
}

/**
 * Draws into svg, an <svg> that fills its parent's width, what spec says:
 * {height, x: axis, y: axis, layers, describe}, axis = {label, low, high, log, zero}. A layer is {kind, class, ...}:
 * line and area {x, y}, steps {x, y}, bars {y}, points {points: [{x, y, low, high, current}], marker}, rug {x}, mark {x, label}, level {y}.
 */
export function draw(svg, spec) {
  const width = Math.max(svg.parentElement.clientWidth, 200), height = spec.height ?? 250;
  const add = (name, attributes, text, parent = svg) => {
    const e = parent.appendChild(document.createElementNS(NS, name));
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", spec.describe);

  const axes = {};
  for (const [key, count] of [["y", height / 45], ["x", width / 90]]) {
    const a = { ...spec[key] };
    if (!(a.high > a.low)) a.high = a.low + 1;
    a.ticks = a.log ? logTicks(a.low, a.high, count) : linearTicks(a.low, a.high, count);
    const most = Math.max(...a.ticks.map(Math.abs), 0);
    const exponent = most > 0 ? Math.floor(Math.log10(most) + 1e-9) : 0;
    a.scale = !a.log && (exponent < -2 || exponent > 5) ? exponent : 0;
    const digits = a.ticks.length > 1 ? Math.max(0, Math.ceil(-Math.log10((a.ticks[1] - a.ticks[0]) / 10 ** a.scale) - 1e-9)) : 0;
    a.text = a.ticks.map((t) => (a.log ? (t < 1000.5 && t > 0.0999 ? String(Number(t.toPrecision(3))) : power(Math.round(Math.log10(t)))) : minus((t / 10 ** a.scale).toFixed(Math.min(digits, 3)))));
    if (a.scale) a.label += ` (in units of ${power(a.scale)})`;
    axes[key] = a;
  }
  const left = 14 + 7.2 * Math.max(...axes.y.text.map((t) => t.length)), top = 28, right = width - 14, bottom = height - 42;
  const place = (a, from, to) => {
    const f = a.log ? Math.log10 : (x) => x;
    const low = f(a.low), high = f(a.high);
    return (x) => Math.round(100 * (from + ((f(x) - low) / (high - low)) * (to - from))) / 100;
  };
  const X = place(axes.x, left, right), Y = place(axes.y, bottom, top);

  const grid = add("g", { class: "jx-axis" });
  axes.y.ticks.forEach((t, i) => {
    add("line", { x1: left, x2: right, y1: Y(t), y2: Y(t), class: t === 0 && axes.y.zero ? "jx-zero" : "jx-grid" }, undefined, grid);
    add("text", { x: left - 6, y: Y(t) + 4, "text-anchor": "end" }, axes.y.text[i], grid);
  });
  axes.x.ticks.forEach((t, i) => {
    add("line", { x1: X(t), x2: X(t), y1: bottom, y2: bottom + 4, class: "jx-tick" }, undefined, grid);
    add("text", { x: X(t), y: bottom + 17, "text-anchor": "middle" }, axes.x.text[i], grid);
  });
  add("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "jx-tick" }, undefined, grid);
  add("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle", class: "jx-label" }, axes.x.label, grid);
  add("text", { x: 2, y: 14, class: "jx-label" }, axes.y.label, grid);

  const clipped = (y) => Math.min(Math.max(y, top - 1), bottom + 1);
  const trace = (layer) => layer.x.map((x, i) => `${X(x)},${clipped(Y(layer.y[i]))}`);
  for (const layer of spec.layers) {
    const style = { class: "jx-" + layer.kind + " " + (layer.class ?? "") };
    if (layer.kind === "line" && layer.x.length) {
      add("path", { ...style, d: "M" + trace(layer).join("L") });
    } else if (layer.kind === "steps" && layer.x.length) {
      let d = `M${X(layer.x[0])},${bottom}`;
      layer.x.forEach((x, i) => (d += `H${X(x)}V${clipped(Y(layer.y[i]))}`));
      add("path", { ...style, d: d + `H${right}` });
    } else if (layer.kind === "area" && layer.x.length) {
      const base = clipped(Y(0));
      add("path", { ...style, d: `M${X(layer.x[0])},${base}L${trace(layer).join("L")}L${X(layer.x.at(-1))},${base}Z` });
    } else if (layer.kind === "bars") {
      const n = layer.y.length, gap = (right - left) / n > 4 ? 1 : 0;
      let d = "";
      layer.y.forEach((y, i) => {
        const a = left + ((right - left) * i) / n, b = left + ((right - left) * (i + 1)) / n - gap;
        if (y > 0) d += `M${a.toFixed(2)},${bottom}V${clipped(Y(y))}H${b.toFixed(2)}V${bottom}Z`;
      });
      add("path", { ...style, d });
    } else if (layer.kind === "rug") {
      add("path", { ...style, d: layer.x.map((x) => `M${X(x)},${bottom}v-7`).join("") });
    } else if (layer.kind === "level") {
      add("line", { ...style, x1: left, x2: right, y1: Y(layer.y), y2: Y(layer.y) });
    } else if (layer.kind === "mark" && layer.x >= axes.x.low && layer.x <= axes.x.high) {
      add("line", { ...style, x1: X(layer.x), x2: X(layer.x), y1: top, y2: bottom });
      const end = X(layer.x) > (left + right) / 2;
      add("text", { ...style, x: X(layer.x) + (end ? -5 : 5), y: top + 11 + 15 * (layer.row ?? 0), "text-anchor": end ? "end" : "start" }, layer.label);
    } else if (layer.kind === "points") {
      add("path", { class: "jx-line " + layer.class, d: layer.points.length > 1 ? "M" + layer.points.map((p) => `${X(p.x)},${clipped(Y(p.y))}`).join("L") : "" });
      for (const p of layer.points) {
        if (p.low > 0) add("path", { class: "jx-whisker " + layer.class, d: `M${X(p.x)},${clipped(Y(p.low))}V${clipped(Y(p.high))}` });
        add("path", { ...style, d: marker(layer.marker, X(p.x), clipped(Y(p.y)), 4) });
        if (p.current) add("circle", { class: "jx-current", cx: X(p.x), cy: clipped(Y(p.y)), r: 9 });
      }
    }
  }
}

/** The outline of a marker: circle, square, triangle, diamond or cross, by number. */
export function marker(kind, x, y, r) {
  switch (kind % 5) {
    case 0: return `M${x - r},${y}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0Z`;
    case 1: return `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`;
    case 2: return `M${x},${y - 1.3 * r}l${1.2 * r},${2.1 * r}h${-2.4 * r}Z`;
    case 3: return `M${x},${y - 1.4 * r}l${1.4 * r},${1.4 * r}l${-1.4 * r},${1.4 * r}l${-1.4 * r},${-1.4 * r}Z`;
    default: return `M${x - r},${y - r}l${2 * r},${2 * r}M${x + r},${y - r}l${-2 * r},${2 * r}`;
  }
}
