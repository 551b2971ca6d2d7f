// Rows of class probabilities that must add up to one, as far as they were written out.
import { FileProblem } from "./columns.js";

const CLOSE = 1e-6; // the library's tolerance, met by numbers of single precision too

// Decimals of the longest number; none needs more than those at which rounding no longer matters.
function mostDecimals(columns) {
  const enough = Math.ceil(Math.log10(columns.length / 2 / CLOSE));
  let most = 0;
  for (const values of columns) {
    for (const value of values) {
      const [, digits = "", power = "0"] = /(?:\.(\d+))?(?:e(.+))?$/.exec(String(value));
      most = Math.max(most, digits.length - Number(power));
      if (most >= enough) return most;
    }
  }
  return most;
}

// Gives a function from a row to its probabilities, in an array used again for every row. A sum
// may miss one by half a unit of the last decimal per class; it is then divided out.
export function probabilityRows(columns) {
  const at = new Float64Array(columns.length);
  let allowed = null;
  return (row) => {
    let total = 0;
    for (let c = 0; c < at.length; c++) total += at[c] = columns[c][row];
    if (Math.abs(total - 1) <= CLOSE) return at;
    if (allowed === null) {
      const decimals = mostDecimals(columns);
      // Whole numbers were not rounded: a row of them names no class, or several.
      allowed = decimals ? Math.max(CLOSE, (at.length / 2) * 10 ** -decimals) : CLOSE;
    }
    if (!(total > 0) || Math.abs(total - 1) > allowed * (1 + 1e-9))
      throw new FileProblem(`The probabilities of row ${row + 1} add up to ${total}, not 1.`);
    for (let c = 0; c < at.length; c++) at[c] /= total;
    return at;
  };
}
