// The first screen of two classes: what to do, in one sentence; a thousand cases; five numbers.
import { widthOf } from "../charts/axes.js";
import { el, value } from "../charts/dom.js";
import { alike, count, number, percent, percentBetween, shorten, unitOf } from "../core/format.js";
import { peopleOf } from "../core/format.js";
import { PEOPLE, peopleChart } from "../charts/people.js";
import { LEAST_CASES } from "../core/parts.js";
import { named, ruleWords, strong } from "./advice.js";
import { term } from "./terms.js";

// With fewer cases of a class than this no advice is given.
export const FEWEST = LEAST_CASES;

export const tooFewCases = ({ estimates }) => !estimates.enough;

// Six groups of cases: what they are, what they are told.
const LOOKS = {
  tp: ["right", "positive"],
  fn: ["wrong", "negative"],
  abstainedPositive: ["abstained", "abstain"],
  tn: ["right", "negative"],
  fp: ["wrong", "positive"],
  abstainedNegative: ["abstained", "abstain"],
};

// A thousand cases, or those measured where they are too few to speak for others.
const crowd = (result) => (tooFewCases(result) ? result.model.n : PEOPLE);

// What is expected of new cases where there are cases enough to say so, else what was seen. Who answers
// nothing leaves nothing to be seen on new cases.
export function thousand(result) {
  const { window, estimates } = result,
    cells = estimates.enough && window.answered > 0 ? estimates.cells : window;
  return peopleOf(Object.fromEntries(Object.keys(LOOKS).map((key) => [key, cells[key]])), crowd(result));
}

export function people(result, width) {
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
    const parts = keys.map((key) => {
      const [kind, answer] = LOOKS[key];
      return { ...each[key], kind, answer, label: labels[key] };
    });
    const n = parts.reduce((total, part) => total + part.count, 0);
    return { title: `${count(n)} of ${count(crowd(result))} are ${label}`, parts };
  };
  const groups = [
    group(positive, ["tp", "fn", "abstainedPositive"]),
    group(negative, ["tn", "fp", "abstainedNegative"]),
  ];
  const about = groups
    .map(({ title, parts }) => `${title}: ${parts.map((part) => `${part.count} ${part.label}`).join(", ")}`)
    .join(". ");
  return peopleChart(groups, { width, about: `${count(crowd(result))} cases. ${about}.` });
}

const rangeWords = (range) => (range ? ` (${count(range.low)} to ${count(range.high)})` : "");

