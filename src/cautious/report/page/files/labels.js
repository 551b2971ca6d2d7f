// Labels of classes: matched with names, in order, and which one is positive (cautious._labels).
import { listed, note, quoted, refusal, strip, thousands, twins, words } from "./rules.js";

const valueOf = (text) => (/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : NaN);

// Numbers by their value, then the others by their characters.
export function sortedLabels(labels) {
  return [...new Set(labels)].sort((a, b) => {
    const [p, q] = [valueOf(a), valueOf(b)];
    return (p !== p) - (q !== q) || (p === p && p - q) || byCharacters(a, b);
  });
}

// Halves of surrogate pairs would come before characters that they come after as a pair.
function byCharacters(a, b) {
  const [p, q] = [Array.from(a), Array.from(b)],
    at = p.findIndex((character, i) => character !== q[i]);
  return at < 0 || at >= q.length ? p.length - q.length : p[at].codePointAt() - q[at].codePointAt();
}

const WHOLE = /^[+-]?\d+\.0*$/;
const withoutPoint = (label) => (WHOLE.test(label) ? label.split(".")[0] : label);

// A column of labels all like 0.0 and 1.0 holds whole numbers.
export const wholeLabels = (labels) =>
  labels.every((label) => WHOLE.test(label)) ? labels.map(withoutPoint) : labels;

// Classes as columns name them: whole numbers without their point, if that keeps them apart.
export function namedClasses(columns) {
  const names = columns.map(({ label }) => label),
    whole = names.map(withoutPoint);
  return new Set(whole).size === names.length ? whole : names;
}

// False or true, where a name may mean that in a typed file; text does not.
export function truthValue(name) {
  const plain = strip(withoutPoint(name)).toLowerCase();
  return ["0", "false"].includes(plain) ? "False" : ["1", "true"].includes(plain) ? "True" : null;
}

// Positions of the labels that names mean, -1 where there is none: the same text, or the same whole
// number with or without its point.
export function matchLabels(names, labels) {
  const exact = new Map(), loose = new Map();
  labels.forEach((label, at) => {
    if (!exact.has(label)) exact.set(label, at);
    if (!loose.has(withoutPoint(label))) loose.set(withoutPoint(label), at);
  });
  return names.map((name) => exact.get(name) ?? loose.get(withoutPoint(name)) ?? -1);
}

// The negative and the positive class among the labels that occur; never guessed by the alphabet.
export function binaryClasses(labels, positive) {
  const ordered = sortedLabels(labels), classes = listed(ordered);
  if (positive !== undefined) {
    const [at] = matchLabels([positive], labels), given = quoted(positive);
    if (at < 0) throw refusal("positive unknown", { given, classes, near: [positive, labels], labels: ordered });
    const rest = labels.filter((label) => label !== labels[at]);
    return [rest.length === 1 ? rest[0] : `not ${labels[at]}`, labels[at]];
  }
  const said = { classes, twins: ordered, labels: ordered };
  if (labels.length > 2) throw refusal("many classes", { count: labels.length, ...said });
  const plain = labels.map((label) => strip(label).toLowerCase());
  const pair = words("plain_pairs").find((known) => plain.every((label) => known.includes(label)));
  if (pair && new Set(plain).size === labels.length) {
    return pair.map((word) => labels[plain.indexOf(word)] ?? word);
  }
  if (labels.length === 1) throw refusal("one class", { label: quoted(labels[0]) });
  throw refusal("positive not said", { first: ordered[0], second: ordered[1], ...said });
}

// Which labels are taken together as "the rest" of a pair of classes, are hardly labels, or look like
// one. `truth` has the codes and values of the truths.
export function labelNotes(labels, pair, truth) {
  const given = sortedLabels(labels), notes = [];
  if (pair && pair[0] === `not ${pair[1]}` && !given.includes(pair[0])) {
    const rest = given.filter((label) => matchLabels([label], [pair[1]])[0] < 0),
      facts = { rest: quoted(pair[0]), positive: quoted(pair[1]) };
    if (rest.length > 1) {
      notes.push(note("rest", { labels: listed(rest), ...facts }));
      const odd = rest.filter((label) => words("no_truth").includes(strip(label).toLowerCase())),
        count = truth.codes.reduce((n, code) => n + odd.includes(truth.values[code]), 0),
        rows = count ? ` (${thousands(count)} ${count === 1 ? "row" : "rows"})` : "";
      if (odd.length) notes.push(note("no truth", { labels: listed(odd), rows, rest: facts.rest }));
    }
  }
  const [twin] = twins(given);
  if (twin) notes.push(note("twins", { one: quoted(twin[0]), other: quoted(twin[1]) }));
  return notes;
}
