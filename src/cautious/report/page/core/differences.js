// Which model: differences of cross-fitted costs, all pairs at once. Models that were judged on the
// same cases are compared case by case, in the same folds and the same bootstrap draws.
import { studentQuantile } from "./distributions.js";
import { centresOf, cheapestOf, tooFew, welch } from "./estimates.js";
import { evidenceOf } from "./parts.js";
import { bestWindow, makeSurface, relativeCosts } from "./surface.js";

// Losses of one model: answers to the cases of every repetition, and the mean loss of every replicate's
// window.
function lossesFor(model, prior, costs) {
  const evidence = evidenceOf(model),
    { cuts, answers } = cheapestOf(evidence, prior, costs),
    m = evidence.positivesBelow.length - 1,
    counts = [evidence.negativesBelow[m], evidence.positivesBelow[m]],
    total = counts[0] + counts[1],
    share = prior === null ? [counts[0] / total, counts[1] / total] : [1 - prior, prior],
    each = [share[0] / counts[0], share[1] / counts[1]];
  const rules = cuts.map(([low, high]) => {
    const { negativesBelow: n, positivesBelow: p } = evidence;
    return (
      each[1] * (costs.fn * p[low] + costs.abstain * (p[high] - p[low])) +
      each[0] * (costs.fp * (n[m] - n[high]) + costs.abstain * (n[high] - n[low]))
    );
  });
  const loss = [0, costs.fp, costs.abstain, costs.fn, 0, costs.abstain],
    means = answers.map((some, r) => {
      const { truth, weight } = evidence.atoms[r];
      let mean = 0;
      for (let i = 0; i < some.length; i++)
        mean += each[truth[i]] * (weight ? weight[i] : 1) * loss[truth[i] * 3 + some[i]];
      return mean;
    });
  return { model, evidence, answers, rules, share, each, loss, mean: meanOfAll(means), prior, costs };
}

const meanOfAll = (values) => values.reduce((a, b) => a + b, 0) / values.length;

function varianceOfAll(values) {
  const centre = meanOfAll(values);
  return values.reduce((a, b) => a + (b - centre) ** 2, 0) / (values.length - 1);
}

// Variance of a mean loss (b null) or of the difference of two, over repetitions of the same cases.
function sampledVariance(a, b) {
  const { evidence, each, share } = a,
    { rows, unit } = evidence;
  const found = a.answers.map((answers, r) => {
    const { truth, weight, square } = evidence.atoms[r],
      others = b?.answers[r],
      weights = new Float64Array(18),
      squares = new Float64Array(18);
    for (let i = 0; i < answers.length; i++) {
      const cell = (truth[i] * 3 + answers[i]) * 3 + (others ? others[i] : 0);
      weights[cell] += weight ? weight[i] : 1;
      squares[cell] += square ? square[i] : 1;
    }
    const value = (cell) => {
      const y = (cell / 9) | 0;
      return a.loss[y * 3 + (((cell / 3) | 0) % 3)] - (b ? b.loss[y * 3 + (cell % 3)] : 0);
    };
    const means = [0, 0],
      sums = [0, 0];
    for (let cell = 0; cell < 18; cell++) means[(cell / 9) | 0] += weights[cell] * each[(cell / 9) | 0] * value(cell);
    const mean = centresOf(means, share, a.prior);
    if (unit) {
      const totals = new Float64Array(Math.max(...unit) + 1);
      for (let i = 0; i < answers.length; i++) {
        const y = truth[i],
          cell = (y * 3 + answers[i]) * 3 + (others ? others[i] : 0);
        totals[unit[i]] += each[y] * (weight ? weight[i] : 1) * (value(cell) - mean[y]);
      }
      const n = totals.length;
      return { variance: (totals.reduce((s, t) => s + t * t, 0) * n) / (n - 1), df: n - 1 };
    }
    for (let cell = 0; cell < 18; cell++) {
      const y = (cell / 9) | 0;
      sums[y] += squares[cell] * (each[y] * (value(cell) - mean[y])) ** 2;
    }
    return welch(
      sums.map((total, y) => (total * rows[y]) / (rows[y] - 1)),
      rows,
    );
  });
  return {
    variance: meanOfAll(found.map((one) => one.variance)),
    df: meanOfAll(found.map((one) => one.df)),
    variances: [0, 1].map((y) => meanOfAll(found.map((one) => one.variances?.[y] ?? NaN))),
  };
}

// How the losses of two models go together among the cases of each class, under their cheapest windows;
// these cases stand for too many to know each. They vary around what their variances are taken around.
function correlations(a, b) {
  const { truth } = a.model.sample.table,
    losses = [a, b].map(({ model, prior, costs, loss }) => {
      const { lower, upper } = bestWindow(makeSurface(model, prior), costs);
      return Array.from(model.sample.score, (score, i) => loss[truth[i] * 3 + (score >= upper ? 1 : score <= lower ? 0 : 2)]);
    });
  return [0, 1].map((y) => {
    const [first, second] = losses.map((some) => some.filter((_, i) => truth[i] === y)),
      [one, two] = a.prior === null ? [a.mean, b.mean] : [meanOfAll(first), meanOfAll(second)];
    let [xx, yy, xy] = [0, 0, 0];
    first.forEach((loss, i) => {
      xx += (loss - one) ** 2;
      yy += (second[i] - two) ** 2;
      xy += (loss - one) * (second[i] - two);
    });
    return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
  });
}

