// How files are read: word lists and refusals that Python wrote into the page (cautious._messages.page_rules),
// so that a file dropped here is read, or refused, as everywhere else and in the same words.

let RULES = null;

export const useRules = (rules) => { RULES = rules; };
export const words = (key) => RULES.words[key];
export const rounding = (key) => RULES.rounding[key];
export const otherFiles = () => RULES.other_files;
export const limit = (key) => RULES.limits[key];

// What a reader of the file can mend, said in the words of the library.
export class Refusal extends Error {
  constructor(key, text, values = {}) {
    super(text);
    this.key = key;
    this.values = values;
  }

  at(place) {
    return new Refusal(this.key, `${place}: ${this.message}`, this.values);
  }
}

// Characters that would break a line or move the cursor, and halves of surrogate pairs.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/gu;

export function quoted(value, most = 40) {
  const characters = Array.from(String(value).slice(0, 2 * most + 2));
  const shown = characters.length <= most ? String(value) : `${characters.slice(0, most).join("")}…`;
  const code = (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `'${shown.replace(UNPRINTABLE, code)}'`;
}

export function listed(values, most = 10) {
  const shown = Array.from(values.slice(0, most), (value) => quoted(value)).join(", ");
  return values.length > most ? `${shown}, … ${thousands(values.length)} in all` : shown;
}

// Spaces as Python knows them: to JavaScript a byte order mark is one, and some separators are none.
export const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACES = new RegExp(`[${SPACE}]+`, "gu"),
  ENDS = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "gu");

export const withoutSpaces = (text) => text.replace(SPACES, "");

export function strip(text) {
  const isPlain = (code) => code > 0x20 && code < 0x7f;
  const last = text.length - 1;
  return isPlain(text.charCodeAt(0)) && isPlain(text.charCodeAt(last)) ? text : text.replace(ENDS, "");
}

// Characters, not halves of surrogate pairs; counted only where that matters.
export const isLonger = (text, most) => text.length > most && Array.from(text).length > most;

export const thousands = (n) => n.toLocaleString("en-US");

// One pass: what a user wrote is inert, whatever braces it holds.
function filled(template, values) {
  const argument = (name) => RULES.arguments[name] ?? name.replaceAll("_", " ");
  return template.replace(/\{(={0,2})(\w+)(?: (\w+))?\}/g, (_, mark, name, value) => {
    if (!mark) return String(values[name]);
    const word = argument(mark === "==" ? values[name] : name);
    return value === undefined ? word : `${word} ${quoted(values[value] ?? value)}`;
  });
}

// `near`: [label, known labels], `twins`: labels, `heading`: names of columns; each may end in a hint. `beyond` names
// a limit that is broken.
export function refusal(key, { place = "", hints = [], near, twins: labels, heading, beyond, ...values } = {}) {
  if (beyond) values.most = thousands(limit(beyond));
  const [pair] = twins(labels ?? []),
    more = [
      ...hints,
      near ? nearHint(...near) : null,
      pair ? hint("twins", { one: quoted(pair[0]), other: quoted(pair[1]) }) : null,
      heading && lacksHeading(heading) ? hint("heading") : null,
    ];
  const text = [filled(RULES.refusals[key], values), ...more.filter(Boolean)].join(" ");
  return new Refusal(key, place ? `${place}: ${text}` : text, values);
}

export const hint = (key, values = {}) => filled(RULES.hints[key], values);

export const note = (key, values) => filled(RULES.notes[key], values);

// What is left of a label without spaces, case and Unicode forms.
const bare = (label) =>
  withoutSpaces(label.normalize("NFKC")).toUpperCase().toLowerCase().replaceAll("ς", "σ");

function nearHint(label, known) {
  const text = label.slice(0, 100),
    others = known.slice(0, 1000).map((one) => one.slice(0, 100)),
    found = others.find((one) => bare(one) === bare(text)) ?? closest(text, others);
  return found === undefined ? null : hint("did you mean", { near: quoted(found) });
}

export function twins(labels) {
  const first = new Map(), pairs = [];
  for (const label of labels) {
    const key = bare(label);
    if (!first.has(key)) first.set(key, label);
    else if (first.get(key) !== label) pairs.push([first.get(key), label]);
  }
  return pairs;
}

// A column called by a number is no name.
function lacksHeading(names) {
  const number = (name) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(name),
    called = names.slice(0, 100).map((name) => name.slice(0, 40));
  return called.every(number) || called.some((name) => number(name) && name.includes("."));
}

// The most similar text by the share of characters in matching blocks, if six in ten are (difflib).
function closest(text, others) {
  let best, most = 0.6;
  for (const other of others) {
    const [a, b] = [Array.from(other), Array.from(text)];
    const share = a.length + b.length ? (2 * matching(a, b)) / (a.length + b.length) : 1;
    if (share > most || (share === most && (best === undefined || other > best))) [best, most] = [other, share];
  }
  return best;
}

// Characters in the longest block that two texts share, and in those before and after it.
function matching(a, b) {
  if (!a.length || !b.length) return 0;
  let size = 0, i = 0, j = 0, ends = new Uint16Array(b.length + 1);
  for (let p = 0; p < a.length; p++) {
    const next = new Uint16Array(b.length + 1);
    for (let q = 0; q < b.length; q++) {
      if (a[p] !== b[q]) continue;
      const length = (next[q + 1] = ends[q] + 1);
      if (length > size) [size, i, j] = [length, p + 1 - length, q + 1 - length];
    }
    ends = next;
  }
  if (!size) return 0;
  return size + matching(a.slice(0, i), b.slice(0, j)) + matching(a.slice(i + size), b.slice(j + size));
}
