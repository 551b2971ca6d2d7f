// What the sliders say about every model of two classes.
import { MAPS, costGrid, difference, winners } from "./binary_maps.js";
import { costInterval, replicatesOf } from "./bootstrap.js";
import { bestWindow, costsOf, forcedCost, makeSurface, trivialCosts, vacc } from "./surface.js";

// Surfaces and replicates are kept until the prior moves.
export function binaryResults(problem, { costs: units, prior }) {
  const costs = costsOf(units),
    flipped = costs.fp > costs.fn;
  return problem.models.map((model, index) => {
    model.replicates ??= replicatesOf(model);
    if (model.cached?.prior !== prior)
      model.cached = { prior, surface: makeSurface(model, prior), grids: {} };
    const { surface } = model.cached,
      window = bestWindow(surface, costs);
    return {
      model,
      index,
      surface,
      window,
      costs,
      flipped,
      classes: problem.classes,
      interval: costInterval(model, model.replicates, prior, costs, window.cost),
      forced: forcedCost(surface, costs),
      trivial: trivialCosts(surface, costs),
      vacc: vacc(surface, flipped),
    };
  });
}

export function gridOf({ model, surface, flipped }, map) {
  const key = `${map}-${flipped}`;
  return (model.cached.grids[key] ??= costGrid(MAPS[map].of(surface), flipped));
}

// Comparing all models point by point is done once for a prior, not at every move.
export function compared(problem, results, [first, second]) {
  const { model, flipped } = results[0],
    key = [model.cached.prior, flipped, first, second].join();
  if (problem.compared?.key !== key) {
    const grids = results.map((result) => gridOf(result, "cost"));
    problem.compared = { key, won: winners(grids), difference: difference(grids[first], grids[second]) };
  }
  return problem.compared;
}
