// A thousand cases, in whole numbers that add up.

/**
 * Share a number of cases out among cells: each gets its whole part, and those left over go to the
 * largest remainders, the first of equal ones.
 *
 * @param {Object} cells shares by name, plain numbers or estimates {value, low, high}
 * @returns {Object} {count, low, high} by name; low and high are null without an interval
 */
export function peopleOf(cells, total = 1000) {
  const names = Object.keys(cells),
    value = (name) => (typeof cells[name] === "number" ? cells[name] : cells[name].value),
    sum = names.reduce((all, name) => all + value(name), 0),
    exact = names.map((name) => (sum > 0 ? (value(name) / sum) * total : 0)),
    counts = exact.map((x) => Math.floor(x + 1e-9)),
    order = names.map((_, i) => i).sort((a, b) => exact[b] - counts[b] - (exact[a] - counts[a]) || a - b);
  let left = sum > 0 ? total - counts.reduce((a, b) => a + b, 0) : 0;
  for (const i of order) if (left-- > 0) counts[i]++;
  return Object.fromEntries(
    names.map((name, i) => {
      const { low, high } = typeof cells[name] === "number" ? {} : cells[name];
      const ends =
        low === undefined
          ? { low: null, high: null }
          : { low: Math.min(counts[i], Math.floor(total * low)), high: Math.max(counts[i], Math.ceil(total * high)) };
      return [name, { count: counts[i], ...ends }];
    }),
  );
}
