// Two classes on the first screen: what to do, in one sentence; a thousand cases; five numbers.
import { besideWords, widthOf } from "../charts/axes.js";
import { block, el, paragraph, small, strong, toggle, value } from "../charts/dom.js";
import { PEOPLE, peopleChart } from "../charts/people.js";
import { groupsOf } from "../core/curves.js";
import { savingOf } from "../core/differences.js";
import { alike, count, number, peopleOf, percent, percentBetween, shorten, withRange } from "../core/format.js";
import { limitSaid } from "../core/limits.js";
import { LEAST_CASES } from "../core/parts.js";
import { sum } from "../core/surface.js";
import { thresholdText } from "../core/window.js";
import { aboutSo, banner, casesAdvice, evidence, named, rivalWords, showAdvice, tile } from "./advice.js";

const BASES = [["expected", "expected on new cases"], ["counted", "counted on these"]];
// Six groups of cases: what they are, what they are told.
const LOOKS = {
  tp: ["right", "positive"], fn: ["wrong", "negative"], abstainedPositive: ["abstained", "abstain"],
  tn: ["right", "negative"], fp: ["wrong", "positive"], abstainedNegative: ["abstained", "abstain"],
};

// So many cases that a hundred are of the rarer class: a thousand or more new ones, or those that were counted.
export function casesShown({ expects, model, surface: { positives, negatives } }) {
  if (!expects) return model.n;
  const rarer = Math.min(positives, negatives) || 1;
  return Math.min(1e6, Math.max(PEOPLE, 10 ** Math.ceil(Math.log10(100 / rarer) - 1e-9)));
}

const OF_POSITIVES = ["tp", "fn", "abstainedPositive"], OF_NEGATIVES = ["tn", "fp", "abstainedNegative"];
const ANSWER_OF = { tn: 0, fn: 0, fp: 1, tp: 1, abstainedNegative: 2, abstainedPositive: 2 };

// The answers negative, positive and none that thresholds never give.
const neverOf = ({ window: { lower, upper } }) => [
  lower === -Infinity && upper !== -Infinity, upper === Infinity, lower === upper && Math.abs(lower) < Infinity,
];

// What becomes of the cases, by truth and answer. An answer that is never given has no range.
export function thousand(result) {
  const { window, estimates, expects } = result,
    never = neverOf(result),
    plain = (key) => never[ANSWER_OF[key]] || !(window.answered > 0),
    cells = Object.keys(LOOKS).map((key) => {
      const cell = expects ? estimates.cells[key] : window[key];
      return [key, expects && plain(key) ? cell.value : cell];
    });
  const each = peopleOf(Object.fromEntries(cells), casesShown(result));
  for (const truth of [OF_POSITIVES, OF_NEGATIVES]) {
    const all = sum(truth.map((key) => each[key].count));
    for (const key of truth) if (each[key].high !== null) each[key].high = Math.min(each[key].high, all);
  }
  return each;
}

export function drawVerdict(context) {
  const { problem, app, cards, results, chosen, several, change } = context, { estimates } = chosen;
  showAdvice(context, {
    words: [
      verdict(context),
      invertedAdvice(results, chosen),
      groupAdvice(chosen),
      casesAdvice(problem, ({ positives, negatives }) => [sum(negatives), sum(positives)]),
    ],
    people: people(chosen, besideWords(widthOf(cards.advice.body))),
    tiles: [
      estimates.enough ? toggle("what numbers are of", BASES, app.basis, (basis) => change({ basis })) : null,
      tiles(chosen),
      chosen.graded ? null : answeredWords(chosen),
    ],
    offered: several ? problem.models : [],
    first: chosen.graded ? "the cheapest confidence" : "the cheapest model",
  });
}

// What becomes of graded answers.
const OF_GRADED = {
  tp: "answered", abstainedPositive: "escalated, needlessly", fp: "answered", abstainedNegative: "escalated",
};

