// A thousand cases as marks, by what they are and what they are told. Shape says whether the answer
// is right (disc), right among others (disc with a hole), wrong (cross) or none (ring); colour says
// which answer it is. Print in grey keeps the first.
import { svg } from "./dom.js";
import { count } from "../core/format.js";
import { readStops } from "./readout.js";

export const PEOPLE = 1000;

const LINE = 17, HEAD = 20;

// `groups` are {title, parts: [{count, low, high, kind, answer, label}], stands}: a mark stands for so many of
// the counted cases.
export function peopleChart(groups, { width, about, cell = width > 480 ? 10 : 7.2 }) {
  // Words stand beside the marks where there is room for both.
  const wordsOf = ({ count: n, label, low, high }) => `${count(n)} ${label}${low === null ? "" : ` (${count(low)}–${count(high)})`}`,
    words = 40 + 7.1 * Math.max(...groups.flatMap(({ parts }) => parts.map((part) => wordsOf(part).length))),
    beside = width > 480 && words < width / 2,
    columns = Math.floor((beside ? width - words : width) / cell),
    root = svg("svg", { class: "chart people", role: "img", "aria-label": about }),
    blocks = [];
  let top = 0;
  for (const { title, parts, stands = 1 } of groups) {
    root.append(svg("text", { class: "people-title", x: 0, y: top + 13 }, title));
    const from = top + HEAD,
      marked = parts.map((part) => Math.ceil(part.count / stands)),
      total = marked.reduce((sum, n) => sum + n, 0),
      dotsHigh = Math.ceil(total / columns) * cell;
    let first = 0;
    parts.forEach((part, at) => {
      const places = Array.from({ length: marked[at] }, (_, i) => [
          ((first + i) % columns) * cell + cell / 2,
          from + Math.floor((first + i) / columns) * cell + cell / 2,
        ]),
        drawn = svg("g", {}, marks(places, part, cell));
      root.append(drawn);
      blocks.push({ from, first, title, part, drawn, marked: marked[at], at: places[places.length >> 1] });
      first += marked[at];
    });
    parts.forEach((part, i) => {
      const { count: n, label, low, high } = part,
        x = beside ? columns * cell + 16 : 0,
        y = (beside ? from : from + dotsHigh + 3) + i * LINE,
        range = low === null ? null : svg("tspan", { class: "people-range" }, ` (${count(low)}–${count(high)})`),
        number = svg("tspan", { class: "people-count" }, count(n));
      root.append(
        ...marks([[x + 5, y + 7]], part, 10),
        svg("text", { class: "people-label", x: x + 16, y: y + 11 }, number, ` ${label}`, range),
      );
    });
    const tall = parts.length * LINE;
    top = from + (beside ? Math.max(dotsHigh, tall) : dotsHigh + 3 + tall) + 10;
  }
  const height = Math.ceil(top - 8),
    read = blocks.filter(({ part }) => part.count);
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  if (read.length)
    readStops(root, { left: 0, right: width, top: 0, bottom: height }, {
      key: "people",
      stops: read.map(({ title, part, at: [x, y] }) => ({ x, y, title, lines: linesOf(part) })),
      find: (h, v) => {
        const column = Math.floor(h / cell);
        if (column < 0 || column >= columns) return -1;
        return read.findIndex(({ from, first, marked }) => {
          const place = Math.floor((v - from) / cell) * columns + column;
          return v >= from && place >= first && place < first + marked;
        });
      },
      mark: (at) => read.forEach(({ drawn }, i) => drawn.classList.toggle("dim", at >= 0 && i !== at)),
    });
  return root;
}

const linesOf = ({ count: n, label, low, high }) => [
  { text: `${count(n)} ${label}` },
  ...(low === null ? [] : [{ text: `between ${count(low)} and ${count(high)} of new cases` }]),
];

// One path for all marks of a kind: a thousand elements would be slow to move.
function marks(places, { kind, answer }, cell) {
  if (!places.length) return [];
  const size = cell * 0.74,
    arm = cell * 0.27,
    drawn = (look, width, d) => svg("path", { class: `person ${look}`, "stroke-width": width, d });
  if (kind === "wrong") {
    const across = `l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
    return [drawn(answer, cell * 0.24, places.map(([x, y]) => `M${x - arm} ${y - arm}${across}`).join(""))];
  }
  const d = places.map(([x, y]) => `M${x} ${y}h0`).join("");
  // A set keeps a small hole, an abstention is a mere ring.
  const hole = kind === "right" ? [] : [drawn("hollow", size * (kind === "set" ? 0.32 : 0.6), d)];
  return [drawn(answer, size, d), ...hole];
}
