// Maps of two classes over relative costs: one model's, the cheapest model's, and a difference.
import { ticks, widthOf } from "../charts/axes.js";
import { css, diverging, modelRgb, sequential } from "../charts/colours.js";
import { el, value } from "../charts/dom.js";
import { heatmap, pickable } from "../charts/heatmap.js";
import { swatches } from "../charts/lines.js";
import { surface3d } from "../charts/surface3d.js";
import { alike, number, percent, shorten } from "../core/format.js";
import { leastCost } from "../core/surface.js";
import { compared, gridOf, knownDistinct, MAPS } from "./binary_results.js";

// What the axes are called, where the sliders stand, and what a press on a map does.
function plane({ problem, app, chosen, change }, body, greek = false) {
  const { costs, flipped } = chosen,
    unit = Math.max(costs.fn, costs.fp),
    positive = shorten(problem.classes[1], 16);
  const [cheap, expensive] = flipped
    ? [`missed ${positive}`, `false ${positive}`]
    : [`false ${positive}`, `missed ${positive}`];
  const wide = widthOf(body) > 430,
    [mu, nu] = greek ? ["μ: ", "ν: "] : ["", ""];
  const labels = wide
    ? {
        xLabel: `${mu}cost of a ${cheap} ÷ a ${expensive}`,
        yLabel: `${nu}cost of abstaining ÷ a ${expensive}`,
      }
    : {
        xLabel: `${mu}${flipped ? "missed ÷ false" : "false ÷ missed"}`,
        yLabel: `${nu}${flipped ? "abstain ÷ false" : "abstain ÷ missed"}`,
      };
  const pick = (m, n) => {
    const clean = (v) => Number((unit * v).toPrecision(3)),
      other = Math.max(clean(m), clean(0.001));
    change({
      mode: "costs",
      costs: { ...app.costs, [flipped ? "false_negative" : "false_positive"]: other, abstain: clean(n) },
    });
  };
  const width = widthOf(body);
  return {
    unit,
    expensive,
    pick,
    options: {
      ...labels,
      width,
      height: Math.min(380, Math.max(290, width * 0.62)),
      marker: [Math.min(costs.fn, costs.fp) / unit, costs.abstain / unit],
      place: (m, n) => `${cheap} ${number(m * unit)}, abstaining ${number(n * unit)}`,
    },
  };
}

export function drawMap(context) {
  const { app, view, cards, chosen } = context,
    { map } = cards,
    { unit, expensive, pick, options } = plane(context, map.body, true),
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
    const said = el("span", { role: "status", "data-key": "read-3d" });
    map.show(
      surface3d(finite, {
        width: options.width,
        height: options.height,
        high,
        marker: [...options.marker, Math.max(0, Math.min(high, at))],
        about,
        xLabel: "μ",
        yLabel: "ν",
        onTurn: app.update,
        read: (m, n, v) => ({ title: options.place(m, n), lines: [{ text: `${kind.name} ${kind.format(v)}` }] }),
        onRead: (words) => said.replaceChildren(` ${words}.`),
      }),
      el(
        "p",
        { class: "note" },
        `${capital(kind.name)} of ${shorten(chosen.model.name)}. Drag, or use the arrow keys, to turn; point at it, or use shift and the arrow keys, to read it.`,
        said,
      ),
    );
    return;
  }
  const [low, high] = ends(grid.values);
  const paint = (v) => sequential(high > low ? (v - low) / (high - low) : 0);
  const lines = high > low && (view.map === "cost" || view.map === "abstain");
  map.show(
    pickable(
      heatmap(grid, {
        ...options,
        about,
        id: "map",
        paint,
        levels: lines ? ticks(low, high, 8).filter((t) => t > low) : [],
        bound: true,
        bar: { low, high, paint, format: kind.format },
        read: (v) => [{ text: `${kind.name} ${kind.format(v)}` }],
      }),
      pick,
    ),
    el(
      "p",
      { class: "note" },
      `${capital(kind.name)} of ${shorten(chosen.model.name)}`,
      view.map === "cost" ? `, in units of a ${expensive}` : "",
      ". Press a point of the map, or use the arrow keys, to move the costs.",
    ),
  );
}

