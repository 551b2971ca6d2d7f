// The same rule in each group: is one of them answered less, or wronged more?
import { el, svg, value } from "../charts/dom.js";
import { groupsOf } from "../core/curves.js";
import { alike, count, percent, shorten, sumOf, unitOf } from "../core/format.js";
import { GROUPS_KEPT, setGroups } from "../core/sets.js";
import { numberColumn, sortableTable } from "./sortable.js";

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

// A share with its interval, in words and as a line.
function shareColumn(groups, name, key, about) {
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
}

const sizeColumns = (model) => [
  {
    name: "group",
    text: true,
    exact: ({ group }) => group,
    show: ({ group }) => shorten(group, 36) || "(none)",
  },
  {
    name: unitOf(model),
    high: true,
    exact: ({ n }) => n,
    show: ({ group, n }) => value(`group-n-${group}`, n, count(n)),
  },
];

const groupTable = (columns, groups, { caption, view, most = "" }) =>
  sortableTable(columns, groups, {
    caption: `${caption}, in each group; 95% intervals${most}`,
    order: (view.groupOrder ??= { by: 1, down: true }),
    most: 12,
  });

const unknown = () => el("p", { class: "note" }, "Of this model no groups are known.");

export function drawGroups({ cards, chosen, view }) {
  const groups = groupsOf(chosen.model, chosen.window.lower, chosen.window.upper);
  if (!groups) return cards.groups.show(unknown());
  const columns = [
    ...sizeColumns(chosen.model),
    { name: "positives", high: true, exact: ({ events }) => events, show: ({ events }) => count(events) },
    shareColumn(groups, "answered", "coverage", "abstain"),
    shareColumn(groups, "wrong among answers", "error", "wrong"),
    shareColumn(groups, "missed among positives", "missed", "missed"),
  ];
  const caption = `${shorten(chosen.model.name)} with the thresholds shown above`;
  cards.groups.show(groupTable(columns, groups, { caption, view }));
}

export function drawSetGroups({ cards, chosen, view }) {
  const { model } = chosen,
    groups = setGroups(model);
  if (!groups) return cards.groups.show(unknown());
  const plain = (name, key, exact, write, about) =>
    numberColumn(groups, { name, about, exact, write, high: true, key: ({ group }) => `group-${key}-${group}` });
  const columns = [
    ...sizeColumns(model),
    ...(model.weighted ? [plain(sumOf(model), "weight", ({ weight }) => weight, () => count)] : []),
    shareColumn(groups, "single answers", "single", "determinacy"),
    shareColumn(groups, "wrong among these", "wrong", "wrongsingle"),
    shareColumn(groups, "holds the truth", "containment", "containment"),
    plain("mean size", "size", ({ meanSize }) => meanSize, alike, "size"),
  ];
  const most = groups.length < GROUPS_KEPT ? "" : `; at most the ${GROUPS_KEPT} largest groups`,
    caption = `Answers of ${shorten(model.name)}`;
  cards.groups.show(groupTable(columns, groups, { caption, view, most }));
}
