// Maps of two classes over relative costs: one model's, the cheapest model's, and a difference.
import { ticks, widthOf } from "../charts/axes.js";
import { css, diverging, modelRgb, sequential } from "../charts/colours.js";
import { el, paragraph, strong, swatchLegend, value } from "../charts/dom.js";
import { heatmap, pickable } from "../charts/heatmap.js";
import { surface3d } from "../charts/surface3d.js";
import { alike, number, percent, shorten, withRange } from "../core/format.js";
import { gridOf, knownDistinct, MAPS } from "./binary_results.js";

// What the axes are called, where the sliders stand, and what a press on a map does.
function plane({ problem, app, chosen, change }, body, greek = false) {
  const { costs, flipped } = chosen,
    unit = Math.max(costs.fn, costs.fp),
    width = widthOf(body),
    both = ["false", "missed"].map((kind) => `${kind} ${shorten(problem.classes[1], 16)}`),
    [cheap, expensive] = flipped ? [both[1], both[0]] : both,
    [mu, nu] = greek ? ["μ: ", "ν: "] : ["", ""];
  const [xLabel, yLabel] =
    width > 430
      ? [`cost of a ${cheap} ÷ a ${expensive}`, `cost of abstaining ÷ a ${expensive}`]
      : flipped
        ? ["missed ÷ false", "abstain ÷ false"]
        : ["false ÷ missed", "abstain ÷ missed"];
  const pick = (m, n) => {
    const clean = (v) => Number((unit * v).toPrecision(3)),
      other = { [flipped ? "false_negative" : "false_positive"]: Math.max(clean(m), clean(0.001)) };
    change({ mode: "costs", costs: { ...app.costs, ...other, abstain: clean(n) } });
  };
  const options = {
    xLabel: mu + xLabel, yLabel: nu + yLabel, width,
    height: Math.min(380, Math.max(290, width * 0.62)),
    marker: [Math.min(costs.fn, costs.fp) / unit, costs.abstain / unit],
    place: (m, n) => `${cheap} ${number(m * unit)}, abstaining ${number(n * unit)}`,
  };
  const draw = (grid, more) => pickable(heatmap(grid, { ...options, ...more, bound: true }), pick);
  return { unit, expensive, options, draw };
}

export function drawMap(context) {
  const { app, view, cards, chosen } = context,
    { unit, expensive, options, draw } = plane(context, cards.map.body, true),
    { name, format } = MAPS[view.map],
    grid = gridOf(chosen, view.map),
    about = `Map of the ${name} of ${shorten(chosen.model.name)} over relative costs`,
    title = `${name[0].toUpperCase()}${name.slice(1)} of ${shorten(chosen.model.name)}`,
    lines = (v) => [{ text: `${name} ${format(v)}` }];
  if (view.body === "3d") {
    const finite = { ...grid, values: grid.values.map((v) => (Math.abs(v) === Infinity ? 0 : v)) },
      high = Math.max(...finite.values) || 1,
      { cost, abstention, lower, upper } = chosen.window,
      at = { cost: cost / unit, abstain: abstention, lower, upper }[view.map],
      said = el("span", { role: "status", "data-key": "read-3d" });
    const body = surface3d(finite, {
      width: options.width, height: options.height, high,
      marker: [...options.marker, Math.max(0, Math.min(high, at))],
      about, xLabel: "μ", yLabel: "ν", onTurn: app.update,
      read: (m, n, v) => ({ title: options.place(m, n), lines: lines(v) }),
      onRead: (words) => said.replaceChildren(` ${words}.`),
    });
    const turn = "Counted on these cases. Drag, or use the arrow keys, to turn; point at it, or use shift and the arrow keys, to read it.";
    return cards.map.show(body, paragraph("note", `${title}. ${turn}`, said));
  }
  const [low, high] = ends(grid.values),
    paint = (v) => sequential(high > low ? (v - low) / (high - low) : 0),
    isLined = high > low && ["cost", "abstain"].includes(view.map);
  cards.map.show(
    draw(grid, {
      about, id: "map", paint,
      levels: isLined ? ticks(low, high, 8).filter((t) => t > low) : [],
      bar: { low, high, paint, format },
      read: lines,
    }),
    paragraph(
      "note", title, view.map === "cost" ? `, in units of a ${expensive}` : "",
      ", counted on these cases. Press a point of the map, or use the arrow keys, to move the costs.",
    ),
  );
}

