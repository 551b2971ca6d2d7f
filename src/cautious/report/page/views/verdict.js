// Two classes on the first screen: what to do, in one sentence; a thousand cases; five numbers.
import { besideWords, widthOf } from "../charts/axes.js";
import { block, el, paragraph, small, strong, value } from "../charts/dom.js";
import { PEOPLE, peopleChart } from "../charts/people.js";
import { alike, count, number, peopleOf, percent, percentBetween, shorten } from "../core/format.js";
import { LEAST_CASES } from "../core/parts.js";
import { sum } from "../core/surface.js";
import { thresholdText } from "../core/window.js";
import { aboutSo, banner, casesAdvice, evidence, named, rivalWords, showAdvice, tile } from "./advice.js";

// Six groups of cases: what they are, what they are told.
const LOOKS = {
  tp: ["right", "positive"], fn: ["wrong", "negative"], abstainedPositive: ["abstained", "abstain"],
  tn: ["right", "negative"], fp: ["wrong", "positive"], abstainedNegative: ["abstained", "abstain"],
};

// A thousand cases, or those measured where they are too few to speak for others.
const crowd = ({ estimates, model }) => (estimates.enough ? PEOPLE : model.n);

// What is expected of new cases where there are cases enough to say so, else what was seen. Who answers
// nothing leaves nothing to be seen on new cases.
export function thousand(result) {
  const { window, estimates } = result,
    cells = estimates.enough && window.answered > 0 ? estimates.cells : window;
  return peopleOf(Object.fromEntries(Object.keys(LOOKS).map((key) => [key, cells[key]])), crowd(result));
}

export function drawVerdict(context) {
  const { problem, cards, results, chosen, several } = context;
  showAdvice(context, {
    words: [
      verdict(context),
      invertedAdvice(results, chosen),
      casesAdvice(problem, ({ positives, negatives }) => [sum(negatives), sum(positives)]),
    ],
    people: people(chosen, besideWords(widthOf(cards.advice.body))),
    tiles: tiles(chosen),
    offered: several ? problem.models : [],
    first: "the cheapest model",
  });
}

function people(result, width) {
  const [negative, positive] = result.classes.map((label) => shorten(label, width > 480 ? 18 : 12)),
    each = thousand(result);
  const labels = {
    tp: `told ${positive}: right`,
    fn: `told ${negative}: missed`,
    abstainedPositive: "no answer",
    tn: `told ${negative}: right`,
    fp: `told ${positive}: false alarm`,
    abstainedNegative: "no answer",
  };
  const group = (label, keys) => {
    const part = (key, [kind, answer]) => ({ ...each[key], kind, answer, label: labels[key] }),
      parts = keys.map((key) => part(key, LOOKS[key])),
      n = sum(parts.map((part) => part.count));
    return { title: `${count(n)} of ${count(crowd(result))} are ${label}`, parts };
  };
  const groups = [
    group(positive, ["tp", "fn", "abstainedPositive"]),
    group(negative, ["tn", "fp", "abstainedNegative"]),
  ];
  const about = ({ title, parts }) => `${title}: ${parts.map((part) => `${part.count} ${part.label}`).join(", ")}`;
  return peopleChart(groups, { width, about: `${count(crowd(result))} cases. ${groups.map(about).join(". ")}.` });
}

function ruleWords({ model, window: { lower, upper }, classes: [negative, positive] }) {
  const low = strong(value("lower", lower, thresholdText(model, lower))),
    high = strong(value("upper", upper, thresholdText(model, upper))),
    always = (label) => ["Answer ", named(label), " to everything: at these costs the scores do not help."];
  if (lower === -Infinity && upper === Infinity)
    return [strong("Abstain on everything"), ": no score is sure enough to be worth an answer at these costs."];
  if (upper === -Infinity) return always(positive);
  if (lower === Infinity) return always(negative);
  const from = [named(positive), " from a score of ", high];
  if (lower === upper)
    return ["Abstaining does not pay here: answer ", from, " and ", named(negative), " below it."];
  if (lower === -Infinity) return ["Answer ", from, " and abstain below it."];
  const upTo = ["Answer ", named(negative), " up to a score of ", low];
  if (upper === Infinity) return [upTo, " and abstain above it."];
  return [upTo, ", ", named(positive), " from ", high, ", and ", strong("abstain between"), "."];
}

