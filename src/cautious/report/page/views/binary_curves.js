// Curves about two classes, as they stand for the costs of now: what abstaining costs and spares, and what others
// ask of scores: are they calibrated, how well do they part the classes, does acting on them do good.
import { insideOf, lineFrom, textAt, ticks, widthOf } from "../charts/axes.js";
import { paragraph, svg } from "../charts/dom.js";
import { keyOf, lineChart, riskChart, seriesOf } from "../charts/lines.js";
import { calibrationOf, netBenefitOf, riskBand, rocOf } from "../core/curves.js";
import { expectedAt } from "../core/differences.js";
import { count, number, percent, share, shorten } from "../core/format.js";
import { leastCost, responseCurve } from "../core/surface.js";

export const RESPONSES = {
  selective: ["wrong among answers", (p) => p.selective],
  accuracy: ["right among answers", (p) => 1 - p.selective],
  error: ["wrong among all cases", (p) => p.error],
};

const PLAIN = { colour: "var(--muted)", dash: "3 3" };
const remember = (model, key, make) => ((model.drawn ??= {})[key] ??= make(model));
const bandOf = (x, low, high) => ({ low: x.map((at, i) => [at, low[i]]), high: x.map((at, i) => [at, high[i]]) });

export function drawSlice(context) {
  const { app, cards, chosen } = context,
    { costs, graded } = chosen,
    caution = graded ? "escalating" : "abstaining",
    never = graded ? costs.fp : (costs.fn * costs.fp) / (costs.fn + costs.fp),
    far = Math.max(1.25 * never, Math.min(costs.abstain, 3 * never) * 1.1),
    prices = Array.from({ length: 41 }, (_, i) => (far * i) / 40),
    key = [app.prior, far, costs.fn, costs.fp, chosen.expects].join();
  const curves = seriesOf(context, ({ model, surface, estimates, window, expects }) => {
    const every = prices.map((abstain) => ({ ...costs, abstain })),
      found = () => (expects ? expectedAt(model, app.prior, every) : every.map((each) => leastCost(surface, each)));
    if (model.slice?.key !== key) model.slice = { key, costs: found() };
    return {
      points: prices.map((price, i) => [price, model.slice.costs[i]]),
      mark: [Math.min(far, costs.abstain), expects ? estimates.cost.value : window.cost],
    };
  });
  const top = Math.max(...curves.flatMap(({ points, mark }) => [points.at(-1)[1], mark[1]])) * 1.06 || 1;
  const { root, plot, sx, inner } = lineChart(curves, {
    key: "slice", width: widthOf(cards.slice.body), height: 300, x: [0, far], y: [0, top],
    xLabel: `cost of ${caution}`, yLabel: chosen.expects ? "cost per new case" : "cost per case", yFormat: number,
    title: (x) => `${caution} costs ${number(x)}`,
    about: `Cost per case against the cost of ${caution}`,
  });
  plot.prepend(svg("rect", { class: "zone abstain", ...insideOf({ ...inner, left: sx(never) }) }));
  plot.append(textAt("zone-label abstain", inner.right - 4, inner.bottom - 8, "never pays", "end"));
  cards.slice.show(
    root,
    paragraph("note", `If ${caution} costs more than ${number(never)}, always answering is cheaper, however good the model.`),
    keyOf(context),
  );
}

export function drawResponse(context) {
  const { view, cards } = context, [label, read] = RESPONSES[view.response];
  const curves = seriesOf(context, ({ surface, costs, window: { abstention, error, answered } }) => ({
    points: responseCurve(surface, costs).map((p) => [p.abstention, read(p)]),
    mark: [abstention, read({ selective: error / answered, error })],
  }));
  const heights = curves.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y === y),
    [low, high] = view.response === "accuracy" ? [Math.min(...heights), 1] : [0, Math.max(...heights)];
  const { root } = lineChart(curves, {
    key: "response", width: widthOf(cards.response.body), height: 300, x: [0, 1],
    y: low < high ? [low, high] : [Math.max(0, low - 0.01), Math.min(1, high + 0.01)],
    xLabel: "share abstained on", yLabel: label, xFormat: share, yFormat: percent,
    title: (x) => `${percent(x)} without an answer`,
    about: `${label} against the share abstained on`,
  });
  cards.response.show(root, keyOf(context));
}

// Curves of those models of which there are any; words where there are none.
function drawAble(context, card, isAble, none, draw) {
  const results = context.results.filter(isAble);
  if (!results.length) return card.show(paragraph("note", none));
  const able = { ...context, results };
  card.show(draw(able), keyOf(able));
}

export function drawRisk(context) {
  const { cards } = context,
    band = (model) => {
      const { coverage, low, high } = remember(model, "risk", riskBand);
      return bandOf(coverage, low, high);
    };
  drawAble(
    context,
    cards.risk,
    ({ model }) => model.risk,
    "These scores are no probabilities: they do not say how sure they are.",
    (able) => riskChart(able, { width: widthOf(cards.risk.body), height: 320 }, band),
  );
}

// A square of shares with its diagonal, which is what is not worth anything or what is perfect.
function squareChart(key, diagonal, curves, options) {
  const square = { key, height: 320, x: [0, 1], y: [0, 1], xFormat: share, yFormat: percent, ...options },
    line = { name: diagonal, index: 0, points: [[0, 0], [square.x[1], square.y[1]]], style: PLAIN };
  return lineChart([line, ...curves], square);
}

