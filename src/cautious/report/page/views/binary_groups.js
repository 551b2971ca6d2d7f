// The same thresholds in each group: is one of them answered less, or wronged more?
import { el, svg, value } from "../charts/dom.js";
import { count, percent, shorten, unitOf } from "../core/format.js";
import { groupsOf } from "../core/curves.js";
import { sortableTable } from "./sortable.js";

// An estimate with its interval as a line from 0 to `most`, for the eye; the words are beside it.
const whisker = ({ value: at, low, high }, most) => {
  const x = (v) => 2 + (96 * Math.min(v, most)) / most;
  return at !== at
    ? null
    : svg(
        "svg",
        { viewBox: "0 0 100 12", width: 100, height: 12, class: "whisker", "aria-hidden": "true" },
        svg("line", { class: "grid", x1: 2, x2: 98, y1: 6, y2: 6 }),
        svg("line", { class: "whisker-line", x1: x(low), x2: x(high), y1: 6, y2: 6 }),
        svg("circle", { class: "whisker-dot", cx: x(at), cy: 6, r: 3.6 }),
      );
};

export function drawGroups({ cards, chosen, view }) {
  const groups = groupsOf(chosen.model, chosen.window.lower, chosen.window.upper);
  if (!groups) return cards.groups.show(el("p", { class: "note" }, "Of this model no groups are known."));
  const column = (name, key, about) => {
    const most = Math.max(...groups.map((group) => group[key].high).filter((v) => v === v), 0.01);
    return {
      name,
      about,
      high: true,
      exact: (group) => group[key].value,
      show: (group) => {
        const each = group[key];
        return each.value !== each.value
          ? "–"
          : [
              whisker(each, most),
              " ",
              value(`group-${key}-${group.group}`, each.value, percent(each.value)),
              el("small", {}, ` ${percent(each.low)} to ${percent(each.high)}`),
            ];
      },
    };
  };
  const columns = [
    {
      name: "group",
      text: true,
      exact: ({ group }) => group,
      show: ({ group }) => shorten(group, 36),
    },
    { name: unitOf(chosen.model), high: true, exact: ({ n }) => n, show: ({ n }) => count(n) },
    { name: "positives", high: true, exact: ({ events }) => events, show: ({ events }) => count(events) },
    column("answered", "coverage", "abstain"),
    column("wrong among answers", "error", "wrong"),
    column("missed among positives", "missed", "missed"),
  ];
  cards.groups.show(
    sortableTable(columns, groups, {
      caption: `${shorten(chosen.model.name)} with the thresholds shown above, in each group; 95% intervals`,
      order: (view.groupOrder ??= { by: 1, down: true }),
      most: 12,
    }),
  );
}
