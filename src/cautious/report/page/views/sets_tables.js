// Tables about prediction sets: the models side by side, and one of them class by class.
import { el, gridTable, paragraph, scroller, small, value } from "../charts/dom.js";
import { wilson } from "../core/distributions.js";
import { alike, count, number, percent, percentAlike, shorten, sumOf } from "../core/format.js";
import { isPriced } from "./sets_rules.js";
import { againstBest, csvRows, estimateColumn, modelColumn, numberColumn, sortableTable, tableOfModels } from "./sortable.js";

export function setTable({ problem, app, view, results, chosen, select, told }) {
  const column = (name, key, exact, write, about) =>
    numberColumn(results, { name, about, exact, write, high: true, key: (r) => `${key}-${r.index}` });
  const digits = ({ value: at, low, high }) => [at, low, high],
    priced = isPriced(view.rule),
    utilityOf = ({ utility: { mean, low, high } }) => ({ value: mean, low, high }),
    utility = { name: `utility at k = ${number(app.k)}`, about: "utility", high: true },
    price = { name: "cost per case", about: "tablecost" };
  const columns = [
    modelColumn(chosen, select),
    ...(priced ? [estimateColumn(results, { ...price, key: "cost", of: ({ cost }) => cost, digits })] : []),
    estimateColumn(results, { ...utility, key: "utility", of: utilityOf, digits }),
    ...(priced || told.best < 0 || results.length < 2
      ? []
      : [againstBest(results, told, { way: 1, name: "below the best", about: "below" })]),
    column("single answers", "determinacy", (r) => r.determinacy, percentAlike, "determinacy"),
    column("right when single", "single", (r) => r.singleAccuracy, percentAlike, "single"),
    column("right when several", "set", (r) => r.setAccuracy, percentAlike, "setaccuracy"),
    column("holds the truth", "containment", (r) => r.containment, percentAlike, "containment"),
    column("mean size", "size", (r) => r.meanSize, alike, "size"),
    column("AURC", "aurc", (r) => r.model.risk?.aurc ?? NaN, alike, "aurc"),
  ];
  const gaps = results.every(({ cost }) => cost) ? "" : " It is left open (–) where answers are not known one by one.",
    caption = [
      `${problem.classes.length} classes, ${results.length} ${results.length === 1 ? "kind" : "kinds"} of answers.`,
      priced ? ` The cost per case is by the table of costs, with a 95% interval.${gaps}` : "",
      problem.models.some(({ utility: by }) => by)
        ? " “u65 sets” and “u80 sets” are the sets of greatest expected utility u65 (k = 0.65) or u80 (k = 0.8) by the model’s probabilities; the model’s bare name answers with its likeliest class."
        : "",
    ].join("");
  return tableOfModels(columns, results, { chosen, select, caption, order: priced ? view.costOrder : view.order });
}

const classLabel = (label, most) => el("span", { title: shorten(label, 300) }, shorten(label, most));

export function classTable({ problem: { classes }, app, view, chosen }) {
  const rows = chosen.model.by_class.map((sums, c) => ({ c, sums })).filter(({ sums }) => sums[0] > 0);
  const column = (name, key, exact, write) =>
    numberColumn(rows, { name, exact, write, high: true, key: ({ c }) => `class-${key}-${c}` });
  const holds = ({ c, sums }) => {
    const { value: seen, low, high } = wilson(sums[3] / sums[0], (sums[0] * chosen.rows) / chosen.n);
    return [
      value(`class-contains-${c}`, seen, percent(seen)),
      small(` ${percent(low).replace("%", "")}–${percent(high)}`),
    ];
  };
  const columns = [
    { name: "true class", text: true, exact: ({ c }) => classes[c], show: ({ c }) => classLabel(classes[c], 36) },
    column(sumOf(chosen.model), "n", ({ sums }) => sums[0], () => count),
    column("single answers", "single", ({ sums }) => sums[1] / sums[0], percentAlike),
    column("right when single", "right", ({ sums }) => sums[2] / sums[1], percentAlike),
    { name: "holds the truth", high: true, exact: ({ sums }) => sums[3] / sums[0], show: holds },
    column("mean size", "size", ({ sums }) => sums[4] / sums[0], alike),
    column("utility", "utility", ({ sums }) => (sums[5] + (4 * app.k - 2) * sums[6]) / sums[0], alike),
  ];
  const caption = `Classes as answered by ${shorten(chosen.model.name)}`;
  return sortableTable(columns, rows, { caption, order: view.classOrder, most: 10 });
}

