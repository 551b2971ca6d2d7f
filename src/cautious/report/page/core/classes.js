// Several classes: rules on the cases that the page knows, and what they do. Of many cases these are a
// random part, so `n` says on how many a number rests.
import { LEVEL, studentQuantile, wilson } from "./distributions.js";
import { peopleOf } from "./format.js";
import { cheapestSet, firstOfEquals, setCostTable } from "./set_costs.js";
import { countSets, hitSizes, likeliestOf, rowsOf, utilitySet } from "./sets.js";

// Whether there are probabilities to decide on: how many cases, out of how many.
export const sampleOf = (model) => (model.cases?.proba ? { n: model.cases.table.n, of: model.n } : null);

// The answer of a rule to one case: classes in order, all of them to abstain (cautious.decision.Rule).
const likeliestFrom = (threshold) => (p) => {
  const best = likeliestOf(p);
  return p[best] >= threshold(best) ? [best] : null;
};
const DECISIONS = {
  confidence: ({ threshold }) => likeliestFrom(() => threshold),
  class_thresholds: ({ thresholds }) => likeliestFrom((c) => thresholds[c]),
  // The answer of least expected cost, unless abstaining costs less. What even the cheapest answer costs
  // under a truth decides nothing.
  costs: ({ costs }) => {
    const least = costs[0].map((_, y) => Math.min(...costs.map((row) => row[y]))),
      extra = costs.map((row) => row.map((cost, y) => cost - least[y])),
      scale = Math.max(...extra.flat());
    return (p) => {
      const expected = extra.map((row) => row.reduce((sum, cost, y) => sum + cost * p[y], 0)),
        best = firstOfEquals(expected, scale);
      return best < p.length ? [best] : null;
    };
  },
  sets: ({ utility }) => (p) => utilitySet(p, utility),
  cost_sets: ({ table }) => (p) => cheapestSet(table, p),
};

// Decide all cases of a model by a rule, and count. Costs have one row per answer, the last for abstaining, and
// one column per truth; those of the rule are charged unless others are given. Gives estimates
// {value, low, high}, and people by outcome.
export function answerCases(model, classes, rule, { costs = rule.costs ?? null } = {}) {
  const { table, proba } = model.cases,
    { truth, weight } = table,
    k = classes.length,
    priced = rule.kind === "cost_sets" ? setCostTable(rule.costs.slice(0, k), rule.reward) : null,
    decide = DECISIONS[rule.kind]({ ...rule, table: priced }),
    every = classes.map((_, c) => c),
    rows = Array.from({ length: table.n }, (_, row) => row),
    known = (row) => !Number.isNaN(proba[row * k]), // without probabilities every rule abstains
    sets = rows.map((row) => (known(row) && decide(proba.subarray(row * k, (row + 1) * k))) || every),
    weightOf = (row) => (weight ? weight[row] : 1),
    groupOf = model.groups && table.groups ? (row) => table.groups[table.group[row]] : null,
    total = rows.reduce((sum, row) => sum + weightOf(row), 0),
    outcomes = { right: 0, wrong: 0, setWithTruth: 0, setWithoutTruth: 0, abstained: 0 };
  for (const row of rows) {
    const { length } = sets[row],
      holds = sets[row].includes(truth[row]),
      [single, several] = holds ? ["right", "setWithTruth"] : ["wrong", "setWithoutTruth"];
    outcomes[length === 1 ? single : length === k ? "abstained" : several] += weightOf(row);
  }
  const of = (part, whole = total) => wilson(part / whole, (whole / total) * table.n),
    { right, wrong, setWithTruth, abstained } = outcomes,
    loss = costOf(sets, truth, costs, k, priced);
  return {
    n: table.n,
    of: model.n,
    ...countSets(rows, truth, classes, (row) => sets[row], weightOf, groupOf),
    abstention: of(abstained), selectiveError: of(wrong, right + wrong),
    containment: of(right + setWithTruth + abstained),
    hits: { table, size: hitSizes(rows, truth, (row) => sets[row]) },
    cost: costs && meanCost(table, loss, costs, k),
    people: peopleOf(Object.fromEntries(Object.entries(outcomes).map(([name, part]) => [name, of(part)]))),
  };
}

// What the answer to a row costs. A set of several classes costs as much as abstaining, unless sets have
// prices of their own.
const costOf = (sets, truth, costs, k, priced) => (row) =>
  priced
    ? priced.costs[priced.place.get(sets[row].join()) * k + truth[row]]
    : costs[sets[row].length === 1 ? sets[row][0] : k][truth[row]];

// What the answers of a model cost per case by the costs of a rule, from its table of answers against truths;
// null where the table does not say what each answer was.
export function costOfAnswers(model, { kind, costs, reward }) {
  if (!model.confusion) return null;
  const { columns, rows, counts } = model.confusion,
    k = costs[0].length,
    every = costs[0].map((_, c) => c),
    priced = kind === "cost_sets" ? setCostTable(costs.slice(0, k), reward) : null,
    // Of sets that are not told apart it is known that they are sets.
    setOf = ({ set, abstain, size }) => (abstain || (!set && size !== 1 && !priced) ? every : set),
    shares = new Float64Array(k);
  let total = 0, sum = 0, squares = 0;
  for (let r = 0; r < rows.length; r++)
    for (let c = 0; c < columns.length; c++) {
      const weight = counts[r][c], set = setOf(rows[r]);
      if (!weight) continue;
      if (columns[c] < 0 || !set?.length) return null;
      const price = costOf([set], [columns[c]], costs, k, priced)(0);
      shares[columns[c]] += weight;
      total += weight;
      sum += weight * price;
      squares += weight * price * price;
    }
  const n = rowsOf(model),
    value = sum / total,
    variance = Math.max(0, squares / total - value * value) / (n - 1);
  return { value, ...intervalOf(value, variance, n - 1, n, costEnds(shares.map((one) => one / total), costs)) };
}

const costEnds = (shares, costs) =>
  [Math.min, Math.max].map((end) =>
    shares.reduce((sum, share, y) => sum + share * end(...costs.map((line) => line[y])), 0),
  );

// Cost per case, with an interval; the shares of the classes are as uncertain as the cases.
function meanCost({ truth, weight, n }, loss, costs, k) {
  const shares = new Float64Array(k),
    weightOf = (row) => (weight ? weight[row] : 1);
  let total = 0, value = 0, squares = 0;
  for (let row = 0; row < n; row++) total += weightOf(row);
  for (let row = 0; row < n; row++) {
    const share = weightOf(row) / total;
    shares[truth[row]] += share;
    value += share * loss(row);
  }
  for (let row = 0; row < n; row++) squares += ((weightOf(row) / total) * (loss(row) - value)) ** 2;
  return { value, ...intervalOf(value, (squares * n) / (n - 1), n - 1, n, costEnds(shares, costs)) };
}

// Ends of an interval of a mean: Student's, between `ends`.
function intervalOf(estimate, variance, df, n, ends) {
  const [least, most] = ends;
  // Where all cases seen did alike, others may be there, with this probability at most.
  const unseen = 1 - ((1 - LEVEL) / 2) ** (1 / n),
    low = estimate + unseen * (least - estimate),
    high = estimate + unseen * (most - estimate);
  if (!(variance > (1e-12 * (most - least)) ** 2)) return { low, high };
  // Of few mistakes the variance says little: they may be as rare as ones that were not seen.
  const half = studentQuantile((1 + LEVEL) / 2, df) * Math.sqrt(variance);
  return {
    low: Math.max(Math.min(low, estimate - half), least),
    high: Math.min(Math.max(high, estimate + half), most),
  };
}
