// Which model, and whether that is more than chance: by differences of cross-fitted costs of two classes, or by the
// mean utility of sets. Models that were judged on the same cases are compared case by case, in the same folds.
import { LEVEL, studentQuantile } from "./distributions.js";
import { average, cellsOf, cheapestOf, lossesOf, meanOf, searchCheapest, tooFew } from "./estimates.js";
import { evidenceOf, LEAST_CASES } from "./parts.js";
import { momentsOfUtility, rowsOf, utility } from "./sets.js";
import { bestWindow, makeSurface, relativeCosts, sum } from "./surface.js";

// Losses of one model: its answers to the cases, counted, and their mean.
function lossesFor(model, prior, costs, answersOf = cheapestOf) {
  const parts = evidenceOf(model),
    evidence = cellsOf(parts, prior, answersOf(parts, prior, costs)),
    losses = lossesOf(costs),
    mean = evidence.held.reduce((total, share, cell) => total + share * losses[cell], 0);
  return { model, evidence, losses, mean, costs };
}

// What the cheapest window of each of many costs is expected to cost on new cases; none of them is kept.
export const expectedAt = (model, prior, every) => every.map((costs) => lossesFor(model, prior, costs, searchCheapest).mean);

// How the losses of two models go together under their cheapest windows; these cases stand for too many to
// know each. Where the shares of the classes are given, losses vary within the classes only.
function correlation(a, b) {
  const { prior, shares } = a.evidence,
    { truth } = a.model.sample.table,
    [one, two] = [a, b].map(({ model, costs, losses }) => {
      const { lower, upper } = bestWindow(makeSurface(model, prior), costs),
        answer = (score) => (score >= upper ? 1 : score <= lower ? 0 : 2),
        values = Array.from(model.sample.score, (score, i) => losses[3 * truth[i] + answer(score)]),
        means = [0, 1].map((y) => average(values.filter((_, i) => prior === null || truth[i] === y)));
      return values.map((value, i) => shares.each[truth[i]] * (value - means[truth[i]]));
    }),
    product = (some, others) => some.reduce((total, value, i) => total + value * others[i], 0),
    // As if each had made one mistake more, that the other did not make: few tell how rare these are.
    costliest = (Math.max(...shares.each) * Math.max(...a.losses)) ** 2,
    spread = Math.sqrt((product(one, one) + costliest) * (product(two, two) + costliest));
  return spread > 0 ? product(one, two) / spread : 0;
}

const areSame = (one, other) => Boolean(one && one.table === other?.table);

// An interval that holds together with those of `pairs` pairs (Bonferroni).
const levelOf = (pairs) => 1 - (1 - LEVEL) / pairs;
const withWord = (found) => ({ ...found, distinct: found.low > 0 || found.high < 0 });

function differenceOfCosts(a, b, level) {
  const { parts, prior, answers } = a.evidence, others = b.evidence.answers;
  if (a.model === b.model || areSame(a.model.cases, b.model.cases)) {
    const both = (some, more) => some.map((answer, i) => 3 * answer + more[i]),
      joint = { own: both(answers.own, others.own), heldOut: answers.heldOut.map((some, r) => both(some, others.heldOut[r])) },
      gaps = Array.from({ length: 18 }, (_, cell) => {
        const y = cell < 9 ? 0 : 3, pair = cell % 9;
        return a.losses[y + ((pair / 3) | 0)] - b.losses[y + (pair % 3)];
      });
    return { ...meanOf(cellsOf(parts, prior, joint, 9), gaps, level), paired: true };
  }
  const [one, two] = [a, b].map(({ evidence, losses }) => meanOf(evidence, losses, level)),
    paired = areSame(a.model.sample, b.model.sample),
    together = paired ? correlation(a, b) : 0,
    reach = (x, y) => Math.sqrt(x * x + y * y - 2 * together * x * y),
    value = one.value - two.value;
  return {
    value,
    low: value - reach(one.value - one.low, two.high - two.value),
    high: value + reach(one.high - one.value, two.value - two.low),
    paired,
  };
}

// What the cheapest window saves on new cases against answering all of them, which costs `forced`.
export function savingOf(model, prior, costs) {
  const never = { ...costs, abstain: Math.max(costs.fn, costs.fp) },
    [forced, free] = [never, costs].map((each) => lossesFor(model, prior, costs, (parts) => cheapestOf(parts, prior, each)));
  return { forced: forced.mean, ...differenceOfCosts(forced, free, LEVEL) };
}

