// Tables about two classes: the models side by side, and what happens under one window.
import { el, scroller, value } from "../charts/dom.js";
import { sign } from "../charts/lines.js";
import { alike, count, number, percentAlike, shorten } from "../core/format.js";
import { thresholdText } from "../core/window.js";
import { expectedCost } from "./binary_results.js";
import { numberColumn, sortableTable } from "./sortable.js";
import { thousand } from "./verdict.js";

// Two thresholds of more characters than this stand one below the other.
const LONG = 16;

export function modelTable({ problem, view, results, chosen, select, told }) {
  const column = (name, key, exact, write, about) =>
    numberColumn(results, { name, about, exact, write, key: (r) => `${key}-${r.index}` });
  const known = results.filter(({ estimates }) => estimates.enough).map(({ estimates }) => estimates.cost),
    expected = alike(
      known.map((cost) => cost.value),
      3,
      known,
    ),
    // Beyond all scores an answer is given never or always; that says more than an infinite score.
    threshold = ({ model }, at, never) =>
      Math.abs(at) < Infinity ? thresholdText(model, at) : at === never ? "never" : "always";
  const columns = [
    {
      name: "model",
      text: true,
      exact: (r) => r.model.name,
      show: (r) =>
        el(
          "button",
          {
            type: "button",
            class: "row-name",
            "aria-pressed": String(r === chosen),
            onclick: (event) => {
              event.stopPropagation();
              select(r.index);
            },
          },
          sign(r.index),
          shorten(r.model.name, 48),
        ),
    },
    {
      name: "cost on new cases",
      about: "interval",
      exact: expectedCost,
      show: (r) =>
        r.estimates.enough
          ? [
              value(`new-cost-${r.index}`, r.estimates.cost.value, expected(r.estimates.cost.value)),
              el("small", {}, ` ${expected(r.estimates.cost.low)}–${expected(r.estimates.cost.high)}`),
            ]
          : "too few cases",
    },
    ...(told.best < 0
      ? []
      : [againstBest(results, told, { way: -1, name: "more than the best", about: "more" })]),
    column("here", "cost", (r) => r.window.cost, alike, "cost"),
    column("if forced", "forced", (r) => r.forced, alike, "forced"),
    {
      name: "window",
      about: "window",
      exact: (r) => r.window.lower,
      show: (r) => {
        const { lower, upper } = r.window,
          texts = [threshold(r, lower, -Infinity), threshold(r, upper, Infinity)];
        return [
          value(`lower-${r.index}`, lower, texts[0]),
          " … ",
          texts.join("").length > LONG ? el("br") : null,
          value(`upper-${r.index}`, upper, texts[1]),
        ];
      },
    },
    column("abstains", "abstention", (r) => r.window.abstention, percentAlike, "abstain"),
    column("missed", "fn", (r) => r.window.fn, percentAlike, "fn"),
    column("false", "fp", (r) => r.window.fp, percentAlike, "fp"),
    column(
      "wrong among answers",
      "selective",
      (r) => r.window.error / r.window.answered,
      percentAlike,
      "wrong",
    ),
  ];
  return sortableTable(columns, results, {
    caption: `${problem.models.length} models, each with its own best thresholds for these costs. The cost on new cases, and what it is more than the best, have 95% intervals; those of the difference hold for all models at once. The other columns are about these cases.`,
    order: view.order,
    onRow: (r) => select(r.index),
    rowClass: (r) => (r === chosen ? "chosen" : null),
    most: 12,
  });
}

// The table as a file: all numbers in full, and what they rest on.
export function tableRows(results, settings) {
  const columns = {
    model: (r) => r.model.name,
    cases: (r) => r.model.n,
    positives: (r) => r.model.events,
    lower: (r) => r.window.lower,
    upper: (r) => r.window.upper,
    cost_per_case: (r) => r.window.cost,
    cost_on_new_cases: (r) => r.estimates.cost?.value,
    cost_low: (r) => r.estimates.cost?.low,
    cost_high: (r) => r.estimates.cost?.high,
    cost_if_forced: (r) => r.forced,
    abstention: (r) => r.window.abstention,
    wrong_among_answers: (r) => r.window.error / r.window.answered,
    sensitivity: (r) => r.window.tp / r.surface.positives,
    specificity: (r) => r.window.tn / r.surface.negatives,
    ppv: (r) => r.window.tp / (r.window.tp + r.window.fp),
    npv: (r) => r.window.tn / (r.window.tn + r.window.fn),
    vacc: (r) => r.vacc,
    aurc: (r) => r.model.risk?.aurc,
    auc: (r) => r.model.auc,
    settings: () => settings,
  };
  const read = Object.values(columns);
  return [Object.keys(columns), ...results.map((r) => read.map((of) => of(r)))];
}

