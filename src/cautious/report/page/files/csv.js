// From the bytes of a file to a table: UTF-8, or UTF-16 with its mark, packed by gzip or not. Cells are text as
// written, and only those of columns that are asked for are ever looked at (cautious.predictions._delimited).
import { firstThat } from "../core/surface.js";
import { cellNumber } from "./cells.js";
import { isLonger, limit, otherFiles, refusal, strip } from "./rules.js";

const NEWLINE = 10, RETURN = 13, QUOTE = 34;

// {names, cells()}: what is wrong with a row is said after what is wrong with the columns.
export async function readTable(buffer, encoding = null) {
  let bytes = new Uint8Array(buffer);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await inflated(bytes);
  if (!bytes.length) throw refusal("empty file");
  const begin = String.fromCharCode(...bytes.subarray(0, 8)),
    other = Object.entries(otherFiles()).find(([mark]) => begin.startsWith(mark));
  if (other) throw refusal("other file", { what: other[1] });
  return parseCsv(decoded(bytes, encoding), () => checkLines(bytes));
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw refusal("damaged gzip"); // each browser has its own words for it
  }
}

// `encoding` is what the reader of the page says; nothing is replaced.
function decoded(bytes, encoding) {
  const marks = { "255,254": "utf-16le", "254,255": "utf-16be" },
    wide = marks[bytes.subarray(0, 2)];
  try {
    return new TextDecoder(encoding ?? wide ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    const offset = encoding ? 0 : firstBadByte(bytes, wide ?? "utf-8");
    // A decoder has been seen to refuse, once in many thousand files, what it takes the next time.
    if (offset === bytes.length) return new TextDecoder(wide).decode(bytes);
    throw refusal("not text", { encoding: encoding ?? (wide ? "UTF-16" : "UTF-8"), offset });
  }
}

// Where the longest beginning ends that can be decoded, without the character that it breaks off in.
function firstBadByte(bytes, encoding) {
  const beginning = (end) =>
    new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, end), { stream: true });
  const isBad = (end) => {
    try {
      return beginning(end) === null;
    } catch {
      return true;
    }
  };
  const text = beginning(firstThat(0, bytes.length, (end) => isBad(end + 1)));
  return encoding === "utf-8" ? new TextEncoder().encode(text).length : 2 * text.length;
}

// A line that is too long is none of a table. Jumps from the end of one line to that of the last that may follow it.
function checkLines(bytes) {
  for (let start = 0; bytes.length - start > limit("line"); ) {
    const window = bytes.subarray(start, start + limit("line") + 1),
      end = Math.max(window.lastIndexOf(NEWLINE), window.lastIndexOf(RETURN));
    if (end < 0) throw refusal("long line", { beyond: "line" });
    start += end + 1;
  }
}

// `checkRows` refuses what can be seen without reading the rows.
export function parseCsv(text, checkRows = () => {}) {
  const at = text.search(/\S/);
  if (at < 0) throw refusal("empty file");
  const before = Math.max(text.lastIndexOf("\n", at), text.lastIndexOf("\r", at)),
    [heading] = text.slice(before + 1).split(/[\n\r]/, 1);
  if (isLonger(heading, limit("heading"))) throw refusal("long heading", { beyond: "heading" });
  const nul = Array.from(heading).indexOf("\0"); // most likely UTF-16 without its mark
  if (nul >= 0) throw refusal("not text", { encoding: "UTF-8", offset: nul });
  const separator = [",", ";", "\t"].reduce((best, mark) =>
    heading.split(mark).length > heading.split(best).length ? mark : best,
  );
  const first = fieldsOf(text, separator, true);
  if (!first.width) throw refusal("empty file"); // quotation marks around nothing
  let cells = null;
  return {
    names: Array.from(first.starts.keys(), (at) => strip(first.cell(at))),
    cells() {
      if (!cells) checkRows();
      return (cells ??= recordCells(fieldsOf(text, separator)));
    },
  };
}