function people(result, width) {
  const [negative, positive] = result.classes.map((label) => shorten(label, width > 480 ? 18 : 12)),
    each = thousand(result);
  const labels = result.graded ? OF_GRADED : {
    tp: `told ${positive}: right`,
    fn: `told ${negative}: missed`,
    abstainedPositive: "no answer",
    tn: `told ${negative}: right`,
    fp: `told ${positive}: false alarm`,
    abstainedNegative: "no answer",
  };
  const group = (label, keys) => {
    const part = (key, [kind, answer]) => ({ ...each[key], kind, answer, label: labels[key] }),
      parts = keys.filter((key) => labels[key]).map((key) => part(key, LOOKS[key])),
      n = sum(parts.map((part) => part.count)),
      // One mark for each case, or for ten, a hundred, … of many.
      stands = 10 ** Math.max(0, Math.ceil(Math.log10(n / PEOPLE) - 1e-9)),
      scale = stands > 1 ? `, a mark for ${count(stands)}` : "";
    return { title: `${count(n)} of ${count(casesShown(result))} are ${label}${scale}`, parts, stands };
  };
  const groups = [group(positive, OF_POSITIVES), group(negative, OF_NEGATIVES)];
  const about = ({ title, parts }) => `${title}: ${parts.map((part) => `${part.count} ${part.label}`).join(", ")}`;
  return peopleChart(groups, { width, about: `${count(casesShown(result))} cases. ${groups.map(about).join(". ")}.` });
}

function ruleWords({ model, source, graded, window: { lower, upper }, classes: [negative, positive] }) {
  const low = strong(value("lower", lower, thresholdText(model, lower))),
    high = strong(value("upper", upper, thresholdText(model, upper))),
    always = (label) => ["Answer ", named(label), " to everything: at these costs the scores do not help."];
  if (graded && Math.abs(upper) < Infinity)
    return ["Answer from a confidence of ", high, " on, and ", strong("escalate"), " below it."];
  if (graded && upper < 0) return [strong("Answer everything"), ": escalating does not pay at these costs."];
  if (graded) return [strong("Escalate everything"), ": no confidence is high enough to answer at these costs."];
  if (lower === -Infinity && upper === Infinity)
    return [strong("Abstain on everything"), ": no score is sure enough to be worth an answer at these costs."];
  if (upper === -Infinity) return always(positive);
  if (lower === Infinity) return always(negative);
  const from = [named(positive), " from a score of ", high];
  if (lower === upper)
    return [source === "hand" ? "Always answer: " : "Abstaining does not pay here: answer ", from, " and ", named(negative), " below it."];
  if (lower === -Infinity) return ["Answer ", from, " and abstain below it."];
  const upTo = ["Answer ", named(negative), " up to a score of ", low];
  if (upper === Infinity) return [upTo, " and abstain above it."];
  return [upTo, ", ", named(positive), " from ", high, ", and ", strong("abstain between"), "."];
}

// What abstaining saves against answering everybody, and against one answer for everybody.
function savingWords({ expects, graded, model, prior, costs, estimates, window, forced, trivial, classes }) {
  const [kind, single] = Object.entries(trivial).reduce((a, b) => (b[1] < a[1] ? b : a)),
    caution = graded ? "escalating" : "abstaining",
    all = kind === "abstain" ? (graded ? "escalating all" : "abstaining on all") : `answering ${shorten(classes[kind === "positive" ? 1 : 0])} to all`,
    found = expects ? savingOf(model, prior, costs) : { value: forced - window.cost, forced },
    gain = expects ? estimates.saving : { value: single - window.cost },
    write = alike([found, gain].flatMap(({ value: at, low = at, high = at }) => [at, low, high]), 3),
    written = (one) => (expects ? withRange(write, one) : write(one.value)),
    saves = found.value <= 0 ? "saves nothing" : expects && found.low <= 0 ? "may save nothing" : "saves";
  return [
    `On ${expects ? "new" : "these"} cases ${caution} ${saves}${saves === "saves" ? " " : ": "}`,
    value("saving", found.value, written(found)),
    ` of the ${write(found.forced)} per case that answering all costs`,
    graded && kind === "positive" ? "." : `, and ${written(gain)} against ${all}.`,
  ];
}

function invertedAdvice(results, chosen) {
  const inverted = results.filter(({ model }) => model.reversed),
    one = inverted.includes(chosen) ? chosen : inverted[0],
    others = inverted.length - 1;
  if (!one) return null;
  return el(
    "p", { class: "warning", "data-key": "inverted" },
    `A high ${one.graded ? "confidence" : "score"} of ${one === chosen ? "this model" : shorten(one.model.name, 40)} speaks against `,
    named(one.classes[1]), " (AUC ", value("auc", one.model.auc, one.model.auc.toFixed(2)),
    others ? `; so it is with ${others} other model${others > 1 ? "s" : ""}` : "",
    one.graded ? "): does it fall with belief?" : "): is the positive class the other one?",
  );
}

