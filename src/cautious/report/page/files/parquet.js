// Reading Parquet through the vendored reader; it hands over whole columns, a part at a time.
import { bytesOf } from "../core/packing.js";
import { flatColumn } from "./flat_columns.js";
import { cellNumber } from "./numbers.js";
import { limit, refusal, thousands } from "./rules.js";

// In the words of Arrow, which the library reads with.
const NO_FOOTER =
  "Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file.";

// The reader comes packed with the page and is unpacked when it is first needed. The page's policy
// knows its hash, as that of the other script.
async function readerOf() {
  if (!globalThis.Parquet) {
    if (!globalThis.DecompressionStream)
      throw refusal("damaged file", { kind: "Parquet", why: "this browser is too old to read it" });
    const packed = new Blob([bytesOf(document.getElementById("parquet").textContent)]).stream(),
      script = document.createElement("script");
    script.textContent = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
    document.head.append(script);
  }
  return globalThis.Parquet;
}

export async function parseParquet(bytes) {
  const reader = await readerOf(),
    parts = new Map();
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  let metadata, names;
  try {
    if (String.fromCharCode(...bytes.subarray(-4)) !== "PAR1") throw new Error(NO_FOOTER);
    metadata = reader.parquetMetadata(file);
    const groups = metadata.row_groups.length,
      most = limit("row_groups");
    if (groups > most)
      throw refusal("many row groups", { count: thousands(groups), most: thousands(most) });
    checkRowCounts(metadata);
    names = topNames(metadata.schema);
    const flat = new Set(names).size === names.length ? names : [],
      others = names.filter((name) => {
        const found = flat.includes(name) ? flatOf(reader, file, metadata, name) : null;
        if (found) parts.set(name, found);
        return !found;
      });
    if (others.length)
      await reader.parquetRead({
        file,
        metadata,
        columns: others,
        compressors: reader.compressors,
        onChunk({ columnName, columnData }) {
          if (!parts.has(columnName)) parts.set(columnName, []);
          parts.get(columnName).push({ cells: columnData, codes: null });
        },
      });
  } catch (error) {
    if (error.key) throw error;
    throw refusal("damaged file", { kind: "Parquet", why: error.message });
  }
  const rows = Number(metadata.num_rows);
  for (const name of new Set(names)) {
    const found = (parts.get(name) ?? []).reduce((n, { cells, codes }) => n + (codes ?? cells).length, 0);
    if (found !== rows) throw refusal("row count", { found: thousands(found), promised: thousands(rows) });
  }
  const types = new Map();
  for (const { name, type } of metadata.schema) if (!types.has(name)) types.set(name, type);
  return {
    names,
    rows,
    column: (c) => ({
      ...parquetColumn(parts.get(names[c]) ?? [], rows),
      eps: types.get(names[c]) === "FLOAT" ? 2 ** -23 : 2 ** -52,
    }),
    where: (row) => `row ${row}`,
  };
}

function flatOf(reader, file, { schema, row_groups: groups }, name) {
  const element = schema.slice(1).find((one) => one.name === name),
    isOf = ({ meta_data: column }) => column.path_in_schema.length === 1 && column.path_in_schema[0] === name,
    chunks = groups.map(({ columns }) => columns.find(isOf)?.meta_data);
  return chunks.includes(undefined) ? null : flatColumn(reader, file, element, chunks);
}

// A footer that promises other numbers of rows than its groups hold, or columns, is damaged.
function checkRowCounts({ num_rows: promised, row_groups: groups }) {
  const shown = (rows) => thousands(Number(rows)),
    disagree = (found) => refusal("row count", { found: shown(found), promised: shown(promised) });
  const total = groups.reduce((n, { num_rows: rows }) => n + rows, 0n);
  if (total !== promised || groups.some(({ num_rows: rows }) => rows < 0n)) throw disagree(total);
  for (const { num_rows: rows, columns } of groups) {
    for (const { meta_data: column } of columns) {
      // A list holds several values in a row, or none.
      const flat = column.path_in_schema.length === 1;
      if (flat && column.num_values !== rows) throw disagree(promised - rows + column.num_values);
    }
  }
}

