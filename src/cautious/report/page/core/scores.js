// Two classes: from the scores of cases to counts at distinct scores, and from those to the summary
// the page works with (cautious.report._page_data).
import { hullBins, thresholdsAt } from "./hull.js";
import { riskOfStaircase } from "./risk.js";
import { search, sum } from "./surface.js";

const BARS = 60;
const SCORE_STEPS = 60;
const CALIBRATION_BINS = 10;
const MOST_BINS = 20;
const LEAST_IN_BIN = 5;

// Counts of both classes at each distinct score; `codes` are 1 for positives.
export function staircaseOf({ rows, score, codes, weight }) {
  const kept = weight ? rows.filter((row) => weight[row] > 0) : rows,
    own = new Float64Array(kept.length).map((_, i) => score[kept[i]] + 0), // -0 sorts apart from 0
    counts = [new Float64Array(kept.length), new Float64Array(kept.length)];
  if (!weight) return mergedStaircase(own, kept, codes, counts);
  // Weights of equal scores are added in the order of the rows.
  const places = Uint32Array.from(own.keys()).sort((a, b) => own[a] - own[b] || a - b),
    scores = new Float64Array(kept.length);
  let last = -1;
  for (const place of places) {
    if (last < 0 || scores[last] !== own[place]) scores[++last] = own[place];
    counts[codes[kept[place]]][last] += weight[kept[place]];
  }
  return cutStaircase(scores, counts, last + 1);
}

// Numbers alone sort in a tenth of the time: those of each class, which are then merged.
function mergedStaircase(own, kept, codes, [negatives, positives]) {
  const sides = [0, 1].map(() => new Float64Array(own.length)), sizes = [0, 0], scores = new Float64Array(own.length);
  kept.forEach((row, at) => (sides[codes[row]][sizes[codes[row]]++] = own[at]));
  const [a, b] = sides.map((side, y) => side.subarray(0, sizes[y]).sort());
  let i = 0, j = 0, k = 0;
  for (; i < a.length || j < b.length; k++) {
    const score = j >= b.length || (i < a.length && a[i] <= b[j]) ? a[i] : b[j];
    scores[k] = score;
    for (; i < a.length && a[i] === score; i++) negatives[k]++;
    for (; j < b.length && b[j] === score; j++) positives[k]++;
  }
  return cutStaircase(scores, [negatives, positives], k);
}

const cutStaircase = (scores, [negatives, positives], n) => ({
  scores: scores.subarray(0, n), positives: positives.subarray(0, n),
  negatives: negatives.subarray(0, n),
});

// Found once: it takes as long as many a picture.
const binsOf = (stairs) => (stairs.bins ??= hullBins(stairs.positives, stairs.negatives));

export function summariseStaircase(stairs) {
  const bins = binsOf(stairs);
  return {
    total: sum(stairs.positives) + sum(stairs.negatives), positives: bins.positives,
    negatives: bins.negatives,
    ...thresholdsAt(stairs.scores, bins.cuts.slice(1, -1)),
    auc: areaUnderRoc(stairs), reversed: isReversed(stairs), histogram: histogramOf(stairs),
    risk: riskOfStaircase(stairs), calibration: calibrationBins(stairs),
  };
}

// What a rule's file keeps of the scores that the rule was chosen on (cautious.curves._hull.kept_scores): bins of
// about equal numbers of rows, to watch drift by, and the bins of the hull with their ends.
export function keptScores(stairs, rows = stairs) {
  const bins = scoreBins(rows),
    { scores } = stairs,
    { cuts, ...hull } = binsOf(stairs),
    ends = { low: cuts.slice(0, -1).map((cut) => scores[cut]), high: cuts.slice(1).map((cut) => scores[cut - 1]) };
  return {
    ...(bins && { scores: bins }),
    ...(scores.every(Number.isFinite) && { hull: { ...ends, ...hull } }),
  };
}