// What happens to the cases, as the end of the sentence that says what to do; of a rare class, by itself.
function consequence(result) {
  const { tp, fn, fp, abstainedPositive, abstainedNegative } = thousand(result),
    { expects, waits, graded, classes, estimates: { error, abstention } } = result,
    n = casesShown(result),
    about = (found, { low, high }) =>
      aboutSo({
        count: found,
        low: expects ? Math.min(found, Math.floor(n * low)) : null,
        high: Math.max(found, Math.ceil(n * high)),
      }),
    events = tp.count + fn.count + abstainedPositive.count,
    rare = [
      ` Of ${count(events)} `, named(classes[1]), " ", strong(count(tp.count)), " are found, ", strong(count(fn.count)),
      " missed, ", strong(count(abstainedPositive.count)), " passed on.",
    ];
  return [
    expects && !waits ? `Of ${count(n)} new cases about ` : `Of ${count(n)} cases like these `,
    about(fn.count + fp.count, error), " are then answered wrongly and ",
    about(abstainedPositive.count + abstainedNegative.count, abstention),
    graded ? " are escalated." : " get no answer.",
    n > PEOPLE && !graded ? rare : [],
  ];
}

// Where the rule is from, for that decides what its numbers are worth.
function originWords({ source, tests, waits }) {
  if (source === "hand")
    return "Thresholds as set by you; not chosen on these cases. If you did choose them by looking at these cases, expect new ones to be worse. ";
  if (waits) return "Measured on the cases that the rule was chosen on; what to expect of new ones follows. ";
  if (source !== "budgets") return "";
  return tests
    ? "The limits hold on new cases with 95% confidence, by exact tests on these cases; that is valid for one model chosen beforehand. How often answers are wrong was measured on cases held out from those tests. "
    : "How often answers are wrong was measured by a search on nine tenths of the cases, and on the rest, in turn. New cases may break the limits: nothing is promised. ";
}

function verdict({ app, results, chosen: result, cheapest, several, told }) {
  const { classes, model, estimates } = result, { n, events } = model;
  if (!estimates.enough)
    return banner(
      "too-few",
      strong("Too few cases for advice. "),
      `There ${events === 1 ? "is 1 case" : `are ${count(events)} cases`} of `, named(classes[1]),
      ` and ${count(n - events)} of `, named(classes[0]),
      `; from ${LEAST_CASES} of each on this page says what to do. What is shown describes these cases and promises nothing about new ones.`,
    );
  const name = el("strong", { "data-key": "model" }, shorten(model.name, 60)),
    positives = [", ", value("cases-events", events, count(events)), " of them ", named(classes[1]), ". "],
    rests = (...more) => evidence(result, n, positives, more);
  if (result.refused)
    return [
      banner("refused", strong("No rule of "), name, strong(" keeps these limits. "), refusalWords(result), nearestWords(result)),
      rests(),
    ];
  const rivals = told.rivals.map((i) => results[i]),
    doesBest = ["On new cases ", name, " is expected to do best", rivalWords(rivals), ". "],
    taken = rivals.length ? doesBest : ["Take ", name, ". "],
    lead = result === cheapest && app.mode === "costs" ? taken : ["With ", name, ": "];
  return [
    paragraph(
      "lead", several ? lead : [], ruleWords(result), " ", result.window.answered > 0 ? consequence(result) : "",
    ),
    rests(
      el("span", { "data-key": "origin" }, originWords(result)),
      app.mode === "costs" ? el("span", { class: "saving" }, savingWords({ ...result, prior: app.prior })) : "",
    ),
  ];
}

function refusalWords({ refused: { needed, weighted, prior, abstention }, graded, classes, model: { n } }) {
  if (weighted)
    return "Weighted rows allow no promise. Take the promise away, or give each case once. If the column taken as weights holds something else, leave it out: by --no-weight on the command line, by the choice “weight” for a file opened here.";
  if (prior) return `A promise counts cases as they came. Take it away, or set the share of ${shorten(classes[1])} back to the sample’s.`;
  if (abstention)
    return `A promise is about wrong answers, not about cases without one. Take it away, or set “${graded ? "Escalated" : "Without an answer"}” to 100%.`;
  if (needed === undefined) return "Allow more of one of them.";
  if (needed === null) return "However many cases there were, no promise could be expected. Allow more.";
  return needed > n
    ? `A promise could be expected from about ${count(needed)} cases on; there are ${count(n)}. Allow more, or take the promise away.`
    : "These cases came close to proving it, but did not. Allow a little more, or bring more cases.";
}

// How much more would have to be allowed.
function nearestWords({ nearest, graded }) {
  const words = nearest.map(({ name, limit }) => limitSaid(name, limit, graded));
  return words.length ? ` The nearest that can be kept: ${words.join(", or ")}.` : "";
}

