// What the sliders say about every model of two classes, here and all over the map of costs.
import { number, percent } from "../core/format.js";
import { budgetEstimates, budgetWindow, decisiveLimits, promiseEstimates } from "../core/budgets.js";
import { distinctCells } from "../core/differences.js";
import { estimatesOf } from "../core/estimates.js";
import { limitNames } from "../core/limits.js";
import {
  bestWindow, corners, costsOf, forcedCost, leastCost, makeSurface, relativeCosts, trivialCosts, vacc,
} from "../core/surface.js";
import { windowAt } from "../core/window.js";

// Surfaces are kept until the prior moves.
export function binaryResults(problem, app) {
  const { costs: units, prior } = app, graded = problem.kind === "graded", costs = costsOf(units, graded), flipped = costs.fp > costs.fn;
  return problem.models.map((model, index) => {
    if (model.cached?.prior !== prior)
      model.cached = { prior, surface: makeSurface(model, prior), grids: {} };
    const { surface } = model.cached;
    const rule = ruleOf(problem, app, { model, index, surface, costs });
    return {
      model, index, surface, costs, flipped, graded, classes: problem.classes, ...rule,
      expects: app.basis === "expected" && rule.estimates.enough,
      forced: forcedCost(surface, costs), trivial: trivialCosts(surface, costs),
      vacc: vacc(surface, flipped),
    };
  });
}

const costOfWindow = (w, costs) => costs.fn * w.fn + costs.fp * w.fp + costs.abstain * w.abstention;

// Limits of 100% are none. Nobody is missed by answers that are escalated.
const limitsOf = (budgets, graded) =>
  Object.fromEntries(limitNames(graded).filter((name) => budgets[name] < 1).map((name) => [name, budgets[name]]));

// The window of a model and what is expected of it: the cheapest one, or, for the model that is
// shown, the one that was set by hand or keeps the limits. `source` says where the window is from, and
// `waits` that what is expected of new cases is still to be found.
function ruleOf(problem, app, { model, index, surface, costs }) {
  const { mode, budgets, prior } = app,
    thresholds = app.thresholds && (costs.graded ? { ...app.thresholds, lower: -Infinity } : app.thresholds),
    shown = problem.view?.selected === index,
    priced = (window) => ({ ...window, cost: costOfWindow(window, costs) }),
    asGiven = (window) => estimatesOf(model, prior, costs, { window }),
    cheapest = () => {
      const estimates = estimatesOf(model, prior, costs);
      return { source: "costs", window: bestWindow(surface, costs), estimates };
    };
  if (shown && mode === "thresholds" && thresholds) {
    // Thresholds that a search found stay chosen on these cases, also if they are now called one's own.
    const found = cheapest();
    if (sameEnds(found.window, thresholds)) return found;
    const window = windowAt(model, prior, thresholds.lower, thresholds.upper),
      limited = model.limited;
    if (limited?.prior === prior && limited.found.window && sameEnds(limited.found.window, thresholds))
      return { window: priced(window), ...expectedOf(model, limited, costs, asGiven(window)) };
    return { source: "hand", window: priced(window), estimates: asGiven(window) };
  }
  const limits = limitsOf(budgets, costs.graded);
  if (!shown || mode !== "budgets" || !Object.keys(limits).length) return cheapest();
  const { promise } = budgets, key = JSON.stringify([prior, limits, promise]);
  if (model.limited?.key !== key)
    model.limited = { key, prior, limits, promise, found: budgetWindow(model, prior, limits, { promise }) };
  const { found, ends = null } = model.limited,
    decided = { decisive: ends?.decisive ?? [], nearest: ends?.nearest ?? [], isOpen: !ends };
  if (found.none) {
    const window = windowAt(model, prior, -Infinity, Infinity);
    return { source: "budgets", window: priced(window), estimates: asGiven(window), refused: found, limits, ...decided };
  }
  const { window, tests = null, certificate = null } = found,
    expected = expectedOf(model, model.limited, costs, asGiven(window));
  return { window: priced(window), tests, certificate, limits, ...decided, ...expected };
}

const sameEnds = (a, b) => a.lower === b.lower && a.upper === b.upper;

// What is expected of a rule that keeps limits: searching again in every part of the cases takes a
// while, so that is done when the hand rests. Until then there is what it does on these cases.
function expectedOf(model, { estimates, costs: known }, costs, seen) {
  const ready = estimates && known === JSON.stringify(costs);
  return { source: "budgets", estimates: ready ? estimates : seen, waits: !ready && seen.enough };
}

export function searchAgain({ model, costs, refused }, { prior }) {
  const { limits, promise } = model.limited, search = promise ? promiseEstimates : budgetEstimates;
  model.limited.ends ??= decisiveLimits(model, prior, limits, { promise });
  if (refused) return;
  model.limited.estimates = search(model, prior, costs, limits);
  model.limited.costs = JSON.stringify(costs);
}

// What a rule does, in the currency of the page: expected on new cases, or counted on these.
export function ratesOf({ expects, estimates: e, window: w, surface: { positives, negatives } }) {
  const [fn, fp] = expects ? [e.cells.fn.value, e.cells.fp.value] : [w.fn, w.fp];
  return {
    cost: expects ? e.cost.value : w.cost,
    abstention: expects ? e.abstention.value : w.abstention,
    wrong: expects ? e.selectiveError.value : w.error / w.answered,
    missed: fn / positives,
    alarms: fp / negatives,
  };
}

// Where on the map the cheapest model is told apart from all others: slow, so it is found a few cells
// at a time, and kept.
const TURN = 10;
const distinctKey = ({ models }, prior, flipped) => [prior, flipped, models.length].join();

export function knownDistinct(problem, { prior }, flipped) {
  const { key, grid } = problem.distinct ?? {};
  return key === distinctKey(problem, prior, flipped) ? grid : null;
}

export function findDistinct(problem, { prior }, flipped) {
  const key = distinctKey(problem, prior, flipped), end = performance.now() + TURN;
  if (problem.distinct?.key !== key)
    problem.distinct = { key, cells: distinctCells(problem.models, prior, flipped), grid: null };
  const { distinct } = problem;
  while (!distinct.grid && performance.now() < end) distinct.grid = distinct.cells.next().value ?? null;
  return distinct.grid !== null;
}

export const expectedCost = ({ estimates, window }) => estimates.cost?.value ?? window.cost;

export const gridOf = ({ model, surface, flipped }, map) =>
  (model.cached.grids[`${map}-${flipped}`] ??= costGrid(MAPS[map].of(surface), flipped));

const NX = 121, NY = 61;

// Evaluate over μ in [0, 1] and ν in [0, ½]; beyond that abstaining never pays.
function costGrid(evaluate, flipped) {
  const values = new Float64Array(NX * NY);
  for (let j = 0; j < NY; j++)
    for (let i = 0; i < NX; i++)
      values[j * NX + i] = evaluate(relativeCosts(i / (NX - 1), j / (NY - 1) / 2, flipped));
  return { values, nx: NX, ny: NY, x: [0, 1], y: [0, 0.5] };
}

export const MAPS = {
  cost: { name: "least cost", of: (s) => (c) => leastCost(s, c), format: number },
  abstain: {
    name: "share abstained on",
    format: percent,
    of: (s) => (c) => {
      const [l, u] = corners(s, c);
      return s.casesBelow[u] - s.casesBelow[l];
    },
  },
  lower: { name: "lower threshold", of: (s) => (c) => bestWindow(s, c).lower, format: number },
  upper: { name: "upper threshold", of: (s) => (c) => bestWindow(s, c).upper, format: number },
};
