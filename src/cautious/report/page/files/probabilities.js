// Class probabilities in columns, one per class: between 0 and 1, adding up to 1 as far as they were
// written out (cautious.predictions.probabilities).
import { general } from "./numbers.js";
import { hint, note, quoted, refusal, rounding, thousands } from "./rules.js";

// `columns` are {column, values, eps}; gives rows of probabilities in one array, row after row, and
// notes. `place` says where a cell is, `where` where a row is.
export function checkedProbabilities(columns, rows, place, where) {
  const k = columns.length,
    p = new Float64Array(rows * k),
    eps = Math.max(...columns.map((column) => column.eps));
  columns.forEach(({ values }, c) => {
    for (let row = 0; row < rows; row++) p[row * k + c] = values[row];
  });
  const exact = Math.max(rounding("exact"), Math.min(8 * eps * k, 1e-3)),
    slack = eps < 1e-10 ? 0 : exact;
  const outside = p.findIndex((value) => value < -slack || value > 1 + slack);
  if (outside >= 0)
    throw refusal("no probability", {
      place: place(columns[outside % k].column, Math.floor(outside / k)),
      value: general(p[outside], 10),
      hints: [perCent(p, rows, k), hint("other scores")].filter(Boolean),
    });
  return k === 1 ? { p, notes: [] } : wholeRows(p, rows, k, exact, where);
}

// Rows that add up to 1, or to what rounding explains; those are divided by their sum.
function wholeRows(p, rows, k, exact, where) {
  const sums = new Float64Array(rows);
  let worst = 0,
    count = 0,
    decimals = 0;
  for (let row = 0; row < rows; row++) {
    for (let c = 0; c < k; c++) sums[row] += p[row * k + c];
    const off = Math.abs(sums[row] - 1);
    if (off > 5e-7) count++; // measures take less for exact
    if (off > Math.abs(sums[worst] - 1)) worst = row;
  }
  if (!count) return { p, notes: [] };
  decimals = decimalsOf(p);
  const half = (k / 2) * 10 ** -decimals,
    explained = decimals ? Math.max(rounding("exact"), Math.min(rounding("most"), half)) : 0;
  const beyond = sums.findIndex((sum) => Math.abs(sum - 1) > Math.max(explained, exact) + 1e-9);
  if (beyond >= 0) {
    const shown = Array.from(p.subarray(beyond * k, beyond * k + Math.min(k, 8)), (v) => general(v, 10));
    throw refusal("probability sum", {
      place: where(beyond),
      total: general(sums[beyond]),
      row: shown.join(", ") + (k > 8 ? ", …" : ""),
    });
  }
  for (let row = 0; row < rows; row++) {
    if (Math.abs(sums[row] - 1) > 5e-7) for (let c = 0; c < k; c++) p[row * k + c] /= sums[row];
  }
  const said = note("rounded", {
    decimals: decimals || rounding("most_decimals"),
    count: thousands(count),
    n: thousands(rows),
    worst: general(sums[worst]),
  });
  return { p, notes: [said] };
}

// To how many decimals numbers were rounded; 0 if to more than matter. One decimal is no rounding
// that anybody chooses: such rows have to add up.
function decimalsOf(p) {
  for (let decimals = rounding("least_decimals"); decimals <= rounding("most_decimals"); decimals++) {
    const power = 10 ** decimals;
    if (p.every((value) => Math.abs(value - Math.round(value * power) / power) < 1e-7)) return decimals;
  }
  return 0;
}

/** Ask of scores whether they are per cent: all from 0 to 100, and half of them above 1. */
export function perCentNotes(models) {
  return models
    .filter(({ score }) => score)
    .flatMap(({ name, rows, score }) => {
      let most = -Infinity,
        above = 0;
      for (const row of rows) {
        if (score[row] < 0) return [];
        if (score[row] > most) most = score[row];
        if (score[row] > 1) above++;
      }
      const asked = most <= 100 && 2 * above >= rows.length;
      return asked ? [note("per cent", { name: quoted(name, 60), value: general(most) })] : [];
    });
}

function perCent(p, rows, k) {
  const most = p.reduce((high, value) => Math.max(high, value), 0);
  if (p.some((value) => value < 0) || !(most > 2 && most <= 100)) return null;
  for (let row = 0; k > 1 && row < rows; row++) {
    let sum = 0;
    for (let c = 0; c < k; c++) sum += p[row * k + c];
    if (Math.abs(sum - 100) > 5) return null;
  }
  return hint("maybe per cent");
}
