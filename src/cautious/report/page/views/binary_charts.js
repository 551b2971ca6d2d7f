// Maps and curves about two classes, as they stand for the costs of now.
import { ticks, widthOf } from "../charts/axes.js";
import { css, diverging, modelRgb, sequential } from "../charts/colours.js";
import { el, svg, value } from "../charts/dom.js";
import { number, percent, share, shorten } from "../core/format.js";
import { heatmap, pickable } from "../charts/heatmap.js";
import { legend, lineChart, riskChart, swatches } from "../charts/lines.js";
import { surface3d } from "../charts/surface3d.js";
import { leastCost, responseCurve } from "../core/surface.js";
import { compared, gridOf, MAPS } from "./binary_results.js";

export const RESPONSES = {
  selective: ["wrong among answers", (p) => p.selective],
  accuracy: ["right among answers", (p) => 1 - p.selective],
  error: ["wrong among all cases", (p) => p.error],
};

export function drawMaps({ problem, app, view, cards, results, chosen, several }) {
  const { costs, flipped } = chosen,
    unit = Math.max(costs.fn, costs.fp);
  const marker = [Math.min(costs.fn, costs.fp) / unit, costs.abstain / unit];
  const [negative, positive] = problem.classes.map((label) => shorten(label, 16));
  const [cheap, expensive] = flipped
    ? [`missed ${positive}`, `false ${positive}`]
    : [`false ${positive}`, `missed ${positive}`];
  const words =
    widthOf(cards.map.body) > 430
      ? { xLabel: `μ: cost of a ${cheap} ÷ a ${expensive}`, yLabel: `ν: cost of abstaining ÷ a ${expensive}` }
      : {
          xLabel: flipped ? "μ: missed ÷ false" : "μ: false ÷ missed",
          yLabel: flipped ? "ν: abstain ÷ false" : "ν: abstain ÷ missed",
        };
  const pick = (mu, nu) => {
    const clean = (v) => Number((unit * v).toPrecision(3));
    const other = Math.max(clean(mu), clean(0.001));
    app.costs = { ...app.costs, [flipped ? "false_negative" : "false_positive"]: other, abstain: clean(nu) };
    app.update();
  };
  const size = (body) => ({
    width: widthOf(body),
    height: Math.min(380, Math.max(290, widthOf(body) * 0.62)),
  });
  const { map } = cards,
    kind = MAPS[view.map],
    grid = gridOf(chosen, view.map);
  const about = `Map of the ${kind.name} of ${shorten(chosen.model.name)} over relative costs`;
  if (view.body === "3d") {
    const finite = { ...grid, values: grid.values.map((v) => (Math.abs(v) === Infinity ? 0 : v)) };
    const high = Math.max(...finite.values) || 1;
    const at = {
      cost: chosen.window.cost / unit,
      abstain: chosen.window.abstention,
      lower: chosen.window.lower,
      upper: chosen.window.upper,
    }[view.map];
    map.show(
      surface3d(finite, {
        ...size(map.body),
        high,
        marker: [...marker, Math.max(0, Math.min(high, at))],
        about,
        xLabel: "μ",
        yLabel: "ν",
        onTurn: app.update,
      }),
      el(
        "p",
        { class: "note" },
        `${kind.name} of ${shorten(chosen.model.name)}. Drag, or use the arrow keys, to turn.`,
      ),
    );
  } else {
    map.show(
      pickable(
        modelMap(grid, {
          ...size(map.body),
          ...words,
          format: kind.format,
          lines: view.map === "cost" || view.map === "abstain",
          marker,
          about,
          id: "map",
        }),
        pick,
      ),
      el(
        "p",
        { class: "note" },
        `${kind.name} of ${shorten(chosen.model.name)}`,
        view.map === "cost" ? `, in units of a ${expensive}` : "",
        ". Drag over the map to move the costs.",
      ),
    );
  }
  if (!several) return;
  const { won, difference: gap } = compared(problem, results, [view.first, view.second]);
  cards.winner.show(
    pickable(
      winnerMap(won.grid, {
        ...size(cards.winner.body),
        ...words,
        marker,
        about: "Map of the cheapest model over relative costs",
        id: "winner",
      }),
      pick,
    ),
    swatches(
      results.map((r, i) => [
        css(modelRgb(r.index).map((c) => c * 0.82 + 40)),
        `${shorten(r.model.name, 22)} ${percent(won.shares[i])}`,
      ]),
    ),
  );
  const [a, b] = [view.first, view.second].map((i) => results[i]);
  const chart = differenceMap(gap, {
    ...size(cards.difference.body),
    ...words,
    marker,
    about: "Difference of the costs of two models over relative costs",
    id: "difference",
  });
  const here = leastCost(a.surface, costs) - leastCost(b.surface, costs);
  cards.difference.show(
    pickable(chart, pick),
    el(
      "p",
      { class: "note" },
      "Here ",
      el("strong", {}, shorten(a.model.name, 30)),
      " costs ",
      value("difference", here, number(Math.abs(here))),
      here < 0 ? " less than " : " more than ",
      el("strong", {}, shorten(b.model.name, 30)),
      " per case. Blue: the first is cheaper. Orange: the second is.",
    ),
  );
}

