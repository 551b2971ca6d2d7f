// Sliders with a number beside each: the slider for a feel, the number for the exact cost.
import { el, value } from "../charts/dom.js";
import { number } from "../core/format.js";
import { term } from "./terms.js";

const STEPS = 400;
const round = (v) => Number(v.toPrecision(3));

function pair({ id, label, about, hint, slider, box, tint }) {
  return el(
    "div",
    { class: `control ${tint ?? ""}` },
    el("label", { for: `${id}-number` }, label),
    about ? term(about) : null,
    el("div", { class: "control-row" }, slider, box),
    el("p", { class: "hint" }, hint),
  );
}

// Costs spread over powers of ten, so the slider moves along their logarithm.
export function costControl({ id, label, about, hint, tint, get, set, low = 0.01, high = 1000 }) {
  low = Math.min(low, get() || low);
  high = Math.max(high, get());
  const place = (v) => Math.round((STEPS * Math.log(Math.max(v, low) / low)) / Math.log(high / low));
  const slider = el("input", {
    type: "range",
    id: `${id}-slider`,
    min: 0,
    max: STEPS,
    step: 1,
    "aria-label": `${label}, slider`,
    "data-slider": id,
    oninput: () => set(round(low * (high / low) ** (slider.value / STEPS))),
  });
  const box = el("input", {
    type: "number",
    id: `${id}-number`,
    min: 0,
    step: "any",
    inputmode: "decimal",
    "data-input": id,
    oninput: () => {
      const value = box.value === "" ? NaN : Number(box.value),
        allowed = value < Infinity && (id === "abstain" ? value >= 0 : value > 0);
      box.setAttribute("aria-invalid", String(!allowed));
      if (allowed) set(value);
    },
  });
  const update = () => {
    slider.value = place(get());
    slider.setAttribute("aria-valuetext", number(get()));
    if (document.activeElement !== box) {
      box.value = get();
      box.removeAttribute("aria-invalid");
    }
  };
  update();
  return { node: pair({ id, label, about, hint, slider, box, tint }), update };
}

// A share, with a way back to what the sample says.
export function shareControl({ id, label, about, get, set, sample }) {
  const slider = el("input", {
    type: "range",
    id: `${id}-slider`,
    min: 0.001,
    max: 0.999,
    step: 0.001,
    "aria-label": `${label}, slider`,
    "data-slider": id,
    oninput: () => set(Number(slider.value)),
  });
  const box = el("input", {
    type: "number",
    id: `${id}-number`,
    min: 0,
    max: 100,
    step: "any",
    inputmode: "decimal",
    "data-input": id,
    oninput: () => {
      const value = Number(box.value) / 100,
        allowed = box.value !== "" && value > 0 && value < 1;
      box.setAttribute("aria-invalid", String(!allowed));
      if (allowed) set(value);
    },
  });
  const back = el("button", {
    type: "button",
    class: "link",
    "data-action": "sample-prior",
    onclick: () => set(null),
  });
  const update = () => {
    const now = get() ?? sample();
    slider.value = now;
    slider.setAttribute("aria-valuetext", `${number(100 * now)} percent`);
    if (document.activeElement !== box) box.value = Number((100 * now).toPrecision(4));
    back.disabled = get() === null;
    back.textContent =
      get() === null
        ? "percent, as in the sample"
        : `percent; back to the sample’s ${number(100 * sample())}%`;
  };
  update();
  return { node: pair({ id, label, about, hint: back, slider, box }), update };
}

// Tables whose columns sort when their headings are pressed.

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
  return el("div", { class: "scroll" }, table, foot);
}
