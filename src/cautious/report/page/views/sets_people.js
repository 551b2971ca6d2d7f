// Many classes on the first screen: what to do, a thousand cases, and the shares of their answers.
import { besideWords, widthOf } from "../charts/axes.js";
import { block, el, paragraph, small, strong, value } from "../charts/dom.js";
import { PEOPLE, peopleChart } from "../charts/people.js";
import { wilson } from "../core/distributions.js";
import { count, number, peopleOf, percent, shorten, unitOf } from "../core/format.js";
import { LEAST_CASES } from "../core/parts.js";
import { crossovers } from "../core/sets.js";
import { aboutSo, banner, casesAdvice, evidence, rivalWords, showAdvice, tile } from "./advice.js";
import { bestOf, deciding, isPriced, ruleSentence } from "./sets_rules.js";

const KINDS = [
  ["one", "right", "told one: right", "right"],
  ["several", "set", "told several: truth among them", "right"],
  ["wrong", "wrong", "told wrong", "positive"],
  ["none", "abstained", "no answer", "abstain"],
];

// Shares of cases by what their answer is worth: one right class, several, wrong (sets too), or none.
function outcomesOf({ sizes }, k) {
  const shares = { one: 0, several: 0, wrong: 0, none: 0 };
  let n = 0;
  for (const [size, right, wrong] of sizes) {
    n += right + wrong;
    shares[size === 1 ? "one" : size === k ? "none" : "several"] += right;
    shares.wrong += wrong;
  }
  for (const key of Object.keys(shares)) shares[key] /= n;
  return shares;
}

// A thousand cases, or those measured where they are fewer than is enough of one class.
const crowdOf = ({ rows }) => (rows < LEAST_CASES ? Math.round(rows) : PEOPLE);
const crowdWords = (chosen) => {
  const n = crowdOf(chosen);
  return `${count(n)} ${n === PEOPLE ? "cases" : unitOf(chosen.model, n)}`;
};

function thousandOf(chosen, k) {
  const total = crowdOf(chosen),
    sure = (share) => (total < PEOPLE ? share : wilson(share, chosen.rows)),
    shares = Object.entries(outcomesOf(chosen.model, k)).map(([key, share]) => [key, sure(share)]),
    each = peopleOf(Object.fromEntries(shares), total);
  return KINDS.map(([key, kind, label, answer]) => ({ key, kind, label, answer, ...each[key] }));
}

function setPeople(chosen, k, width) {
  const parts = thousandOf(chosen, k).filter(({ key, count: n }) => n || key === "one" || key === "wrong"),
    about = parts.map((part) => `${part.count} ${part.label}`).join(", "),
    title = `Of ${crowdWords(chosen)}`;
  return peopleChart([{ title, parts }], { width, about: `${crowdWords(chosen)}: ${about}.` });
}

export function drawSetAdvice(context) {
  const { problem, view, cards, results, chosen } = context,
    k = problem.classes.length,
    isRuled = Boolean(chosen.model.rule);
  showAdvice(context, {
    words: [
      setVerdict(context, results.length < 2 || isRuled),
      casesAdvice(problem, ({ by_class }) => by_class.map(([n]) => n)),
      results.length < 2 ? null : paragraph("unsure", bestWords(context)),
    ],
    people: setPeople(chosen, k, besideWords(widthOf(cards.advice.body))),
    tiles: setTiles(chosen, k),
    offered: isRuled ? deciding(problem) : problem.models,
    first: isPriced(view.rule) ? "the cheapest model" : "the most useful model",
  });
}

// Which answers cost least or, at each risk aversion, are the most useful.
function bestWords({ view, results }) {
  const name = (r) => strong(shorten(r.model.name, 60));
  if (isPriced(view.rule)) {
    const cheapest = bestOf(results, true),
      cost = value("least-cost", cheapest.cost.value, number(cheapest.cost.value));
    return ["Of the answers priced in the table below, those of ", name(cheapest), " cost least on these cases: ", cost, " per case."];
  }
  const steps = crossovers(results);
  if (steps.length < 2)
    return [name(results[steps[0].model]), " is the most useful whatever the risk aversion between 0.5 and 1."];
  const step = ({ from, model }, i) => [
    i ? [", from k = ", value(`crossover-${i}`, from, number(from)), " on "] : "",
    name(results[model]),
  ];
  return ["The most useful model is ", steps.map(step), "."];
}

function setVerdict({ problem: { classes }, view, results, best, chosen, told }, alone) {
  const { model, rows, n } = chosen,
    name = strong(shorten(model.name, 60)),
    each = Object.fromEntries(thousandOf(chosen, classes.length).map((part) => [part.key, part])),
    rare = classes.filter((_, c) => model.by_class[c][0] > 0 && (model.by_class[c][0] * rows) / n < LEAST_CASES),
    verb = (part, one, more) => [aboutSo(part), part.count === 1 ? one : more];
  const words = [
    `of ${crowdWords(chosen)} `,
    verb(each.one, " is told its class", " are told their class"),
    each.several.count
      ? [", ", verb(each.several, " gets", " get"), " several classes with the true one among them"]
      : "",
    ", ",
    verb(each.wrong, " is", " are"),
    " answered wrongly",
    each.none.count ? [" and ", verb(each.none, " gets", " get"), " no answer"] : "",
    ".",
  ];
  const rests = evidence(
    chosen, rows, ` of ${classes.length} classes. `, model.rule ? ruleSentence(model, view.rule.costs) : "",
  );
  if (rare.length) {
    const labels = `${rare.map((label) => shorten(label, 24)).join(", ")} ${rare.length > 1 ? "have" : "has"}`,
      which = rare.length > 3 ? `${rare.length} classes have` : labels,
      why = `${which} fewer than ${LEAST_CASES} cases. What is shown describes these cases and promises nothing about new ones: `;
    return [banner("too-few", strong("Too few cases for advice. "), why, words), rests];
  }
  const rivals = rivalWords(told.rivals.map((i) => results[i])),
    most = told.distinct ? " is the most useful: " : [" is the most useful on these cases", rivals, ": "];
  return [paragraph("lead", !alone && chosen === best ? [name, most] : ["With ", name, ": "], words), rests];
}

function setTiles(chosen, k) {
  const { none } = outcomesOf(chosen.model, k),
    { rule, containment, abstention } = chosen.model,
    { utility } = chosen;
  const figure = (key, label, about, exact, text, words, range) =>
    tile(
      about,
      label,
      value(key, exact, text),
      range ? el("span", { class: "range" }, ` ${percent(range.low)} to ${percent(range.high)}`) : null,
      small(words),
    );
  const share = (key, label, about, exact, words, range) =>
      figure(key, label, about, exact, percent(exact), words, range),
    right = `${percent(chosen.singleAccuracy)} of them right`,
    ends = `${number(utility.low)} to ${number(utility.high)}`;
  return block(
    "tiles",
    share("containment", "Holds the truth", "containment", chosen.containment, "of all answers", rule && containment),
    share("determinacy", "Single answers", "determinacy", chosen.determinacy, right),
    share("abstention", "No answer", "abstain", none, "all classes left open", rule && abstention),
    figure("mean-size", "Mean size", "size", chosen.meanSize, number(chosen.meanSize), `of ${k} classes`),
    share("set-accuracy", "Right when several", "setaccuracy", chosen.setAccuracy, "of answers with several"),
    figure("utility", "Mean utility", "utility", utility.mean, number(utility.mean), ends),
  );
}
