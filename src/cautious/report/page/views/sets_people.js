// Many classes on the first screen: what to do, a thousand cases, and the shares of their answers.
import { el, value } from "../charts/dom.js";
import { PEOPLE, peopleChart } from "../charts/people.js";
import { wilson } from "../core/distributions.js";
import { count, number, percent, shorten, unitOf } from "../core/format.js";
import { peopleOf } from "../core/format.js";
import { strong } from "./advice.js";
import { term } from "./terms.js";
import { FEWEST, leftOut, rivalWords } from "./verdict.js";

const KINDS = [
  ["one", "right", "told one: right"],
  ["several", "set", "told several: truth among them"],
  ["wrong", "wrong", "told wrong"],
  ["none", "abstained", "no answer"],
];

// Shares of cases by what their answer is worth: one right class, several, wrong, or none.
export function answerShares({ sizes }, k) {
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
const crowdOf = ({ rows }) => (rows < FEWEST ? Math.round(rows) : PEOPLE);
const crowdWords = (chosen) => {
  const n = crowdOf(chosen);
  return `${count(n)} ${n === PEOPLE ? "cases" : unitOf(chosen.model, n)}`;
};

export function thousandOf(chosen, k) {
  const seen = answerShares(chosen.model, k),
    total = crowdOf(chosen),
    sure = (share) => (total < PEOPLE ? share : wilson(share, chosen.rows)),
    ranges = Object.fromEntries(Object.entries(seen).map(([key, share]) => [key, sure(share)])),
    each = chosen.model.people ?? peopleOf(ranges, total);
  return KINDS.map(([key, kind, label]) => ({
    key,
    kind,
    label,
    answer: key === "wrong" ? "positive" : key === "none" ? "abstain" : "right",
    ...each[key],
  }));
}

export function setPeople(chosen, k, width) {
  const parts = thousandOf(chosen, k).filter(({ key, count: n }) => n || key === "one" || key === "wrong");
  const about = parts.map((part) => `${part.count} ${part.label}`).join(", ");
  return peopleChart([{ title: `Of ${crowdWords(chosen)}`, parts }], {
    width,
    about: `${crowdWords(chosen)}: ${about}.`,
  });
}

// Classes of which too little is known for advice.
export const rareClasses = ({ model, rows, n }, classes) =>
  classes.filter((_, c) => model.by_class[c][0] > 0 && (model.by_class[c][0] * rows) / n < FEWEST);

export function setVerdict(chosen, { classes, alone, best, rivals, distinct, rule }) {
  const name = strong(shorten(chosen.model.name, 60)),
    each = Object.fromEntries(thousandOf(chosen, classes.length).map((part) => [part.key, part])),
    rare = rareClasses(chosen, classes);
  const said = ({ count: n, low, high }) => [
    strong(count(n)),
    low === null ? "" : ` (${count(low)} to ${count(high)})`,
  ];
  const verb = ({ count: n }, one, more) => (n === 1 ? one : more);
  const words = [
    `of ${crowdWords(chosen)} `,
    said(each.one),
    verb(each.one, " is told its class", " are told their class"),
    each.several.count
      ? [", ", said(each.several), verb(each.several, " gets", " get"), " several classes with the true one among them"]
      : "",
    ", ",
    said(each.wrong),
    verb(each.wrong, " is", " are"),
    " answered wrongly",
    each.none.count ? [" and ", said(each.none), verb(each.none, " gets", " get"), " no answer"] : "",
    ".",
  ];
  const evidence = el(
    "p",
    { class: "evidence" },
    "Measured on ",
    value("cases-n", chosen.rows, count(chosen.rows)),
    ` ${unitOf(chosen.model, chosen.rows)} of ${classes.length} classes. `,
    leftOut(chosen.model),
    rule ?? "",
  );
  if (rare.length)
    return [
      el(
        "p",
        { class: "banner", "data-key": "too-few" },
        strong("Too few cases for advice. "),
        `${rare.length > 3 ? `${rare.length} classes have` : `${rare.map((label) => shorten(label, 24)).join(", ")} ${rare.length > 1 ? "have" : "has"}`} fewer than ${FEWEST} cases. What is shown describes these cases and promises nothing about new ones: `,
        words,
      ),
      evidence,
    ];
  const most = !alone && chosen === best;
  return [
    el(
      "p",
      { class: "lead" },
      !most
        ? ["With ", name, ": "]
        : distinct
          ? [name, " is the most useful: "]
          : [name, " is the most useful on these cases", rivalWords(rivals), ": "],
      words,
    ),
    evidence,
  ];
}

export function setTiles(chosen, k) {
  const none = answerShares(chosen.model, k).none,
    { model } = chosen;
  const tile = (key, label, about, shown, words, range) =>
    el(
      "div",
      { class: "tile" },
      el("div", { class: "tile-label" }, term(about, label)),
      el(
        "div",
        { class: "tile-value" },
        value(key, shown.exact, shown.text),
        range ? el("span", { class: "range" }, ` ${percent(range.low)} to ${percent(range.high)}`) : null,
        el("small", {}, words),
      ),
    );
  const share = (exact) => ({ exact, text: percent(exact) });
  return el(
    "div",
    { class: "tiles" },
    tile(
      "containment",
      "Holds the truth",
      "containment",
      share(chosen.containment),
      "of all answers",
      model.rule && model.containment,
    ),
    tile(
      "determinacy",
      "Single answers",
      "determinacy",
      share(chosen.determinacy),
      `${percent(chosen.singleAccuracy)} of them right`,
    ),
    tile(
      "abstention",
      "No answer",
      "abstain",
      share(none),
      "all classes left open",
      model.rule && model.abstention,
    ),
    tile(
      "mean-size",
      "Mean size",
      "size",
      { exact: chosen.meanSize, text: number(chosen.meanSize) },
      `of ${k} classes`,
    ),
    tile(
      "set-accuracy",
      "Right when several",
      "setaccuracy",
      share(chosen.setAccuracy),
      "of answers with several",
    ),
    tile(
      "utility",
      "Mean utility",
      "utility",
      { exact: chosen.utility.mean, text: number(chosen.utility.mean) },
      `${number(chosen.utility.low)} to ${number(chosen.utility.high)}`,
    ),
  );
}

// Which classes are taken for which, the commonest first.
export function confusedPairs({ confusion }) {
  if (!confusion) return [];
  const { columns, rows, counts } = confusion,
    totals = columns.map((_, c) => counts.reduce((total, line) => total + line[c], 0));
  const pairs = [];
  rows.forEach(({ set }, r) => {
    if (set?.length !== 1) return;
    columns.forEach((truth, c) => {
      if (truth >= 0 && truth !== set[0] && counts[r][c])
        pairs.push({ truth, told: set[0], n: counts[r][c], share: counts[r][c] / totals[c] });
    });
  });
  return pairs.sort((a, b) => b.n - a.n || a.truth - b.truth || a.told - b.told);
}
