// Rules for several classes that the reader of the page sets: one threshold, one per class, a table of
// costs, or sets of the greatest expected utility. They decide the cases that the page knows.
import { answerCases, sampleOf } from "../core/classes.js";
import { alike, count, number, percentBetween, withRange } from "../core/format.js";
import { MOST_CLASSES_IN_SETS } from "../core/set_costs.js";
import { numbersIn } from "./address.js";
import { costControl, spanControl } from "./widgets.js";

// With the fields of the rule that each of them has.
const RULE_KINDS = [
  ["given", "As given", []],
  ["confidence", "Confidence", ["threshold"]],
  ["class_thresholds", "Per class", ["thresholds"]],
  ["costs", "Costs", ["costs"]],
  ["cost_sets", "Cheapest sets", ["costs", "reward"]],
  ["sets", "Most useful sets", []],
];

// All sets are looked at, so there must not be too many.
export const ruleKinds = (k) =>
  RULE_KINDS.filter(([kind]) => kind !== "cost_sets" || k <= MOST_CLASSES_IN_SETS);

// At first every mistake costs 1 and abstaining half of that.
export const firstRule = (k) => ({
  kind: "given", threshold: 0.7, thresholds: new Array(k).fill(0.7), costs: costTableOf(k, 1, 0.5),
  reward: 0.5,
});

const costTableOf = (k, mistake, abstain) =>
  Array.from({ length: k + 1 }, (_, answer) =>
    Array.from({ length: k }, (_, truth) => (answer === k ? abstain : answer === truth ? 0 : mistake)),
  );

// The most useful of results or, where there are costs, the cheapest; the first of equal ones.
export function bestOf(results, priced) {
  const worth = ({ cost, utility }) => (priced ? -(cost?.value ?? Infinity) : utility.mean);
  return results.reduce((a, b) => (worth(b) > worth(a) + 1e-15 ? b : a));
}

export const deciding = ({ models }) => models.filter((model) => sampleOf(model));

// Whether models are ranked by what they cost, not by how useful they are.
export const isPriced = ({ kind }) => kind.startsWith("cost");

export function ruledModels(problem, { kind, ...rule }, k) {
  if (kind === "given") return [];
  const [, title, fields] = RULE_KINDS.find(([one]) => one === kind),
    own = Object.fromEntries(fields.map((field) => [field, rule[field]])),
    said = { kind, ...own, ...(kind === "sets" && { utility: k }) };
  const key = JSON.stringify([problem.models.map(({ name }) => name), said, rule.costs ?? null]);
  if (problem.ruled?.key === key) return problem.ruled.models;
  const models = deciding(problem).map((base) => {
    const found = answerCases(base, problem.classes, said, { costs: rule.costs });
    return {
      ...found,
      name: `${base.name}, ${title.toLowerCase()}`,
      utility: null, risk: null, weighted: base.weighted, base, rule: said,
    };
  });
  problem.ruled = { key, models };
  return models;
}

// The rule by which the answers that are shown were made, for a file; sets that were given have none, and
// "utility" has names for two digits and more.
export function ruleData({ name, utility, risk, sizes, rule, base }) {
  if (!rule) {
    if (utility) return { kind: "utility", utility, model: name.replace(/, u\d+ sets$/, "") };
    const likeliest = risk && sizes.every(([size]) => size === 1);
    return likeliest ? { kind: "confidence", threshold: 0, model: name } : null;
  }
  const model = base.name, { kind, costs, reward } = rule;
  if (kind === "confidence" || kind === "class_thresholds") return { ...rule, model };
  if (kind === "costs") return { kind: "class_thresholds", thresholds: costs[0].map(() => 0), costs, model };
  if (kind === "cost_sets") {
    const power = { p_correct: 1 - reward, p_wrong: 1 - reward };
    return { kind: "set_costs", costs: { form: "power_mean", matrix: costs.slice(0, -1), ...power }, model };
  }
  const digits = Number((100 * rule.utility).toPrecision(12));
  return rule.utility < 1 ? { kind: "utility", utility: `u${digits}`, model } : null;
}

// What the costs are that a cost per case is by: a table of them, or two numbers.
function priceWords(costs, kind) {
  const k = costs[0].length,
    mistakes = costs.slice(0, k).flatMap((line, a) => line.filter((_, y) => a !== y)),
    alike = [mistakes, costs[k]].every((numbers) => numbers.every((one) => one === numbers[0]));
  return alike && kind !== "cost_sets"
    ? `a mistake costs ${number(mistakes[0])}, abstaining ${number(costs[k][0])}`
    : "by the table of costs";
}