export function drawRoc(context) {
  const { cards, chosen } = context, { window: w, surface } = chosen;
  const curves = seriesOf(context, ({ model }) => {
    const { points, low, high } = remember(model, "roc", rocOf);
    return { points, band: bandOf(points.map(([x]) => x), low, high) };
  });
  const chart = squareChart("roc", "guessing", curves, {
    width: widthOf(cards.roc.body), xLabel: "false alarms among negatives",
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
    paragraph("note", "Rings: the two thresholds shown above. The band holds the model shown with 95% confidence."),
    keyOf(context),
  );
}

export function drawCalibration(context) {
  const { cards, chosen } = context,
    binsOf = (model) => remember(model, "calibration", calibrationOf),
    none = "These scores are no probabilities, so there is nothing to hold them to.";
  drawAble(context, cards.calibration, ({ model }) => binsOf(model) !== null, none, (able) => {
    const curves = seriesOf(able, ({ model }) => {
      const bins = binsOf(model).filter(({ n }) => n > 0),
        edge = (key) => bins.map((bin) => [bin.mean, bin[key]]);
      return { points: edge("share"), band: { low: edge("shareLow"), high: edge("shareHigh") } };
    });
    // Where all scores are low, as of a rare class, there is only that corner to see.
    const tops = able.results.flatMap(({ model }) => binsOf(model).map(({ n, mean, shareHigh }) => (n > 0 ? Math.max(mean, shareHigh) : 0))),
      top = Math.min(1, ticks(0, Math.max(...tops) * 1.2, 4).at(-1) || 1),
      ends = top <= 0.5 ? { x: [0, top], y: [0, top] } : {};
    const { root } = squareChart("calibration", "as often as said", curves, {
      ...ends,
      width: widthOf(cards.calibration.body), xLabel: `${chosen.graded ? "confidence" : "score"}: the probability that was said`,
      yLabel: `share that was ${chosen.graded ? "right" : "positive"}`,
      title: (x) => `said ${percent(x)}`,
      about: `Calibration: what share was ${chosen.graded ? "right" : "positive"} among cases with about the same score`,
    });
    const groups = able.results.includes(chosen)
      ? `${count(binsOf(chosen.model).length)} equal groups of cases of ${shorten(chosen.model.name)}, with a band of 95% intervals. `
      : "";
    return [root, paragraph("note", `${groups}On the dotted line predicted and observed risk agree.`)];
  });
}

// Net benefit: true positives less false ones at the odds of the threshold, per case.
export function drawDecision(context) {
  const { cards, app, chosen } = context,
    { costs } = chosen,
    at = Array.from({ length: 99 }, (_, i) => (i + 1) / 100),
    price = costs.abstain / costs.fn,
    threshold = costs.fp / (costs.fp + costs.fn),
    of = ({ model }) => netBenefitOf(model, app.prior, at, price);
  drawAble(context, cards.decision, (r) => of(r) !== null, "A decision curve needs probabilities; these scores are none.", (able) => {
    const isAble = able.results.includes(chosen),
      rows = of(isAble ? chosen : able.results[0]),
      prices = at.map((t) => ({ fn: 1, fp: t / (1 - t), abstain: price })),
      spared = isAble && chosen.expects ? expectedAt(chosen.model, app.prior, prices).map((cost) => chosen.surface.positives - cost) : rows.map((row) => row.withAbstention),
      top = Math.max(...rows.map((row) => Math.max(row.all, row.refer, row.model)), 0.01) * 1.08,
      low = -0.12 * top,
      points = (some, key) => some.map((row) => [row.threshold, row[key]]).filter(([, y]) => y >= low),
      grey = (dash, label) => ({ colour: "var(--muted)", dash, label }),
      accent = { colour: "var(--accent)", dash: "8 2 2 2", label: -6 };
    const series = [
      { name: "answer positive to all", index: 0, points: points(rows, "all"), style: grey("3 3", -3) },
      { name: "answer positive to none", index: 0, points: at.map((t) => [t, 0]), style: grey("", 13) },
      { name: "refer all", index: 0, points: points(rows, "refer"), style: grey("8 3 2 3", -5) },
      ...seriesOf(able, (r) => ({ points: points(of(r), "model") })),
      ...(isAble ? [{ name: "with abstention", index: chosen.index, points: at.map((t, i) => [t, spared[i]]).filter(([, y]) => y >= low), style: accent }] : []),
    ];
    const { root, plot, sx, inner } = lineChart(series, {
      key: "decision", width: widthOf(cards.decision.body), height: 320, x: [0, 1], y: [low, top],
      xLabel: "threshold: how likely before one acts", yLabel: "net benefit per case",
      xFormat: share,
      yFormat: (v) => number(v, 3),
      title: (x) => `acting from ${percent(x)}`,
      about: "Decision curve: net benefit against the threshold probability",
    });
    plot.prepend(lineFrom("cut", sx(threshold), inner.top, sx(threshold), inner.bottom));
    const words = `Upright line: the threshold of these costs, ${percent(threshold)}. With abstention: ${shorten(chosen.model.name, 30)}, at a cost of abstaining of ${number(price)} of a missed positive.`;
    return [root, paragraph("note", words)];
  });
}
