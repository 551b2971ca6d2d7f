// Sets of the least expected cost under a matrix of costs of single classes. A set costs the power mean of what its
// classes cost; the power 1 - r is the lower, the more caution is worth (cautious.costs.p_discounted).

export const MOST_CLASSES_IN_SETS = 12;

// All sets, small ones first and of one size in the order of their classes.
function allSets(k) {
  const sets = [];
  const grow = (set, from, size) => {
    if (set.length === size) return sets.push(set);
    for (let c = from; c < k; c++) grow([...set, c], c + 1, size);
  };
  for (let size = 1; size <= k; size++) grow([], 0, size);
  return sets;
}

function powerMean(values, power) {
  if (values.length === 1) return values[0];
  if (power === 0) return Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);
  return (values.reduce((sum, v) => sum + v ** power, 0) / values.length) ** (1 / power);
}

// All sets with their costs at each truth: `matrix` has one row per class that is answered, one column per truth;
// all models of a page are charged by one table.
let latest = { key: null, table: null };
export function setCostTable(matrix, reward) {
  const key = JSON.stringify([matrix, reward]);
  if (latest.key !== key) latest = { key, table: pricesOfSets(matrix, reward) };
  return latest.table;
}

function pricesOfSets(matrix, reward) {
  const k = matrix[0].length, sets = allSets(k), costs = new Float64Array(sets.length * k);
  sets.forEach((set, s) => {
    for (let y = 0; y < k; y++) costs[s * k + y] = powerMean(set.map((c) => matrix[c][y]), 1 - reward);
  });
  const place = new Map(sets.map((set, s) => [set.join(), s]));
  return { k, sets, costs, scale: costs.reduce((a, b) => Math.max(a, b), 0), place };
}

// The first of the expected costs that equals the least but for rounding (slack in cautious.decision).
export function firstOfEquals(expected, scale) {
  const least = expected.reduce((a, b) => Math.min(a, b)),
    most = least + 1e-12 * least + 1e-15 * scale;
  return expected.findIndex((cost) => cost <= most);
}

// The set of the least expected cost; of equal ones the smallest, then that of the first classes.
export function cheapestSet({ k, sets, costs, scale }, p) {
  const expected = new Float64Array(sets.length);
  for (let s = 0, at = 0; s < sets.length; s++) {
    let sum = 0;
    for (let y = 0; y < k; y++, at++) sum += p[y] * costs[at];
    expected[s] = sum;
  }
  return sets[firstOfEquals(expected, scale)];
}
