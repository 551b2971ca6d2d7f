// Measures of a model that answers with sets, from its table of sizes against right and wrong.
import { wilson } from "./distributions.js";
import { sum } from "./surface.js";

// Utility of a discounted accuracy at risk aversion k: u(1/2) = k.
export const utility = (x, k) => x + (4 * k - 2) * x * (1 - x);

// The two means that hold the whole line of utilities, and what else a table of models shows.
export function setMeasures({ sizes }) {
  const totals = { n: 0, single: 0, singleRight: 0, several: 0, right: 0, size: 0, x: 0, hedge: 0 };
  for (const [size, right, wrong] of sizes) {
    totals.n += right + wrong;
    totals.right += right;
    totals.size += size * (right + wrong);
    if (size === 0) continue; // never right
    totals.x += right / size;
    totals.hedge += (right / size) * (1 - 1 / size);
    if (size === 1) {
      totals.single = right + wrong;
      totals.singleRight = right;
    } else totals.several += right + wrong;
  }
  const { n, several } = totals;
  return {
    n, determinacy: totals.single / n, singleAccuracy: totals.singleRight / totals.single,
    setAccuracy: (totals.right - totals.singleRight) / several, containment: totals.right / n,
    meanSize: totals.size / n, accuracy: totals.x / n, hedging: totals.hedge / n,
  };
}

// How many rows the answers are to; of counts alone, their sum.
export const rowsOf = ({ n, sizes }) => n ?? sum(sizes.map(([, right, wrong]) => right + wrong));

// Mean utility with a normal interval from the exact spread of the utilities. A row says as much as one
// case, whatever its weight.
export function meanUtility(model, k) {
  const { mean, variance } = momentsOfUtility(model, k),
    half = 1.959963984540054 * Math.sqrt(variance / rowsOf(model));
  return { mean, low: mean - half, high: mean + half };
}

export function momentsOfUtility({ sizes }, k) {
  const n = sum(sizes.map(([, right, wrong]) => right + wrong)),
    earning = sizes.filter(([, right]) => right > 0),
    meanOf = (power) => sum(earning.map(([size, right]) => right * utility(1 / size, k) ** power)) / n,
    mean = meanOf(1);
  return { mean, variance: Math.max(0, meanOf(2) - mean * mean) };
}

// Risk aversions at which the best model changes, from one half to one.
export function crossovers(measures) {
  const value = (m, k) => m.accuracy + (4 * k - 2) * m.hedging;
  const best = (k) => measures.reduce((a, b, i) => (value(b, k) > value(measures[a], k) + 1e-15 ? i : a), 0);
  const found = [{ from: 0.5, model: best(0.5) }];
  for (let at = 0.5; ;) {
    const now = measures[found[found.length - 1].model];
    let next = Infinity, model = -1;
    measures.forEach((other, i) => {
      if (other.hedging <= now.hedging + 1e-12) return;
      const k = 0.5 + (now.accuracy - other.accuracy) / (4 * (other.hedging - now.hedging));
      if (k >= at - 1e-12 && k < next) {
        next = k;
        model = i;
      }
    });
    if (next >= 1) return found;
    found.push({ from: next, model });
    at = next;
  }
}

// Counting prediction sets against truths: the same summary as cautious.report._page_data.

const CLASSES_KEPT = 60;
const CLASSES_SHOWN = 12;
const SETS_SHOWN = 12;
// Of more groups the largest are kept.
export const GROUPS_KEPT = 100;

// `each(row)` gives the sorted classes of a row's prediction set, `groupOf` its group, where there are groups.
export function countSets(rows, truth, classes, each, weightOf, groupOf = null) {
  const sizes = new Map(),
    cells = new Map(),
    groups = new Map(),
    byClass = classes.map(() => [0, 0, 0, 0, 0, 0, 0]);
  const add = (found, size, right, weight) => {
    if (!found.has(size)) found.set(size, [size, 0, 0]);
    found.get(size)[right ? 1 : 2] += weight;
  };
  for (const row of rows) {
    const set = each(row),
      size = set.length,
      y = truth[row],
      weight = weightOf(row),
      right = set.includes(y),
      x = right ? 1 / size : 0,
      sums = byClass[y],
      key = set.join();
    add(sizes, size, right, weight);
    sums[0] += weight;
    if (size === 1) {
      sums[1] += weight;
      sums[2] += right ? weight : 0;
    }
    sums[3] += right ? weight : 0;
    sums[4] += weight * size;
    sums[5] += weight * x;
    sums[6] += weight * x * (1 - x);
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = { set: Array.from(set), truths: new Float64Array(classes.length), total: 0 }));
    cell.truths[y] += weight;
    cell.total += weight;
    if (!groupOf) continue;
    const group = groupOf(row);
    if (!groups.has(group)) groups.set(group, { group, n: 0, sizes: new Map() });
    groups.get(group).n++;
    add(groups.get(group).sizes, size, right, weight);
  }
  const inOrder = (found) => [...found.values()].sort((a, b) => a[0] - b[0]),
    largest = [...groups.values()].sort((a, b) => b.n - a.n).slice(0, GROUPS_KEPT);
  return {
    sizes: inOrder(sizes),
    by_class: byClass,
    confusion: confusionOf([...cells.values()], byClass, classes.length),
    risk: null,
    ...(groupOf && { groups: largest.map((one) => ({ ...one, sizes: inOrder(one.sizes) })) }),
  };
}

