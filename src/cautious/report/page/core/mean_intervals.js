// Intervals of the mean of losses with few values, of which the costliest may not have been seen
// (cautious.metrics._mean_intervals).
import { bisected, LEVEL, normalQuantile, normalShare } from "./distributions.js";
import { sum } from "./surface.js";

// All means whose distance from the one that was seen is c standard errors at most, under the likeliest
// shares of the values with that mean.
function scoreLimits(values, counts, c) {
  const n = sum(counts),
    shares = Array.from(counts, (count) => count / n),
    excess = (c * c) / n;
  return [-upperLimit(values.map((value) => -value), shares, excess), upperLimit(values, shares, excess)];
}

function upperLimit(values, shares, excess) {
  const top = Math.max(...values),
    seen = values.map((value, j) => [shares[j], top - value]).filter(([share]) => share > 0),
    total = (of) => seen.reduce((all, [share, below]) => all + of(share, below), 0),
    gap = total((share, below) => share * below),
    atTop = total((share, below) => (below === 0 ? share : 0));
  if (!(gap > 0)) return top;
  const inverse = (b) => total((share, below) => share / (b + below)),
    beyond = (b) => inverse(b) * (gap + b) - 1 - excess;
  // As if an unseen top had been seen in c² cases more.
  if (atTop === 0 && beyond(0) <= 0) return (top - gap + excess * top) / (1 + excess);
  let low = (atTop * gap) / (1 + excess),
    high = Math.max(...seen.map(([, below]) => below));
  while (beyond(high) > 0) high *= 2;
  const b = bisected(low, high, (middle) => beyond(middle) > 0);
  return top - (1 / inverse(b) - b);
}

// The quantile for a truth between two means that are so far apart.
function criticalValue(gap, error, level) {
  const ratio = error > 0 ? gap / error : 0,
    isLow = (c) => normalShare(c + ratio) - normalShare(-c) < level;
  return bisected(normalQuantile(level), normalQuantile((1 + level) / 2), isLow);
}

// Mean of counted values, and its variance.
export function meanOfCounts(values, counts) {
  const n = sum(counts),
    mean = sum(values.map((value, j) => counts[j] * value)) / n;
  return { mean, variance: sum(values.map((value, j) => counts[j] * (value - mean) ** 2)) / (n * n) };
}

// Interval of the mean under a rule that was chosen on its own cases: strata {share, values, own, heldOut},
// whose means add up by their shares.
export function chosenInterval(strata, { level = LEVEL, widening = 1 } = {}) {
  const means = ["own", "heldOut"].map((name) => strata.map((one) => meanOfCounts(one.values, one[name]))),
    added = (some) => sum(some.map(({ mean }, i) => strata[i].share * mean)),
    error = Math.sqrt(sum(means[1].map(({ variance }, i) => strata[i].share ** 2 * variance))),
    [own, value] = means.map(added),
    c = widening * criticalValue(Math.abs(value - own), error, level);
  const ends = ["own", "heldOut"].map((name, at) => {
    const reach = strata.map((one, i) =>
      scoreLimits(one.values, one[name], c).map((end) => (one.share * (end - means[at][i].mean)) ** 2),
    );
    return [0, 1].map((end) => Math.sqrt(sum(reach.map((some) => some[end]))));
  });
  return {
    value,
    low: Math.min(own - ends[0][0], value - ends[1][0]),
    high: Math.max(own + ends[0][1], value + ends[1][1]),
  };
}