const LEAST_ANSWERS = 10; // fewer do not say how often such answers are right

// The five shares a clinician asks for, and the cost, in the currency of the page.
function tiles(result) {
  const { window: w, estimates, classes, surface: { positives, negatives }, expects, model: { n, events } } = result,
    labels = classes.map((label) => shorten(label, 22)),
    never = neverOf(result),
    told = [[w.fn, w.tn], [w.tp, w.fp]].map(([p, q]) => (p / positives) * events + (q / negatives) * (n - events));
  // Why there is no such share: its answer is never given, or too seldom.
  const noneOf = (answer, isOfAnswers) => {
    const words = w.answered > 0 ? `nobody is told ${labels[answer]}` : "nothing is answered";
    if (never[answer] || !(w.answered > 0) || (isOfAnswers && told[answer] === 0)) return ["never", words];
    const few = isOfAnswers && told[answer] < LEAST_ANSWERS;
    return few ? ["too few to say", `${count(told[answer])} of these are told ${labels[answer]}`] : null;
  };
  const figure = (key, label, seen, words, none = null, about = key) => {
    const { value: at, low, high } = expects ? estimates[key] : { value: seen },
      isCost = key === "cost",
      end = expects && (isCost ? alike([low, high], 3, [{ low, high }]) : percentBetween({ low, high })),
      write = isCost ? number : end || percent,
      [shown, why] = none ?? [write(at), words],
      ends = () => [value(`${key}-low`, low, end(low).replace("%", "")), "–", value(`${key}-high`, high, end(high))],
      range = none || !expects || !(w.answered > 0) ? null : el("span", { class: "range" }, " ", ends());
    return tile(about, label, value(expects ? `new-${key}` : key, at, shown), range, small(why));
  };
  const price = figure("cost", "Cost per case", w.cost, "", null, result.graded ? "gradedcost" : "interval");
  if (result.graded)
    return block(
      "tiles",
      figure("selectiveError", "Wrong", w.error / w.answered, "of what is answered", noneOf(1), "wrong"),
      figure("abstention", "Escalated", w.abstention, "of all answers", null, "escalate"),
      price,
    );
  return block(
    "tiles",
    figure("sensitivity", "Sensitivity", w.tp / positives, `of ${labels[1]}, told so`, noneOf(1)),
    figure("specificity", "Specificity", w.tn / negatives, `of ${labels[0]}, told so`, noneOf(0)),
    figure("abstention", "No answer", w.abstention, "of all", null, "abstain"),
    figure("ppv", "PPV", w.tp / (w.tp + w.fp), `of told ${labels[1]}, right`, noneOf(1, true)),
    figure("npv", "NPV", w.tn / (w.tn + w.fn), `of told ${labels[0]}, right`, noneOf(0, true)),
    price,
  );
}

// One line where a group fares clearly worse than another.
function groupAdvice({ model, window }) {
  const groups = groupsOf(model, window.lower, window.upper)?.filter(({ n }) => n >= LEAST_CASES) ?? [];
  for (const [key, words] of [["error", "wrong among answers"], ["missed", "missed among positives"]]) {
    const known = groups.filter((group) => group[key].low >= 0).sort((a, b) => a[key].value - b[key].value),
      [best, worst] = [known[0], known.at(-1)],
      shown = ({ group, [key]: one }) => `${percent(one.value)} of ${shorten(group, 26) || "(none)"}`,
      line = { class: "warning", "data-key": "groups-differ" };
    if (worst?.[key].low > best?.[key].high)
      return el("p", line, `Groups differ: ${words} are ${shown(worst)}, ${shown(best)}.`);
  }
  return null;
}

// How cases without an answer count in sensitivity and specificity.
function answeredWords({ window, classes, estimates: { cells }, expects }) {
  const [tn, fp, fn, tp] = ["tn", "fp", "fn", "tp"].map((key) => (expects ? cells[key].value : window[key])),
    free = tn / (tn + fp), found = tp / (tp + fn), told = (label) => ` of class ${label} are answered rightly`,
    share = (key, exact, c) => [value(`${key}-answered`, exact, percent(exact)), told(shorten(classes[c], 22))],
    shares = ["Of those that get one, ", share("sensitivity", found, 1), ", and ", share("specificity", free, 0), "."];
  return el(
    "p",
    { class: "note", "data-key": "abstentions-count" },
    "Sensitivity and specificity count cases without an answer as not found. ",
    found !== found && free !== free ? "Here nothing is answered." : shares,
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