export function ruleSentence({ n, of, cost, selectiveError, rule }, costs) {
  const part = n < of ? `Decided on ${count(n)} of ${count(of)} cases, drawn at random. ` : "",
    write = cost && alike([cost.value, cost.low, cost.high], 3, [cost]),
    price = cost ? `Cost per case ${withRange(write, cost)}, ${priceWords(costs, rule.kind)}. ` : "";
  return `${part}${price}Wrong among single answers: ${withRange(percentBetween(selectiveError), selectiveError)}.`;
}

// Controls for each kind of rule; `change` takes new parts of the rule.
export function ruleControls(problem, rule, change) {
  const k = problem.classes.length,
    shared = (numbers, other) => (numbers.every((one) => one === numbers[0]) ? numbers[0] : other(...numbers)),
    isMistake = (a, y) => a < k && a !== y,
    mistakes = () => rule().costs.flatMap((line, a) => line.filter((_, y) => isMistake(a, y)));
  const mistake = (id) =>
    costControl({
      id, label: "All mistakes cost", short: "mistake",
      hint: "each has its own cost in the table below", tint: "positive",
      get: () => shared(mistakes(), Math.max),
      set: (cost) => {
        const priced = (line, a) => line.map((c, y) => (isMistake(a, y) ? cost : c));
        change({ costs: rule().costs.map(priced) });
      },
    });
  const probability = (id, label, short, hint, get, set, about) =>
    spanControl({ id, label, short, hint, about, low: 0, high: 1, get, set });
  return {
    given: [],
    sets: [],
    confidence: [
      probability(
        "threshold", "Answer the likeliest class from a probability of", "from", "below it there is no answer",
        () => rule().threshold, (threshold) => change({ threshold }),
      ),
    ],
    class_thresholds: [
      probability(
        "all-thresholds", "All classes from a probability of", "all from", "each class has its own in the table below",
        () => shared(rule().thresholds, Math.min), (t) => change({ thresholds: rule().thresholds.map(() => t) }),
      ),
    ],
    cost_sets: [
      mistake("set-mistake"),
      probability(
        "reward", "What caution earns: r", "r",
        "0: a set costs the mean of its classes; 1: a set with the truth in it may cost nothing",
        () => rule().reward, (reward) => change({ reward }), "reward",
      ),
    ],
    costs: [
      mistake("mistake"),
      costControl({
        id: "abstain", label: "Abstaining costs", short: "abstain", about: "abstain",
        hint: "whatever the truth", tint: "abstain",
        get: () => shared(rule().costs[k], Math.max),
        set: (cost) => change({ costs: [...rule().costs.slice(0, k), rule().costs[k].map(() => cost)] }),
      }),
    ],
  };
}

export const ruleAddress = ({ kind, threshold, thresholds, costs, reward }) => ({
  rule: kind === "given" ? null : kind,
  threshold: kind === "confidence" ? threshold : null,
  thresholds: kind === "class_thresholds" ? thresholds.join() : null,
  reward: kind === "cost_sets" ? reward : null,
  table: kind.startsWith("cost") && costs.length <= 13 ? costs.map((line) => line.join()).join(";") : null,
});

export function ruleFromAddress(said, k) {
  const rule = firstRule(k),
    kind = ruleKinds(k).some(([one]) => one === said.rule) ? said.rule : "given",
    isShare = (v) => v >= 0 && v <= 1,
    table = (said.table ?? "").split(";").map((line) => numbersIn(line, k, (v) => v >= 0 && v < Infinity));
  [rule.reward] = numbersIn(said.reward, 1, isShare) ?? [rule.reward];
  [rule.threshold] = numbersIn(said.threshold, 1, isShare) ?? [rule.threshold];
  rule.thresholds = numbersIn(said.thresholds, k, isShare) ?? rule.thresholds;
  if (table.length === k + 1 && table.every(Boolean)) rule.costs = table;
  return { ...rule, kind };
}

export const ruleWordsOf = ({ kind, threshold, reward }, k) =>
  ({
    given: `risk aversion ${number(k)}`,
    confidence: `answered from a probability of ${threshold}`,
    class_thresholds: "thresholds per class",
    costs: "by a table of costs",
    cost_sets: `sets of the least expected cost, caution earns ${number(reward)}`,
    sets: `sets of the greatest expected utility at risk aversion ${number(k)}`,
  })[kind];
