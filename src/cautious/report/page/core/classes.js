// Several classes: rules on the cases that the page knows, and what they do. Of many cases these are a
// random part, so `n` says on how many a number rests.
import { wilson } from "./distributions.js";
import { intervalOf } from "./estimates.js";
import { peopleOf } from "./people.js";
import { cheapestSet, firstOfEquals, setCostTable } from "./set_costs.js";
import { countSets, groupSizes, hitSizes, rowsOf, utilitySet } from "./sets.js";

/** Whether there are probabilities to decide on: how many cases, out of how many. */
export const sampleOf = (model) => (model.cases?.proba ? { n: model.cases.table.n, of: model.n } : null);

// The likeliest class; the first of equal ones.
function likeliestOf(p) {
  let best = 0;
  for (let c = 1; c < p.length; c++) if (p[c] > p[best]) best = c;
  return best;
}

// The answer of a rule to one case: classes in order, all of them to abstain (cautious.decision.Rule).
const DECISIONS = {
  confidence: ({ threshold }) => (p) => {
    const best = likeliestOf(p);
    return p[best] >= threshold ? [best] : null;
  },
  class_thresholds: ({ thresholds }) => (p) => {
    const best = likeliestOf(p);
    return p[best] >= thresholds[best] ? [best] : null;
  },
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

/**
 * Decide all cases of a model by a rule, and count.
 *
 * @param model one of problem.models, with cases
 * @param {string[]} classes
 * @param {{kind: "confidence", threshold} | {kind: "class_thresholds", thresholds: number[]} |
 *   {kind: "costs", costs: number[][]} | {kind: "sets", utility} | {kind: "cost_sets", costs, reward}} rule
 *   costs: one row per answer, the last for abstaining, one column per truth
 * @param {{level?, costs?: number[][]}} options costs: what to charge; those of the rule unless given
 * @returns {{n, of, sizes, by_class, confusion, abstention, error, selectiveError, containment, meanSize,
 *   cost, classes: {n, containment, answered, right}[], confused, people}} estimates {value, low, high};
 *   error is the share of all cases with a wrong single answer; cost is null without costs; confused:
 *   pairs {truth, answer, count} of single answers, the commonest mistake first; people by outcome
 */
export function answerCases(model, classes, rule, { level = 0.95, costs = rule.costs ?? null } = {}) {
  const { table, proba } = model.cases,
    k = classes.length,
    priced = rule.kind === "cost_sets" ? setCostTable(rule.costs.slice(0, k), rule.reward) : null,
    decide = DECISIONS[rule.kind]({ ...rule, table: priced }),
    every = classes.map((_, c) => c),
    rows = Array.from({ length: table.n }, (_, row) => row),
    known = (row) => !Number.isNaN(proba[row * k]), // without probabilities every rule abstains
    sets = rows.map((row) => (known(row) && decide(proba.subarray(row * k, (row + 1) * k))) || every),
    weightOf = (row) => (table.weight ? table.weight[row] : 1),
    counted = countSets(rows, table.truth, classes, (row) => sets[row], weightOf),
    wrongAs = classes.map(() => new Float64Array(k));
  const total = rows.reduce((sum, row) => sum + weightOf(row), 0),
    outcomes = { right: 0, wrong: 0, setWithTruth: 0, setWithoutTruth: 0, abstained: 0 };
  for (const row of rows) {
    const set = sets[row],
      y = table.truth[row],
      holds = set.includes(y);
    if (set.length === 1) wrongAs[y][set[0]] += weightOf(row);
    const outcome =
      set.length === 1 ? (holds ? "right" : "wrong")
      : set.length === k ? "abstained"
      : holds ? "setWithTruth"
      : "setWithoutTruth";
    outcomes[outcome] += weightOf(row);
  }
  const of = (weight, whole = total) => wilson(weight / whole, (whole / total) * table.n, level),
    answered = outcomes.right + outcomes.wrong,
    shares = Object.fromEntries(Object.entries(outcomes).map(([name, weight]) => [name, of(weight)]));
  return {
    n: table.n,
    of: model.n,
    ...counted,
    abstention: shares.abstained,
    error: shares.wrong,
    selectiveError: of(outcomes.wrong, answered),
    containment: of(outcomes.right + outcomes.setWithTruth + outcomes.abstained),
    meanSize: counted.sizes.reduce((sum, [size, right, wrong]) => sum + size * (right + wrong), 0) / total,
    groups:
      model.groups && table.groups
        ? groupSizes(rows, (row) => table.groups[table.group[row]], table.truth, (row) => sets[row], weightOf)
        : null,
    hits: { table, size: hitSizes(rows, table.truth, (row) => sets[row]) },
    cost: costs && meanCost(table, costOf(sets, table.truth, costs, k, priced), costs, k, level),
    classes: counted.by_class.map(([cases, single, right, holding]) => ({
      n: cases,
      containment: of(holding, cases),
      answered: of(single, cases),
      right: of(right, cases),
    })),
    confused: wrongAs
      .flatMap((line, truth) => Array.from(line, (count, answer) => ({ truth, answer, count })))
      .filter(({ truth, answer, count }) => truth !== answer && count > 0)
      .sort((a, b) => b.count - a.count),
    people: peopleOf(shares),
  };
}

// What the answer to a row costs. A set of several classes costs as much as abstaining, unless sets have
// prices of their own.
const costOf = (sets, truth, costs, k, priced) => (row) =>
  priced
    ? priced.costs[priced.place.get(sets[row].join()) * k + truth[row]]
    : costs[sets[row].length === 1 ? sets[row][0] : k][truth[row]];

/**
 * What the answers of a model cost per case, from its table of answers against truths.
 *
 * @param {{kind, costs: number[][], reward}} rule one that has costs: they are what is charged
 * @returns {{value, low, high} | null} null where the table does not say what each answer was
 */
export function costOfAnswers(model, { kind, costs, reward }, { level = 0.95 } = {}) {
  if (!model.confusion) return null;
  const { columns, rows, counts } = model.confusion,
    k = costs[0].length,
    every = costs[0].map((_, c) => c),
    priced = kind === "cost_sets" ? setCostTable(costs.slice(0, k), reward) : null,
    priceOf = (set, truth) => costOf([set], [truth], costs, k, priced)(0),
    // Of sets that are not told apart it is known that they are sets.
    setOf = ({ set, abstain, size }) => (abstain || (!set && size !== 1 && !priced) ? every : set),
    shares = new Float64Array(k);
  let total = 0,
    sum = 0,
    squares = 0;
  for (let r = 0; r < rows.length; r++)
    for (let c = 0; c < columns.length; c++) {
      const weight = counts[r][c],
        set = setOf(rows[r]);
      if (!weight) continue;
      if (columns[c] < 0 || !set?.length) return null;
      const price = priceOf(set, columns[c]);
      shares[columns[c]] += weight;
      total += weight;
      sum += weight * price;
      squares += weight * price * price;
    }
  const n = rowsOf(model),
    value = sum / total,
    variance = Math.max(0, squares / total - value * value) / (n - 1);
  return { value, ...intervalOf(value, variance, n - 1, level, n, costEnds(shares.map((one) => one / total), costs)) };
}

// What the cases would cost at the least, and at the most.
const costEnds = (shares, costs) =>
  [Math.min, Math.max].map((end) =>
    shares.reduce((sum, share, y) => sum + share * end(...costs.map((line) => line[y])), 0),
  );

// Cost per case, with an interval; the shares of the classes are as uncertain as the cases.
function meanCost({ truth, weight, n }, loss, costs, k, level) {
  const shares = new Float64Array(k),
    weightOf = (row) => (weight ? weight[row] : 1);
  let total = 0,
    value = 0,
    squares = 0;
  for (let row = 0; row < n; row++) total += weightOf(row);
  for (let row = 0; row < n; row++) {
    const share = weightOf(row) / total;
    shares[truth[row]] += share;
    value += share * loss(row);
  }
  for (let row = 0; row < n; row++) squares += ((weightOf(row) / total) * (loss(row) - value)) ** 2;
  return { value, ...intervalOf(value, (squares * n) / (n - 1), n - 1, level, n, costEnds(shares, costs)) };
}