// The fields of all records, or of the first. Every record must have as many as the heading; blank lines are
// no records.
function fieldsOf(text, separator, isHeading = false) {
  const mark = separator.charCodeAt(0), length = text.length;
  let starts = new Uint32Array(isHeading ? 1 << 8 : 1 << 16),
    ends = new Uint32Array(starts.length),
    n = 0,
    width = 0,
    first = 0; // field of the record
  const cell = (at) => {
    const [start, end] = [starts[at], ends[at]];
    if (text.charCodeAt(start) !== QUOTE) return text.slice(start, end);
    return text.slice(start + 1, end - 1).replaceAll('""', '"');
  };
  const line = (end) => text.slice(0, end).split(/\r\n|\n|\r/).length;
  for (let at = 0, isOpen = true; isOpen; ) {
    if (n === starts.length) [starts, ends] = [starts, ends].map(longer);
    let code = text.charCodeAt(at);
    starts[n] = at;
    if (code === QUOTE) at = endOfQuotation(text, separator, at, () => line(starts[first]));
    while (at < length && (code = text.charCodeAt(at)) !== mark && code !== NEWLINE && code !== RETURN) at++;
    ends[n++] = at++;
    if (at <= length && code === mark) continue;
    if (code === RETURN && text.charCodeAt(at) === NEWLINE) at++;
    if (n - first === 1 && !strip(cell(first))) n = first;
    else if (!width) width = n - first;
    else if (n - first !== width)
      throw refusal("row length", { line: line(starts[first]), found: n - first, width });
    first = n;
    isOpen = at < length && !(isHeading && width);
  }
  return { starts: starts.subarray(0, n), width, cell, line };
}

function longer(places) {
  const more = new Uint32Array(2 * places.length);
  more.set(places);
  return more;
}

// Two quotation marks inside stand for one.
function endOfQuotation(text, separator, start, line) {
  const refuse = (why) => refusal("quotation", { line: line(), why });
  const check = (end) => {
    if (end - start > limit("cell") && isLonger(text.slice(start + 1, end).replaceAll('""', '"'), limit("cell")))
      throw refusal("long cell", { line: line(), beyond: "cell" });
  };
  let at = start;
  do {
    at = text.indexOf('"', at + 1) + 1;
    if (at) continue;
    check(text.length);
    throw refuse("unexpected end of data");
  } while (text[at] === '"');
  check(at - 1);
  if (at < text.length && ![separator, "\n", "\r"].includes(text[at]))
    throw refuse(`'${separator}' expected after '"'`);
  return at;
}

// {rows, where, numbers, labels, some}: cells of the records behind the heading, column by column.
function recordCells({ starts, width, cell, line }, records = rowsUpTo(starts.length / width - 1)) {
  const rows = records.length,
    place = (row, column) => (records[row] + 1) * width + column;
  return {
    rows,
    where: (row) => `line ${line(starts[place(row, 0)])}`,
    // `odd`: texts that are no numbers, by row.
    numbers(column) {
      const values = new Float64Array(rows), odd = new Map();
      for (let row = 0; row < rows; row++) {
        const text = cell(place(row, column)), value = cellNumber(text);
        values[row] = value ?? NaN;
        if (value === undefined) odd.set(row, text);
      }
      return { values, odd };
    },
    labels(column) {
      const codes = new Int32Array(rows), known = new Map();
      for (let row = 0; row < rows; row++) {
        const label = cell(place(row, column));
        let code = known.get(label);
        if (code === undefined) known.set(label, (code = known.size));
        codes[row] = code;
      }
      return { codes, values: [...known.keys()] };
    },
    some: (kept) => recordCells({ starts, width, cell, line }, kept.map((row) => records[row])),
  };
}

export const rowsUpTo = (n) => new Uint32Array(n).map((_, row) => row);