// What abstaining saves against answering everybody, and against one answer for everybody.
function savingWords({ window, forced, trivial, classes }) {
  const saving = (than) => (than > 0 ? 1 - window.cost / than : 0),
    [kind, cheapest] = Object.entries(trivial).reduce((a, b) => (b[1] < a[1] ? b : a)),
    [less, gain] = [saving(forced), saving(cheapest)],
    all = {
      negative: `answering ${shorten(classes[0])} to all`,
      positive: `answering ${shorten(classes[1])} to all`,
      abstain: "abstaining on all",
    }[kind];
  if (less <= 0.0005) return gain > 0.0005 ? `On these cases that costs ${percent(gain)} less than ${all}.` : "";
  const more = gain > 0.0005 ? `, and ${percent(gain)} of that of ${all}` : "";
  return `On these cases abstaining saves ${percent(less)} of the cost of answering all${more}.`;
}

function invertedAdvice(results, chosen) {
  const inverted = results.filter(({ model }) => model.reversed),
    one = inverted.includes(chosen) ? chosen : inverted[0],
    others = inverted.length - 1;
  if (!one) return null;
  return el(
    "p",
    { class: "warning", "data-key": "inverted" },
    `A high score of ${one === chosen ? "this model" : shorten(one.model.name, 40)} speaks against `,
    named(one.classes[1]),
    " (AUC ",
    value("auc", one.model.auc, one.model.auc.toFixed(2)),
    others ? `; so it is with ${others} other model${others > 1 ? "s" : ""}` : "",
    "): is the positive class the other one?",
  );
}

// What happens to a thousand cases, as the end of the sentence that says what to do.
function consequence(result) {
  const { fn, fp, abstainedPositive, abstainedNegative } = thousand(result),
    { error, abstention } = result.estimates,
    about = (n, { low, high }) =>
      aboutSo({ count: n, low: Math.min(n, Math.floor(PEOPLE * low)), high: Math.max(n, Math.ceil(PEOPLE * high)) });
  return [
    result.waits ? `Of ${count(PEOPLE)} cases like these ` : `Of ${count(PEOPLE)} new cases about `,
    about(fn.count + fp.count, error),
    " are then answered wrongly and ",
    about(abstainedPositive.count + abstainedNegative.count, abstention),
    " get no answer.",
  ];
}

// Where the rule is from, for that decides what its numbers are worth.
function originWords({ source, tests, waits }) {
  if (source === "hand")
    return "Thresholds as set by you; not chosen on these cases. If you did choose them by looking at these cases, expect new ones to be worse. ";
  if (waits) return "Measured on the cases that the rule was chosen on; what to expect of new ones follows. ";
  if (source !== "budgets") return "";
  return tests
    ? "The limits hold on new cases with 95% confidence, by exact tests on these cases. How often answers are wrong was measured on cases held out from those tests. The promise is about this model alone: who takes the best of several promises gets less. "
    : "How often answers are wrong was measured by a search on nine tenths of the cases, and on the rest, in turn. New cases may break the limits: nothing is promised. ";
}

function verdict({ app, results, chosen: result, cheapest, several, told }) {
  const { classes, model, estimates } = result, { n, events } = model;
  if (!estimates.enough)
    return banner(
      "too-few",
      strong("Too few cases for advice. "),
      `There ${events === 1 ? "is 1 case" : `are ${count(events)} cases`} of `,
      named(classes[1]),
      ` and ${count(n - events)} of `,
      named(classes[0]),
      `; from ${LEAST_CASES} of each on this page says what to do. What is shown describes these cases and promises nothing about new ones.`,
    );
  const name = el("strong", { "data-key": "model" }, shorten(model.name, 60)),
    positives = [", ", value("cases-events", events, count(events)), " of them ", named(classes[1]), ". "],
    rests = (...more) => evidence(result, n, positives, more);
  if (result.refused)
    return [
      banner("refused", strong("No rule of "), name, strong(" keeps these limits. "), refusalWords(result)),
      rests(),
    ];
  const rivals = told.rivals.map((i) => results[i]),
    doesBest = [name, " is expected to do best on new cases", rivalWords(rivals), ". "],
    taken = rivals.length ? doesBest : ["Take ", name, ". "],
    lead = result === cheapest && app.mode === "costs" ? taken : ["With ", name, ": "];
  return [
    paragraph(
      "lead", several ? lead : [], ruleWords(result), " ", result.window.answered > 0 ? consequence(result) : "",
    ),
    rests(
      el("span", { "data-key": "origin" }, originWords(result)),
      app.mode === "costs" ? el("span", { class: "saving" }, savingWords(result)) : "",
    ),
  ];
}

