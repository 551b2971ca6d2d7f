// Tables about two classes, and tables of groups: is one of them answered less, or wronged more?
import { el, paragraph, scroller, small, svg, value } from "../charts/dom.js";
import { sign } from "../charts/lines.js";
import { groupsOf } from "../core/curves.js";
import { alike, count, number, percent, percentAlike, shorten, sumOf, unitOf } from "../core/format.js";
import { GROUPS_KEPT, setGroups } from "../core/sets.js";
import { thresholdText } from "../core/window.js";
import { againstBest, csvRows, estimateColumn, modelColumn, numberColumn, sortableTable } from "./sortable.js";
import { thousand } from "./verdict.js";

// Two thresholds of more characters than this stand one below the other.
const LONG = 16;

export function modelTable({ problem, view, results, chosen, select, told }) {
  const column = (name, key, exact, write, about) =>
    numberColumn(results, { name, about, exact, write, key: (r) => `${key}-${r.index}` });
  // Beyond all scores an answer is given never or always; that says more than an infinite score.
  const threshold = ({ model }, at, never) =>
    Math.abs(at) < Infinity ? thresholdText(model, at) : at === never ? "never" : "always";
  const showWindow = (r) => {
    const { lower, upper } = r.window,
      texts = [threshold(r, lower, -Infinity), threshold(r, upper, Infinity)];
    return [
      value(`lower-${r.index}`, lower, texts[0]),
      " … ",
      texts.join("").length > LONG ? el("br") : null,
      value(`upper-${r.index}`, upper, texts[1]),
    ];
  };
  const columns = [
    modelColumn(chosen, select),
    estimateColumn(results, {
      name: "cost on new cases", about: "interval", key: "new-cost",
      of: ({ estimates }) => estimates.cost,
      digits: ({ value: at }) => [at],
      exact: ({ estimates, window }) => estimates.cost?.value ?? window.cost,
      unknown: "too few cases",
    }),
    ...(told.best < 0
      ? []
      : [againstBest(results, told, { way: -1, name: "more than the best", about: "more" })]),
    column("here", "cost", (r) => r.window.cost, alike, "cost"),
    column("if forced", "forced", (r) => r.forced, alike, "forced"),
    { name: "window", about: "window", exact: (r) => r.window.lower, show: showWindow },
    column("abstains", "abstention", (r) => r.window.abstention, percentAlike, "abstain"),
    column("missed", "fn", (r) => r.window.fn, percentAlike, "fn"),
    column("false", "fp", (r) => r.window.fp, percentAlike, "fp"),
    column("wrong among answers", "selective", (r) => r.window.error / r.window.answered, percentAlike, "wrong"),
  ];
  return sortableTable(columns, results, {
    caption: `${problem.models.length} models, each with its own best thresholds for these costs. The cost on new cases, and what it is more than the best, have 95% intervals; those of the difference hold for all models at once. The other columns are about these cases.`,
    order: view.order,
    onRow: (r) => select(r.index),
    rowClass: (r) => (r === chosen ? "chosen" : null),
    most: 12,
  });
}

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
  return csvRows(columns, results);
}

// What the papers order classifiers by.
export function expertTable({ results, view }) {
  const column = (name, key, exact, about) =>
    numberColumn(results, { name, about, exact, write: alike, key: (r) => `${key}-${r.index}` });
  const named = (r) => [sign(r.index), " ", shorten(r.model.name, 48)];
  const columns = [
    { name: "model", text: true, exact: (r) => r.model.name, show: named },
    column("VACC", "vacc", (r) => r.vacc, "vacc"),
    column("AURC", "aurc", (r) => r.model.risk?.aurc ?? NaN, "aurc"),
    { ...column("AUC", "auc", (r) => r.model.auc), high: true },
  ];
  const caption = "Lower is better, except for the AUC";
  return sortableTable(columns, results, { caption, order: view.expertOrder, most: 12 });
}

