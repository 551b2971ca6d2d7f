// Numbers and names as people read them. Full precision stays in data-value attributes.

// Making a format takes a hundred times as long as using it.
const formats = new Map();
function written(x, options) {
  const key = Object.entries(options).join();
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat("en-GB", options));
  return formats.get(key).format(x);
}

export function number(x, digits = 3) {
  if (x === Infinity) return "∞";
  if (x === -Infinity) return "−∞";
  if (x !== x) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text =
    size >= 1e6 || size < 1e-4
      ? x.toExponential(digits - 1)
      : written(Number(x.toPrecision(digits)), { maximumSignificantDigits: digits });
  return text.replace("-", "−");
}

export function percent(x) {
  if (x !== x) return "–";
  const share = 100 * x, size = Math.abs(share);
  if (size > 0 && size < 0.05) return share < 0 ? "> −0.1%" : "< 0.1%";
  return `${share.toFixed(size >= 99.95 ? 0 : 1).replace("-", "−")}%`;
}

// The same decimals for all numbers of a column: as many as the one that needs most, within reason, and
// enough that no interval of theirs looks like a point.
export function alike(values, digits = 3, intervals = []) {
  const plain = values.map((x) => number(x, digits)).filter((text) => /^−?[\d,]+(\.\d+)?$/.test(text)),
    own = plain.map((text) => text.split(".")[1]?.length ?? 0),
    // One that so few decimals cannot show asks the others for none.
    shown = own.some((n) => n <= 4) ? own.filter((n) => n <= 4) : own;
  const decimals = Math.max(Math.min(4, Math.max(0, ...shown)), ...intervals.map(decimalsApart));
  return (x) => {
    // What so few decimals cannot show keeps its own form.
    if (!(Math.abs(x) < 1e6) || (x !== 0 && Math.abs(x) < 5 * 10 ** -decimals))
      return number(x, Math.min(digits, 3));
    const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return written(x, options).replace("-", "−");
  };
}

// Decimals at which the ends of an interval differ.
const decimalsApart = ({ low, high }) =>
  high > low ? Math.min(8, Math.max(0, Math.ceil(-Math.log10(high - low)))) : 0;

// Both ends of an interval of shares, and what lies in it.
export function percentBetween({ low, high }) {
  const decimals = decimalsApart({ low: 100 * low, high: 100 * high });
  return (x) => (decimals < 2 ? percent(x) : `${(100 * x).toFixed(decimals).replace("-", "−")}%`);
}

export const percentAlike = (values) => (x) =>
  values.some((v) => v > 0 && v < 0.9995) && x >= 0.9995 ? `${(100 * x).toFixed(1)}%` : percent(x);

export const share = (x) => `${number(100 * x)}%`;

export const count = (x) => written(x, { maximumFractionDigits: 1 });

// What is counted: rows with weights must not pass for people.
export const unitOf = ({ weighted }, n) => (weighted ? "weighted rows" : n === 1 ? "case" : "cases");

// The same where weights are added up (cautious.evaluation).
export const sumOf = ({ weighted }) => (weighted ? "weights sum to" : "cases");

export const few = (x) => written(x, { notation: "compact" });

// A label may be ten thousand characters long; a sentence may not.
export function shorten(text, most = 40) {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

// A value with its interval, all three in one format.
export const withRange = (write, { value, low, high }) =>
  value === value ? `${write(value)} (${write(low)} to ${write(high)})` : "–";

// Share a number of cases out among cells, shares by name, {value, low, high} or plain numbers: each gets its
// whole part, and those left over go to the largest remainders, the first of equal ones.
export function peopleOf(cells, total = 1000) {
  const names = Object.keys(cells),
    shares = names.map((name) => cells[name].value ?? cells[name]),
    sum = shares.reduce((all, share) => all + share, 0),
    exact = shares.map((share) => (sum > 0 ? (share / sum) * total : 0)),
    counts = exact.map((x) => Math.floor(x + 1e-9)),
    order = names.map((_, i) => i).sort((a, b) => exact[b] - counts[b] - (exact[a] - counts[a]) || a - b);
  let left = sum > 0 ? total - counts.reduce((a, b) => a + b, 0) : 0;
  for (const i of order) if (left-- > 0) counts[i]++;
  const rounded = (end, round, outer) => (end === undefined ? null : outer(round(total * end)));
  return Object.fromEntries(
    names.map((name, i) => {
      const { low, high } = cells[name];
      return [name, {
        count: counts[i],
        low: rounded(low, Math.floor, (end) => Math.min(counts[i], end)),
        high: rounded(high, Math.ceil, (end) => Math.max(counts[i], end)),
      }];
    }),
  );
}
