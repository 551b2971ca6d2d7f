// Tables about prediction sets: the models side by side, and one of them class by class.
import { el, scroller, value } from "../charts/dom.js";
import { sign } from "../charts/lines.js";
import { wilson } from "../core/distributions.js";
import { alike, count, number, percent, percentAlike, shorten, sumOf } from "../core/format.js";
import { againstBest } from "./binary_tables.js";
import { isPriced } from "./sets_rules.js";
import { numberColumn, sortableTable } from "./sortable.js";

export function setTable({ problem, app, view, results, chosen, select, told }) {
  const column = (name, key, exact, write, about) =>
    numberColumn(results, { name, about, exact, write, high: true, key: (r) => `${key}-${r.index}` });
  const priced = isPriced(view.rule),
    known = results.flatMap(({ cost }) => (cost ? [cost] : [])),
    price = alike(known.flatMap(({ value: at, low, high }) => [at, low, high]), 3, known);
  const costs = {
    name: "cost per case",
    about: "tablecost",
    exact: ({ cost }) => cost?.value ?? NaN,
    show: ({ cost, index }) =>
      cost
        ? [
            value(`cost-${index}`, cost.value, price(cost.value)),
            el("small", {}, ` ${price(cost.low)}–${price(cost.high)}`),
          ]
        : "–",
  };
  const worth = results.map((one) => one.utility),
    utility = alike(worth.flatMap(({ mean, low, high }) => [mean, low, high]), 3, worth);
  const columns = [
    {
      name: "model",
      text: true,
      exact: (r) => r.model.name,
      show: (r) => {
        return el(
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
        );
      },
    },
    ...(priced ? [costs] : []),
    {
      name: `utility at k = ${number(app.k)}`,
      about: "utility",
      high: true,
      exact: (r) => r.utility.mean,
      show: (r) => [
        value(`utility-${r.index}`, r.utility.mean, utility(r.utility.mean)),
        el("small", {}, ` ${utility(r.utility.low)}–${utility(r.utility.high)}`),
      ],
    },
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
  const made = problem.models.some(({ utility: by }) => by);
  const kinds = `${problem.classes.length} classes, ${results.length} ${results.length === 1 ? "kind" : "kinds"} of answers.`,
    gaps = known.length < results.length ? " It is left open (–) where answers are not known one by one." : "",
    caption = priced ? `${kinds} The cost per case is by the table of costs, with a 95% interval.${gaps}` : kinds;
  return sortableTable(columns, results, {
    caption: made
      ? `${caption} “u65 sets” and “u80 sets” are the sets of greatest expected utility u65 (k = 0.65) or u80 (k = 0.8) by the model’s probabilities; the model’s bare name answers with its likeliest class.`
      : caption,
    order: priced ? view.costOrder : view.order,
    onRow: (r) => select(r.index),
    rowClass: (r) => (r === chosen ? "chosen" : null),
    most: 12,
  });
}

export function classTable({ problem, app, view, chosen }) {
  const rows = chosen.model.by_class.map((sums, c) => ({ c, sums })).filter(({ sums }) => sums[0] > 0);
  const column = (name, key, exact, write) =>
    numberColumn(rows, { name, exact, write, high: true, key: ({ c }) => `class-${key}-${c}` });
  const columns = [
    {
      name: "true class",
      text: true,
      exact: ({ c }) => problem.classes[c],
      show: ({ c }) =>
        el("span", { title: shorten(problem.classes[c], 300) }, shorten(problem.classes[c], 36)),
    },
    column(
      sumOf(chosen.model),
      "n",
      ({ sums }) => sums[0],
      () => count,
    ),
    column("single answers", "single", ({ sums }) => sums[1] / sums[0], percentAlike),
    column("right when single", "right", ({ sums }) => sums[2] / sums[1], percentAlike),
    {
      ...column("holds the truth", "contains", ({ sums }) => sums[3] / sums[0], percentAlike),
      show: ({ c, sums }) => {
        const { value: seen, low, high } = wilson(sums[3] / sums[0], (sums[0] * chosen.rows) / chosen.n);
        return [
          value(`class-contains-${c}`, seen, percent(seen)),
          el("small", {}, ` ${percent(low).replace("%", "")}–${percent(high)}`),
        ];
      },
    },
    column("mean size", "size", ({ sums }) => sums[4] / sums[0], alike),
    column("utility", "utility", ({ sums }) => (sums[5] + (4 * app.k - 2) * sums[6]) / sums[0], alike),
  ];
  return sortableTable(columns, rows, {
    caption: `Classes as answered by ${shorten(chosen.model.name)}`,
    order: view.classOrder,
    most: 10,
  });
}

// The table as a file, all numbers in full.
export function setRows(results, settings) {
  const columns = {
    model: (r) => r.model.name,
    cases: (r) => r.rows,
    ...(results.some(({ cost }) => cost) && {
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
  const read = Object.values(columns);
  return [Object.keys(columns), ...results.map((r) => read.map((of) => of(r)))];
}

export function pairTable({ problem, view, chosen }, pairs) {
  if (!pairs.length) return el("p", { class: "note" }, "No class was answered alone where another was true.");
  const label = (c) =>
    el("span", { title: shorten(problem.classes[c], 300) }, shorten(problem.classes[c], 28));
  const columns = [
    { name: "truth", text: true, exact: ({ truth }) => truth, show: ({ truth }) => label(truth) },
    { name: "told", text: true, exact: ({ told }) => told, show: ({ told }) => label(told) },
    { name: sumOf(chosen.model), high: true, exact: ({ n }) => n, show: ({ n }) => count(n) },
    { name: "of that truth", high: true, exact: ({ share }) => share, show: ({ share }) => percent(share) },
  ];
  return sortableTable(columns, pairs, {
    caption: `Single answers of ${shorten(chosen.model.name)} that were wrong, by pair of classes`,
    order: view.pairOrder,
    most: 8,
  });
}

// Which answers met which truths, sets and abstentions included.

export function setConfusion({ confusion }, classes, unit) {
  if (!confusion)
    return el(
      "p",
      { class: "note" },
      "Only whether each answer was right is known of this model, not what it was.",
    );
  const { columns, rows, counts } = confusion;
  const totals = columns.map((_, c) => counts.reduce((sum, line) => sum + line[c], 0));
  const name = (c) => (c < 0 ? `${classes.length - columns.length + 1} others` : shorten(classes[c], 24));
  const title = (row) => {
    if (row.abstain) return "abstain (all classes)";
    if (row.set?.length === 0) return "no class";
    if (row.set) return row.set.length === 1 ? shorten(classes[row.set[0]], 24) : setName(row.set, classes);
    return row.size === 1
      ? `${row.other} other classes`
      : row.other
        ? `${row.other} other sets`
        : "several classes";
  };
  const holds = (row, column) =>
    row.abstain || (row.set ? row.set.includes(column) : row.size === 1 && column >= 0 ? false : null);
  const cell = (row, r, column, c) => {
    const weight = counts[r][c],
      part = totals[c] ? weight / totals[c] : 0;
    const inside = holds(row, column);
    const td = el(
      "td",
      {
        title: `answer ${title(row)}, truth ${name(column)}: ${count(weight)} (${percent(part)} of the truth)`,
      },
      value(`matrix-${r}-${c}`, weight, weight ? (unit === "share" ? percent(part) : count(weight)) : "·"),
    );
    if (weight) {
      const colour = inside === null ? "var(--abstain)" : inside ? "var(--accent)" : "var(--positive)";
      td.style.background = `color-mix(in srgb, ${colour} ${Math.round(8 + 52 * Math.sqrt(part))}%, transparent)`;
    }
    return td;
  };
  const kind = (row, r) =>
    [
      row.set?.length === 1 || row.size === 1 ? "" : "several",
      r &&
      (rows[r - 1].set?.length === 1 || rows[r - 1].size === 1) &&
      !(row.set?.length === 1 || row.size === 1)
        ? "divide"
        : "",
    ].join(" ");
  return scroller(
    el(
      "table",
      { class: `matrix ${columns.length > 30 ? "most" : columns.length > 12 ? "many" : ""}` },
      el(
        "caption",
        {},
        "Rows are answers, columns truths. Green: the answer holds the truth. Orange: it does not. Stronger: a larger share of that truth.",
      ),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          columns.map((c) =>
            el("th", { scope: "col", title: c < 0 ? null : shorten(classes[c], 200) }, name(c)),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row, r) =>
          el(
            "tr",
            { class: kind(row, r) },
            el("th", { scope: "row", title: shorten(title(row), 300) }, title(row)),
            columns.map((column, c) => cell(row, r, column, c)),
          ),
        ),
      ),
    ),
  );
}

export function setName(set, classes) {
  const most = 4,
    shown = set
      .slice(0, most)
      .map((c) => shorten(classes[c], 16))
      .join(", ");
  return set.length > most ? `${shown} + ${set.length - most}` : shown;
}
