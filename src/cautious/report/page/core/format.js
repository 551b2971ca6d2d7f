// Numbers and names as people read them. Full precision stays in data-value attributes.

export function number(x, digits = 3) {
  if (x === Infinity) return "∞";
  if (x === -Infinity) return "−∞";
  if (x !== x) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text =
    size >= 1e6 || size < 1e-4
      ? x.toExponential(digits - 1)
      : Number(x.toPrecision(digits)).toLocaleString("en-GB", { maximumSignificantDigits: digits });
  return text.replace("-", "−");
}

export function percent(x) {
  if (x !== x) return "–";
  const share = 100 * x,
    size = Math.abs(share);
  if (size > 0 && size < 0.05) return share < 0 ? "> −0.1%" : "< 0.1%";
  return `${share.toFixed(size >= 99.95 ? 0 : 1).replace("-", "−")}%`;
}

// The same decimals for all numbers of a column: as many as the one that needs most, within reason.
export function alike(values, digits = 3) {
  const plain = values.map((x) => number(x, digits)).filter((text) => /^−?[\d,]+(\.\d+)?$/.test(text));
  const decimals = Math.min(4, Math.max(0, ...plain.map((text) => text.split(".")[1]?.length ?? 0)));
  return (x) => {
    // What so few decimals cannot show keeps its own form.
    if (!(Math.abs(x) < 1e6) || (x !== 0 && Math.abs(x) < 5 * 10 ** -decimals))
      return number(x, Math.min(digits, 3));
    const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return x.toLocaleString("en-GB", options).replace("-", "−");
  };
}

export const percentAlike = (values) => (x) =>
  values.some((v) => v > 0 && v < 0.9995) && x >= 0.9995 ? `${(100 * x).toFixed(1)}%` : percent(x);

export const share = (x) => `${number(100 * x)}%`;

export const count = (x) => x.toLocaleString("en-GB", { maximumFractionDigits: 1 });

export const few = (x) => x.toLocaleString("en-GB", { notation: "compact" });

// A label may be ten thousand characters long; a sentence may not.
export function shorten(text, most = 40) {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
