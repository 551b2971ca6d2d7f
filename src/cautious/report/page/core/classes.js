// Several classes: rules on the cases that the page knows, and what they do. Of many cases these are a
// random part, so `n` says on how many a number rests.
import { LEVEL, studentQuantile } from "./distributions.js";
import { cheapestSet, firstOfEquals, setCostTable } from "./set_costs.js";
import { answerShares, countSets, hitSizes, likeliestOf, rowsOf, utilitySet } from "./sets.js";
import { sum } from "./surface.js";

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
// {value, low, high}.
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
    answers = (row) => sets[row],
    counted = countSets(rows, truth, classes, answers, weightOf, groupOf),
    { wrong: selectiveError, containment, none: abstention } = answerShares({ ...counted, n: table.n }, k),
    loss = costOf(sets, truth, costs, k, priced),
    priceOf = (row) => ({ truth: truth[row], weight: weightOf(row), price: loss(row) });
  return {
    n: table.n, of: model.n, ...counted, abstention, selectiveError, containment,
    hits: { table, size: hitSizes(rows, truth, answers) },
    cost: costs && meanPrice(rows.map(priceOf), costs, table.n, true),
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
    cells = [];
  for (let r = 0; r < rows.length; r++)
    for (let c = 0; c < columns.length; c++) {
      const weight = counts[r][c], set = setOf(rows[r]), truth = columns[c];
      if (!weight) continue;
      if (truth < 0 || !set?.length) return null;
      cells.push({ truth, weight, price: costOf([set], [truth], costs, k, priced)(0) });
    }
  return meanPrice(cells, costs, rowsOf(model));
}

// Cost per case, with an interval; the shares of the classes are as uncertain as the cases. Cells are single
// cases, or counts of them.
function meanPrice(cells, costs, n, areCases = false) {
  const total = sum(cells.map(({ weight }) => weight)),
    mean = (of) => sum(cells.map((cell) => (cell.weight / total) * of(cell))),
    value = mean(({ price }) => price),
    spread = mean(({ weight, price }) => (areCases ? (weight / total) * n : 1) * (price - value) ** 2),
    ends = [Math.min, Math.max].map((end) => mean(({ truth }) => end(...costs.map((line) => line[truth]))));
  return { value, ...intervalOf(value, spread / (n - 1), n, ends) };
}

// Ends of an interval of a mean: Student's, between `least` and `most`.
function intervalOf(estimate, variance, n, [least, most]) {
  // Where all cases seen did alike, others may be there, with this probability at most.
  const unseen = 1 - ((1 - LEVEL) / 2) ** (1 / n),
    low = estimate + unseen * (least - estimate),
    high = estimate + unseen * (most - estimate);
  if (!(variance > (1e-12 * (most - least)) ** 2)) return { low, high };
  // Of few mistakes the variance says little: they may be as rare as ones that were not seen.
  const half = studentQuantile((1 + LEVEL) / 2, n - 1) * Math.sqrt(variance);
  return {
    low: Math.max(Math.min(low, estimate - half), least),
    high: Math.min(Math.max(high, estimate + half), most),
  };
}
