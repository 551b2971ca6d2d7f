// Numbers as they are written in cells: decimals, exponents and infinities. What would have to be
// guessed (0x10, 1,5, 50 %, a date) is refused (cautious.predictions.cells).
import { sum } from "../core/surface.js";
import { hint, limit, note, quoted, refusal, strip, thousands, words } from "./rules.js";

// The number, NaN where it is missing, and undefined where the text is none.
export function cellNumber(cell) {
  const text = strip(cell);
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return words("no_number").includes(text.toLowerCase()) ? NaN : undefined;
}

// Numbers of a column, none of them missing; `place` says where a row is.
export function checkedNumbers({ values, odd }, place, isScore) {
  if (odd.size) {
    const [[row, cell]] = odd;
    throw refusal("not a number", {
      place: place(row),
      value: quoted(cell),
      cells: suchCells(odd.size),
      hints: numberHints(cell),
    });
  }
  let missing = -1,
    count = 0;
  for (let row = values.length - 1; row >= 0; row--)
    if (values[row] !== values[row]) {
      missing = row;
      count++;
    }
  if (count) {
    const key = isScore ? "missing score" : "missing number";
    throw refusal(key, { place: place(missing), cells: suchCells(count) });
  }
  return values;
}

export const suchCells = (n) => (n === 1 ? "1 such cell" : `${thousands(n)} such cells`);

// Say how a number has to be written.
function numberHints(cell) {
  const text = Array.from(strip(cell)).slice(0, 60).join("");
  if (/^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(text)) return [hint("thousands")];
  if (/^[+-]?\d{0,40},\d{1,40}$/.test(text))
    return [hint("decimal comma", { better: text.replace(",", ".") })];
  const percent = /^([+-]?\d{1,20}(?:[.,]\d{1,20})?)\s{0,9}%$/.exec(text)?.[1].replace(",", ".");
  if (percent) return [hint("per cent", { better: general(Number(percent) / 100), value: percent })];
  if (/^[+-]?0[xXbBoO][0-9a-fA-F_]+$/.test(text)) return [hint("other base", { better: inDecimal(text) })];
  const date = /^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?|\d{1,2}:\d{2}(:\d{2})?.*)$/;
  if (date.test(text)) return [hint("date")];
  return [hint(["true", "false"].includes(text.toLowerCase()) ? "truth value" : "word")];
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
    least = 1 / most;
  const bad = weight.findIndex(
    (w) =>
      !(w >= 0 && w < most) ||
      (w > 0 && w < least && Math.round(w * 2 ** 64) !== w * 2 ** 64),
  );
  if (bad >= 0) throw refusal("weight", { place: place(bad), value: general(weight[bad]) });
  return weight;
}

// Weights that add up to far less than there are rows cannot count repetitions (cautious.bootstrap).
// `guessed` is their column, where its name alone says that it holds weights.
export function weightNotes(weight, guessed = null) {
  const total = sum(weight),
    rows = weight.reduce((n, one) => n + (one > 0), 0);
  if (total > 0 && total < rows / 4)
    return [note("shares", { rows: thousands(rows), total: general(total, 4) })];
  return guessed !== null && rows && total >= 10 * rows
    ? [note("heavy", { name: quoted(guessed), rows: thousands(rows), total: thousands(Math.round(total)) })]
    : [];
}