function refusalWords({ refused: { needed, weighted, prior, abstention }, model: { n } }) {
  if (weighted)
    return "Weighted rows allow no promise. Take the promise away, or give each case once. If the column taken as weights holds something else, leave it out: by --no-weight on the command line, by the choice “weight” for a file opened here.";
  if (prior) return "A promise counts cases as they came. Take it away, or set the share of positives back to the sample’s.";
  if (abstention)
    return "A promise is about wrong answers, not about cases without one. Take it away, or set “Without an answer” to 100%.";
  if (needed === undefined) return "No two thresholds keep all these limits on these cases. Allow more of one of them.";
  if (needed === null) return "However many cases there were, no promise could be expected. Allow more.";
  return needed > n
    ? `A promise could be expected from about ${count(needed)} cases on; there are ${count(n)}. Allow more, or take the promise away.`
    : "These cases came close to proving it, but did not. Allow a little more, or bring more cases.";
}

// The five shares a clinician asks for, and the cost: expected on new cases, and seen on these.
function tiles(result) {
  const { window: w, estimates, classes, forced, surface } = result,
    [negative, positive] = classes.map((label) => shorten(label, 22));
  // `none` says why there is no such share.
  const figure = (key, label, about, seen, words, { format = percent, alone = "", after = alone, none } = {}) => {
    const expected = w.answered > 0 && estimates[key], at = expected ? expected.value : seen;
    if (at !== at) return tile(about, label, value(key, at, "–"), small(none));
    if (!expected) return tile(about, label, value(key, seen, format(seen)), small(words.replace("; ", ""), alone));
    const end = format === number ? alike([expected.low, expected.high], 3, [expected]) : percentBetween(expected),
      write = format === number ? number : end,
      range = [
        " ",
        value(`${key}-low`, expected.low, end(expected.low).replace("%", "")),
        "–",
        value(`${key}-high`, expected.high, end(expected.high)),
      ];
    return tile(
      about,
      label,
      value(`new-${key}`, at, write(at)),
      el("span", { class: "range" }, range),
      small(words, "here ", value(key, seen, write(seen)), after),
    );
  };
  const none = (label) => ({ none: w.answered > 0 ? `nobody is told ${label}` : "nothing is answered" }),
    unforced = (or) => [or, value("forced", forced, number(forced)), " if all are answered"],
    prices = { format: number, alone: unforced("or "), after: unforced(", or ") };
  return [
    block(
      "tiles",
      figure("sensitivity", "Sensitivity", "sensitivity", w.tp / surface.positives, `of ${positive}, told so; `),
      figure("specificity", "Specificity", "specificity", w.tn / surface.negatives, `of ${negative}, told so; `),
      figure("abstention", "No answer", "abstain", w.abstention, "of all; "),
      figure("ppv", "PPV", "ppv", w.tp / (w.tp + w.fp), `of told ${positive}, right; `, none(positive)),
      figure("npv", "NPV", "npv", w.tn / (w.tn + w.fn), `of told ${negative}, right; `, none(negative)),
      figure("cost", "Cost per case", "interval", w.cost, "", prices),
    ),
    answeredWords(result, negative, positive),
  ];
}

// How cases without an answer count in sensitivity and specificity.
function answeredWords({ window: w, estimates }, negative, positive) {
  const found = estimates.sensitivityAnswered?.value ?? w.tp / (w.tp + w.fn),
    free = estimates.specificityAnswered?.value ?? w.tn / (w.tn + w.fp),
    share = (key, exact, label) => [value(key, exact, percent(exact)), ` of ${label} are told ${label}`];
  return el(
    "p",
    { class: "note", "data-key": "abstentions-count" },
    "Sensitivity and specificity count cases without an answer as not found. ",
    found !== found && free !== free
      ? "Here nothing is answered."
      : [
          "Of those that get one, ",
          share("sensitivity-answered", found, positive),
          ", and ",
          share("specificity-answered", free, negative),
          ".",
        ],
  );
}

// If the costs are not known exactly: which models are sure to be the cheapest, on what part of the map.
export function uncertainAdvice(results, shares) {
  if (results.length < 2) return null;
  const { flipped, classes } = results[0],
    worse = `${flipped ? "false" : "missed"} “${shorten(classes[1], 26)}”`,
    map = `the map of all costs at which a ${worse} is the more expensive mistake and abstaining costs at most half of that mistake`,
    sure = results.filter(({ index }) => shares?.[index] > 0),
    words = ({ index, model }) => `${shorten(model.name, 40)} is the cheapest on ${percent(shares[index])} of it`;
  if (!shares) return paragraph("unsure", `The models are being compared all over ${map} …`);
  return paragraph(
    "unsure",
    strong("Not sure about the costs? "),
    `Over ${map}, `,
    sure.length ? `${sure.map(words).join(", ")}; elsewhere no model is better than the others.` : "no model is better than the others.",
    " VACC, below, is the mean cost over that map, counted on these cases.",
  );
}
