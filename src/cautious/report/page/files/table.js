// From the bytes of a file to a table of columns, whatever its format.
import { FileProblem } from "./columns.js";
import { parseCsv } from "./csv.js";
import { parseParquet } from "./parquet.js";

export async function readTable(buffer, name) {
  if (!buffer.byteLength) throw new FileProblem("The file is empty.");
  const magic = new TextDecoder("latin1").decode(buffer.slice(0, 4));
  if (magic === "PAR1" || /\.parquet$/i.test(name)) return parseParquet(buffer);
  return parseCsv(new TextDecoder().decode(buffer));
}
