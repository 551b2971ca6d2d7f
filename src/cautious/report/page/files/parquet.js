// Reading Parquet through the vendored reader; it hands over whole columns, a chunk at a time.
import { FileProblem } from "./columns.js";

export async function parseParquet(buffer) {
  const reader = globalThis.Parquet;
  let metadata;
  const chunks = new Map();
  try {
    metadata = reader.parquetMetadata(buffer);
    await reader.parquetRead({
      file: buffer,
      metadata,
      compressors: reader.compressors,
      onChunk({ columnName, columnData, rowStart }) {
        if (!chunks.has(columnName)) chunks.set(columnName, []);
        chunks.get(columnName).push({ rowStart, columnData });
      },
    });
  } catch (error) {
    throw new FileProblem(`This is no Parquet file that can be read, or it is cut short (${error.message}).`);
  }
  const rows = Number(metadata.num_rows),
    names = [...chunks.keys()];
  if (!rows) throw new FileProblem("The file has no rows.");
  const columns = Object.fromEntries(
    names.map((name) => [name, parquetColumn(chunks.get(name), rows, name)]),
  );
  return { names, rows, columns };
}

function parquetColumn(chunks, rows, name) {
  const each = (put) => {
    for (const { rowStart, columnData } of chunks) {
      for (let i = 0; i < columnData.length; i++) put(rowStart + i, columnData[i]);
    }
  };
  return {
    numbers() {
      const values = new Float64Array(rows);
      each((row, value) => {
        values[row] = value === null || value === undefined ? NaN : Number(value);
        if (typeof value === "string" && values[row] !== values[row]) {
          throw new FileProblem(
            `Column “${name}” holds text, “${value.slice(0, 40)}”, where numbers are needed.`,
          );
        }
      });
      return values;
    },
    labels() {
      const codes = new Int32Array(rows),
        values = [],
        known = new Map();
      each((row, value) => {
        let code = known.get(value);
        if (code === undefined) {
          code = values.length;
          known.set(value, code);
          values.push(value === null || value === undefined ? "" : String(value));
        }
        codes[row] = code;
      });
      return { codes, values };
    },
  };
}
