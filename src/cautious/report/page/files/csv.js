// Reading CSV fast: one pass over the bytes finds the fields, and only the columns asked for are ever
// converted; of labels only different ones become text. Cells are text as written
// (cautious.predictions.sources.delimited).
import { decimalAt, QUOTE } from "./decimals.js";
import { cellNumber } from "./numbers.js";
import { isLonger, limit, refusal, strip, thousands } from "./rules.js";

const NEWLINE = 10,
  RETURN = 13;
const PLACES = 1024;

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true }),
  textOf = (bytes) => DECODER.decode(bytes);

// `bytes` are UTF-8 without a mark. `checkLines` refuses lines that are too long; what is wrong with the
// columns is said before that.
export function parseCsv(bytes, checkLines = () => {}) {
  const heading = headingOf(bytes);
  if (heading === undefined) throw refusal("empty file");
  if (isLonger(heading, limit("heading")))
    throw refusal("long heading", { most: thousands(limit("heading")) });
  const nul = Array.from(heading).indexOf("\0"); // most likely UTF-16 without its mark
  if (nul >= 0) throw refusal("not text", { encoding: "UTF-8", offset: nul });
  const separator = [",", ";", "\t"].reduce((best, mark) =>
    heading.split(mark).length > heading.split(best).length ? mark : best,
  );
  const file = { bytes, separator, isEnd: new Uint8Array(256) };
  for (const code of [separator.charCodeAt(0), NEWLINE, RETURN]) file.isEnd[code] = 1;
  const first = findFields(file, true),
    { width } = first;
  if (!width) throw refusal("empty file"); // quotation marks around nothing
  let every = null; // what is wrong with a row is said after what is wrong with the columns
  const fields = () => {
    if (!every) checkLines();
    return (every ??= findFields(file));
  };
  const rows = () => fields().starts.length / width - 1;
  return {
    names: Array.from(first.starts, (start) => strip(fieldText(file, start))),
    get rows() {
      return rows();
    },
    column: (c) => csvColumn(fields(), rows(), c),
    where: (row) => `line ${lineAt(bytes, fields().starts[(row + 1) * width])}`,
  };
}

// The first line that is not blank.
function headingOf(bytes) {
  for (let start = 0; start < bytes.length; ) {
    let end = start;
    while (end < bytes.length && bytes[end] !== NEWLINE && bytes[end] !== RETURN) end++;
    const line = textOf(bytes.subarray(start, end));
    if (/\S/.test(line)) return line;
    start = end + 1;
  }
}

// Lines end with \n, \r\n or \r.
function lineAt(bytes, end) {
  let line = 1;
  for (let at = 0; at < end; at++)
    if (bytes[at] === NEWLINE || (bytes[at] === RETURN && bytes[at + 1] !== NEWLINE)) line++;
  return line;
}

// Where every field starts. Every record must have as many as the heading; blank lines are no records.
// `isHeading` stops after the first.
function findFields(file, isHeading = false) {
  const { bytes, separator, isEnd } = file,
    mark = separator.charCodeAt(0),
    length = bytes.length;
  let starts = new Uint32Array(isHeading ? 1 << 8 : 1 << 16),
    n = 0,
    width = 0,
    first = 0; // field of the record
  for (let at = 0, open = true; open; ) {
    if (n === starts.length) starts = longer(starts);
    starts[n++] = at;
    if (bytes[at] === QUOTE) at = endOfQuotation(file, at, starts[first]);
    else while (at < length && !isEnd[bytes[at]]) at++;
    const code = at < length ? bytes[at] : NEWLINE;
    at++;
    if (code === mark) continue;
    if (code === RETURN && bytes[at] === NEWLINE) at++;
    if (n - first === 1 && !strip(fieldText(file, starts[first]))) n = first;
    else if (!width) width = n - first;
    else if (n - first !== width)
      throw refusal("row length", { line: lineAt(bytes, starts[first]), found: n - first, width });
    first = n;
    open = at < length && !(isHeading && width);
  }
  return { ...file, starts: starts.subarray(0, n), width };
}

function longer(places) {
  const more = new Uint32Array(2 * places.length);
  more.set(places);
  return more;
}

function endOfField(file, at) {
  const { bytes, isEnd } = file;
  if (bytes[at] === QUOTE) return endOfQuotation(file, at, at);
  while (at < bytes.length && !isEnd[bytes[at]]) at++;
  return at;
}

// Two quotation marks inside stand for one.
function endOfQuotation({ bytes, separator, isEnd }, at, record) {
  const refuse = (why) => refusal("quotation", { line: lineAt(bytes, record), why });
  const start = at + 1;
  do {
    at = bytes.indexOf(QUOTE, at + 1) + 1;
    if (at) continue;
    checkCell(bytes, start, bytes.length, record);
    throw refuse("unexpected end of data");
  } while (bytes[at] === QUOTE);
  checkCell(bytes, start, at - 1, record);
  if (at < bytes.length && !isEnd[bytes[at]]) throw refuse(`'${separator}' expected after '"'`);
  return at;
}

function checkCell(bytes, start, end, record) {
  if (end - start <= limit("cell")) return;
  if (isLonger(textOf(bytes.subarray(start, end)).replaceAll('""', '"'), limit("cell")))
    throw refusal("long cell", { line: lineAt(bytes, record), most: thousands(limit("cell")) });
}

function fieldText(file, start, end = endOfField(file, start)) {
  const { bytes } = file;
  if (bytes[start] !== QUOTE) return textOf(bytes.subarray(start, end));
  return textOf(bytes.subarray(start + 1, end - 1)).replaceAll('""', '"');
}

function csvColumn(fields, rows, column) {
  const { bytes, isEnd, starts, width } = fields;
  return {
    numbers() {
      const values = new Float64Array(rows),
        odd = new Map();
      for (let row = 0, index = width + column; row < rows; row++, index += width) {
        let value = decimalAt(bytes, starts[index], isEnd);
        if (value !== value) value = cellNumber(fieldText(fields, starts[index]));
        values[row] = value ?? NaN;
        if (value === undefined) odd.set(row, fieldText(fields, starts[index]));
      }
      return { values, odd };
    },
    // Most fields are like one that was seen at the same of a few places not long ago.
    labels() {
      const codes = new Int32Array(rows),
        values = [],
        known = new Map(),
        seen = new Int32Array(PLACES).fill(-1), // the field, its length and its code
        lengths = new Int32Array(PLACES),
        coded = new Int32Array(PLACES);
      for (let row = 0, index = width + column; row < rows; row++, index += width) {
        const start = starts[index],
          end = endOfField(fields, start),
          place = cacheAt(bytes, start, end);
        if (seen[place] < 0 || lengths[place] !== end - start || !areSame(bytes, seen[place], start, end)) {
          const label = fieldText(fields, start, end);
          if (!known.has(label)) known.set(label, values.push(label) - 1);
          seen[place] = start;
          lengths[place] = end - start;
          coded[place] = known.get(label);
        }
        codes[row] = coded[place];
      }
      return { codes, values };
    },
  };
}

function cacheAt(bytes, start, end) {
  let mixed = end - start;
  for (let at = start; at < end; at++) mixed = (Math.imul(mixed, 31) + bytes[at]) | 0;
  return (mixed ^ (mixed >>> 10)) & (PLACES - 1);
}

function areSame(bytes, other, start, end) {
  for (let at = start; at < end; at++, other++) if (bytes[at] !== bytes[other]) return false;
  return true;
}
