// Numbers as they are written in cells: decimals, exponents and infinities. What would have to be
// guessed (0x10, 1,5, 50 %, a date) is refused. Weights, and probabilities in columns, one per class
// (cautious.predictions._cells, cautious.predictions._probabilities).
import { sum } from "../core/surface.js";
import { hint, limit, note, quoted, refusal, rounding, strip, thousands, words } from "./rules.js";

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

// The number, NaN where it is missing, and undefined where the text is none.
export function cellNumber(cell) {
  const text = strip(cell);
  if (DECIMAL.test(text)) return Number(text);
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return words("no_number").includes(text.toLowerCase()) ? NaN : undefined;
}

// Numbers of a column, none of them missing; `place` says where a row is.
export function checkedNumbers({ values, odd }, place, isScore) {
  if (odd.size) {
    const [[row, cell]] = odd;
    const found = { value: quoted(cell), cells: suchCells(odd.size), hints: [numberHint(cell)] };
    throw refusal("not a number", { place: place(row), ...found });
  }
  const first = values.findIndex(Number.isNaN);
  if (first < 0) return values;
  const cells = suchCells(values.reduce((n, value) => n + Number.isNaN(value), 0));
  throw refusal(isScore ? "missing score" : "missing number", { place: place(first), cells });
}

export const suchCells = (n) => (n === 1 ? "1 such cell" : `${thousands(n)} such cells`);

// Say how a number has to be written.
function numberHint(cell) {
  const text = Array.from(strip(cell)).slice(0, 60).join("");
  if (/^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(text)) return hint("thousands");
  if (/^[+-]?\d{0,40},\d{1,40}$/.test(text))
    return `${hint("decimal comma", { better: text.replace(",", ".") })} ${hint("say decimal", { comma: "," })}`;
  const percent = /^([+-]?\d{1,20}(?:[.,]\d{1,20})?)\s{0,9}%$/.exec(text)?.[1].replace(",", ".");
  if (percent) return hint("per cent", { better: general(Number(percent) / 100), value: percent });
  if (/^[+-]?0[xXbBoO][0-9a-fA-F_]+$/.test(text)) return hint("other base", { better: inDecimal(text) });
  const date = /^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?|\d{1,2}:\d{2}(:\d{2})?.*)$/;
  if (date.test(text)) return hint("date");
  return hint(["true", "false"].includes(text.toLowerCase()) ? "truth value" : "word");
}

function inDecimal(text) {
  try {
    const sign = text.startsWith("-") ? "-" : "";
    return sign + BigInt(text.replace(/^[+-]/, "").toLowerCase()).toString();
  } catch {
    return "it in decimal";
  }
}

// A number as Python's format "g" writes it.
export function general(x, digits = 6) {
  if (!Number.isFinite(x)) return x !== x ? "nan" : x > 0 ? "inf" : "-inf";
  const [mantissa, power] = x.toExponential(digits - 1).split("e");
  if (x === 0 || (power >= -4 && power < digits)) return String(Number(x.toPrecision(digits)));
  return `${Number(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

// Weights in this range can be added up in fixed point.
export function checkedWeights(weight, place) {
  const most = limit("weight"),
    isFine = (w) => w >= 0 && w < most && (!w || w >= 1 / most || Number.isInteger(w * 2 ** 64)),
    bad = weight.findIndex((w) => !isFine(w));
  if (bad >= 0) throw refusal("weight", { place: place(bad), value: general(weight[bad]) });
  return weight;
}

// Weights that add up to far less than there are rows cannot count repetitions (cautious._random).
// `guessed` is their column, where its name alone says that it holds weights.
export function weightNotes(weight, guessed) {
  const total = sum(weight),
    n = weight.reduce((count, one) => count + (one > 0), 0),
    rows = thousands(n);
  if (total > 0 && total < n / 4) return [note("shares", { rows, total: general(total, 4) })];
  return guessed !== null && n && total >= 10 * n
    ? [note("heavy", { name: quoted(guessed), rows, total: thousands(Math.round(total)) })]
    : [];
}

// Probabilities of `columns`, {column, values}, in one array, row after row, with notes: each row adds up to
// 1, or to what rounding explains and is divided by its sum. `place` says where a cell is, `where` a row.
export function checkedProbabilities(columns, rows, place, where) {
  const k = columns.length, p = new Float64Array(rows * k), totals = new Float64Array(rows);
  columns.forEach(({ values }, c) => {
    for (let row = 0; row < rows; row++) totals[row] += p[row * k + c] = values[row];
  });
  const outside = p.findIndex((value) => value < 0 || value > 1);
  if (outside >= 0)
    throw refusal("no probability", {
      place: place(columns[outside % k].column, Math.floor(outside / k)),
      value: general(p[outside], 10),
      hints: [arePerCent(p, totals, k) ? hint("maybe per cent") : null, hint("other scores")],
    });
  const off = totals.map((total) => Math.abs(total - 1)),
    count = off.reduce((n, one) => n + (one > 5e-7), 0); // measures take less for exact
  if (k === 1 || !count) return { p, notes: [] };
  const decimals = decimalsOf(p),
    rounded = decimals ? Math.min(rounding("most"), (k / 2) * 10 ** -decimals) : 0,
    beyond = off.findIndex((one) => one > Math.max(rounding("exact"), rounded) + 1e-9);
  if (beyond >= 0) {
    const shown = Array.from(p.subarray(beyond * k, beyond * k + Math.min(k, 8)), (v) => general(v, 10)),
      row = shown.join(", ") + (k > 8 ? ", …" : "");
    throw refusal("probability sum", { place: where(beyond), total: general(totals[beyond]), row });
  }
  const worst = general(totals[off.indexOf(off.reduce((a, b) => Math.max(a, b)))]),
    digits = decimals || rounding("most_decimals");
  for (let row = 0; row < rows; row++)
    if (off[row] > 5e-7) for (let c = 0; c < k; c++) p[row * k + c] /= totals[row];
  return { p, notes: [note("rounded", { decimals: digits, count: thousands(count), n: thousands(rows), worst })] };
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

function arePerCent(p, totals, k) {
  const most = p.reduce((high, value) => Math.max(high, value), 0);
  if (p.some((value) => value < 0) || !(most > 2 && most <= 100)) return false;
  return k === 1 || totals.every((total) => Math.abs(total - 100) <= 5);
}

// Ask of scores whether they are per cent: all from 0 to 100, and half of them above 1.
export function perCentNotes(models) {
  return models
    .filter(({ score }) => score)
    .flatMap(({ name, rows, score }) => {
      let least = 0, most = 0, above = 0;
      for (const row of rows) {
        least = Math.min(least, score[row]);
        most = Math.max(most, score[row]);
        if (score[row] > 1) above++;
      }
      const asked = least === 0 && most <= 100 && 2 * above >= rows.length;
      return asked ? [note("per cent", { name: quoted(name, 60), value: general(most) })] : [];
    });
}
