// Line charts of several models, told apart by colour, dash and marker, with bands and read-outs.
import { percent, share, shorten } from "../core/format.js";
import { riskPoints } from "../core/risk.js";
import { frame } from "./axes.js";
import { dash, marker, modelColour } from "./colours.js";
import { el, svg } from "./dom.js";
import { heightAt, readout } from "./readout.js";

const drawable = ([x, y]) => x === x && y === y;

// `series` are {name, index, points: [[x, y]], mark: [x, y], band: {low, high}}; a faded one stands
// back, and one that is `off` is left out. `style` replaces a model's colour and dash.
export function lineChart(series, { key, title = String, xFormat, yFormat = share, ...options }) {
  // Ticks are round numbers: they need no decimals, or more than others have.
  const chart = frame({ xFormat, yFormat: yFormat === percent ? share : yFormat, ...options }),
    shown = series.filter(({ off }) => !off);
  const path = (points) =>
    points
      .filter(drawable)
      .map(([x, y], i) => `${i ? "L" : "M"}${chart.sx(x).toFixed(1)} ${chart.sy(y).toFixed(1)}`)
      .join("");
  const colourOf = ({ index, style }) => style?.colour ?? modelColour(index);
  for (const each of shown.filter(({ band, faded }) => band && !faded)) {
    const { low, high } = each.band;
    chart.plot.append(
      svg("path", { class: "band", d: `${path([...low, ...[...high].reverse()])}z`, fill: colourOf(each) }),
    );
  }
  for (const each of shown) {
    const { name, index, points, mark, faded, style } = each;
    chart.plot.append(
      svg(
        "path",
        {
          class: faded ? "line faded" : "line",
          d: path(points),
          stroke: colourOf(each),
          "stroke-dasharray": style?.dash ?? dash(index),
        },
        svg("title", {}, shorten(name)),
      ),
    );
    const spots = style ? [] : spotsOn(points, chart, index);
    if (mark && drawable(mark)) spots.push([...mark, 6]);
    for (const [x, y, r] of spots)
      chart.plot.append(
        svg("path", {
          class: "dot",
          d: marker(index),
          transform: `translate(${chart.sx(x).toFixed(1)} ${chart.sy(y).toFixed(1)}) scale(${r})`,
          fill: colourOf(each),
        }),
      );
  }
  readout(chart, {
    key,
    format: title,
    at: (x) => ({
      x,
      title: title(x),
      lines: shown
        .map((each) => ({
          y: heightAt(each.points.filter(drawable), x),
          colour: colourOf(each),
          name: shorten(each.name, 26),
          band: each.faded ? null : each.band,
        }))
        .filter(({ y }) => y === y)
        .slice(0, 12)
        .map(({ y, colour, name, band }) => ({
          y,
          colour,
          text: `${name} ${yFormat(y)}${rangeAt(band, x, yFormat)}`,
        })),
    }),
  });
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

// The sign of a model: a piece of its line with its marker.
export const sign = (index) =>
  svg(
    "svg",
    { viewBox: "0 0 30 12", width: 30, height: 12, class: "sign", "aria-hidden": "true" },
    svg("line", {
      x1: 0,
      x2: 30,
      y1: 6,
      y2: 6,
      stroke: modelColour(index),
      "stroke-width": 2.6,
      "stroke-dasharray": dash(index),
    }),
    svg("path", {
      d: marker(index),
      transform: "translate(15 6) scale(4.2)",
      fill: modelColour(index),
      class: "dot",
    }),
  );

// Pressing a name shows its line alone; pressing it again brings the others back.
export function legend(results, { alone = null, onAlone } = {}) {
  if (results.length < 2) return null;
  return el(
    "ul",
    { class: "legend" },
    results.map(({ model: { name }, index }) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            class: alone !== null && alone !== index ? "legend-key off" : "legend-key",
            "aria-pressed": String(alone === index),
            title: shorten(name, 200),
            onclick: () => onAlone(alone === index ? null : index),
          },
          sign(index),
          shorten(name, 28),
        ),
      ),
    ),
  );
}

// The picture of risk against coverage, the same for scores and for prediction sets.
export function riskChart(results, chosen, { alone = null, bands = () => null, ...size }) {
  const series = results.map((r) => ({
    name: r.model.name,
    index: r.index,
    faded: r !== chosen && alone === null,
    off: alone !== null && alone !== r.index,
    points: riskPoints(r.model.risk),
    band: bands(r),
  }));
  // The first few cases jump about; they must not set the scale.
  const top = Math.max(
    ...series.flatMap(({ points }) => points.filter(([c]) => c > 0.02).map(([, y]) => y)),
    0.001,
  );
  const inside = (points) => points.map(([x, y]) => [x, Math.min(y, top)]);
  series.forEach((each) => {
    each.points = each.points.filter(([, y]) => y <= top);
    if (each.band) each.band = { low: inside(each.band.low), high: inside(each.band.high) };
  });
  return lineChart(series, {
    key: "risk",
    ...size,
    x: [0, 1],
    y: [0, top],
    xLabel: "coverage: share answered, the surest first",
    yLabel: "wrong among answers",
    xFormat: share,
    yFormat: share,
    title: (x) => `${share(Number(x.toFixed(3)))} answered`,
    about: "Risk against coverage",
  }).root;
}

export const swatches = (entries) =>
  el(
    "ul",
    { class: "legend" },
    entries.map(([colour, text]) =>
      el(
        "li",
        {},
        svg(
          "svg",
          { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
          svg("rect", { width: 12, height: 12, rx: 2, fill: colour }),
        ),
        el("span", {}, shorten(text, 32)),
      ),
    ),
  );
