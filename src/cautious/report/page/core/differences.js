// Which model, and whether that is more than chance: by differences of cross-fitted costs of two classes, or
// by the mean utility of sets. Models that were judged on the same cases are compared case by case, in the same
// folds and the same bootstrap draws.
import { LEVEL, studentQuantile } from "./distributions.js";
import {
  average, cellsOf, cheapestOf, lossesOf, sharesOf, tableOf, tooFew, varianceAmong, varianceOf,
} from "./estimates.js";
import { evidenceOf, LEAST_CASES } from "./parts.js";
import { rowsOf, utility } from "./sets.js";
import { bestWindow, makeSurface, relativeCosts } from "./surface.js";

// Losses of one model: its answers to the cases of every repetition, their mean loss, and that of every
// replicate's window.
function lossesFor(model, prior, costs) {
  const evidence = evidenceOf(model),
    { cuts, answers } = cheapestOf(evidence, prior, costs),
    shares = sharesOf(evidence, prior),
    { negativesBelow: n, positivesBelow: p } = evidence,
    m = p.length - 1,
    rules = cuts.map(
      ([low, high]) =>
        shares.each[1] * (costs.fn * p[low] + costs.abstain * (p[high] - p[low])) +
        shares.each[0] * (costs.fp * (n[m] - n[high]) + costs.abstain * (n[high] - n[low])),
    ),
    loss = lossesOf(costs),
    means = answers.map((some, r) => {
      const { truth, weight } = evidence.atoms[r];
      let mean = 0;
      for (let i = 0; i < some.length; i++)
        mean += shares.each[truth[i]] * (weight ? weight[i] : 1) * loss[truth[i]][some[i]];
      return mean;
    });
  return { model, evidence, answers, rules, shares, loss, mean: average(means), prior, costs };
}

// How the losses of two models go together among the cases of each class, under their cheapest windows;
// these cases stand for too many to know each. They vary around what their variances are taken around.
function correlations(a, b) {
  const { truth } = a.model.sample.table,
    losses = [a, b].map(({ model, prior, costs, loss }) => {
      const { lower, upper } = bestWindow(makeSurface(model, prior), costs),
        answer = (score) => (score >= upper ? 1 : score <= lower ? 0 : 2);
      return Array.from(model.sample.score, (score, i) => loss[truth[i]][answer(score)]);
    });
  return [0, 1].map((y) => {
    const [first, second] = losses.map((some) => some.filter((_, i) => truth[i] === y)),
      [one, two] = a.prior === null ? [a.mean, b.mean] : [average(first), average(second)];
    let [xx, yy, xy] = [0, 0, 0];
    first.forEach((loss, i) => {
      xx += (loss - one) ** 2;
      yy += (second[i] - two) ** 2;
      xy += (loss - one) * (second[i] - two);
    });
    return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
  });
}

const areSame = (one, other) => Boolean(one && one.table === other?.table);

function differenceOfCosts(a, b) {
  const value = a.mean - b.mean;
  if (areSame(a.model.cases, b.model.cases)) {
    const cells = a.answers.map((some, r) => cellsOf(a.evidence, r, a.shares, some, b.answers[r])),
      gap = tableOf((y, one, other) => a.loss[y][one] - b.loss[y][other]),
      { variance, df } = varianceOf(a.evidence, a.shares, cells, gap),
      chosen = varianceAmong(a.rules.map((rule, r) => rule - b.rules[r]));
    return { value, variance: variance + chosen, df, paired: true };
  }
  const [one, two] = [a, b].map(({ evidence, shares, answers, loss, rules }) => {
      const none = (some) => new Uint8Array(some.length),
        alone = answers.map((some, r) => cellsOf(evidence, r, shares, some, none(some))),
        found = varianceOf(evidence, shares, alone, tableOf((y, answer) => loss[y][answer]));
      return { ...found, variance: found.variance + varianceAmong(rules) };
    }),
    paired = areSame(a.model.sample, b.model.sample),
    [r0, r1] = paired ? correlations(a, b) : [0, 0],
    common = (r, y) => 2 * r * Math.sqrt(one.variances[y] * two.variances[y] || 0),
    variance = one.variance + two.variance - common(r0, 0) - common(r1, 1);
  return { value, variance, df: Math.min(one.df, two.df), paired };
}

// As many differences are looked at as there are comparisons (Bonferroni).
function withInterval({ value, variance, df, paired }, comparisons) {
  const half = variance > 0 ? studentQuantile(1 - (1 - LEVEL) / 2 / comparisons, df) * Math.sqrt(variance) : 0;
  return { value, low: value - half, high: value + half, distinct: Math.abs(value) > half, paired };
}