export function confusionTable(result) {
  const { window: w, classes, costs } = result,
    [negative, positive] = classes.map((label) => shorten(label, 30)),
    people = thousand(result);
  // Beside what is expected of new cases stands what was seen.
  const cell = (key, unit, kind, name = key) => {
    const { count: n, low, high } = people[key],
      seen = w[key],
      expected = result.estimates.cells?.[key].value ?? seen;
    return el(
      "td",
      { class: `cell ${kind}` },
      count(n),
      low === null ? null : el("span", { class: "range" }, ` ${count(low)} to ${count(high)}`),
      small(
        unit ? `cost ${number(expected * unit)}` : "free",
        low === null ? "" : ", here ",
        value(`rate-${name}`, seen, low === null ? "" : number(1000 * seen)),
      ),
    );
  };
  const row = (label, kind, ...cells) =>
    el("tr", {}, el("th", { scope: "row" }, el("i", { class: `swatch ${kind}` }), label), cells);
  const head = (label) => el("th", { scope: "col" }, `truth ${label}`),
    total = (...keys) => el("td", {}, count(keys.reduce((all, key) => all + people[key].count, 0)));
  const caption = result.estimates.enough
    ? "Rows are answers, columns truths. Each number is cases in a thousand new ones, with its 95% range, what they add to the cost per case, and how many there were per thousand on these cases."
    : "Rows are answers, columns truths. Each number is a count of these cases, with what they add to the cost per case.";
  return scroller(
    el(
      "table",
      { class: "confusion" },
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, el("td"), head(negative), head(positive))),
      el(
        "tbody",
        {},
        row(`answer ${negative}`, "negative", cell("tn", 0, "right"), cell("fn", costs.fn, "wrong")),
        row(`answer ${positive}`, "positive", cell("fp", costs.fp, "wrong"), cell("tp", 0, "right")),
        row(
          "abstain",
          "abstain",
          cell("abstainedNegative", costs.abstain, "abstained", "abstain-n"),
          cell("abstainedPositive", costs.abstain, "abstained", "abstain-p"),
        ),
      ),
      el(
        "tfoot",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "row" }, "all"),
          total("tn", "fp", "abstainedNegative"),
          total("tp", "fn", "abstainedPositive"),
        ),
      ),
    ),
  );
}

// An estimate with its interval as a line from 0 to `most`, for the eye; the words are beside it.
const whisker = ({ value: at, low, high }, most) => {
  const x = (v) => 2 + (96 * Math.min(v, most)) / most;
  return svg(
    "svg",
    { viewBox: "0 0 100 12", width: 100, height: 12, class: "whisker", "aria-hidden": "true" },
    svg("line", { class: "grid", x1: 2, x2: 98, y1: 6, y2: 6 }),
    svg("line", { class: "whisker-line", x1: x(low), x2: x(high), y1: 6, y2: 6 }),
    svg("circle", { class: "whisker-dot", cx: x(at), cy: 6, r: 3.6 }),
  );
};

function shareColumn(groups, name, key, about) {
  const most = Math.max(...groups.map((group) => group[key].high).filter((v) => v === v), 0.01);
  const show = ({ group, [key]: one }) =>
    one.value !== one.value
      ? "–"
      : [
          whisker(one, most),
          " ",
          value(`group-${key}-${group}`, one.value, percent(one.value)),
          small(` ${percent(one.low)} to ${percent(one.high)}`),
        ];
  return { name, about, high: true, exact: (group) => group[key].value, show };
}

function showGroups({ cards, view }, model, groups, caption, columns, most = "") {
  if (!groups) return cards.groups.show(paragraph("note", "Of this model no groups are known."));
  const size = ({ group, n }) => value(`group-n-${group}`, n, count(n));
  const all = [
    { name: "group", text: true, exact: ({ group }) => group, show: ({ group }) => shorten(group, 36) || "(none)" },
    { name: unitOf(model), high: true, exact: ({ n }) => n, show: size },
    ...columns(groups),
  ];
  const order = (view.groupOrder ??= { by: 1, down: true });
  const words = `${caption}, in each group; 95% intervals${most}`;
  cards.groups.show(sortableTable(all, groups, { caption: words, order, most: 12 }));
}

export function drawGroups(context) {
  const { model, window } = context.chosen,
    caption = `${shorten(model.name)} with the thresholds shown above`;
  showGroups(context, model, groupsOf(model, window.lower, window.upper), caption, (groups) => [
    { name: "positives", high: true, exact: ({ events }) => events, show: ({ events }) => count(events) },
    shareColumn(groups, "answered", "coverage", "abstain"),
    shareColumn(groups, "wrong among answers", "error", "wrong"),
    shareColumn(groups, "missed among positives", "missed", "missed"),
  ]);
}

export function drawSetGroups(context) {
  const { model } = context.chosen,
    groups = setGroups(model),
    most = groups?.length < GROUPS_KEPT ? "" : `; at most the ${GROUPS_KEPT} largest groups`;
  const plain = (name, key, exact, write, about) =>
    numberColumn(groups, { name, about, exact, write, high: true, key: ({ group }) => `group-${key}-${group}` });
  const columns = () => [
    ...(model.weighted ? [plain(sumOf(model), "weight", ({ weight }) => weight, () => count)] : []),
    shareColumn(groups, "single answers", "single", "determinacy"),
    shareColumn(groups, "wrong among these", "wrong", "wrongsingle"),
    shareColumn(groups, "holds the truth", "containment", "containment"),
    plain("mean size", "size", ({ meanSize }) => meanSize, alike, "size"),
  ];
  showGroups(context, model, groups, `Answers of ${shorten(model.name)}`, columns, most);
}
