// What others ask of two-class scores: are they calibrated, how well do they part the classes, and
// does acting on them do more good than harm.
import { widthOf } from "../charts/axes.js";
import { el, svg } from "../charts/dom.js";
import { legend, lineChart } from "../charts/lines.js";
import { calibrationOf, netBenefitOf, rocOf } from "../core/curves.js";
import { count, number, percent, share, shorten } from "../core/format.js";
import { keyOf, seriesOf } from "./binary_curves.js";

const PLAIN = { colour: "var(--muted)", dash: "3 3" };
const remember = (model, key, make) => ((model.drawn ??= {})[key] ??= make());

// A square of shares with its diagonal, which is what is not worth anything or what is perfect.
function squareChart(key, diagonal, curves, options) {
  const line = {
    name: diagonal,
    index: 0,
    points: [
      [0, 0],
      [1, 1],
    ],
    style: PLAIN,
  };
  return lineChart([line, ...curves], {
    key,
    height: 320,
    x: [0, 1],
    y: [0, 1],
    xFormat: share,
    yFormat: percent,
    ...options,
  });
}

export function drawRoc(context) {
  const { cards, chosen } = context,
    { window: w, surface } = chosen;
  const curves = seriesOf(context, ({ model }) => {
    const { points, low, high } = remember(model, "roc", () => rocOf(model));
    const edge = (heights) => heights.map((y, i) => [points[i][0], y]);
    return { points, band: { low: edge(low), high: edge(high) } };
  });
  const chart = squareChart("roc", "guessing", curves, {
    width: widthOf(cards.roc.body),
    xLabel: "false alarms among negatives",
    yLabel: "found among positives",
    title: (x) => `false alarms ${percent(x)}`,
    about: "ROC curves: positives found against false alarms",
  });
  // The two thresholds of the window are two points of the curve.
  const spots = [
    ["from here positive", w.fp / surface.negatives, w.tp / surface.positives],
    ["up to here negative", 1 - w.tn / surface.negatives, 1 - w.fn / surface.positives],
  ];
  for (const [words, x, y] of w.lower === w.upper ? spots.slice(0, 1) : spots)
    chart.plot.append(
      svg("circle", { class: "ring-mark", cx: chart.sx(x), cy: chart.sy(y), r: 7 }, svg("title", {}, words)),
    );
  cards.roc.show(
    chart.root,
    el("p", { class: "note" }, "Rings: the two thresholds shown above. Shaded: 95% band of the model shown."),
    keyOf(context),
  );
}

export function drawCalibration(context) {
  const { cards, results, view } = context,
    able = results.filter(({ model }) => remember(model, "calibration", () => calibrationOf(model)) !== null);
  if (!able.length)
    return cards.calibration.show(
      el("p", { class: "note" }, "These scores are no probabilities, so there is nothing to hold them to."),
    );
  const curves = seriesOf({ ...context, results: able }, ({ model }) => {
    const bins = model.drawn.calibration.filter(({ n }) => n > 0),
      edge = (key) => bins.map((bin) => [bin.mean, bin[key]]);
    return { points: edge("share"), band: { low: edge("shareLow"), high: edge("shareHigh") } };
  });
  const chosen = able.find((r) => r === context.chosen);
  cards.calibration.show(
    squareChart("calibration", "as often as said", curves, {
      width: widthOf(cards.calibration.body),
      xLabel: "score: the probability that was said",
      yLabel: "share that was positive",
      title: (x) => `said ${percent(x)}`,
      about: "Calibration: what share was positive among cases with about the same score",
    }).root,
    el(
      "p",
      { class: "note" },
      chosen
        ? `${count(chosen.model.drawn.calibration.length)} groups of like scores of ${shorten(chosen.model.name)}; shaded: 95% intervals. On the dotted line a score means what it says.`
        : "On the dotted line a score means what it says.",
    ),
    legend(able, { alone: view.alone, onAlone: context.isolate }),
  );
}

// Net benefit: true positives less false ones at the odds of the threshold, per case.
export function drawDecision(context) {
  const { cards, app, chosen, results } = context,
    { costs } = chosen;
  const at = Array.from({ length: 99 }, (_, i) => (i + 1) / 100),
    price = costs.abstain / costs.fn;
  const of = ({ model }) => netBenefitOf(model, app.prior, at, price);
  const able = results.filter((r) => of(r) !== null);
  if (!able.length)
    return cards.decision.show(
      el("p", { class: "note" }, "A decision curve needs probabilities; these scores are none."),
    );
  const points = (rows, key) => rows.map((row) => [row.threshold, row[key]]);
  const rows = of(able.includes(chosen) ? chosen : able[0]);
  const top = Math.max(...rows.map((row) => Math.max(row.all, row.withAbstention ?? row.model)), 0.01) * 1.08,
    low = -0.12 * top;
  const inside = (list) => list.filter(([, y]) => y >= low);
  const series = [
    { name: "answer positive to all", index: 0, points: inside(points(rows, "all")), style: PLAIN },
    {
      name: "answer positive to none",
      index: 0,
      points: at.map((t) => [t, 0]),
      style: { colour: "var(--muted)", dash: "" },
    },
    ...seriesOf({ ...context, results: able }, (r) => ({ points: inside(points(of(r), "model")) })),
  ];
  if (able.includes(chosen))
    series.push({
      name: "with abstention",
      index: chosen.index,
      points: inside(points(rows, "withAbstention")),
      style: { colour: "var(--accent)", dash: "8 2 2 2" },
    });
  const threshold = costs.fp / (costs.fp + costs.fn);
  const chart = lineChart(series, {
    key: "decision",
    width: widthOf(cards.decision.body),
    height: 320,
    x: [0, 1],
    y: [low, top],
    xLabel: "threshold: how likely before one acts",
    yLabel: "net benefit per case",
    xFormat: share,
    yFormat: (v) => number(v, 3),
    title: (x) => `acting from ${percent(x)}`,
    about: "Decision curve: net benefit against the threshold probability",
  });
  chart.plot.prepend(
    svg("line", {
      class: "cut",
      x1: chart.sx(threshold),
      x2: chart.sx(threshold),
      y1: chart.inner.top,
      y2: chart.inner.bottom,
    }),
  );
  cards.decision.show(
    chart.root,
    el(
      "p",
      { class: "note" },
      `Dotted: positive to all; flat: to none. Green: ${shorten(chosen.model.name, 30)} allowed to abstain at ${number(price)} of a missed positive. Broken line: the threshold of these costs, ${percent(threshold)}.`,
    ),
    legend(able, { alone: context.view.alone, onAlone: context.isolate }),
  );
}
