// Which answers met which truths, sets and silence included.
import { el, value } from "./dom.js";
import { count, percent, shorten } from "./format.js";

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
    if (row.quiet) return "keep quiet (all classes)";
    if (row.set) return row.set.length === 1 ? shorten(classes[row.set[0]], 24) : setName(row.set, classes);
    return row.size === 1
      ? `${row.other} other classes`
      : row.other
        ? `${row.other} other sets`
        : "several classes";
  };
  const holds = (row, column) =>
    row.quiet || (row.set ? row.set.includes(column) : row.size === 1 && column >= 0 ? false : null);
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
      const colour = inside === null ? "var(--quiet)" : inside ? "var(--accent)" : "var(--positive)";
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
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "matrix" },
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
