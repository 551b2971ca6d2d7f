// Tables about prediction sets: the models side by side, and one of them class by class.
import { modelColour } from "./colours.js";
import { el, value } from "./dom.js";
import { count, number, percent, shorten } from "./format.js";
import { sortableTable } from "./tables.js";

export function setTable({ problem, app, view, results, chosen, select }) {
  const column = (name, key, exact, shown, about) => ({
    name,
    about,
    exact,
    high: true,
    show: (r) => value(`${key}-${r.index}`, exact(r), shown(exact(r))),
  });
  const columns = [
    {
      name: "model",
      text: true,
      exact: (r) => r.model.name,
      show: (r) => {
        const mark = el("i", { class: "swatch" });
        mark.style.background = modelColour(r.index);
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
          mark,
          shorten(r.model.name, 48),
        );
      },
    },
    {
      name: `utility at k = ${number(app.k)}`,
      about: "utility",
      high: true,
      exact: (r) => r.utility.mean,
      show: (r) => [
        value(`utility-${r.index}`, r.utility.mean, number(r.utility.mean)),
        el("small", {}, ` ${number(r.utility.low)}–${number(r.utility.high)}`),
      ],
    },
    column("single answers", "determinacy", (r) => r.determinacy, percent, "determinacy"),
    column("right when single", "single", (r) => r.singleAccuracy, percent, "single"),
    column("right when several", "set", (r) => r.setAccuracy, percent, "setaccuracy"),
    column("holds the truth", "containment", (r) => r.containment, percent, "containment"),
    column("mean size", "size", (r) => r.meanSize, number, "size"),
    column("AURC", "aurc", (r) => r.model.risk?.aurc ?? NaN, number, "aurc"),
  ];
  return sortableTable(columns, results, {
    caption: `${problem.classes.length} classes, ${problem.models.length} kinds of answers`,
    order: view.order,
    onRow: (r) => select(r.index),
    rowClass: (r) => (r === chosen ? "chosen" : null),
    most: 12,
  });
}

export function classTable({ problem, app, view, chosen }) {
  const rows = chosen.model.by_class.map((sums, c) => ({ c, sums })).filter(({ sums }) => sums[0] > 0);
  const column = (name, key, exact, shown, about) => ({
    name,
    about,
    exact,
    high: true,
    show: (row) => value(`class-${key}-${row.c}`, exact(row), shown(exact(row))),
  });
  const columns = [
    {
      name: "true class",
      text: true,
      exact: ({ c }) => problem.classes[c],
      show: ({ c }) =>
        el("span", { title: shorten(problem.classes[c], 300) }, shorten(problem.classes[c], 36)),
    },
    column("cases", "n", ({ sums }) => sums[0], count),
    column("single answers", "single", ({ sums }) => sums[1] / sums[0], percent),
    column("right when single", "right", ({ sums }) => sums[2] / sums[1], percent),
    column("holds the truth", "contains", ({ sums }) => sums[3] / sums[0], percent),
    column("mean size", "size", ({ sums }) => sums[4] / sums[0], number),
    column("utility", "utility", ({ sums }) => (sums[5] + (4 * app.k - 2) * sums[6]) / sums[0], number),
  ];
  return sortableTable(columns, rows, {
    caption: `Classes as answered by ${shorten(chosen.model.name)}`,
    order: view.classOrder,
    most: 10,
  });
}
