// Two classes: from the scores of cases to counts at distinct scores, and from those to the summary
// the page works with (cautious.report.payload.scores).
import { hullBins, thresholdsAt } from "./hull.js";
import { riskOfStaircase } from "./risk.js";
import { search, sum } from "./surface.js";

const BARS = 60;
const SCORE_STEPS = 60;
const CALIBRATION_BINS = 10;
const MANY = 32;

// Counts of both classes at each distinct score; `codes` are 1 for positives.
export function staircaseOf({ rows, score, codes, weight }) {
  if (weight) return weightedStaircase(rows, score, codes, weight);
  let n = 0;
  for (let i = 0; i < rows.length; i++) n += codes[rows[i]];
  const sides = [new Float64Array(rows.length - n), new Float64Array(n)],
    filled = [0, 0];
  for (let i = 0; i < rows.length; i++) {
    const side = codes[rows[i]];
    sides[side][filled[side]++] = score[rows[i]] + 0; // -0 sorts apart from 0, which it equals
  }
  return mergeSorted(...sides.map(sortedScores));
}

// Scores are put into as many drawers of equal width as there are scores, where most drawers hold one or
// two. Gives the drawer of each, and where each drawer starts.
function drawersOf(values) {
  const n = values.length,
    starts = new Uint32Array(n + 1),
    drawers = new Uint32Array(n);
  let low = Infinity,
    high = -Infinity;
  for (let i = 0; i < n; i++) {
    const value = values[i];
    if (value < low && value > -Infinity) low = value;
    if (value > high && value < Infinity) high = value;
  }
  const scale = n / (high - low); // infinite or none where there is one drawer
  for (let i = 0; i < n; i++) {
    const place = (values[i] - low) * scale,
      drawer = place >= n ? n - 1 : place > 0 ? Math.trunc(place) : 0;
    drawers[i] = drawer;
    starts[drawer + 1]++;
  }
  for (let d = 0; d < n; d++) starts[d + 1] += starts[d];
  return { drawers, starts };
}

// Full drawers are sorted by the browser, and one pass puts neighbours right.
function sortedScores(values) {
  const n = values.length,
    sorted = new Float64Array(n),
    { drawers, starts: ends } = drawersOf(values);
  for (let i = 0; i < n; i++) sorted[ends[drawers[i]]++] = values[i];
  for (let d = 0, start = 0; d < n; start = ends[d++])
    if (ends[d] - start > MANY) sorted.subarray(start, ends[d]).sort();
  for (let i = 1; i < n; i++) {
    const value = sorted[i];
    let at = i;
    for (; at > 0 && sorted[at - 1] > value; at--) sorted[at] = sorted[at - 1];
    sorted[at] = value;
  }
  return sorted;
}

// The same for the places of the scores; equal ones stay in their order.
function sortedPlaces(values) {
  const n = values.length,
    places = new Uint32Array(n),
    { drawers, starts: ends } = drawersOf(values);
  for (let i = 0; i < n; i++) places[ends[drawers[i]]++] = i;
  for (let d = 0, start = 0; d < n; start = ends[d++])
    if (ends[d] - start > MANY)
      places.subarray(start, ends[d]).sort((a, b) => values[a] - values[b] || 0); // infinities
  for (let i = 1; i < n; i++) {
    const place = places[i];
    let at = i;
    for (; at > 0 && values[places[at - 1]] > values[place]; at--) places[at] = places[at - 1];
    places[at] = place;
  }
  return places;
}

// Weights of equal scores are added in the order of the rows.
function weightedStaircase(rows, score, codes, weight) {
  const kept = rows.filter((row) => weight[row] > 0),
    n = kept.length,
    own = new Float64Array(n);
  for (let i = 0; i < n; i++) own[i] = score[kept[i]] + 0;
  const places = sortedPlaces(own),
    scores = new Float64Array(n),
    sides = [new Float64Array(n), new Float64Array(n)];
  let last = -1;
  for (let i = 0; i < n; i++) {
    const place = places[i],
      row = kept[place];
    if (last < 0 || scores[last] !== own[place]) scores[++last] = own[place];
    sides[codes[row]][last] += weight[row];
  }
  const cut = (values) => values.subarray(0, last + 1);
  return { scores: cut(scores), positives: cut(sides[1]), negatives: cut(sides[0]) };
}

