// Curves about two classes, as they stand for the costs of now.
import { widthOf } from "../charts/axes.js";
import { el, svg } from "../charts/dom.js";
import { legend, lineChart, riskChart } from "../charts/lines.js";
import { riskBand } from "../core/curves.js";
import { number, percent, share } from "../core/format.js";
import { leastCost, responseCurve } from "../core/surface.js";

export const RESPONSES = {
  selective: ["wrong among answers", (p) => p.selective],
  accuracy: ["right among answers", (p) => 1 - p.selective],
  error: ["wrong among all cases", (p) => p.error],
};

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

// The cost per case as abstaining gets more expensive: a cut through the surface at the costs of now.
export function drawSlice(context) {
  const { cards, chosen } = context,
    { costs } = chosen,
    never = (costs.fn * costs.fp) / (costs.fn + costs.fp);
  const far = Math.max(1.25 * never, Math.min(costs.abstain, 3 * never) * 1.1),
    steps = 160;
  const curves = seriesOf(context, (r) => ({
    points: Array.from({ length: steps + 1 }, (_, i) => [
      (far * i) / steps,
      leastCost(r.surface, { ...costs, abstain: (far * i) / steps }),
    ]),
    mark: [Math.min(far, costs.abstain), r.window.cost],
  }));
  const top =
    Math.max(...curves.map(({ points }) => points[steps][1]), ...curves.map(({ mark }) => mark[1])) * 1.06 ||
    1;
  const chart = lineChart(curves, {
    key: "slice",
    width: widthOf(cards.slice.body),
    height: 300,
    x: [0, far],
    y: [0, top],
    xLabel: "cost of abstaining",
    yLabel: "cost per case",
    yFormat: number,
    title: (x) => `abstaining costs ${number(x)}`,
    about: "Cost per case against the cost of abstaining",
  });
  const end = chart.sx(never);
  chart.plot.prepend(
    svg("rect", {
      class: "zone abstain",
      x: end,
      y: chart.inner.top,
      width: chart.inner.right - end,
      height: chart.inner.bottom - chart.inner.top,
    }),
  );
  chart.plot.append(
    svg(
      "text",
      {
        class: "zone-label abstain",
        x: chart.inner.right - 4,
        y: chart.inner.bottom - 8,
        "text-anchor": "end",
      },
      "never pays",
    ),
  );
  cards.slice.show(
    chart.root,
    el("p", { class: "note" }, `From ${number(never)} on, abstaining pays for no model, however good.`),
    keyOf(context),
  );
}

export function drawResponse(context) {
  const { view, cards } = context,
    [label, read] = RESPONSES[view.response];
  const curves = seriesOf(context, (r) => ({
    points: responseCurve(r.surface, r.costs).map((p) => [p.abstention, read(p)]),
    mark: [
      r.window.abstention,
      read({ selective: r.window.error / r.window.answered, error: r.window.error }),
    ],
  }));
  const heights = curves.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y === y);
  const [low, high] = view.response === "accuracy" ? [Math.min(...heights), 1] : [0, Math.max(...heights)];
  cards.response.show(
    lineChart(curves, {
      key: "response",
      width: widthOf(cards.response.body),
      height: 300,
      x: [0, 1],
      y: low < high ? [low, high] : [Math.max(0, low - 0.01), Math.min(1, high + 0.01)],
      xLabel: "share abstained on",
      yLabel: label,
      xFormat: share,
      yFormat: percent,
      title: (x) => `${percent(x)} without an answer`,
      about: `${label} against the share abstained on`,
    }).root,
    keyOf(context),
  );
}

const riskEdges = ({ coverage, low, high }) => ({
  low: coverage.map((c, i) => [c, low[i]]),
  high: coverage.map((c, i) => [c, high[i]]),
});

export function drawRisk(context) {
  const { cards, results, chosen, view } = context,
    shown = results.filter(({ model }) => model.risk);
  cards.risk.show(
    shown.length
      ? riskChart(shown, chosen, {
          width: widthOf(cards.risk.body),
          height: 320,
          alone: view.alone,
          bands: ({ model }) => riskEdges((model.band ??= riskBand(model))),
        })
      : el("p", { class: "note" }, "These scores are no probabilities: they do not say how sure they are."),
    legend(shown, { alone: view.alone, onAlone: context.isolate }),
  );
}