export function setRows(results, settings) {
  const priced = results.some(({ cost }) => cost);
  const columns = {
    model: (r) => r.model.name,
    cases: (r) => r.rows,
    ...(priced && {
      cost_per_case: (r) => r.cost?.value,
      cost_low: (r) => r.cost?.low,
      cost_high: (r) => r.cost?.high,
    }),
    utility: (r) => r.utility.mean,
    utility_low: (r) => r.utility.low,
    utility_high: (r) => r.utility.high,
    single_answers: (r) => r.determinacy,
    right_when_single: (r) => r.singleAccuracy,
    right_when_several: (r) => r.setAccuracy,
    holds_the_truth: (r) => r.containment,
    mean_size: (r) => r.meanSize,
    aurc: (r) => r.model.risk?.aurc,
    settings: () => settings,
  };
  return csvRows(columns, results);
}

function confusedPairs({ confusion }) {
  if (!confusion) return [];
  const { columns, rows, counts } = confusion,
    totals = columns.map((_, c) => counts.reduce((total, line) => total + line[c], 0));
  const pair = (told, r) => (truth, c) => ({ truth, told, n: counts[r][c], share: counts[r][c] / totals[c] });
  return rows
    .flatMap(({ set }, r) => (set?.length === 1 ? columns.map(pair(set[0], r)) : []))
    .filter(({ truth, told, n }) => truth >= 0 && truth !== told && n)
    .sort((a, b) => b.n - a.n || a.truth - b.truth || a.told - b.told);
}

export function pairTable({ problem: { classes }, view, chosen }) {
  const pairs = confusedPairs(chosen.model),
    shown = (name) => (pair) => classLabel(classes[pair[name]], 28),
    label = (name) => ({ name, text: true, exact: (pair) => pair[name], show: shown(name) });
  if (!pairs.length) return paragraph("note", "No class was answered alone where another was true.");
  const columns = [
    label("truth"),
    label("told"),
    { name: sumOf(chosen.model), high: true, exact: ({ n }) => n, show: ({ n }) => count(n) },
    { name: "of that truth", high: true, exact: ({ share }) => share, show: ({ share }) => percent(share) },
  ];
  const caption = `Single answers of ${shorten(chosen.model.name)} that were wrong, by pair of classes`;
  return sortableTable(columns, pairs, { caption, order: view.pairOrder, most: 8 });
}

export function setConfusion({ confusion }, classes, unit) {
  if (!confusion)
    return paragraph("note", "Only whether each answer was right is known of this model, not what it was.");
  const { columns, rows, counts } = confusion,
    totals = columns.map((_, c) => counts.reduce((sum, line) => sum + line[c], 0)),
    isSingle = (row) => row?.set?.length === 1 || row?.size === 1,
    name = (c) => (c < 0 ? `${classes.length - columns.length + 1} others` : shorten(classes[c], 24));
  const title = (row) => {
    if (row.abstain) return "abstain (all classes)";
    if (row.set?.length === 0) return "no class";
    if (row.set) return row.set.length === 1 ? shorten(classes[row.set[0]], 24) : setName(row.set, classes);
    if (row.size === 1) return `${row.other} other classes`;
    return row.other ? `${row.other} other sets` : "several classes";
  };
  const holds = (row, column) =>
    row.abstain || (row.set ? row.set.includes(column) : row.size === 1 && column >= 0 ? false : null);
  const cell = (row, r, column, c) => {
    const weight = counts[r][c],
      part = totals[c] ? weight / totals[c] : 0,
      inside = holds(row, column),
      words = `answer ${title(row)}, truth ${name(column)}: ${count(weight)} (${percent(part)} of the truth)`,
      shown = weight ? (unit === "share" ? percent(part) : count(weight)) : "·",
      td = el("td", { title: words, class: inside ? "holds" : null }, value(`matrix-${r}-${c}`, weight, shown)),
      colour = inside === null ? "var(--abstain)" : inside ? "var(--accent)" : "var(--positive)";
    if (weight)
      td.style.background = `color-mix(in srgb, ${colour} ${Math.round(8 + 52 * Math.sqrt(part))}%, transparent)`;
    return td;
  };
  const kind = (row, r) =>
    `${isSingle(row) ? "" : "several"} ${isSingle(rows[r - 1]) && !isSingle(row) ? "divide" : ""}`;
  const heads = columns.map((c) =>
    el("th", { scope: "col", title: c < 0 ? null : shorten(classes[c], 200) }, name(c)),
  );
  const lines = rows.map((row, r) =>
    el(
      "tr",
      { class: kind(row, r) },
      el("th", { scope: "row", title: shorten(title(row), 300) }, title(row)),
      columns.map((column, c) => cell(row, r, column, c)),
    ),
  );
  const caption =
    "Rows are answers, columns truths. Framed: the answer holds the truth. Stronger: a larger share of that truth.";
  return scroller(gridTable(`matrix ${columns.length > 30 ? "most" : columns.length > 12 ? "many" : ""}`, caption, heads, lines));
}

function setName(set, classes) {
  const most = 4,
    shown = set.slice(0, most).map((c) => shorten(classes[c], 16)).join(", ");
  return set.length > most ? `${shown} + ${set.length - most}` : shown;
}
