// Reading Parquet through the vendored reader; it hands over whole columns, a chunk at a time.
import { bytesOf } from "../core/packing.js";
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
    chunks = new Map();
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  let metadata;
  try {
    if (String.fromCharCode(...bytes.subarray(-4)) !== "PAR1") throw new Error(NO_FOOTER);
    metadata = reader.parquetMetadata(file);
    const groups = metadata.row_groups.length,
      most = limit("row_groups");
    if (groups > most)
      throw refusal("many row groups", { count: thousands(groups), most: thousands(most) });
    checkRowCounts(metadata);
    await reader.parquetRead({
      file,
      metadata,
      compressors: reader.compressors,
      onChunk({ columnName, columnData }) {
        if (!chunks.has(columnName)) chunks.set(columnName, []);
        chunks.get(columnName).push(columnData);
      },
    });
  } catch (error) {
    if (error.key) throw error;
    throw refusal("damaged file", { kind: "Parquet", why: error.message });
  }
  const rows = Number(metadata.num_rows),
    names = topNames(metadata.schema);
  for (const name of new Set(names)) {
    const found = (chunks.get(name) ?? []).reduce((n, { length }) => n + length, 0);
    if (found !== rows) throw refusal("row count", { found: thousands(found), promised: thousands(rows) });
  }
  const types = new Map();
  for (const { name, type } of metadata.schema) if (!types.has(name)) types.set(name, type);
  return {
    names,
    rows,
    column: (c) => ({
      ...parquetColumn(chunks.get(names[c]) ?? [], rows),
      eps: types.get(names[c]) === "FLOAT" ? 2 ** -23 : 2 ** -52,
    }),
    where: (row) => `row ${row}`,
  };
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

function parquetColumn(chunks, rows) {
  const each = (put) => {
    let row = 0;
    for (const chunk of chunks) for (let i = 0; i < chunk.length; i++) put(row++, chunk[i]);
  };
  return {
    numbers() {
      const values = new Float64Array(rows),
        odd = new Map();
      each((row, cell) => {
        const value = typedNumber(cell);
        values[row] = value ?? NaN;
        if (value === undefined) odd.set(row, typedLabel(cell));
      });
      return { values, odd };
    },
    // Missing ones are null; lists stay lists.
    labels() {
      const codes = new Int32Array(rows),
        values = [],
        known = new Map();
      each((row, cell) => {
        const label = Array.isArray(cell) ? cell.map(typedLabel) : typedLabel(cell);
        const key = Array.isArray(label) ? JSON.stringify(label) : label;
        let code = known.get(key);
        if (code === undefined) {
          code = values.length;
          known.set(key, code);
          values.push(label);
        }
        codes[row] = code;
      });
      return { codes, values, kind: kindOf(chunks) };
    },
  };
}

// What kind of labels a column holds, from the first that is there.
function kindOf(chunks) {
  for (const chunk of chunks)
    for (const cell of chunk)
      if (cell !== null && cell !== undefined) {
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
