// Intervals of the mean of losses with few values, of which the costliest may not have been seen
// (cautious.metrics._mean_intervals).
import { LEVEL, normalQuantile, normalShare } from "./distributions.js";
import { sum } from "./surface.js";

// All means whose distance from the one that was seen is c standard errors at most, under the likeliest
// shares of the values with that mean.
function scoreLimits(values, counts, c) {
  const n = sum(counts),
    shares = Array.from(counts, (count) => count / n),
    excess = (c * c) / n;
  return [-upperLimit(values.map((value) => -value), shares, excess), upperLimit(values, shares, excess)];
}

// The likeliest shares are in proportion to shares / (b + below), and b is found by Newton's steps, which never
// pass it (cautious.metrics._mean_intervals).
function upperLimit(values, shares, excess) {
  const top = Math.max(...values), seen = values.flatMap((value, j) => (shares[j] > 0 ? [[shares[j], top - value]] : []));
  let gap = 0, atTop = 0;
  for (const [share, below] of seen) {
    gap += share * below;
    if (below === 0) atTop += share;
  }
  if (!(gap > 0)) return top;
  let b = (2 * gap * atTop) / excess / (1 + Math.sqrt(1 + (4 * atTop * (1 - atTop)) / excess));
  for (let step = Infinity; excess * Math.abs(step) > 1e-9 * gap; ) {
    let inverse = 0, slope = 0;
    for (const [share, below] of seen) {
      inverse += share / (b + below);
      slope += share / (b + below) ** 2;
    }
    slope = ((1 + excess) * slope) / inverse ** 2 - 1;
    step = Math.max(-((1 + excess) / inverse - gap - b) / slope, -b);
    b += step;
  }
  return top - (gap - excess * b) / (1 + excess);
}

// The quantile for a truth between two means that are so far apart.
function criticalValue(gap, error, level) {
  const ratio = error > 0 ? gap / error : 0, bell = (z) => Math.exp((-z * z) / 2);
  let c = normalQuantile(level);
  for (let step = 1; step > 1e-9; c += step)
    step = ((level - normalShare(c + ratio) + normalShare(-c)) * Math.sqrt(2 * Math.PI)) / (bell(c + ratio) + bell(c));
  return c;
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