// {best, distinct, rivals, differences}: whether the best is told apart from all others, those from which it
// cannot be told apart, and {first: best, second, value, low, high, distinct, paired} to every other.
function verdictFrom(best, n, difference) {
  const others = Array.from({ length: n }, (_, i) => i).filter((i) => i !== best),
    differences = others.map((second) => ({ first: best, second, ...withWord(difference(second)) })),
    rivals = differences.filter(({ distinct }) => !distinct).map(({ second }) => second);
  return { best, distinct: !rivals.length, rivals, differences };
}

const NOBODY = { best: -1, distinct: false, rivals: [], differences: [] };

// The model of the least expected cost, and its difference to another one, all pairs looked at.
function cheapestAmong(models, prior, costs) {
  const each = models.map((model) => lossesFor(model, prior, costs)),
    expected = each.map(({ mean }) => mean),
    best = expected.indexOf(Math.min(...expected)),
    level = levelOf(Math.max(1, (models.length * (models.length - 1)) / 2));
  return { best, expected, difference: (second) => differenceOfCosts(each[best], each[second], level) };
}

// Nobody is best where a model has too few cases.
export function verdictOf(models, prior, costs) {
  if (models.some(tooFew)) return NOBODY;
  const { best, difference } = cheapestAmong(models, prior, costs);
  return verdictFrom(best, models.length, difference);
}

// Where on the map of relative costs the cheapest model is told apart from all others: its position, or -1; and
// what each model is expected to cost there. Cell by cell, for whoever must not keep others waiting: a generator
// that returns the grid.
export function* distinctCells(models, prior, flipped, { nx = 25, ny = 13 } = {}) {
  const values = new Int8Array(nx * ny).fill(-1),
    costs = models.map(() => new Float64Array(nx * ny)),
    known = models.length > 1 && !models.some(tooFew);
  for (let i = 0; known && i < nx; i++)
    for (let j = 0; j < ny; j++) {
      const [mu, nu] = [i / (nx - 1), j / (ny - 1) / 2];
      // Above the line from which abstaining never pays, its cost makes no difference.
      if (j && (nu - 0.5 / (ny - 1)) * (1 + mu) >= mu) {
        for (const each of [values, ...costs]) each[j * nx + i] = each[(j - 1) * nx + i];
        continue;
      }
      const { best, expected, difference } = cheapestAmong(models, prior, relativeCosts(mu, nu, flipped)),
        isApart = (at) => at === best || withWord(difference(at)).distinct;
      if (models.every((_, at) => isApart(at))) values[j * nx + i] = best;
      expected.forEach((cost, at) => (costs[at][j * nx + i] = cost));
      yield;
    }
  return { values, costs, nx, ny, x: [0, 1], y: [0, 0.5] };
}

const worth = (size, k) => (size ? utility(1 / size, k) : 0);

// Variance of the mean of values of cases; cases of one group vary together.
function varianceOfMean({ weight, group, together }, values) {
  const weights = weight ?? values.map(() => 1),
    total = sum(weights),
    mean = sum(values.map((value, i) => weights[i] * value)) / total,
    parts = new Float64Array(together ? Math.max(...group) + 1 : values.length);
  values.forEach((value, i) => (parts[together ? group[i] : i] += (weights[i] / total) * (value - mean)));
  const units = parts.length;
  return { variance: (sum(parts.map((part) => part * part)) * units) / (units - 1), df: units - 1 };
}

function differenceOfWorth(a, b, k) {
  if (!areSame(a.hits, b.hits)) {
    const dfs = [a, b].map((model) => rowsOf(model) - 1),
      variance = sum([a, b].map((model, i) => momentsOfUtility(model, k).variance / dfs[i]));
    return { variance, df: Math.min(...dfs), paired: false };
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
    level = levelOf(Math.max(1, models.length - 1)),
    difference = (second) => {
      const { variance, df, paired } = differenceOfWorth(models[best], models[second], k),
        value = means[best] - means[second],
        half = variance > 0 ? studentQuantile((1 + level) / 2, df) * Math.sqrt(variance) : 0;
      return { value, low: value - half, high: value + half, paired };
    };
  return verdictFrom(best, models.length, difference);
}
