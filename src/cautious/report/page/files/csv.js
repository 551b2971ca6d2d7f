// Reading CSV fast: one pass finds the fields, and only the columns asked for are ever converted.
// Cells are text as written (cautious.predictions.sources.delimited).
import { cellNumber } from "./numbers.js";
import { isLonger, limit, refusal, strip, thousands } from "./rules.js";

const QUOTE = 34,
  NEWLINE = 10,
  RETURN = 13;

// `checkLines` refuses lines that are too long; what is wrong with the columns is said before that.
export function parseCsv(text, checkLines = () => {}) {
  const heading = /[^\r\n]*\S[^\r\n]*/.exec(text)?.[0];
  if (heading === undefined) throw refusal("empty file");
  if (isLonger(heading, limit("heading")))
    throw refusal("long heading", { most: thousands(limit("heading")) });
  const nul = Array.from(heading).indexOf("\0"); // most likely UTF-16 without its mark
  if (nul >= 0) throw refusal("not text", { encoding: "UTF-8", offset: nul });
  const separator = [",", ";", "\t"].reduce((best, mark) =>
    heading.split(mark).length > heading.split(best).length ? mark : best,
  );
  const first = findFields(text, separator, true),
    { width } = first;
  let every = null; // what is wrong with a row is said after what is wrong with the columns
  const fields = () => {
    if (!every) checkLines();
    return (every ??= findFields(text, separator));
  };
  const rows = () => fields().starts.length / width - 1;
  return {
    names: Array.from({ length: width }, (_, c) => strip(fieldText(first, c))),
    get rows() {
      return rows();
    },
    column: (c) => csvColumn(fields(), rows(), c),
    where: (row) => `line ${lineAt(text, fields().starts[(row + 1) * width])}`,
  };
}

// Lines end with \n, \r\n or \r.
function lineAt(text, end) {
  let line = 1;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE || (code === RETURN && text.charCodeAt(at + 1) !== NEWLINE)) line++;
  }
  return line;
}

// Where every field starts and ends. Every record must have as many as the heading; blank lines are
// no records. `isHeading` stops after the first.
function findFields(text, separator, isHeading = false) {
  const mark = separator.charCodeAt(0),
    length = text.length;
  let starts = new Int32Array(1 << 16),
    ends = new Int32Array(1 << 16),
    n = 0,
    width = 0,
    first = 0; // field of the record
  for (let at = 0, open = true; open; ) {
    if (n === starts.length) [starts, ends] = [longer(starts), longer(ends)];
    starts[n] = at;
    let code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfQuotation(text, at, separator, starts[first]);
      code = text.charCodeAt(at);
    } else {
      while (code !== mark && code !== NEWLINE && code !== RETURN && at < length)
        code = text.charCodeAt(++at);
    }
    ends[n++] = at++;
    if (code === mark) continue;
    if (code === RETURN && text.charCodeAt(at) === NEWLINE) at++;
    if (n - first === 1 && !strip(fieldText({ text, starts, ends }, first))) n = first;
    else if (!width) width = n - first;
    else if (n - first !== width)
      throw refusal("row length", { line: lineAt(text, starts[first]), found: n - first, width });
    first = n;
    open = at < length && !(isHeading && width);
  }
  return { text, starts: starts.subarray(0, n), ends: ends.subarray(0, n), width };
}

function longer(places) {
  const more = new Int32Array(2 * places.length);
  more.set(places);
  return more;
}

// Two quotation marks inside stand for one.
function endOfQuotation(text, at, separator, record) {
  const refuse = (why) => refusal("quotation", { line: lineAt(text, record), why });
  const start = at + 1;
  do {
    at = text.indexOf('"', at + 1) + 1;
    if (at) continue;
    checkCell(text, start, text.length, record);
    throw refuse("unexpected end of data");
  } while (text.charCodeAt(at) === QUOTE);
  checkCell(text, start, at - 1, record);
  if (at < text.length && !`${separator}\r\n`.includes(text[at]))
    throw refuse(`'${separator}' expected after '"'`);
  return at;
}

function checkCell(text, start, end, record) {
  if (end - start <= limit("cell")) return;
  if (isLonger(text.slice(start, end).replaceAll('""', '"'), limit("cell")))
    throw refusal("long cell", { line: lineAt(text, record), most: thousands(limit("cell")) });
}

function fieldText({ text, starts, ends }, index) {
  const [start, end] = [starts[index], ends[index]];
  if (text.charCodeAt(start) !== QUOTE) return text.slice(start, end);
  return text.slice(start + 1, end - 1).replaceAll('""', '"');
}

function csvColumn(fields, rows, column) {
  const { text, starts, ends, width } = fields;
  return {
    numbers() {
      const values = new Float64Array(rows),
        odd = new Map();
      for (let row = 0, index = width + column; row < rows; row++, index += width) {
        let value = fastNumber(text, starts[index], ends[index]);
        if (value !== value) value = cellNumber(fieldText(fields, index));
        values[row] = value ?? NaN;
        if (value === undefined) odd.set(row, fieldText(fields, index));
      }
      return { values, odd };
    },
    labels() {
      const codes = new Int32Array(rows),
        values = [],
        known = new Map(),
        short = new Map();
      for (let row = 0, index = width + column; row < rows; row++, index += width) {
        const key = shortKey(text, starts[index], ends[index]);
        let code = short.get(key);
        if (code === undefined) {
          const label = fieldText(fields, index);
          code = known.get(label);
          if (code === undefined) {
            code = values.length;
            known.set(label, code);
            values.push(label);
          }
          if (key >= 0) short.set(key, code);
        }
        codes[row] = code;
      }
      return { codes, values };
    },
  };
}

// A number that tells apart fields of up to four plain characters, so that they need not be cut out;
// -1 for others.
function shortKey(text, start, end) {
  if (end - start > 4) return -1;
  let key = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return -1;
    key = key * 128 + code + 1;
  }
  return key;
}

const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

// Plain decimals whose digits fit a float exactly need one correctly rounded division; all else is
// NaN here and left to the slow way.
function fastNumber(text, at, end) {
  const negative = text.charCodeAt(at) === 45;
  let digits = 0,
    whole = 0,
    fraction = 0,
    dot = false;
  for (at += Number(negative); at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) {
      whole = whole * 10 + (code - 48);
      digits++;
      if (dot) fraction++;
    } else if (code === 46 && !dot) dot = true;
    else return NaN;
  }
  if (!digits || whole > Number.MAX_SAFE_INTEGER || fraction > 22) return NaN;
  return (negative ? -whole : whole) / POWERS[fraction];
}
