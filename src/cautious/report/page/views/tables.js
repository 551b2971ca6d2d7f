// Tables about two classes, and tables of groups: is one of them answered less, or wronged more?
import { el, gridTable, paragraph, scroller, small, svg, value } from "../charts/dom.js";
import { sign } from "../charts/lines.js";
import { groupsOf } from "../core/curves.js";
import { alike, count, number, percent, percentAlike, shorten, sumOf, unitOf } from "../core/format.js";
import { GROUPS_KEPT, setGroups } from "../core/sets.js";
import { sum } from "../core/surface.js";
import { thresholdText, windowAt } from "../core/window.js";
import { ratesOf } from "./binary_results.js";
import { againstBest, csvRows, estimateColumn, modelColumn, numberColumn, sortableTable, tableOfModels } from "./sortable.js";
import { casesShown, thousand } from "./verdict.js";

// Two thresholds of more characters than this stand one below the other.
const LONG = 16;

// Of graded answers what has no meaning is left out.
const ofClasses = ({ graded }, ...columns) => (graded ? [] : columns);

export function modelTable({ problem, view, results, chosen, select, told }) {
  const column = (name, key, exact, write, about) =>
    numberColumn(results, { name, about, exact, write, key: (r) => `${key}-${r.index}` });
  const expects = told.best >= 0 && chosen.expects,
    rate = (name, key, about) =>
      column(name, expects ? `new-${key}` : key, (r) => ratesOf({ ...r, expects })[key], percentAlike, about);
  // Beyond all scores an answer is given never or always; that says more than an infinite score.
  const threshold = ({ model }, at, never) =>
    Math.abs(at) < Infinity ? thresholdText(model, at) : at === never ? "never" : "always";
  const showWindow = (r) => {
    const { lower, upper } = r.window,
      texts = [threshold(r, lower, -Infinity), threshold(r, upper, Infinity)];
    return [
      ...ofClasses(
        r, value(`lower-${r.index}`, lower, texts[0]), " … ", texts.join("").length > LONG ? el("br") : null,
      ),
      value(`upper-${r.index}`, upper, texts[1]),
    ];
  };
  const columns = [
    modelColumn(chosen, select),
    ...(expects
      ? [
          estimateColumn(results, {
            name: "cost on new cases", about: "interval", key: "new-cost",
            of: ({ estimates }) => estimates.cost,
            digits: ({ value: at }) => [at],
          }),
          againstBest(results, told, { way: -1, name: "more than the best", about: "more" }),
        ]
      : [
          column("cost per case", "cost", (r) => r.window.cost, alike, "cost"),
          column("if forced", "forced", (r) => r.forced, alike, "forced"),
        ]),
    chosen.graded
      ? { name: "answers from", about: "acceptance", exact: (r) => r.window.upper, show: showWindow }
      : { name: "window", about: "window", exact: (r) => r.window.lower, show: showWindow },
    chosen.graded ? rate("escalates", "abstention", "escalate") : rate("abstains", "abstention", "abstain"),
    ...ofClasses(
      chosen,
      rate("missed among positives", "missed", "missed"),
      rate("alarms among negatives", "alarms", "fp"),
    ),
    rate("wrong among answers", "wrong", "wrong"),
  ];
  return tableOfModels(columns, results, {
    chosen, select,
    caption: `${problem.models.length} models, each with its own best ${chosen.graded ? "threshold" : "thresholds"} for these costs. ${expects ? "All numbers are expected on new cases; intervals of the difference, 95%, hold for all models at once." : "All numbers are counted on these cases."}`,
    order: view.order,
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
    chosen_by: (r) => (r.source === "budgets" ? "limits" : r.source),
    settings: () => settings,
  };
  for (const name of results[0].graded ? ["lower", "sensitivity", "specificity", "ppv", "npv", "vacc"] : []) delete columns[name];
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
  const { window: w, classes, costs, expects, estimates, graded } = result,
    [negative, positive] = classes.map((label) => shorten(label, 30)),
    people = thousand(result);
  const answers = [
    ...ofClasses(result, [`answer ${negative}`, "negative", ["tn", "right", 0], ["fn", "wrong", costs.fn]]),
    [graded ? "answered" : `answer ${positive}`, "positive", ["fp", "wrong", costs.fp], ["tp", "right", 0]],
    [graded ? "escalated" : "abstain", "abstain", ...["Negative", "Positive"].map((y) => [`abstained${y}`, "abstained", costs.abstain])],
  ];
  const cell = ([key, kind, unit]) => {
    const { count: n, low, high } = people[key],
      share = expects ? estimates.cells[key].value : w[key],
      range = low === null ? null : el("span", { class: "range" }, ` ${count(low)} to ${count(high)}`),
      price = small(unit ? `cost ${number(share * unit)}` : "free");
    return el("td", { class: `cell ${kind}` }, value(`${expects ? "new-" : ""}rate-${key}`, share, count(n)), range, price);
  };
  const heading = (...words) => el("th", { scope: "row" }, words),
    row = ([label, kind, ...cells]) => el("tr", {}, heading(el("i", { class: `swatch ${kind}` }), label), cells.map(cell)),
    head = (label) => el("th", { scope: "col" }, `${graded ? "answer" : "truth"} ${label}`),
    total = (truth) => el("td", {}, count(sum(answers.map((one) => people[one[truth][0]].count)))),
    among = expects ? `of ${count(casesShown(result))} new ones, with its 95% range, and` : "counted here, with",
    caption = `${graded ? "Columns are grades" : "Rows are answers, columns truths"}. Each number is cases ${among} what they add to the cost per case.`,
    foot = el("tfoot", {}, el("tr", {}, heading("all"), total(2), total(3)));
  return scroller(gridTable("confusion", caption, [head(negative), head(positive)], answers.map(row), foot));
}

// An estimate with its interval as a line from 0 to `most`, for the eye; the words are beside it. An upright line
// stands at the value of all cases.
const whisker = ({ value: at, low, high }, most, whole) => {
  const x = (v) => 2 + (96 * Math.min(v, most)) / most;
  return svg(
    "svg",
    { viewBox: "0 0 100 12", width: 100, height: 12, class: "whisker", "aria-hidden": "true" },
    svg("line", { class: "grid", x1: 2, x2: 98, y1: 6, y2: 6 }),
    whole >= 0 ? svg("line", { class: "cut", x1: x(whole), x2: x(whole), y1: 0, y2: 12 }) : null,
    svg("line", { class: "whisker-line", x1: x(low), x2: x(high), y1: 6, y2: 6 }),
    svg("circle", { class: "whisker-dot", cx: x(at), cy: 6, r: 3.6 }),
  );
};

function shareColumn(groups, name, key, about, whole) {
  const most = Math.max(...groups.map((group) => group[key].high).filter((v) => v === v), 0.01);
  const show = ({ group, [key]: one }) =>
    one.value !== one.value
      ? "–"
      : [
          whisker(one, most, whole),
          el(
            "span",
            { class: "beside" },
            value(`group-${key}-${group}`, one.value, percent(one.value)),
            small(` ${percent(one.low)} to ${percent(one.high)}`),
          ),
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
  const { model, window, graded } = context.chosen,
    all = windowAt(model, null, window.lower, window.upper),
    caption = `Counted on these cases: ${shorten(model.name)} with the ${graded ? "threshold" : "thresholds"} shown above; upright lines are all cases`;
  showGroups(context, model, groupsOf(model, window.lower, window.upper), caption, (groups) => [
    { name: graded ? "right" : "positives", high: true, exact: ({ events }) => events, show: ({ events }) => count(events) },
    shareColumn(groups, "answered", "coverage", graded ? "escalate" : "abstain", all.answered),
    shareColumn(groups, "wrong among answers", "error", "wrong", all.error / all.answered),
    ...ofClasses(
      context.chosen,
      shareColumn(groups, "missed among positives", "missed", "missed", all.fn / (all.fn + all.tp + all.abstainedPositive)),
    ),
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
