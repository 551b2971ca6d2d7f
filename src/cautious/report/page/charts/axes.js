// The frame of a chart: scales, ticks, grid and labels.
import { svg } from "./dom.js";
import { alike } from "../core/format.js";

export function ticks(low, high, wanted = 5) {
  const raw = (high - low) / wanted,
    power = 10 ** Math.floor(Math.log10(raw)),
    step = [1, 2, 2.5, 5, 10].find((s) => s * power >= raw * 0.999) * power,
    result = [];
  // No tick at -0.
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) result.push(i * step + 0);
  return result;
}

// About what a number takes in the type of the ticks, on the generous side.
export const widthOfText = (text) =>
  Array.from(text).reduce((width, c) => width + (c === "%" ? 11 : ".,".includes(c) ? 3.7 : 7.3), 0);

export const lineFrom = (kind, x1, y1, x2, y2) => svg("line", { class: kind, x1, x2, y1, y2 });
export const textAt = (kind, x, y, words, anchor = "middle") =>
  svg("text", { class: kind, x, y, "text-anchor": anchor }, words);
export const insideOf = ({ left: x, right, top: y, bottom }) => ({ x, y, width: right - x, height: bottom - y });

// `x` and `y` are [low, high]; gives the root, a group to draw into, and the two scales.
export function frame({ width, height, x, y, xLabel, yLabel, about, right = 22, left = 52, grid = true, ...rest }) {
  const { xFormat, yFormat, yTicks } = rest;
  if (onPaper) height = Math.round(SHEET.height * height);
  const across = ticks(...x, Math.max(3, Math.round(width / 110))),
    along = yTicks ?? ticks(...y, Math.max(3, Math.round(height / 70))),
    texts = (at, format = alike(at, 4)) => at.map((t) => format(t)),
    xText = texts(across, xFormat),
    yText = texts(along, yFormat);
  // Long numbers need more room, or they run into the label that stands beside them.
  left = Math.max(left, 26 + Math.max(0, ...yText.map(widthOfText)));
  const inner = { left, right: width - right, top: 10, bottom: height - (onPaper ? 30 : 42) },
    sx = (v) => inner.left + ((v - x[0]) / (x[1] - x[0])) * (inner.right - inner.left),
    sy = (v) => inner.bottom - ((v - y[0]) / (y[1] - y[0])) * (inner.bottom - inner.top),
    plot = svg("g", {}),
    axis = svg("g", { class: "axis" });
  across.forEach((t, i) =>
    axis.append(
      grid ? lineFrom("grid", sx(t), inner.top, sx(t), inner.bottom) : "",
      textAt(null, sx(t), inner.bottom + (onPaper ? 12 : 16), xText[i]),
    ),
  );
  along.forEach((t, i) =>
    axis.append(
      grid ? lineFrom("grid", inner.left, sy(t), inner.right, sy(t)) : "",
      textAt(null, inner.left - 7, sy(t) + 4, yText[i], "end"),
    ),
  );
  const middle = onPaper ? height / 2 : (inner.top + inner.bottom) / 2,
    turned = { class: "label", "text-anchor": "middle", transform: `translate(12 ${middle}) rotate(-90)` };
  axis.append(
    textAt("label", (inner.left + inner.right) / 2, height - (onPaper ? 4 : 6), xLabel),
    svg("text", turned, yLabel),
  );
  const root = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": about },
    axis,
    plot,
  );
  return { root, plot, sx, sy, inner, x, y };
}

// Width to draw at: charts are redrawn, not stretched, so that their text stays readable. Asking the
// browser between two drawings makes it lay the page out again, so it is asked once.
let widths = new WeakMap();
export const forgetWidths = () => (widths = new WeakMap());
// On paper a card is as wide as a sheet, or half of it, and charts are less than half as high.
const SHEET = { whole: 680, half: 324, height: 0.34 };
let onPaper = false;
export const usePaper = (use) => (onPaper = use);
// Beside the words where there is room, below them elsewhere; as in the style sheet.
export const besideWords = (width) => (width > 900 || onPaper ? Math.floor((width - 32) / 2) : width);

export function widthOf(node, fallback = 540) {
  if (onPaper) return node.closest(".wide") ? SHEET.whole : SHEET.half;
  if (!widths.has(node)) {
    if (!node.clientWidth) return fallback;
    widths.set(node, Math.max(280, Math.round(node.clientWidth)));
  }
  return widths.get(node);
}