// {best, distinct, rivals, differences}: whether the best is told apart from all others, those from which it
// cannot be told apart, and {first: best, second, value, low, high, distinct, paired} to every other.
function verdictFrom(best, n, difference) {
  const others = Array.from({ length: n }, (_, i) => i).filter((i) => i !== best),
    differences = others.map((second) => ({
      first: best,
      second,
      ...withInterval(difference(second), n - 1),
    })),
    rivals = differences.filter(({ distinct }) => !distinct).map(({ second }) => second);
  return { best, distinct: !rivals.length, rivals, differences };
}

const NOBODY = { best: -1, distinct: false, rivals: [], differences: [] };

// The model of the least expected cost, and its difference to another one.
function cheapestAmong(models, prior, costs) {
  const each = models.map((model) => lossesFor(model, prior, costs)),
    expected = each.map(({ mean }) => mean),
    best = expected.indexOf(Math.min(...expected));
  return { best, difference: (second) => differenceOfCosts(each[best], each[second]) };
}

// Nobody is best where a model has too few cases.
export function verdictOf(models, prior, costs) {
  if (models.some(tooFew)) return NOBODY;
  const { best, difference } = cheapestAmong(models, prior, costs);
  return verdictFrom(best, models.length, difference);
}

// Where on the map of relative costs the cheapest model is told apart from all others: its position, or -1.
// Cell by cell, for whoever must not keep others waiting: a generator that returns the grid.
export function* distinctCells(models, prior, flipped, { nx = 25, ny = 13 } = {}) {
  const values = new Int8Array(nx * ny).fill(-1), known = models.length > 1 && !models.some(tooFew);
  for (let i = 0; known && i < nx; i++)
    for (let j = 0; j < ny; j++) {
      const [mu, nu] = [i / (nx - 1), j / (ny - 1) / 2];
      // Above the line from which abstaining never pays, its cost makes no difference.
      if (j && (nu - 0.5 / (ny - 1)) * (1 + mu) >= mu) {
        values[j * nx + i] = values[(j - 1) * nx + i];
        continue;
      }
      const { best, difference } = cheapestAmong(models, prior, relativeCosts(mu, nu, flipped)),
        isApart = (at) => at === best || withInterval(difference(at), models.length - 1).distinct;
      if (models.every((_, at) => isApart(at))) values[j * nx + i] = best;
      yield;
    }
  return { values, nx, ny, x: [0, 1], y: [0, 0.5] };
}

const worth = (size, k) => (size ? utility(1 / size, k) : 0);

// Variance of the mean of values of cases; cases of one group vary together.
function varianceOfMean({ weight, group, together }, values) {
  const weights = weight ?? values.map(() => 1),
    total = weights.reduce((a, b) => a + b, 0),
    mean = values.reduce((sum, value, i) => sum + weights[i] * value, 0) / total,
    parts = new Float64Array(together ? Math.max(...group) + 1 : values.length);
  values.forEach((value, i) => (parts[together ? group[i] : i] += (weights[i] / total) * (value - mean)));
  const units = parts.length;
  return { variance: (parts.reduce((sum, part) => sum + part * part, 0) * units) / (units - 1), df: units - 1 };
}

function varianceOfCounts({ sizes, n }, k) {
  let total = 0, mean = 0, square = 0;
  for (const [size, right, wrong] of sizes) {
    total += right + wrong;
    mean += right * worth(size, k);
    square += right * worth(size, k) ** 2;
  }
  const rows = n ?? total;
  return { variance: Math.max(0, square / total - (mean / total) ** 2) / (rows - 1), df: rows - 1 };
}

function differenceOfWorth(a, b, k) {
  if (!areSame(a.hits, b.hits)) {
    const [one, two] = [a, b].map((model) => varianceOfCounts(model, k));
    return { variance: one.variance + two.variance, df: Math.min(one.df, two.df), paired: false };
  }
  const { table, size } = a.hits,
    values = Float64Array.from(size, (code, i) => worth(code, k) - worth(b.hits.size[i], k)),
    { variance, df } = varianceOfMean(table, values);
  // Of many cases a random part shows how the two go together.
  return { variance: (variance * table.n) / Math.max(table.n, Math.min(rowsOf(a), rowsOf(b))), df, paired: true };
}

// The model of the greatest mean utility on these cases, `means` at risk aversion k; nobody below 30 cases.
export function worthVerdict(models, means, k) {
  if (models.some((model) => rowsOf(model) < LEAST_CASES)) return NOBODY;
  const best = means.indexOf(Math.max(...means)),
    difference = (second) => ({
      ...differenceOfWorth(models[best], models[second], k),
      value: means[best] - means[second],
    });
  return verdictFrom(best, models.length, difference);
}
