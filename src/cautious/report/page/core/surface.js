// The cost surface of one model: k = Σ over bins of min(missing it, a false alarm, abstaining).

export function sum(values) {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]; // a quarter of the time of `reduce`
  return total;
}

// What one counted example of each class, negative and positive, stands for, as a share of all cases.
export function classScales([negatives, positives], prior) {
  if (prior === null) return [1 / (positives + negatives), 1 / (positives + negatives)];
  const whole = 1 - prior + prior; // it may miss 1 by a bit
  return [(1 - prior) / whole / negatives, prior / whole / positives];
}

export function makeSurface(model, prior) {
  const [ns, ps] = classScales([sum(model.negatives), sum(model.positives)], prior),
    h = model.positives.length,
    pos = model.positives.map((count) => count * ps),
    neg = model.negatives.map((count) => count * ns),
    probability = pos.map((p, e) => (e || !model.unscored ? p / (p + neg[e]) : -0.5)), // never answered, nor told negative
    [positivesBelow, casesBelow, negativesAbove] = [0, 1, 2].map(() => new Float64Array(h + 1));
  for (let e = 0; e < h; e++) {
    positivesBelow[e + 1] = positivesBelow[e] + pos[e];
    casesBelow[e + 1] = casesBelow[e] + (pos[e] + neg[e]);
    negativesAbove[h - e - 1] = negativesAbove[h - e] + neg[h - e - 1];
  }
  return {
    pos, neg, probability, positivesBelow, negativesAbove, casesBelow,
    lower: [-Infinity, ...model.lower, Infinity], upper: [-Infinity, ...model.upper, Infinity],
    positives: positivesBelow[h], negatives: negativesAbove[0],
  };
}

// Graded answers are never answered negative: what is not let out is escalated.
export const costsOf = ({ false_negative: fn, false_positive: fp, abstain }, graded = false) =>
  graded ? { fn: fp, fp, abstain, graded } : { fn, fp, abstain };

// The first whole number from `low` on, or else `high`, of which something holds, as it does of all after it.
export function firstThat(low, high, holds) {
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// First position whose value is at least (left) or greater than (right) the one sought.
export const search = (sorted, value, right = false) =>
  firstThat(0, sorted.length, right ? (at) => !(sorted[at] <= value) : (at) => !(sorted[at] < value));

// The shares of positives between which abstaining costs least.
export function sharesBetween({ fn, fp, abstain, graded }) {
  if (graded) return [-1, Math.max(0, 1 - abstain / fp - 1e-12)];
  const pays = abstain * fp + abstain * fn < fn * fp,
    indifferent = fp / (fn + fp),
    below = pays ? abstain / (fn - abstain + abstain) : indifferent,
    above = Math.max(below, pays ? (fp - abstain) / (fp - abstain + abstain) : indifferent);
  // A share that equals one of these but for rounding is answered: it costs the same.
  return [below * (1 + 1e-12), above * (1 - 1e-12)];
}

// Corners of the optimal window. Ties are answered rather than abstained on, and answered positive.
export function corners(surface, costs) {
  const [below, above] = sharesBetween(costs),
    upper = search(surface.probability, above, false),
    lower = search(surface.probability, below, true);
  return [Math.min(lower, upper), upper];
}

function costBetween(surface, costs, [lower, upper]) {
  const { positivesBelow, negativesAbove } = surface;
  return (
    costs.fn * positivesBelow[lower] +
    costs.fp * negativesAbove[upper] +
    costs.abstain * (positivesBelow[upper] - positivesBelow[lower]) +
    costs.abstain * (negativesAbove[lower] - negativesAbove[upper])
  );
}

export const leastCost = (surface, costs) => costBetween(surface, costs, corners(surface, costs));

// The optimal window with all that happens under it, as shares of all cases.
export function bestWindow(surface, costs) {
  const at = corners(surface, costs),
    [l, u] = at,
    { positivesBelow: below, negativesAbove: above } = surface;
  return {
    lower: l < u ? surface.lower[l] : surface.upper[u],
    upper: surface.upper[u],
    ...ratesFrom({
      tn: above[0] - above[l], fn: below[l], fp: above[u], tp: below[below.length - 1] - below[u],
      abstainedNegative: above[l] - above[u], abstainedPositive: below[u] - below[l],
    }),
    abstention: surface.casesBelow[u] - surface.casesBelow[l],
    cost: costBetween(surface, costs, at),
  };
}

// What six cells add up to.
export const ratesFrom = (cells) => ({
  ...cells,
  abstention: cells.abstainedNegative + cells.abstainedPositive,
  error: cells.fn + cells.fp,
  answered: cells.tn + cells.fn + cells.fp + cells.tp,
});

export const forcedCost = (surface, costs) =>
  costBetween(surface, costs, corners(surface, { ...costs, abstain: Math.max(costs.fn, costs.fp) }));

// One answer to everything: what the scores have to beat.
export function trivialCosts(surface, costs) {
  return {
    negative: costs.graded ? Infinity : costs.fn * surface.positives,
    positive: costs.fp * surface.negatives,
    abstain: costs.abstain * (surface.positives + surface.negatives),
  };
}

// Volume under the surface over the unit square of relative costs, in closed form per bin. The more
// expensive mistake is the unit, so the classes trade places if false alarms cost more than misses.
export function vacc(surface, flipped) {
  const [pos, neg] = flipped ? [surface.neg, surface.pos] : [surface.pos, surface.neg];
  let volume = 0;
  for (let e = 0; e < pos.length; e++) {
    const weight = pos[e] + neg[e], q = pos[e] / weight, b = neg[e] / weight;
    volume +=
      weight *
      (q <= b ? q - (q * q) / 2 - ((q * q) / Math.max(b, 0.5)) * (0.5 - q / 3) : b / 2 - (b * b) / 6);
  }
  return volume;
}

// Costs at a point of the map: μ and ν are measured against the more expensive mistake.
export const relativeCosts = (mu, nu, flipped) =>
  flipped ? { fn: mu, fp: 1, abstain: nu } : { fn: 1, fp: mu, abstain: nu };

// The response of a model to being allowed more and more abstention: the bins that cost most to
// answer are given up first, which is the order in which optimal windows open as abstaining gets cheaper.
export function responseCurve(surface, { fn, fp }) {
  const { pos, neg } = surface;
  const order = Array.from(pos.keys());
  const price = pos.map((p, e) => Math.min(fn * p, fp * neg[e]) / (p + neg[e]));
  order.sort((a, b) => price[a] - price[b]);
  // From nothing answered (abstention 1) to all answered, so that small numbers are added first.
  let answered = 0, error = 0, cost = 0;
  const points = [{ abstention: 1, error: 0, selective: NaN, cost: 0 }];
  for (const e of order) {
    const negative = fn * pos[e] < fp * neg[e];
    answered += pos[e] + neg[e];
    error += negative ? pos[e] : neg[e];
    cost += negative ? fn * pos[e] : fp * neg[e];
    points.push({ abstention: 1 - answered, error, selective: error / answered, cost });
  }
  // Answering a random part of the surest bin errs as often as answering all of it.
  points[0].selective = points[1].selective;
  return points;
}
