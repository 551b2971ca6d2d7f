// Line charts of several models, told apart by colour, dash and marker, with bands and read-outs.
import { percent, share, shorten } from "../core/format.js";
import { riskPoints } from "../core/risk.js";
import { frame, textAt } from "./axes.js";
import { dash, marker, modelColour } from "./colours.js";
import { button, el, svg } from "./dom.js";
import { heightAt, readout } from "./readout.js";

const drawable = ([x, y]) => x === x && y === y;

// `series` are {name, index, points: [[x, y]], mark: [x, y], band: {low, high}}; a faded one stands
// back, and one that is `off` is left out. `style` replaces a model's colour and dash; `label` is how far below
// its end a line bears its name.
export function lineChart(series, { key, title = String, xFormat, yFormat = share, ...options }) {
  // Ticks are round numbers: they need no decimals, or more than others have.
  const chart = frame({ xFormat, yFormat: yFormat === percent ? share : yFormat, ...options }),
    shown = series.filter(({ off }) => !off),
    isAlone = shown.filter(({ style }) => !style).length === 1, namesAt = [],
    spot = ([x, y]) => `${chart.sx(x).toFixed(1)} ${chart.sy(y).toFixed(1)}`,
    path = (points) => points.filter(drawable).map((point, i) => `${i ? "L" : "M"}${spot(point)}`).join(""),
    colourOf = ({ index, style }) => style?.colour ?? modelColour(index);
  for (const each of shown.filter(({ band, faded }) => band && !faded)) {
    const { low, high } = each.band, d = `${path([...low, ...[...high].reverse()])}z`;
    chart.plot.append(svg("path", { class: "band", d, fill: colourOf(each) }));
  }
  for (const each of shown) {
    const { name, index, points, mark, faded, style } = each,
      stroke = { stroke: colourOf(each), "stroke-dasharray": style?.dash ?? dash(index) },
      spots = style || isAlone ? [] : spotsOn(points, chart, index);
    const line = { class: faded ? "line faded" : "line", d: path(points), ...stroke };
    chart.plot.append(svg("path", line, svg("title", {}, shorten(name))));
    if (mark && drawable(mark)) spots.push([...mark, 6]);
    const end = style?.label && points.filter(drawable).at(-1);
    if (end) {
      const x = chart.sx(end[0]), last = x > 0.8 * chart.inner.right;
      let y = chart.sy(end[1]) + style.label;
      while (namesAt.some((one) => Math.abs(one - y) < 13)) y += style.label < 0 ? -1 : 1;
      if (last) namesAt.push(y);
      chart.plot.append(textAt("line-label", last ? x : x + 6, y, name, last ? "end" : "start"));
    }
    for (const [x, y, r] of spots) {
      const transform = `translate(${spot([x, y])}) scale(${r})`;
      chart.plot.append(svg("path", { class: "dot", d: marker(index), transform, fill: colourOf(each) }));
    }
  }
  const lineAt = (each, x) => {
    const y = heightAt(each.points.filter(drawable), x),
      range = each.faded ? "" : rangeAt(each.band, x, yFormat);
    return { y, colour: colourOf(each), text: `${shorten(each.name, 26)} ${yFormat(y)}${range}` };
  };
  const linesAt = (x) => shown.map((each) => lineAt(each, x)).filter(({ y }) => y === y).slice(0, 12);
  readout(chart, { key, format: title, at: (x) => ({ x, title: title(x), lines: linesAt(x) }) });
  return chart;
}

function rangeAt(band, x, format) {
  if (!band) return "";
  const [low, high] = [band.low, band.high].map((edge) => heightAt(edge.filter(drawable), x));
  return low === low && high === high ? ` (${format(low)} to ${format(high)})` : "";
}

// A few markers along a line, each model's at places of its own.
function spotsOn(points, { x }, index) {
  const all = points.filter(drawable);
  return [0.22, 0.5, 0.78]
    .map((t) => x[0] + (t + 0.022 * ((index % 9) - 4)) * (x[1] - x[0]))
    .map((at) => [at, heightAt(all, at), 3.4])
    .filter(drawable);
}

export function sign(index) {
  const colour = modelColour(index),
    stroke = { stroke: colour, "stroke-width": 2.6, "stroke-dasharray": dash(index) },
    transform = "translate(15 6) scale(4.2)";
  return svg(
    "svg",
    { viewBox: "0 0 30 12", width: 30, height: 12, class: "sign", "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 30, y1: 6, y2: 6, ...stroke }),
    svg("path", { d: marker(index), transform, fill: colour, class: "dot" }),
  );
}

// Pressing a name shows its line alone; pressing it again brings the others back.
export function legend(results, { alone = null, onAlone } = {}) {
  if (results.length < 2) return null;
  const press = ({ model: { name }, index }) => ({
    class: alone !== null && alone !== index ? "legend-key off" : "legend-key",
    "aria-pressed": String(alone === index),
    title: shorten(name, 200),
    onclick: () => onAlone(alone === index ? null : index),
  });
  const items = results.map((r) => el("li", {}, button(press(r), sign(r.index), shorten(r.model.name, 28))));
  return el("ul", { class: "legend" }, items);
}

// How each model's line is shown: the chosen one in front, or one that was singled out alone.
export const seriesOf = ({ results, chosen, view }, of) =>
  results.map((r) => ({
    name: r.model.name,
    index: r.index,
    faded: r !== chosen && view.alone === null,
    off: view.alone !== null && view.alone !== r.index,
    ...of(r),
  }));

export const keyOf = ({ results, view, isolate }) => legend(results, { alone: view.alone, onAlone: isolate });

// The picture of risk against coverage, the same for scores and for prediction sets.
export function riskChart(context, size, bandOf = () => null) {
  const series = seriesOf(context, ({ model }) => ({ points: riskPoints(model.risk), band: bandOf(model) })),
    // The first few cases jump about; they must not set the scale.
    top = Math.max(...series.flatMap(({ points }) => points.filter(([c]) => c > 0.02).map(([, y]) => y)), 0.001),
    inside = (points) => points.map(([x, y]) => [x, Math.min(y, top)]);
  series.forEach((each) => {
    each.points = each.points.filter(([, y]) => y <= top);
    if (each.band) each.band = { low: inside(each.band.low), high: inside(each.band.high) };
  });
  return lineChart(series, {
    key: "risk",
    ...size,
    x: [0, 1], y: [0, top], xLabel: "coverage: share answered, the surest first",
    yLabel: "wrong among answers", xFormat: share, yFormat: share,
    title: (x) => `${share(Number(x.toFixed(3)))} answered`,
    about: "Risk against coverage",
  }).root;
}
