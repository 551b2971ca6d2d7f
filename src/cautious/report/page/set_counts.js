// Counting prediction sets against truths: the same summary as cautious.report.set_summary.
import { utility } from "./sets.js";

const CLASSES_SHOWN = 12;
const SETS_SHOWN = 12;

// `each(row)` gives the sorted classes of a row's prediction set.
export function countSets(rows, truth, classes, each, weightOf) {
  const k = classes.length,
    sizes = new Map(),
    cells = new Map();
  const byClass = classes.map(() => [0, 0, 0, 0, 0, 0, 0]);
  for (const row of rows) {
    const set = each(row),
      size = set.length,
      y = truth[row],
      weight = weightOf(row);
    const right = set.includes(y),
      x = right ? 1 / size : 0;
    if (!sizes.has(size)) sizes.set(size, [size, 0, 0]);
    sizes.get(size)[right ? 1 : 2] += weight;
    const sums = byClass[y];
    sums[0] += weight;
    if (size === 1) {
      sums[1] += weight;
      sums[2] += right ? weight : 0;
    }
    sums[3] += right ? weight : 0;
    sums[4] += weight * size;
    sums[5] += weight * x;
    sums[6] += weight * x * (1 - x);
    const key = set.join();
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = { set: Array.from(set), truths: new Float64Array(k), total: 0 }));
    cell.truths[y] += weight;
    cell.total += weight;
  }
  return {
    sizes: [...sizes.values()].sort((a, b) => a[0] - b[0]),
    by_class: byClass,
    confusion: confusionOf([...cells.values()], byClass, k),
    risk: null,
  };
}

function confusionOf(cells, byClass, k) {
  let kept = Array.from({ length: k }, (_, i) => i);
  if (k > CLASSES_SHOWN) {
    const trouble = byClass.map((sums) => sums[0] - sums[5]);
    kept = kept
      .sort((a, b) => trouble[b] - trouble[a] || a - b)
      .slice(0, CLASSES_SHOWN)
      .sort((a, b) => a - b);
  }
  const columns = kept.length < k ? [...kept, -1] : kept;
  const columnOf = new Array(k).fill(columns.length - 1);
  kept.forEach((c, i) => {
    columnOf[c] = i;
  });
  const partial = cells.filter(({ set }) => set.length > 1 && set.length < k);
  const order = (a, b) => a.set.length - b.set.length || compareSets(a.set, b.set);
  const common = partial
    .sort((a, b) => b.total - a.total || order(a, b))
    .slice(0, SETS_SHOWN)
    .sort(order);
  const rows = kept.map((c) => ({ set: [c] }));
  const counts = rows.map(() => columns.map(() => 0));
  const put = (row, members) => {
    if (!members.length) return;
    rows.push(row);
    counts.push(columns.map(() => 0));
    members.forEach((cell) => addTo(counts[counts.length - 1], cell));
  };
  const addTo = (line, cell) =>
    cell.truths.forEach((weight, y) => {
      line[columnOf[y]] += weight;
    });
  const rare = [];
  for (const cell of cells) {
    if (cell.set.length !== 1) continue;
    const at = kept.indexOf(cell.set[0]);
    if (at < 0) rare.push(cell);
    else addTo(counts[at], cell);
  }
  if (kept.length < k) {
    rows.push({ other: k - kept.length, size: 1 });
    counts.push(columns.map(() => 0));
    rare.forEach((cell) => addTo(counts[counts.length - 1], cell));
  }
  common.forEach((cell) => put({ set: cell.set }, [cell]));
  const rest = partial.filter((cell) => !common.includes(cell));
  put({ other: rest.length, size: 2 }, rest);
  put(
    { quiet: true },
    cells.filter(({ set }) => set.length === k && k > 1),
  );
  return { columns, rows, counts };
}

function compareSets(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
}

// The set of greatest expected utility at risk aversion k: the likeliest classes, as many as pay.
export function utilitySet(p, k) {
  const order = Array.from(p.keys()).sort((a, b) => p[b] - p[a] || a - b);
  const costs = [];
  let mass = 0;
  order.forEach((c, i) => {
    mass += p[c];
    costs.push(1 - utility(1 / (i + 1), k) * mass);
  });
  const least = Math.min(...costs);
  const size = costs.findIndex((cost) => cost <= least + 1e-12 * least + 1e-15) + 1;
  return order.slice(0, size).sort((a, b) => a - b);
}