// Of each row the size of its set, or 0 if the truth is not in it.
export const hitSizes = (rows, truth, each) =>
  Uint32Array.from(rows, (row) => (each(row).includes(truth[row]) ? each(row).length : 0));

// What the answers to n cases are, with Wilson's intervals: share with one class, share of wrong ones among
// these, share that holds the truth, and share that names all k classes.
export function answerShares({ n, sizes }, k) {
  const { n: weight, determinacy, singleAccuracy, containment, meanSize } = setMeasures({ sizes }),
    none = sum(sizes.filter(([size]) => size === k).map(([, right]) => right)) / weight;
  return {
    weight, meanSize, single: wilson(determinacy, n), wrong: wilson(1 - singleAccuracy, determinacy * n),
    containment: wilson(containment, n), none: wilson(none, n),
  };
}

// The same in each group; null without groups.
export const setGroups = ({ groups }) =>
  groups?.map((one) => ({ group: one.group, n: one.n, ...answerShares(one) })) ?? null;

function confusionOf(cells, byClass, k) {
  let kept = Array.from({ length: k }, (_, i) => i);
  if (k > CLASSES_KEPT) {
    const trouble = byClass.map((sums) => sums[0] - sums[5]);
    kept = kept
      .sort((a, b) => trouble[b] - trouble[a] || a - b)
      .slice(0, CLASSES_SHOWN)
      .sort((a, b) => a - b);
  }
  const columns = kept.length < k ? [...kept, -1] : kept,
    columnOf = new Array(k).fill(columns.length - 1);
  kept.forEach((c, i) => (columnOf[c] = i));
  const firstOther = (a, b) => a.findIndex((c, i) => c !== b[i]),
    order = ({ set: a }, { set: b }) => a.length - b.length || a[firstOther(a, b)] - b[firstOther(a, b)] || 0,
    single = cells.filter(({ set }) => set.length === 1),
    partial = cells.filter(({ set }) => set.length !== 1 && set.length < k),
    common = partial.sort((a, b) => b.total - a.total || order(a, b)).slice(0, SETS_SHOWN).sort(order),
    rest = partial.filter((cell) => !common.includes(cell));
  const rows = [], counts = [];
  const put = (row, members, always = false) => {
    if (!members.length && !always) return;
    const line = columns.map(() => 0);
    for (const { truths } of members) truths.forEach((weight, y) => (line[columnOf[y]] += weight));
    rows.push(row);
    counts.push(line);
  };
  for (const c of kept) put({ set: [c] }, single.filter(({ set }) => set[0] === c), true);
  if (kept.length < k)
    put({ other: k - kept.length, size: 1 }, single.filter(({ set }) => !kept.includes(set[0])), true);
  common.forEach((cell) => put({ set: cell.set }, [cell]));
  put({ other: rest.length, size: 2 }, rest);
  put({ abstain: true }, cells.filter(({ set }) => set.length === k && k > 1));
  return { columns, rows, counts };
}

// The likeliest class; the first of equal ones.
export function likeliestOf(p) {
  let best = 0;
  for (let c = 1; c < p.length; c++) if (p[c] > p[best]) best = c;
  return best;
}

// The set of greatest expected utility at risk aversion k: the likeliest classes, as many as pay.
export function utilitySet(p, k) {
  const order = Array.from(p.keys()).sort((a, b) => p[b] - p[a] || a - b);
  let mass = 0;
  const costs = order.map((c, i) => 1 - utility(1 / (i + 1), k) * (mass += p[c])),
    least = Math.min(...costs);
  const size = costs.findIndex((cost) => cost <= least + 1e-12 * least + 1e-15) + 1;
  return order.slice(0, size).sort((a, b) => a - b);
}
