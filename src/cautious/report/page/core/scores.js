// Two classes: from the scores of cases to counts at distinct scores, and from those to the summary
// the page works with (cautious.report.binary_summary).
import { hullBins, thresholdsAt } from "./hull.js";
import { riskOfStaircase } from "./risk.js";

const BARS = 60;

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
  return mergeSorted(...sides.map((values) => values.sort()));
}

function weightedStaircase(rows, score, codes, weight) {
  const order = Array.from(rows)
    .filter((row) => weight[row] > 0)
    .sort((a, b) => score[a] - score[b] || 0); // two equal infinities have no difference
  const stairs = { scores: [], positives: [], negatives: [] };
  for (const row of order) {
    let last = stairs.scores.length - 1;
    if (last < 0 || stairs.scores[last] !== score[row]) {
      stairs.scores.push(score[row]);
      stairs.positives.push(0);
      stairs.negatives.push(0);
      last++;
    }
    (codes[row] ? stairs.positives : stairs.negatives)[last] += weight[row];
  }
  return stairs;
}

export function summariseStaircase(stairs) {
  const bins = hullBins(stairs.positives, stairs.negatives);
  return {
    positives: bins.positives,
    negatives: bins.negatives,
    ...thresholdsAt(stairs.scores, bins.cuts.slice(1, -1)),
    auc: areaUnderRoc(stairs),
    histogram: histogramOf(stairs),
    risk: riskOfStaircase(stairs),
  };
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
