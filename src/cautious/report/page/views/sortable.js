// Tables whose columns sort when their headings are pressed.
import { block, button, el, scroller, small, value } from "../charts/dom.js";
import { sign } from "../charts/lines.js";
import { alike, shorten } from "../core/format.js";
import { term } from "./terms.js";

// A column of numbers, written alike; `write` makes a format of the numbers of all rows.
export function numberColumn(rows, { name, about, exact, key, write, high }) {
  const format = write(rows.map(exact)),
    show = (row) => value(key(row), exact(row), format(exact(row)));
  return { name, about, exact, high, show };
}

// A column of estimates {value, low, high}, none of which looks like a point; `unknown` where there is none.
export function estimateColumn(rows, { of, key, digits, unknown = "–", ...column }) {
  const known = rows.map(of).filter(Boolean),
    write = alike(known.flatMap((one) => digits(one)), 3, known);
  const show = (row) => {
    const one = of(row);
    if (!one) return unknown;
    return [value(`${key}-${row.index}`, one.value, write(one.value)), small(` ${write(one.low)}–${write(one.high)}`)];
  };
  return { exact: (row) => of(row)?.value ?? NaN, show, ...column };
}

export const modelColumn = (chosen, select) => ({
  name: "model",
  text: true,
  exact: (r) => r.model.name,
  show: (r) => {
    const onclick = (event) => {
      event.stopPropagation();
      select(r.index);
    };
    const pressed = String(r === chosen);
    return button({ class: "row-name", "aria-pressed": pressed, onclick }, sign(r.index), shorten(r.model.name, 48));
  },
});

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
    write = alike(known.flatMap(({ mean, low, high }) => [mean, low, high]), 2, known);
  const show = (r) => {
    const found = of(r);
    if (!found) return "–";
    const unsure = found.distinct ? [] : [el("br"), "cannot be told apart"];
    return [
      value(`more-${r.index}`, found.mean, write(found.mean)),
      small(` ${write(found.low)} to ${write(found.high)}`, unsure),
    ];
  };
  return { ...column, exact: (r) => of(r)?.mean ?? 0, show };
}

// `columns` are {name, about, exact: row => number|text, show: row => node, text}.
export function sortableTable(columns, rows, { caption, order, onRow, rowClass, most = Infinity }) {
  let all = false;
  const body = el("tbody"),
    head = el("tr"),
    foot = block("more"),
    isLast = (v) => (v !== v || v === null ? 1 : 0);
  const sortBy = (c) => {
    order.down = c === order.by ? !order.down : Boolean(columns[c].high);
    order.by = c;
    draw();
    head.querySelectorAll(".sort")[c].focus();
  };
  const showAll = () => {
    all = !all;
    draw();
  };
  const draw = () => {
    const { by, down } = order, key = columns[by].exact;
    const sorted = [...rows].sort((a, b) => {
      const [p, q] = [key(a), key(b)];
      return isLast(p) - isLast(q) || (p < q ? -1 : p > q ? 1 : 0) * (down ? -1 : 1);
    });
    head.replaceChildren(
      ...columns.map(({ name, text, about }, c) =>
        el(
          "th",
          { scope: "col", class: text ? "text" : null, "aria-sort": c === by ? (down ? "descending" : "ascending") : null },
          button({ class: "sort", onclick: () => sortBy(c) }, name),
          about ? term(about) : null,
        ),
      ),
    );
    const cell = (row) => ({ text, show }, c) =>
      el(c ? "td" : "th", { scope: c ? null : "row", class: text ? "text" : null }, show(row));
    const line = (row) => {
      const onclick = onRow ? () => onRow(row) : null;
      return el("tr", { class: rowClass?.(row), onclick }, columns.map(cell(row)));
    };
    body.replaceChildren(...sorted.slice(0, all ? undefined : most).map(line));
    const words = all ? `Show the first ${most} only` : `Show all ${rows.length}`;
    foot.replaceChildren(...(rows.length > most ? [button({ onclick: showAll }, words)] : []));
  };
  draw();
  return scroller(el("table", { class: "data" }, el("caption", {}, caption), el("thead", {}, head), body), foot);
}

// Models in rows, one of which is chosen by a press.
export const tableOfModels = (columns, results, { chosen, select, ...rest }) =>
  sortableTable(columns, results, {
    onRow: (r) => select(r.index),
    rowClass: (r) => (r === chosen ? "chosen" : null),
    most: 12,
    ...rest,
  });

export const csvRows = (columns, results) =>
  [Object.keys(columns), ...results.map((r) => Object.values(columns).map((of) => of(r)))];