const shade = (index) => modelRgb(index).map((c) => c * 0.82 + 40);
const NEUTRAL = [196, 198, 200];

// Colour stands only where one model is told apart from all others, by the costs expected on new cases: the map
// names the winner that the advice names, or none.
export function drawWinner(context) {
  const { problem, app, cards, results, chosen } = context,
    { draw } = plane(context, cards.winner.body),
    known = knownDistinct(problem, app, chosen.flipped),
    none = known ? "no model is better than the others here" : "comparing the models …",
    name = (v) => (v < 0 ? none : results[v].model.name),
    shares = known ? sharesOfMap(known, results.length) : [],
    sure = results.filter(({ index }) => shares[index] > 0);
  cards.winner.show(
    draw(known ?? { values: [-1, -1, -1, -1], nx: 2, ny: 2, x: [0, 1], y: [0, 0.5] }, {
      about: "Map of the model that is sure to be the cheapest over relative costs",
      id: "winner",
      paint: (v) => (v < 0 ? NEUTRAL : shade(v)),
      regions: (v) => (v < 0 ? none : shorten(name(v), 22)),
      read: (v) => [{ text: shorten(name(v), 40), colour: v < 0 ? null : css(shade(v)) }],
    }),
    swatchLegend(
      sure.map(({ index, model }) => ["", `${shorten(model.name, 22)} ${percent(shares[index])}`, css(shade(index))]),
    ),
    paragraph(
      "note",
      "Coloured where one model is expected to be cheaper on new cases than every other, and the difference is more than chance. Each has its own best thresholds.",
    ),
  );
}

// What share of the map each model is sure to be the cheapest on.
export const sharesOfMap = ({ values }, n) =>
  Array.from({ length: n }, (_, index) => values.reduce((won, v) => won + (v === index), 0) / values.length);

// By the costs expected on new cases, as the map of winners.
export function drawDifference(context) {
  const { problem, app, view, cards, results, chosen, told } = context,
    { draw } = plane(context, cards.difference.body),
    known = knownDistinct(problem, app, chosen.flipped),
    [a, b] = [view.first, view.second].map((i) => results[i]),
    names = [a, b].map(({ model }) => shorten(model.name, 30));
  if (told.best < 0) return cards.difference.show(paragraph("note", "Too few cases to compare models."));
  if (!known) return cards.difference.show(paragraph("note", "Comparing the models …"));
  const gap = ((known.gaps ??= {})[[a.index, b.index]] ??= {
      ...known, picture: undefined, values: known.costs[a.index].map((cost, at) => cost - known.costs[b.index][at]),
    }),
    most = gap.values.reduce((largest, v) => Math.max(largest, Math.abs(v)), 0) || 1,
    paint = (v) => diverging(v / most);
  cards.difference.show(
    draw(gap, {
      about: "Difference of the costs of two models over relative costs",
      id: "difference",
      paint,
      levels: ticks(-most, most, 8).filter((t) => t !== 0),
      zero: true,
      bar: { low: -most, high: most, paint },
      read: (v) => [{ text: `${v < 0 ? "first" : "second"} cheaper by ${number(Math.abs(v))}` }],
    }),
    paragraph(
      "note",
      "On new cases ", strong(names[0]), " is expected to cost ", ...differenceWords(told, a.index, b.index, strong(names[1])),
      ` Where the map is below 0, ${names[0]} is cheaper.`,
    ),
  );
}

// The difference of two models per case, with its interval where one of them is the best.
function differenceWords({ best, differences }, first, second, other) {
  const to = (index) => differences.find((one) => one.second === index)?.value ?? 0,
    gap = to(second) - to(first),
    pair = differences.find((one) => [first, second].includes(best) && one.second === (first === best ? second : first)),
    [low, high] = pair && first === best ? [pair.low, pair.high] : [-pair?.high, -pair?.low],
    write = alike(pair ? [gap, low, high] : [gap], 2, pair ? [{ low, high }] : []),
    range = pair ? `: a difference of ${withRange(write, { value: gap, low, high })}` : "";
  return [
    value("difference", gap, write(Math.abs(gap))), gap < 0 ? " less" : " more", " per case than ", other, range,
    pair && !pair.distinct ? "; they cannot be told apart." : ".",
  ];
}

function ends(values) {
  const finite = values.filter((v) => Math.abs(v) !== Infinity);
  return finite.length ? [finite.reduce((a, b) => Math.min(a, b)), finite.reduce((a, b) => Math.max(a, b))] : [0, 1];
}