function scoreBins({ scores, positives, negatives }) {
  const n = sum(positives) + sum(negatives),
    many = Math.min(MOST_BINS, Math.floor(n / LEAST_IN_BIN)),
    bins = { edges: [], counts: [0], positives: [0] };
  if (many < 2) return null;
  for (let l = 0, seen = 0, next = 1; l < scores.length; l++) {
    const bin = bins.edges.length, first = next, count = positives[l] + negatives[l];
    seen += count;
    bins.counts[bin] += count;
    bins.positives[bin] += positives[l];
    while (next < many && seen >= Math.floor((next * n) / many)) next++;
    if (next === first || seen === n || !Number.isFinite(scores[l])) continue;
    bins.edges.push(scores[l]);
    bins.counts.push(0);
    bins.positives.push(0);
  }
  return bins;
}

const areProbabilities = (scores) => scores[0] >= 0 && scores[scores.length - 1] <= 1;

// Ten bins of equal weight, as far as equal probabilities stay together.
function calibrationBins({ scores, positives, negatives }) {
  if (!areProbabilities(scores)) return null;
  const total = sum(positives) + sum(negatives), bins = [];
  let seen = 0, last = 0;
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

// Neighbouring scores gathered into a few hundred steps that keep every corner of the hull; as in a report, with
// the scores that steps start at. `rows` counts rows, where weights do not.
export function stepsOf({ scores, positives, negatives }, { lower, upper }, rows = null) {
  const m = scores.length,
    total = sum(positives) + sum(negatives),
    corners = upper.map((corner) => search(scores, corner)),
    unseen = new Set(); // starts that do not depend on labels
  for (let i = 0, seen = 0, next = 1; i < m; i++) {
    seen += positives[i] + negatives[i];
    for (; next < SCORE_STEPS && seen >= (next / SCORE_STEPS) * total; next++) unseen.add(i + 1);
  }
  if (areProbabilities(scores)) for (let k = 1; k < 100; k++) unseen.add(search(scores, k / 100));
  const between = (at, of, least) => writtenAt(of, scores[at - 1], scores[at], least),
    starts = [...new Set([...corners, ...unseen])].filter((at) => at > 0 && at < m).sort((a, b) => a - b),
    ends = [...starts, m],
    added = (counts) => ends.map((end, s) => sum(counts.subarray(starts[s - 1] ?? 0, end)));
  return {
    starts,
    cuts: starts
      .filter((at) => !corners.includes(at))
      .map((at) => {
        const middle = scores[at - 1] / 2 + scores[at] / 2;
        return between(at, middle < scores[at] ? middle : scores[at - 1], 1);
      }),
    shared: [...corners.keys()].filter((corner) => unseen.has(corners[corner])),
    short: corners.map((at, corner) => between(at, lower[corner], 3)),
    positives: added(positives),
    negatives: added(negatives),
    ...(rows && { rows: { positives: added(rows.positives), negatives: added(rows.negatives) } }),
  };
}

// The decimal of least digits near a threshold that does as well.
export function writtenSo(threshold, least, does) {
  for (let digits = least; digits < 17; digits++) {
    const short = Number(threshold.toPrecision(digits));
    if (does(short)) return short;
  }
  return threshold;
}

export const writtenAt = (threshold, below, above, least = 3) =>
  writtenSo(threshold, least, (short) => below < short && short < above);

// Whether a high score speaks against the positive class, and not by accident: chance takes one file of a
// thousand for such (cautious.curves.Staircase.is_reversed).
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
  let above = 0, below = 0, n = 0;
  for (let i = 0; i < positives.length; i++) {
    above += positives[i] * (below + negatives[i] / 2);
    below += negatives[i];
    n += positives[i];
  }
  return above / (n * below);
}

function histogramOf({ scores, positives, negatives }) {
  // Ends so far apart that their distance is infinite could not be drawn.
  const clip = (end) => Math.max(-1e300, Math.min(1e300, end));
  let [low, high] = [scores.find(Number.isFinite), scores.findLast(Number.isFinite)].map(clip);
  if (Number.isNaN(low) || (low >= 0 && high <= 1)) [low, high] = [0, 1];
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
