// Tables about prediction sets: the models side by side, and one of them class by class.
import { modelColour } from "./colours.js";
import { el, value } from "./dom.js";
import { alike, count, number, percentAlike, shorten } from "./format.js";
import { numberColumn, sortableTable } from "./tables.js";

export function setTable({ problem, app, view, results, chosen, select }) {
  const column = (name, key, exact, write, about) =>
    numberColumn(results, { name, about, exact, write, high: true, key: (r) => `${key}-${r.index}` });
  const utility = alike(results.flatMap(({ utility: { mean, low, high } }) => [mean, low, high]));
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
        value(`utility-${r.index}`, r.utility.mean, utility(r.utility.mean)),
        el("small", {}, ` ${utility(r.utility.low)}–${utility(r.utility.high)}`),
      ],
    },
    column("single answers", "determinacy", (r) => r.determinacy, percentAlike, "determinacy"),
    column("right when single", "single", (r) => r.singleAccuracy, percentAlike, "single"),
    column("right when several", "set", (r) => r.setAccuracy, percentAlike, "setaccuracy"),
    column("holds the truth", "containment", (r) => r.containment, percentAlike, "containment"),
    column("mean size", "size", (r) => r.meanSize, alike, "size"),
    column("AURC", "aurc", (r) => r.model.risk?.aurc ?? NaN, alike, "aurc"),
  ];
  // Named so by the library, and by analyse.js, where a model gave probabilities.
  const made = problem.models.some(({ name }) => /, u(65|80) sets$/.test(name));
  const caption = `${problem.classes.length} classes, ${problem.models.length} kinds of answers.`;
  return sortableTable(columns, results, {
    caption: made
      ? `${caption} “u65 sets” and “u80 sets” are the sets of greatest expected utility u65 (k = 0.65) or u80 (k = 0.8) by the model’s probabilities; the model’s bare name answers with its likeliest class.`
      : caption,
    order: view.order,
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
    column("cases", "n", ({ sums }) => sums[0], () => count),
    column("single answers", "single", ({ sums }) => sums[1] / sums[0], percentAlike),
    column("right when single", "right", ({ sums }) => sums[2] / sums[1], percentAlike),
    column("holds the truth", "contains", ({ sums }) => sums[3] / sums[0], percentAlike),
    column("mean size", "size", ({ sums }) => sums[4] / sums[0], alike),
    column("utility", "utility", ({ sums }) => (sums[5] + (4 * app.k - 2) * sums[6]) / sums[0], alike),
  ];
  return sortableTable(columns, rows, {
    caption: `Classes as answered by ${shorten(chosen.model.name)}`,
    order: view.classOrder,
    most: 10,
  });
}