// The cost per case as abstaining gets more expensive: a cut through the surface at the costs of now.
function drawSlice({ app, cards, results, chosen }, key) {
  const { costs } = chosen,
    never = (costs.fn * costs.fp) / (costs.fn + costs.fp);
  const far = Math.max(1.25 * never, Math.min(costs.abstain, 3 * never) * 1.1),
    steps = 160;
  const curves = results.map((r) => ({
    name: r.model.name,
    index: r.index,
    faded: r !== chosen,
    points: Array.from({ length: steps + 1 }, (_, i) => [
      (far * i) / steps,
      leastCost(r.surface, { ...costs, abstain: (far * i) / steps }),
    ]),
    mark: [Math.min(far, costs.abstain), r.window.cost],
  }));
  const top = Math.max(...curves.map(({ points }) => points[steps][1])) * 1.06 || 1;
  const chart = lineChart(curves, {
    width: widthOf(cards.slice.body),
    height: 300,
    x: [0, far],
    y: [0, top],
    xLabel: "cost of abstaining",
    yLabel: "cost per case",
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
    key(),
  );
}

export function drawCurves({ app, view, cards, results, chosen }, names) {
  const [label, read] = RESPONSES[view.response],
    width = widthOf(cards.response.body);
  const curves = results.map((r) => ({
    name: r.model.name,
    index: r.index,
    faded: r !== chosen,
    points: responseCurve(r.surface, r.costs).map((p) => [p.abstention, read(p)]),
    mark: [
      r.window.abstention,
      read({ selective: r.window.error / r.window.answered, error: r.window.error }),
    ],
  }));
  const heights = curves.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y === y);
  const [low, high] = view.response === "accuracy" ? [Math.min(...heights), 1] : [0, Math.max(...heights)];
  const span = { x: [0, 1], y: low < high ? [low, high] : [low - 0.01, high + 0.01] };
  const key = () => (names.length > 1 ? legend(names) : null);
  drawSlice({ app, cards, results, chosen }, key);
  cards.response.show(
    lineChart(curves, {
      width,
      height: 300,
      ...span,
      xLabel: "share abstained on",
      yLabel: label,
      xFormat: share,
      yFormat: share,
      about: `${label} against the share abstained on`,
    }).root,
    key(),
  );
  // Scores that are no probabilities do not say how sure they are.
  const sure = results.filter((r) => r.model.risk);
  if (!sure.length) {
    cards.risk.show(el("p", { class: "note" }, "The scores are no probabilities and say of no case how sure it is."));
    return;
  }
  cards.risk.show(
    riskChart(sure, chosen, { width: widthOf(cards.risk.body), height: 300 }),
    el(
      "p",
      { class: "note" },
      "AURC ",
      sure.map((r, i) => [
        i ? ", " : "",
        `${shorten(r.model.name, 24)} `,
        value(`aurc-risk-${r.index}`, r.model.risk.aurc, number(r.model.risk.aurc)),
      ]),
    ),
    key(),
  );
}

function range(values) {
  let low = Infinity,
    high = -Infinity;
  for (const v of values) {
    if (Math.abs(v) === Infinity) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low > high ? [0, 1] : [low, high];
}

function modelMap(grid, { format, ...options }) {
  const [low, high] = range(grid.values);
  const paint = (v) => sequential(high > low ? (v - low) / (high - low) : 0);
  const levels = high > low && options.lines ? ticks(low, high, 8).filter((t) => t > low) : [];
  return heatmap(grid, { ...options, paint, levels, bound: true, bar: { low, high, paint, format } });
}

function winnerMap(grid, options) {
  const paint = (v) => (v < 0 ? [150, 150, 150] : modelRgb(v).map((c) => c * 0.82 + 40));
  return heatmap(grid, { ...options, paint, bound: true });
}

function differenceMap(grid, options) {
  const most = grid.values.reduce((largest, v) => Math.max(largest, Math.abs(v)), 0) || 1;
  const paint = (v) => diverging(v / most);
  const levels = ticks(-most, most, 8).filter((t) => t !== 0);
  return heatmap(grid, {
    ...options,
    paint,
    levels,
    zero: true,
    bound: true,
    bar: { low: -most, high: most, paint },
  });
}