const sameCases = (a, b) => Boolean(a.model.cases && a.model.cases.table === b.model.cases?.table);

// Difference of two models: its estimate, variance and degrees of freedom.
function differenceOf(a, b) {
  const value = a.mean - b.mean;
  if (sameCases(a, b)) {
    const { variance, df } = sampledVariance(a, b),
      chosen = varianceOfAll(a.rules.map((rule, r) => rule - b.rules[r]));
    return { value, variance: variance + chosen, df, paired: true };
  }
  const [one, two] = [a, b].map((single) => {
      const { variance, ...rest } = sampledVariance(single, null);
      return { variance: variance + varianceOfAll(single.rules), ...rest };
    }),
    paired = Boolean(a.model.sample && a.model.sample.table === b.model.sample?.table),
    common = paired ? correlations(a, b).map((r, y) => 2 * r * Math.sqrt(one.variances[y] * two.variances[y])) : [0, 0];
  return { value, variance: one.variance + two.variance - common[0] - common[1], df: Math.min(one.df, two.df), paired };
}

/**
 * Differences of the expected costs of all pairs of models, with intervals that hold for all pairs at
 * once (Bonferroni).
 *
 * @returns {{first, second, value, low, high, distinct, paired}[]} first and second are positions in
 *   models, value the cost of the first minus that of the second; empty if a model has too few cases
 */
export function differencesOf(models, prior, costs, { level = 0.95 } = {}) {
  if (models.some(tooFew)) return [];
  const each = models.map((model) => lossesFor(model, prior, costs)),
    pairs = each.flatMap((a, first) => each.slice(first + 1).map((b, i) => [a, b, first, first + 1 + i]));
  return pairs.map(([a, b, first, second]) => ({ first, second, ...told(differenceOf(a, b), level, pairs.length) }));
}

function told({ value, variance, df, paired }, level, comparisons) {
  const half = variance > 0 ? studentQuantile(1 - (1 - level) / 2 / comparisons, df) * Math.sqrt(variance) : 0;
  return { value, low: value - half, high: value + half, distinct: Math.abs(value) > half, paired };
}

/**
 * The model of the least expected cost, and whether it is told apart from all others. As many differences
 * are looked at as there are others (Bonferroni), as cautious.tune does.
 *
 * @returns {{best, distinct, rivals, costs, differences}} rivals: those that it cannot be told apart
 *   from; costs: cross-fitted, by model; differences: {first: best, second, value, low, high, distinct,
 *   paired} to every other; best is -1 if a model has too few cases
 */
export function verdictOf(models, prior, costs, { level = 0.95 } = {}) {
  if (models.some(tooFew)) return { best: -1, distinct: false, rivals: [], costs: [], differences: [] };
  const each = models.map((model) => lossesFor(model, prior, costs)),
    expected = each.map(({ mean }) => mean),
    best = expected.indexOf(Math.min(...expected)),
    differences = each
      .map((one, second) => ({
        first: best,
        second,
        ...(second === best ? null : told(differenceOf(each[best], one), level, models.length - 1)),
      }))
      .filter(({ second }) => second !== best),
    rivals = differences.filter((one) => !one.distinct).map(({ second }) => second);
  return { best, distinct: !rivals.length, rivals, costs: expected, differences };
}

/**
 * Where on the map of relative costs the cheapest model is told apart from all others.
 *
 * @returns {{values: Int8Array, nx, ny, x, y}} the winner's position, or -1 where there is none
 */
export function distinctGrid(models, prior, flipped, options) {
  const cells = distinctCells(models, prior, flipped, options);
  let step = cells.next();
  while (!step.done) step = cells.next();
  return step.value;
}

/** The same cell by cell, for whoever must not keep others waiting: a generator that returns the grid. */
export function* distinctCells(models, prior, flipped, { nx = 25, ny = 13, level = 0.95 } = {}) {
  const values = new Int8Array(nx * ny).fill(-1),
    others = models.length - 1,
    known = others > 0 && !models.some(tooFew);
  for (let i = 0; known && i < nx; i++)
    for (let j = 0; j < ny; j++) {
      const [mu, nu] = [i / (nx - 1), j / (ny - 1) / 2];
      // Above the line from which abstaining never pays, its cost makes no difference.
      if (j && (nu - 0.5 / (ny - 1)) * (1 + mu) >= mu) {
        values[j * nx + i] = values[(j - 1) * nx + i];
        continue;
      }
      const costs = relativeCosts(mu, nu, flipped),
        each = models.map((model) => lossesFor(model, prior, costs)),
        best = each.reduce((a, b) => (b.mean < a.mean ? b : a)),
        clear = each.every((one) => one === best || told(differenceOf(best, one), level, others).distinct);
      if (clear) values[j * nx + i] = each.indexOf(best);
      yield;
    }
  return { values, nx, ny, x: [0, 1], y: [0, 0.5] };
}
