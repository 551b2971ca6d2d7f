// Several classes: rules on the cases that the page knows, and what they do. Of many cases these are a
// random part, so `n` says on how many a number rests.
import { chosenInterval } from "./mean_intervals.js";
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
    priceOf = (row) => ({ weight: weightOf(row), price: loss(row) }),
    // Cases of unequal weights say as much as fewer of equal ones.
    rests = weight ? sum(weight) ** 2 / sum(weight.map((w) => w * w)) : table.n;
  return {
    n: table.n, of: model.n, ...counted, abstention, selectiveError, containment,
    hits: { table, size: hitSizes(rows, truth, answers) },
    cost: costs && meanPrice(rows.map(priceOf), costs, rests),
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
      cells.push({ weight, price: costOf([set], [truth], costs, k, priced)(0) });
    }
  return meanPrice(cells, costs, rowsOf(model));
}

// Cost per case, with its interval; what nobody paid may be paid, too. Cells are single cases, or counts of them.
function meanPrice(cells, costs, n) {
  const total = sum(cells.map(({ weight }) => weight)), paid = new Map(costs.flat().map((price) => [price, 0]));
  for (const { price, weight } of cells) paid.set(price, (paid.get(price) ?? 0) + (n * weight) / total);
  const counts = [...paid.values()];
  return chosenInterval([{ share: 1, values: [...paid.keys()], own: counts, heldOut: counts }]);
}