// What happens to a thousand cases, as the end of the sentence that says what to do.
function consequence(result) {
  const { fn, fp, abstainedPositive, abstainedNegative } = thousand(result),
    { error, abstention } = result.estimates;
  const said = (n, { low, high }) => [
    strong(count(n)),
    ` (${count(Math.min(n, Math.floor(PEOPLE * low)))} to ${count(Math.max(n, Math.ceil(PEOPLE * high)))})`,
  ];
  return [
    result.waits ? `Of ${count(PEOPLE)} cases like these ` : `Of ${count(PEOPLE)} new cases about `,
    said(fn.count + fp.count, error),
    " are then answered wrongly and ",
    said(abstainedPositive.count + abstainedNegative.count, abstention),
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

// Rows that were given but could not be used.
export const leftOut = ({ left_out: parts }) =>
  parts?.length
    ? `Left out: ${parts.map(({ count: n, reason }) => `${count(n)} rows that ${reason}`).join(", ")}. `
    : "";

// How many cases all this rests on.
function evidence({ model, classes }) {
  const { n, events } = model;
  return [
    "Measured on ",
    value("cases-n", n, count(n)),
    ` ${unitOf(model, n)}, `,
    value("cases-events", events, count(events)),
    " of them ",
    named(classes[1]),
    ". ",
    leftOut(model),
  ];
}

// Models that may as well be the best.
export function rivalWords(rivals) {
  const short = rivals.map(({ model }) => shorten(model.name, 30)),
    names = short.some((name) => name.includes(",")) ? short.map((name) => `“${name}”`) : short,
    rest = names.length > 2 ? ` and ${names.length - 2} more` : "";
  return names.length
    ? `, but cannot be told apart from ${names.slice(0, 2).join(rest ? ", " : " and ")}${rest}`
    : "";
}

export function verdict(result, { several, rivals, cheapest, saving, mode }) {
  if (tooFewCases(result)) {
    const { classes } = result,
      { n, events } = result.model;
    return [
      el(
        "p",
        { class: "banner", "data-key": "too-few" },
        strong("Too few cases for advice. "),
        `There ${events === 1 ? "is 1 case" : `are ${count(events)} cases`} of `,
        named(classes[1]),
        ` and ${count(n - events)} of `,
        named(classes[0]),
        `; from ${FEWEST} of each on this page says what to do. What is shown describes these cases and promises nothing about new ones.`,
      ),
    ];
  }
  const name = el("strong", { "data-key": "model" }, shorten(result.model.name, 60));
  if (result.refused) return [refusalWords(result, name), el("p", { class: "evidence" }, evidence(result))];
  const lead = !several
    ? []
    : !cheapest || mode !== "costs"
      ? ["With ", name, ": "]
      : rivals.length
        ? [name, " is expected to do best on new cases", rivalWords(rivals), ". "]
        : ["Take ", name, ". "];
  return [
    el("p", { class: "lead" }, lead, ruleWords(result), " ", result.window.answered > 0 ? consequence(result) : ""),
    el(
      "p",
      { class: "evidence" },
      evidence(result),
      el("span", { "data-key": "origin" }, originWords(result)),
      mode === "costs" ? el("span", { class: "saving" }, saving) : "",
    ),
  ];
}

// Limits that nothing keeps.
function refusalWords({ refused, model }, name) {
  const { needed, weighted, prior, abstention } = refused;
  const why = weighted
    ? "Weighted rows allow no promise. Take the promise away, or give each case once. If the column taken as weights holds something else, leave it out: by --no-weight on the command line, by the choice “weight” for a file opened here."
    : prior
      ? "A promise counts cases as they came. Take it away, or set the share of positives back to the sample’s."
    : abstention
      ? "A promise is about wrong answers, not about cases without one. Take it away, or set “Without an answer” to 100%."
    : needed === undefined
      ? "No two thresholds keep all these limits on these cases. Allow more of one of them."
      : needed === null
        ? "However many cases there were, no promise could be expected. Allow more."
        : needed > model.n
          ? `A promise could be expected from about ${count(needed)} cases on; there are ${count(model.n)}. Allow more, or take the promise away.`
          : "These cases came close to proving it, but did not. Allow a little more, or bring more cases.";
  return el(
    "p",
    { class: "banner", "data-key": "refused" },
    strong("No rule of "),
    name,
    strong(" keeps these limits. "),
    why,
  );
}

// The five shares a clinician asks for, and the cost: expected on new cases, and seen on these.
export function tiles(result) {
  const { window: w, estimates, classes, forced, surface } = result,
    [negative, positive] = classes.map((label) => shorten(label, 22));
  // `none` says why there is no such share.
  const tile = (key, label, about, seen, words, { format = percent, alone = "", after = alone, none } = {}) => {
    const expected = w.answered > 0 && estimates[key],
      at = expected ? expected.value : seen,
      between = format === number ? (ends) => alike([ends.low, ends.high], 3, [ends]) : percentBetween,
      end = expected && between(expected),
      write = format === number ? number : end;
    return el(
      "div",
      { class: "tile" },
      el("div", { class: "tile-label" }, term(about, label)),
      el(
        "div",
        { class: "tile-value" },
        at !== at
          ? [value(key, at, "–"), el("small", {}, none)]
        : expected
          ? [
              value(`new-${key}`, at, write(at)),
              el(
                "span",
                { class: "range" },
                " ",
                value(`${key}-low`, expected.low, end(expected.low).replace("%", "")),
                "–",
                value(`${key}-high`, expected.high, end(expected.high)),
              ),
              el("small", {}, words, "here ", value(key, seen, write(seen)), after),
            ]
          : [value(key, seen, format(seen)), el("small", {}, words.replace("; ", ""), alone)],
      ),
    );
  };
  const none = (label) => ({ none: w.answered > 0 ? `nobody is told ${label}` : "nothing is answered" }),
    unforced = (or) => [or, value("forced", forced, number(forced)), " if all are answered"];
  return [
    el(
      "div",
      { class: "tiles" },
      tile("sensitivity", "Sensitivity", "sensitivity", w.tp / surface.positives, `of ${positive}, told so; `),
      tile("specificity", "Specificity", "specificity", w.tn / surface.negatives, `of ${negative}, told so; `),
      tile("abstention", "No answer", "abstain", w.abstention, "of all; "),
      tile("ppv", "PPV", "ppv", w.tp / (w.tp + w.fp), `of told ${positive}, right; `, none(positive)),
      tile("npv", "NPV", "npv", w.tn / (w.tn + w.fn), `of told ${negative}, right; `, none(negative)),
      tile("cost", "Cost per case", "interval", w.cost, "", { format: number, alone: unforced("or "), after: unforced(", or ") }),
    ),
    answeredWords(result, negative, positive),
  ];
}

// How cases without an answer count in sensitivity and specificity.
function answeredWords({ window: w, estimates }, negative, positive) {
  const found = estimates.sensitivityAnswered?.value ?? w.tp / (w.tp + w.fn),
    free = estimates.specificityAnswered?.value ?? w.tn / (w.tn + w.fp);
  return el(
    "p",
    { class: "note", "data-key": "abstentions-count" },
    "Sensitivity and specificity count cases without an answer as not found. ",
    found !== found && free !== free
      ? "Here nothing is answered."
      : [
          "Of those that get one, ",
          value("sensitivity-answered", found, percent(found)),
          ` of ${positive} are told ${positive}, and `,
          value("specificity-answered", free, percent(free)),
          ` of ${negative} are told ${negative}.`,
        ],
  );
}