const capital = (words) => words[0].toUpperCase() + words.slice(1);

const shade = (index) => modelRgb(index).map((c) => c * 0.82 + 40);

export function drawWinner(context) {
  const { problem, app, view, cards, results, chosen } = context,
    { options, pick } = plane(context, cards.winner.body),
    { won } = compared(problem, results, [view.first, view.second]);
  const distinct = knownDistinct(problem, app, chosen.flipped);
  const name = (v) => (v < 0 ? "all cost the same" : results[v].model.name);
  cards.winner.show(
    pickable(
      heatmap(won.grid, {
        ...options,
        about: "Map of the cheapest model over relative costs",
        id: "winner",
        paint: (v) => (v < 0 ? [150, 150, 150] : shade(v)),
        regions: (v) => shorten(name(v), 22),
        hatch: distinct,
        bound: true,
        read: (v, sure) => [
          { text: shorten(name(v), 30), colour: v < 0 ? null : css(shade(v)) },
          ...(sure === false ? [{ text: "not told apart from all others" }] : []),
        ],
      }),
      pick,
    ),
    swatches(
      results
        .map((r, i) => [r.index, `${shorten(r.model.name, 22)} ${percent(won.shares[i])}`, won.shares[i]])
        .filter(([, , part]) => part > 0)
        .map(([index, text]) => [css(shade(index)), text]),
    ),
    el(
      "p",
      { class: "note" },
      distinct
        ? "Hatched: on these cases the cheapest model cannot be told apart from all others."
        : "Which model is cheapest at each pair of costs, each with its own best thresholds.",
    ),
  );
}

export function drawDifference(context) {
  const { problem, view, cards, results, chosen, told } = context,
    { options, pick } = plane(context, cards.difference.body),
    { difference: gap } = compared(problem, results, [view.first, view.second]);
  const [a, b] = [view.first, view.second].map((i) => results[i]);
  const most = gap.values.reduce((largest, v) => Math.max(largest, Math.abs(v)), 0) || 1;
  const paint = (v) => diverging(v / most);
  const here = leastCost(a.surface, chosen.costs) - leastCost(b.surface, chosen.costs);
  const pair = told.differences.find(
    ({ first, second }) => [first, second].includes(a.index) && [first, second].includes(b.index),
  );
  cards.difference.show(
    pickable(
      heatmap(gap, {
        ...options,
        about: "Difference of the costs of two models over relative costs",
        id: "difference",
        paint,
        levels: ticks(-most, most, 8).filter((t) => t !== 0),
        zero: true,
        bound: true,
        bar: { low: -most, high: most, paint },
        read: (v) => [{ text: `${v < 0 ? "first" : "second"} cheaper by ${number(Math.abs(v))}` }],
      }),
      pick,
    ),
    el(
      "p",
      { class: "note" },
      "Here ",
      el("strong", {}, shorten(a.model.name, 30)),
      " costs ",
      value("difference", here, number(Math.abs(here))),
      here < 0 ? " less than " : " more than ",
      el("strong", {}, shorten(b.model.name, 30)),
      " per case on these cases",
      pair ? differenceWords(pair, a.index) : ".",
      " Blue: the first is cheaper. Orange: the second is.",
    ),
  );
}

// What the difference is on new cases, and whether it can be told from none.
export function differenceWords({ first, value: mean, low, high, distinct }, from) {
  const [at, least, most] = first === from ? [mean, low, high] : [-mean, -high, -low];
  const write = alike([at, least, most], 2, [{ low, high }]),
    words = `${write(at)} (${write(least)} to ${write(most)})`;
  return distinct
    ? `; on new ones the difference is ${words}.`
    : `; on new ones they cannot be told apart: ${words}.`;
}

function ends(values) {
  let low = Infinity,
    high = -Infinity;
  for (const v of values) {
    if (Math.abs(v) === Infinity) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low > high ? [0, 1] : [low, high];
}
