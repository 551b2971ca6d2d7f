// Line charts of several models, with a legend that tells them apart by colour and by dash.
import { frame } from "./axes.js";
import { dash, modelColour } from "./colours.js";
import { el, svg } from "./dom.js";
import { share, shorten } from "../core/format.js";
import { riskPoints } from "../core/risk.js";

// `series` are {name, index, points: [[x, y]], mark: [x, y]}; points with NaN are left out.
export function lineChart(series, options) {
  const chart = frame(options);
  const inside = ([x, y]) => x === x && y === y;
  for (const { name, index, points, mark, faded } of series) {
    const path = points
      .filter(inside)
      .map(([x, y], i) => `${i ? "L" : "M"}${chart.sx(x).toFixed(2)} ${chart.sy(y).toFixed(2)}`);
    chart.plot.append(
      svg(
        "path",
        {
          class: faded ? "line faded" : "line",
          d: path.join(""),
          stroke: modelColour(index),
          "stroke-dasharray": dash(index),
        },
        svg("title", {}, shorten(name)),
      ),
    );
    if (mark && inside(mark)) {
      chart.plot.append(
        svg("circle", {
          class: "dot",
          cx: chart.sx(mark[0]),
          cy: chart.sy(mark[1]),
          r: 5,
          fill: modelColour(index),
        }),
      );
    }
  }
  return chart;
}

export function legend(names, indices = names.map((_, i) => i)) {
  return el(
    "ul",
    { class: "legend" },
    names.map((name, i) =>
      el(
        "li",
        {},
        svg(
          "svg",
          { viewBox: "0 0 26 10", width: 26, height: 10, "aria-hidden": "true" },
          svg("line", {
            x1: 0,
            x2: 26,
            y1: 5,
            y2: 5,
            stroke: modelColour(indices[i]),
            "stroke-width": 3,
            "stroke-dasharray": dash(indices[i]),
          }),
        ),
        el("span", { title: shorten(name, 200) }, shorten(name, 32)),
      ),
    ),
  );
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

// The picture of risk against coverage, the same for scores and for prediction sets.

export function riskChart(results, chosen, size) {
  const series = results.map((r) => ({
    name: r.model.name,
    index: r.index,
    faded: r !== chosen,
    points: riskPoints(r.model.risk),
  }));
  // The first few cases jump about; they must not set the scale.
  const top = Math.max(
    ...series.flatMap(({ points }) => points.filter(([c]) => c > 0.02).map(([, y]) => y)),
    0.001,
  );
  series.forEach((r) => {
    r.points = r.points.filter(([, y]) => y <= top);
  });
  return lineChart(series, {
    ...size,
    x: [0, 1],
    y: [0, top],
    xLabel: "coverage: share answered, the surest first",
    yLabel: "wrong among answers",
    xFormat: share,
    yFormat: share,
    about: "Risk against coverage",
  }).root;
}
