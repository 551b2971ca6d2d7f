// Which model of several classes is the most useful, and whether that is more than chance. Models that
// were judged on the same cases are compared case by case.
import { studentQuantile } from "./distributions.js";
import { LEAST_CASES } from "./parts.js";
import { rowsOf, utility } from "./sets.js";

const worth = (size, k) => (size ? utility(1 / size, k) : 0);

// Variance of the mean of values of cases; cases of one group vary together.
function varianceOfMean({ weight, group, together }, values) {
  const n = values.length,
    weightOf = (i) => (weight ? weight[i] : 1);
  let total = 0,
    mean = 0;
  for (let i = 0; i < n; i++) {
    total += weightOf(i);
    mean += weightOf(i) * values[i];
  }
  mean /= total;
  const parts = new Float64Array(together ? Math.max(...group) + 1 : n);
  for (let i = 0; i < n; i++) parts[together ? group[i] : i] += (weightOf(i) / total) * (values[i] - mean);
  const units = parts.length;
  return { variance: (parts.reduce((sum, part) => sum + part * part, 0) * units) / (units - 1), df: units - 1 };
}

// From the counts alone.
function varianceOfCounts({ sizes, n }, k) {
  let total = 0,
    mean = 0,
    square = 0;
  for (const [size, right, wrong] of sizes) {
    total += right + wrong;
    mean += right * worth(size, k);
    square += right * worth(size, k) ** 2;
  }
  const rows = n ?? total;
  return { variance: Math.max(0, square / total - (mean / total) ** 2) / (rows - 1), df: rows - 1 };
}

function differenceOfWorth(a, b, k) {
  const paired = Boolean(a.hits && a.hits.table === b.hits?.table);
  if (!paired) {
    const [one, two] = [a, b].map((model) => varianceOfCounts(model, k));
    return { variance: one.variance + two.variance, df: Math.min(one.df, two.df), paired };
  }
  const { table, size } = a.hits,
    values = Float64Array.from(size, (code, i) => worth(code, k) - worth(b.hits.size[i], k)),
    { variance, df } = varianceOfMean(table, values);
  // Of many cases a random part shows how the two go together.
  return { variance: (variance * table.n) / Math.max(table.n, Math.min(rowsOf(a), rowsOf(b))), df, paired };
}

/**
 * The model of the greatest mean utility on these cases, and whether it is told apart from all others.
 * As many differences are looked at as there are others (Bonferroni).
 *
 * @param models of a problem with sets
 * @param {number[]} means their mean utilities at risk aversion k
 * @returns {{best, distinct, rivals, differences}} differences: {first: best, second, value, low, high,
 *   distinct, paired}, value the utility of the best less that of the other; best is -1 below 30 cases
 */
export function worthVerdict(models, means, k, { level = 0.95 } = {}) {
  if (models.some((model) => rowsOf(model) < LEAST_CASES))
    return { best: -1, distinct: false, rivals: [], differences: [] };
  const best = means.indexOf(Math.max(...means)),
    others = models.map((_, i) => i).filter((i) => i !== best),
    differences = others.map((second) => {
      const { variance, df, paired } = differenceOfWorth(models[best], models[second], k),
        value = means[best] - means[second],
        half = variance > 0 ? studentQuantile(1 - (1 - level) / 2 / others.length, df) * Math.sqrt(variance) : 0;
      return { first: best, second, value, low: value - half, high: value + half, distinct: value > half, paired };
    }),
    rivals = differences.filter(({ distinct }) => !distinct).map(({ second }) => second);
  return { best, distinct: !rivals.length, rivals, differences };
}
