// Tables whose columns sort when their headings are pressed.
import { el, scroller, value } from "../charts/dom.js";
import { term } from "./terms.js";

// A column of numbers, written alike; `write` makes a format of the numbers of all rows.
export function numberColumn(rows, { name, about, exact, key, write, high }) {
  const format = write(rows.map(exact));
  const show = (row) => value(key(row), exact(row), format(exact(row)));
  return { name, about, exact, high, show };
}

// `columns` are {name, about, exact: row => number|text, show: row => node, text}.
export function sortableTable(columns, rows, { caption, order, onRow, rowClass, most = Infinity }) {
  let { by, down } = order,
    all = false;
  const body = el("tbody"),
    head = el("tr"),
    foot = el("div", { class: "more" });
  const table = el("table", { class: "data" }, el("caption", {}, caption), el("thead", {}, head), body);
  const draw = () => {
    Object.assign(order, { by, down });
    const key = columns[by].exact;
    const last = (v) => (v !== v || v === null ? 1 : 0);
    const sorted = [...rows].sort((a, b) => {
      const [p, q] = [key(a), key(b)];
      return last(p) - last(q) || (p < q ? -1 : p > q ? 1 : 0) * (down ? -1 : 1);
    });
    head.replaceChildren(
      ...columns.map((column, c) =>
        el(
          "th",
          {
            scope: "col",
            class: column.text ? "text" : null,
            "aria-sort": c === by ? (down ? "descending" : "ascending") : null,
          },
          el(
            "button",
            {
              type: "button",
              class: "sort",
              onclick: () => {
                down = c === by ? !down : Boolean(column.high);
                by = c;
                draw();
                head.querySelectorAll(".sort")[c].focus();
              },
            },
            column.name,
          ),
          column.about ? term(column.about) : null,
        ),
      ),
    );
    const shown = all ? sorted : sorted.slice(0, most);
    body.replaceChildren(
      ...shown.map((row) =>
        el(
          "tr",
          {
            class: rowClass?.(row),
            onclick: onRow ? () => onRow(row) : null,
          },
          columns.map((column, c) =>
            el(
              c ? "td" : "th",
              { scope: c ? null : "row", class: column.text ? "text" : null },
              column.show(row),
            ),
          ),
        ),
      ),
    );
    foot.replaceChildren(
      ...(rows.length > most
        ? [
            el(
              "button",
              {
                type: "button",
                onclick: () => {
                  all = !all;
                  draw();
                },
              },
              all ? `Show the first ${most} only` : `Show all ${rows.length}`,
            ),
          ]
        : []),
    );
  };
  draw();
  return scroller(table, foot);
}
