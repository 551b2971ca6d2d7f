// The first screen, as it is for two classes and for many: what to do, in words; a thousand cases; a few numbers.
import { block, choice, el, paragraph, strong, value } from "../charts/dom.js";
import { count, shorten, unitOf } from "../core/format.js";
import { sum } from "../core/surface.js";
import { term } from "./terms.js";

export const named = (label) => el("em", {}, shorten(label));

// `offered` are models of the problem, `first` says which one is shown where none is selected.
export function showAdvice({ cards, problem, view, select }, { words, people, tiles, offered, first }) {
  const own = (model) => String(problem.models.indexOf(model)),
    options = [["auto", first], ...offered.map((model) => [own(model), shorten(model.name, 40)])],
    chosen = offered.includes(problem.models[view.selected]) ? String(view.selected) : "auto",
    onChoose = (key) => select(key === "auto" ? null : Number(key)),
    chooser = choice("show", options, chosen, onChoose, { "data-action": "select-model" });
  const figures = block("figures", tiles, offered.length > 1 ? chooser : null);
  cards.advice.show(block("advice", block("words", words), people, figures));
}

export const banner = (key, ...words) => el("p", { class: "banner", "data-key": key }, words);

// How many cases all this rests on, and rows that were given but could not be used.
export const evidence = ({ model }, n, about, ...more) =>
  paragraph("evidence", "Measured on ", value("cases-n", n, count(n)), ` ${unitOf(model, n)}`, about, leftOut(model), more);

const leftOut = ({ left_out: parts, unscored, stairs }) => [
  stairs ? `Held as counts at ${count(stairs.positives.length)} steps of the score: cautious tune, which looks at every case, may differ a little. ` : "",
  unscored ? `Without a confidence are ${count(unscored)} of them; they are escalated. ` : "",
  parts?.length ? `Left out: ${parts.map(({ count: n, reason }) => `${count(n)} rows that ${reason}`).join(", ")}. ` : "",
];

export function rivalWords(rivals) {
  const short = rivals.map(({ model }) => shorten(model.name, 30)),
    names = short.some((name) => name.includes(",")) ? short.map((name) => `“${name}”`) : short,
    rest = names.length > 2 ? ` and ${names.length - 2} more` : "";
  return names.length
    ? `, but cannot be told apart from ${names.slice(0, 2).join(rest ? ", " : " and ")}${rest}`
    : "";
}

// Costs and utilities found on different cases are not quite comparable. `countsOf` gives for a
// model the cases of each class.
export function casesAdvice({ models }, countsOf) {
  const counts = models.map(countsOf),
    close = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(a, b);
  if (counts.every((each) => each.every((n, c) => close(n, counts[0][c])))) return null;
  const some = models.slice(0, 4).map(({ name }, i) => `${shorten(name, 30)} on ${count(sum(counts[i]))}`);
  return el(
    "p",
    { class: "warning", "data-key": "cases" },
    `The models were not judged on the same cases: ${some.join(", ")}${models.length > 4 ? ", …" : ""}. `,
    "A difference between them may come from the cases.",
  );
}

export const tile = (about, label, ...shown) =>
  block("tile", block("tile-label", term(about, label)), block("tile-value", shown));

export const aboutSo = ({ count: n, low, high }) => [
  strong(count(n)),
  low === null ? "" : ` (${count(low)} to ${count(high)})`,
];