export function summariseStaircase(stairs) {
  const bins = hullBins(stairs.positives, stairs.negatives);
  return {
    total: sum(stairs.positives) + sum(stairs.negatives),
    positives: bins.positives,
    negatives: bins.negatives,
    ...thresholdsAt(stairs.scores, bins.cuts.slice(1, -1)),
    auc: areaUnderRoc(stairs),
    reversed: isReversed(stairs),
    histogram: histogramOf(stairs),
    risk: riskOfStaircase(stairs),
    calibration: calibrationBins(stairs),
  };
}

/**
 * What a rule's file keeps of the scores that the rule was chosen on (cautious.curves.kept_scores): bins of
 * about equal numbers of rows, to watch drift by, and the bins of the hull with their ends.
 */
export function keptScores({ scores, positives, negatives }, rows = { scores, positives, negatives }) {
  const bins = scoreBins(rows),
    { cuts, ...hull } = hullBins(positives, negatives),
    ends = { low: cuts.slice(0, -1).map((cut) => scores[cut]), high: cuts.slice(1).map((cut) => scores[cut - 1]) };
  return {
    ...(bins && { scores: bins }),
    ...(scores.every(Number.isFinite) && { hull: { ...ends, ...hull } }),
  };
}

const MOST_BINS = 20;
const LEAST_IN_BIN = 5;

function scoreBins({ scores, positives, negatives }) {
  const counts = Array.from(positives, (count, l) => count + negatives[l]),
    n = sum(counts),
    many = Math.min(MOST_BINS, Math.floor(n / LEAST_IN_BIN)),
    bins = { edges: [], counts: [0], positives: [0] };
  if (many < 2 || !counts.every(Number.isInteger)) return null;
  let seen = 0,
    next = 1;
  counts.forEach((count, l) => {
    const bin = bins.edges.length,
      first = next;
    seen += count;
    bins.counts[bin] += count;
    bins.positives[bin] += positives[l];
    while (next < many && seen >= Math.floor((next * n) / many)) next++;
    if (next === first || seen === n || !Number.isFinite(scores[l])) return;
    bins.edges.push(scores[l]);
    bins.counts.push(0);
    bins.positives.push(0);
  });
  return bins;
}

export const areProbabilities = (scores) => scores[0] >= 0 && scores[scores.length - 1] <= 1;

// Ten bins of equal weight, as far as equal probabilities stay together.
function calibrationBins({ scores, positives, negatives }) {
  if (!areProbabilities(scores)) return null;
  const total = sum(positives) + sum(negatives),
    bins = [];
  let seen = 0,
    last = 0;
  for (let i = 0; i < scores.length; i++) {
    const weight = positives[i] + negatives[i],
      bin = Math.ceil(((seen += weight) / total) * CALIBRATION_BINS - 1e-9);
    if (bin > last) bins.push({ low: scores[i], high: scores[i], weight: 0, positives: 0, mean: 0 });
    last = bin;
    const one = bins[bins.length - 1];
    one.high = scores[i];
    one.weight += weight;
    one.positives += positives[i];
    one.mean += weight * scores[i];
  }
  return bins.map((one) => ({ ...one, mean: one.mean / one.weight }));
}

// Neighbouring scores gathered into a few hundred steps that keep every corner of the hull. `step` says
// which one each score is in, `unseen` which cuts do not depend on labels.
export function stepsOf({ scores, positives, negatives, rows }, { lower, upper }) {
  const m = scores.length,
    starts = new Map(),
    total = sum(positives) + sum(negatives),
    unseen = new Set(),
    first = (value) => search(scores, value);
  upper.forEach((corner, e) => starts.set(first(corner), lower[e]));
  const put = (at) => {
    unseen.add(at);
    if (at > 0 && at < m && !starts.has(at)) starts.set(at, roundBetween(scores[at - 1], scores[at]));
  };
  for (let i = 0, seen = 0, next = 1; i < m; i++) {
    seen += positives[i] + negatives[i];
    for (; next < SCORE_STEPS && seen >= (next / SCORE_STEPS) * total; next++) put(i + 1);
  }
  if (areProbabilities(scores)) for (let k = 1; k < 100; k++) put(first(k / 100));
  const at = [...starts.keys()].sort((a, b) => a - b),
    step = new Uint32Array(m);
  for (let i = 0, s = 0; i < m; i++) {
    while (s < at.length && at[s] <= i) s++;
    step[i] = s;
  }
  const added = (counts) => {
    const sums = new Array(at.length + 1).fill(0);
    for (let i = 0; i < m; i++) sums[step[i]] += counts[i];
    return sums;
  };
  return {
    cuts: at.map((start) => starts.get(start)),
    unseen: at.map((start) => unseen.has(start)),
    short: new Map(
      upper.map(first).map((start, e) => [lower[e], writtenAt(lower[e], scores[start - 1], scores[start])]),
    ),
    scores: [0, ...at.map((_, s) => s + 1)],
    positives: added(positives),
    negatives: added(negatives),
    ...(rows && { rows: { positives: added(rows.positives), negatives: added(rows.negatives) } }),
    step,
  };
}