// Names of the columns, in order; a column of lists has further levels below it.
function topNames(schema) {
  const names = [];
  for (let at = 1; at < schema.length; ) {
    names.push(schema[at].name);
    for (let left = 1; left > 0; at++) left += (schema[at].num_children ?? 0) - 1;
  }
  return names;
}

function parquetColumn(parts, rows) {
  return {
    numbers() {
      const values = new Float64Array(rows),
        odd = new Map();
      let row = 0;
      for (const { cells, codes } of parts) {
        const numbers = numbersOf(cells),
          n = (codes ?? cells).length;
        if (!codes) values.set(numbers, row);
        else for (let i = 0; i < n; i++) values[row + i] = codes[i] < 0 ? NaN : numbers[codes[i]];
        if (Array.isArray(cells))
          for (let i = 0; i < n; i++) {
            const cell = codes ? cells[codes[i]] : cells[i];
            if (typedNumber(cell) === undefined) odd.set(row + i, typedLabel(cell));
          }
        row += n;
      }
      return { values, odd };
    },
    // Missing ones are null; lists stay lists. Codes go by the first row with a label.
    labels() {
      const codes = new Int32Array(rows),
        values = [],
        known = new Map(),
        seen = new Map();
      const codeOf = (cell) => {
        let code = seen.get(cell);
        if (code !== undefined) return code;
        const label = Array.isArray(cell) ? cell.map(typedLabel) : typedLabel(cell),
          key = Array.isArray(label) ? JSON.stringify(label) : label;
        code = known.get(key);
        if (code === undefined) known.set(key, (code = values.push(label) - 1));
        if (typeof cell !== "object") seen.set(cell, code);
        return code;
      };
      let row = 0;
      for (const { cells, codes: own } of parts) {
        const n = (own ?? cells).length,
          coded = own && new Int32Array(cells.length).fill(-1);
        for (let i = 0; i < n; i++, row++) {
          if (!own) codes[row] = codeOf(cells[i]);
          else if (own[i] < 0) codes[row] = codeOf(null);
          else {
            if (coded[own[i]] < 0) coded[own[i]] = codeOf(cells[own[i]]);
            codes[row] = coded[own[i]];
          }
        }
      }
      return { codes, values, kind: kindOf(parts) };
    },
  };
}

// Of whole numbers in eight bytes the two halves: their sum is rounded once, as that of Number(cell).
function numbersOf(cells) {
  if (Array.isArray(cells)) return Float64Array.from(cells, (cell) => typedNumber(cell) ?? NaN);
  if (!(cells instanceof BigInt64Array)) return cells;
  const low = new Uint32Array(cells.buffer, cells.byteOffset, 2 * cells.length),
    high = new Int32Array(cells.buffer, cells.byteOffset, 2 * cells.length),
    numbers = new Float64Array(cells.length);
  for (let i = 0; i < cells.length; i++) numbers[i] = high[2 * i + 1] * 2 ** 32 + low[2 * i];
  return numbers;
}

// What kind of labels a column holds, from the first that is there.
function kindOf(parts) {
  for (const { cells, codes } of parts)
    for (let i = 0; i < (codes ?? cells).length; i++) {
      const cell = codes ? cells[codes[i]] : cells[i];
      if (cell === null || cell === undefined) continue;
      if (typeof cell === "number") return Number.isInteger(cell) ? "integer" : "number";
      return { boolean: "boolean", bigint: "integer" }[typeof cell] ?? "text";
    }
  return "text";
}

function typedNumber(cell) {
  if (typeof cell === "number") return cell;
  if (typeof cell === "bigint") return Number(cell);
  if (cell === null || cell === undefined) return NaN;
  return typeof cell === "string" ? cellNumber(cell) : undefined;
}

// Labels are text: whole numbers without their point, booleans as Python writes them.
function typedLabel(cell) {
  if (cell === null || cell === undefined || cell !== cell) return null;
  if (typeof cell === "boolean") return cell ? "True" : "False";
  return cell instanceof Date ? cell.toISOString() : String(cell);
}