// What the papers order classifiers by.
export function expertTable({ results, view }) {
  const column = (name, key, exact, about) =>
    numberColumn(results, { name, about, exact, write: alike, key: (r) => `${key}-${r.index}` });
  const columns = [
    {
      name: "model",
      text: true,
      exact: (r) => r.model.name,
      show: (r) => [sign(r.index), " ", shorten(r.model.name, 48)],
    },
    column("VACC", "vacc", (r) => r.vacc, "vacc"),
    column("AURC", "aurc", (r) => r.model.risk?.aurc ?? NaN, "aurc"),
    { ...column("AUC", "auc", (r) => r.model.auc), high: true },
  ];
  return sortableTable(columns, results, {
    caption: "Lower is better, except for the AUC",
    order: view.expertOrder,
    most: 12,
  });
}

// By how much each model is worse than the best one, and whether that is sure. `way` is 1 where the best
// has most, and -1 where it has least.
export function againstBest(results, { best, differences }, { way, ...column }) {
  const of = ({ index }) => {
    const pair = index === best ? null : differences.find(({ second }) => second === index);
    if (!pair) return null;
    const [low, high] = way > 0 ? [pair.low, pair.high] : [-pair.high, -pair.low];
    return { mean: way * pair.value, low, high, distinct: pair.distinct };
  };
  const known = results.map(of).filter(Boolean),
    write = alike(
      known.flatMap(({ mean, low, high }) => [mean, low, high]),
      2,
      known,
    );
  return {
    ...column,
    exact: (r) => of(r)?.mean ?? 0,
    show: (r) => {
      const found = of(r);
      if (!found) return "–";
      return [
        value(`more-${r.index}`, found.mean, write(found.mean)),
        el(
          "small",
          {},
          ` ${write(found.low)} to ${write(found.high)}`,
          found.distinct ? "" : el("br"),
          found.distinct ? "" : "cannot be told apart",
        ),
      ];
    },
  };
}

export function confusionTable(result) {
  const {
      window: w,
      classes: [negative, positive],
      costs,
    } = result,
    people = thousand(result);
  // Beside what is expected of new cases stands what was seen.
  const cell = (key, seen, unit, kind, who) => {
    const share = result.estimates.cells?.[who].value ?? seen,
      { count: n, low, high } = people[who];
    return el(
      "td",
      { class: `cell ${kind}` },
      count(n),
      low === null ? null : el("span", { class: "range" }, ` ${count(low)} to ${count(high)}`),
      el(
        "small",
        {},
        unit ? `cost ${number(share * unit)}` : "free",
        low === null ? "" : ", here ",
        value(`rate-${key}`, seen, low === null ? "" : number(1000 * seen)),
      ),
    );
  };
  const row = (label, kind, ...cells) =>
    el("tr", {}, el("th", { scope: "row" }, el("i", { class: `swatch ${kind}` }), label), cells);
  const table = el(
    "table",
    { class: "confusion" },
    el(
      "caption",
      {},
      result.estimates.enough
        ? "Rows are answers, columns truths. Each number is cases in a thousand new ones, with its 95% range, what they add to the cost per case, and how many there were per thousand on these cases."
        : "Rows are answers, columns truths. Each number is a count of these cases, with what they add to the cost per case.",
    ),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        el("th", { scope: "col" }, `truth ${shorten(negative, 30)}`),
        el("th", { scope: "col" }, `truth ${shorten(positive, 30)}`),
      ),
    ),
    el(
      "tbody",
      {},
      row(
        `answer ${shorten(negative, 30)}`,
        "negative",
        cell("tn", w.tn, 0, "right", "tn"),
        cell("fn", w.fn, costs.fn, "wrong", "fn"),
      ),
      row(
        `answer ${shorten(positive, 30)}`,
        "positive",
        cell("fp", w.fp, costs.fp, "wrong", "fp"),
        cell("tp", w.tp, 0, "right", "tp"),
      ),
      row(
        "abstain",
        "abstain",
        cell("abstain-n", w.abstainedNegative, costs.abstain, "abstained", "abstainedNegative"),
        cell("abstain-p", w.abstainedPositive, costs.abstain, "abstained", "abstainedPositive"),
      ),
    ),
    el(
      "tfoot",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "row" }, "all"),
        el("td", {}, count(people.tn.count + people.fp.count + people.abstainedNegative.count)),
        el("td", {}, count(people.tp.count + people.fn.count + people.abstainedPositive.count)),
      ),
    ),
  );
  return scroller(table);
}
