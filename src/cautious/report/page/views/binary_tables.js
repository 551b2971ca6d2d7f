// Tables about two classes: the models side by side, and what happens under one window.
import { modelColour } from "../charts/colours.js";
import { el, value } from "../charts/dom.js";
import { alike, number, percentAlike, shorten } from "../core/format.js";
import { numberColumn, sortableTable } from "./widgets.js";

export function modelTable({ problem, view, results, chosen, select }) {
  const column = (name, key, exact, write, about) =>
    numberColumn(results, { name, about, exact, write, key: (r) => `${key}-${r.index}` });
  const cost = alike(results.map(({ window }) => window.cost)),
    ends = alike(
      results.flatMap(({ interval }) => [interval.low, interval.high]),
      2,
    ),
    score = alike(results.flatMap(({ window }) => [window.lower, window.upper]));
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
          el("span", { class: "key" }, swatch(r.index)),
          shorten(r.model.name, 48),
        ),
    },
    {
      name: "cost",
      about: "interval",
      exact: (r) => r.window.cost,
      show: (r) => [
        value(`cost-${r.index}`, r.window.cost, cost(r.window.cost)),
        el("small", {}, ` ${ends(r.interval.low)}–${ends(r.interval.high)}`),
      ],
    },
    column("if forced", "forced", (r) => r.forced, alike, "forced"),
    {
      name: "window",
      about: "window",
      exact: (r) => r.window.lower,
      show: (r) => [
        value(`lower-${r.index}`, r.window.lower, score(r.window.lower)),
        " … ",
        value(`upper-${r.index}`, r.window.upper, score(r.window.upper)),
      ],
    },
    column("abstains", "abstention", (r) => r.window.abstention, percentAlike, "abstain"),
    column("missed", "fn", (r) => r.window.fn, percentAlike, "fn"),
    column("false", "fp", (r) => r.window.fp, percentAlike, "fp"),
    column("wrong among answers", "selective", (r) => r.window.error / r.window.answered, percentAlike, "wrong"),
    column("VACC", "vacc", (r) => r.vacc, alike, "vacc"),
    column("AURC", "aurc", (r) => r.model.risk?.aurc ?? NaN, alike, "aurc"),
  ];
  return sortableTable(columns, results, {
    caption: `Each model with its own best window for these costs, ${problem.models.length} models`,
    order: view.order,
    onRow: (r) => select(r.index),
    rowClass: (r) => (r === chosen ? "chosen" : null),
    most: 12,
  });
}

export function swatch(index) {
  const mark = el("i", { class: "swatch" });
  mark.style.background = modelColour(index);
  return mark;
}

export function confusionTable({ window: w, classes: [negative, positive], costs, surface }) {
  const cell = (key, share, unit, kind) =>
    el(
      "td",
      { class: `cell ${kind}` },
      value(`rate-${key}`, share, number(1000 * share)),
      el("small", {}, unit ? `cost ${number(share * unit)}` : "free"),
    );
  const row = (label, kind, ...cells) =>
    el("tr", {}, el("th", { scope: "row" }, el("i", { class: `swatch ${kind}` }), label), cells);
  const table = el(
    "table",
    { class: "confusion" },
    el(
      "caption",
      {},
      "Rows are answers, columns truths; each number is cases in a thousand, with what they add to the cost per case.",
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
        cell("tn", w.tn, 0, "right"),
        cell("fn", w.fn, costs.fn, "wrong"),
      ),
      row(
        `answer ${shorten(positive, 30)}`,
        "positive",
        cell("fp", w.fp, costs.fp, "wrong"),
        cell("tp", w.tp, 0, "right"),
      ),
      row(
        "abstain",
        "abstain",
        cell("abstain-n", w.abstainedNegative, costs.abstain, "abstained"),
        cell("abstain-p", w.abstainedPositive, costs.abstain, "abstained"),
      ),
    ),
    el(
      "tfoot",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "row" }, "all"),
        el("td", {}, number(1000 * surface.negatives)),
        el("td", {}, number(1000 * surface.positives)),
      ),
    ),
  );
  return el("div", { class: "scroll" }, table);
}
