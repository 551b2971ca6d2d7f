// Reading CSV fast: one pass finds the fields, and only the columns asked for are ever converted.
import { FileProblem } from "./columns.js";

const QUOTE = 34,
  NEWLINE = 10,
  RETURN = 13;

export function parseCsv(text) {
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  if (!text.trim()) throw new FileProblem("The file is empty.");
  const firstLine = text.slice(0, (text.indexOf("\n") + 1 || text.length + 1) - 1);
  const delimiter = [",", ";", "\t"].reduce((best, d) =>
    firstLine.split(d).length > firstLine.split(best).length ? d : best,
  );
  const { starts, width } = findFields(text, delimiter.charCodeAt(0));
  const rows = starts.length / width - 1;
  const field = (row, column) => fieldText(text, starts, row * width + column);
  const names = Array.from({ length: width }, (_, c) => field(0, c).trim());
  if (rows < 1) throw new FileProblem("The file has a heading but no rows.");
  const table = { names, rows, columns: {} };
  names.forEach((name, c) => {
    table.columns[name] = csvColumn(text, starts, width, rows, c, field, delimiter.charCodeAt(0));
  });
  return table;
}

// Start of every field; a field ends one before the next starts. Every line must have as many.
function findFields(text, delimiter) {
  let starts = new Int32Array(1 << 16),
    n = 0,
    width = 0,
    rowStart = 0,
    line = 1,
    fresh = true;
  const length = text.length;
  const endLine = () => {
    if (!width) width = n;
    if (n - rowStart !== width)
      throw new FileProblem(`Line ${line} has ${n - rowStart} fields, the heading has ${width}.`);
    rowStart = n;
    line++;
    fresh = true;
  };
  for (let at = 0; at < length; at++) {
    let code = text.charCodeAt(at);
    if (n + 1 >= starts.length) {
      const more = new Int32Array(2 * starts.length);
      more.set(starts);
      starts = more;
    }
    if (fresh) {
      if (code === NEWLINE || code === RETURN) continue; // a blank line
      starts[n++] = at;
      fresh = false;
    }
    if (code === QUOTE) {
      do {
        at = text.indexOf('"', at + 1) + 1;
      } while (at && text.charCodeAt(at) === QUOTE);
      if (!at) throw new FileProblem(`Line ${line} opens a quotation that never ends.`);
      code = text.charCodeAt(at);
    }
    if (code === delimiter) starts[n++] = at + 1;
    else if (code === NEWLINE) endLine();
  }
  if (n > rowStart) endLine();
  return { starts: starts.slice(0, n), width };
}

function fieldText(text, starts, index) {
  const start = starts[index];
  let end = index + 1 < starts.length ? starts[index + 1] - 1 : text.length;
  // The next field may start after blank lines and line ends.
  while (end > start && (text.charCodeAt(end - 1) === NEWLINE || text.charCodeAt(end - 1) === RETURN)) end--;
  if (text.charCodeAt(start) !== QUOTE) return text.slice(start, end);
  return text.slice(start + 1, text.lastIndexOf('"', end - 1)).replaceAll('""', '"');
}

function csvColumn(text, starts, width, rows, column, field, delimiter) {
  return {
    numbers() {
      const values = new Float64Array(rows);
      for (let row = 0, index = width + column; row < rows; row++, index += width) {
        values[row] = fastNumber(text, starts[index], delimiter);
        if (values[row] !== values[row]) values[row] = slowNumber(field(row + 1, column));
      }
      return values;
    },
    labels() {
      const codes = new Int32Array(rows),
        values = [],
        known = new Map(),
        short = new Map();
      for (let row = 0, index = width + column; row < rows; row++, index += width) {
        const key = shortKey(text, starts[index], starts[index + 1] ?? text.length + 1);
        let code = short.get(key);
        if (code === undefined) {
          const label = field(row + 1, column);
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
// -1 for others. What ends the line counts as part of the field.
function shortKey(text, start, next) {
  const length = next - 1 - start;
  if (length > 4) return -1;
  let key = 0;
  for (let at = start; at < start + length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return -1;
    key = key * 128 + code + 1;
  }
  return key;
}

const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

// Plain decimals whose digits fit a float exactly need one correctly rounded division; all else is
// NaN here and left to the slow way.
function fastNumber(text, at, delimiter) {
  let code = text.charCodeAt(at),
    negative = false,
    digits = 0,
    whole = 0,
    fraction = 0,
    dot = false;
  if (code === 45) {
    negative = true;
    code = text.charCodeAt(++at);
  }
  for (; ; code = text.charCodeAt(++at)) {
    if (code >= 48 && code <= 57) {
      whole = whole * 10 + (code - 48);
      digits++;
      if (dot) fraction++;
    } else if (code === 46 && !dot) dot = true;
    else break;
  }
  const ends = code === delimiter || code === NEWLINE || code === RETURN || code !== code;
  if (!digits || !ends || whole > Number.MAX_SAFE_INTEGER || fraction > 22) return NaN;
  return (negative ? -whole : whole) / POWERS[fraction];
}

function slowNumber(field) {
  const text = field.trim();
  if (text === "" || /^(na|nan|null|none)$/i.test(text)) return NaN;
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  const value = Number(text);
  if (value !== value) throw new FileProblem(`“${text.slice(0, 40)}” is no number.`);
  return value;
}