// A number between two scores that takes few digits to write.
function roundBetween(below, above) {
  const middle = below / 2 + above / 2;
  return writtenAt(middle < above ? middle : below, below, above, 1);
}

// The decimal of least digits near a threshold that lies between the same two scores.
export function writtenAt(threshold, below, above, least = 3) {
  for (let digits = least; digits < 17; digits++) {
    const short = Number(threshold.toPrecision(digits));
    if (below < short && short < above) return short;
  }
  return threshold;
}

// Whether a high score speaks against the positive class, and not by accident: chance takes one file of a
// thousand for such (cautious.evaluation.is_reversed).
function isReversed({ positives, negatives }) {
  const m = sum(positives),
    k = sum(negatives),
    n = m + k,
    ties = positives.reduce((all, p, i) => all + (p + negatives[i]) ** 3 - (p + negatives[i]), 0),
    variance = (n + 1 - ties / (n * (n - 1))) / (12 * m * k);
  if (n <= 1 || !(m * k)) return false;
  return 0.5 - areaUnderRoc({ positives, negatives }) > 3.09 * Math.sqrt(Math.max(variance, 0));
}

// The chance that a positive scores above a negative, ties counting half.
function areaUnderRoc({ positives, negatives }) {
  let above = 0,
    below = 0,
    n = 0;
  for (let i = 0; i < positives.length; i++) {
    above += positives[i] * (below + negatives[i] / 2);
    below += negatives[i];
    n += positives[i];
  }
  return above / (n * below);
}

function histogramOf({ scores, positives, negatives }) {
  let low = Infinity,
    high = -Infinity;
  for (let i = 0; i < scores.length; i++) {
    if (Math.abs(scores[i]) === Infinity) continue;
    low = Math.min(low, scores[i]);
    high = Math.max(high, scores[i]);
  }
  // Ends so far apart that their distance is infinite could not be drawn.
  [low, high] = [low, high].map((end) => Math.max(-1e300, Math.min(1e300, end)));
  if (low > high || (low >= 0 && high <= 1)) [low, high] = [0, 1];
  else if (low === high) {
    const room = Math.max(0.5, Math.abs(low) / 2);
    [low, high] = [low - room, high + room];
  }
  const width = high / BARS - low / BARS;
  const bars = { low, high, positives: new Array(BARS).fill(0), negatives: new Array(BARS).fill(0) };
  for (let i = 0; i < scores.length; i++) {
    const inside = Math.max(low, Math.min(high, scores[i]));
    const bar = Math.min(BARS - 1, Math.trunc((inside - low) / width));
    bars.positives[bar] += positives[i];
    bars.negatives[bar] += negatives[i];
  }
  return bars;
}

// Count positives and negatives at each distinct score, from the sorted scores of either class.
function mergeSorted(negativeScores, positiveScores) {
  const n = negativeScores.length,
    p = positiveScores.length;
  const scores = new Float64Array(n + p);
  const positives = new Float64Array(n + p),
    negatives = new Float64Array(n + p);
  let i = 0,
    j = 0,
    k = 0;
  while (i < n || j < p) {
    const score =
      j >= p || (i < n && negativeScores[i] <= positiveScores[j]) ? negativeScores[i] : positiveScores[j];
    while (i < n && negativeScores[i] === score) {
      negatives[k]++;
      i++;
    }
    while (j < p && positiveScores[j] === score) {
      positives[k]++;
      j++;
    }
    scores[k++] = score;
  }
  return {
    scores: scores.subarray(0, k),
    positives: positives.subarray(0, k),
    negatives: negatives.subarray(0, k),
  };
}
