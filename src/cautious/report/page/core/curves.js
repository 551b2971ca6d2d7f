// Curves of one model with bands: ROC, risk against coverage, net benefit, calibration, the cost against
// the price of abstaining, and groups.
import { LEVEL, normalQuantile, wilson } from "./distributions.js";
import { levelsAt, stairsOf } from "./parts.js";
import { leastCost, makeSurface, sum } from "./surface.js";
import { cumulated, windowAt } from "./window.js";

const MOST_POINTS = 200; // of a ROC curve

// Rows that weights stand for: so many as there are, each with its share of the weight.
const rowsFor = (model, weight) => (weight / model.total) * model.n;

// Calibration in ten bins with Wilson's intervals; null for margins.
export function calibrationOf(model) {
  return (
    model.calibration?.map(({ low, high, weight, positives, mean }) => {
      const n = rowsFor(model, weight), share = wilson(positives / weight, n);
      return { low, high, n, mean, share: share.value, shareLow: share.low, shareHigh: share.high };
    }) ?? null
  );
}

// The ROC curve from (0, 0) to (1, 1), with a band for the true positive rate at each false positive
// rate: the variances of both rates, the latter times the squared slope of the hull (Greenhouse & Mantel).
export function rocOf(model) {
  const { positives, negatives } = cumulated(model, null),
    m = positives.length - 1,
    events = model.events,
    others = model.n - model.events,
    slope = slopeOf(model),
    z = normalQuantile((1 + LEVEL) / 2),
    found = { points: [], low: [], high: [] };
  let last = -1;
  for (let l = m; l >= 0; l--) {
    const tpr = 1 - positives[l] / positives[m], fpr = 1 - negatives[l] / negatives[m];
    if (l > 0 && l < m && Math.max(tpr, fpr) - last < 1 / MOST_POINTS) continue;
    last = Math.max(tpr, fpr);
    // The share of neither rate is sure to be 0 or 1: half a case is added to either side.
    const [t, f] = [[tpr, events], [fpr, others]].map(([rate, n]) => (rate * n + 0.5) / (n + 1)),
      half = z * Math.sqrt((t * (1 - t)) / events + (slope(tpr) ** 2 * (f * (1 - f))) / others);
    found.points.push([fpr, tpr]);
    found.low.push(Math.max(0, tpr - half));
    found.high.push(Math.min(1, tpr + half));
  }
  return found;
}

// Slope of the ROC hull at a point, at most 20: beyond that the rate at the left is all that matters.
function slopeOf({ positives, negatives }) {
  const [p, n] = [sum(positives), sum(negatives)];
  return (tpr) => {
    let above = 0;
    for (let e = positives.length - 1; e >= 0; e--) {
      above += positives[e] / p;
      if (above >= tpr - 1e-12) return Math.min(20, negatives[e] ? positives[e] / p / (negatives[e] / n) : 20);
    }
    return 0;
  };
}

// Risk among the answers against coverage, with Wilson's intervals at each coverage; null for margins.
export function riskBand(model) {
  if (!model.risk) return null;
  const { coverage, risk } = model.risk,
    bands = coverage.map((c, i) => wilson(Math.min(1, risk[i] / c), c * model.n));
  return {
    coverage: Array.from(coverage),
    risk: bands.map((one) => one.value),
    low: bands.map((one) => one.low),
    high: bands.map((one) => one.high),
  };
}

// Net benefit of treating from a threshold probability on, in units of a needed treatment
// (cautious.curves.DecisionCurve), and of the best window where abstaining costs `abstain`; null for margins.
export function netBenefitOf(model, prior, thresholds, abstain = null) {
  if (!model.risk) return null;
  const surface = makeSurface(model, prior), { positives, negatives } = surface;
  return thresholds.map((t) => {
    const { tp, fp } = windowAt(model, prior, t, t), odds = t / (1 - t);
    return {
      threshold: t, model: tp - fp * odds, all: positives - negatives * odds, none: 0,
      refer: abstain === null ? null : positives - abstain,
      withAbstention: abstain === null ? null : positives - leastCost(surface, { fn: 1, fp: odds, abstain }),
    };
  });
}

// What a window does in each group, with Wilson's intervals: share answered, share of wrong answers, and
// share of the positives that are answered negative; null without groups.
export function groupsOf(model, lower, upper) {
  const stairs = stairsOf(model), at = levelsAt(stairs, { lower: Math.min(lower, upper), upper });
  return groupCells(model, stairs, at)?.map(({ group, n, events, cells: [[tn, fp, an], [fn, tp, ap]] }) => {
    const all = tn + fp + an + fn + tp + ap,
      answered = tn + fp + fn + tp,
      rows = (weight) => (weight / all) * n;
    return {
      group, n, events, coverage: wilson(answered / all, n),
      error: wilson((fp + fn) / answered, rows(answered)),
      missed: wilson(fn / (fn + tp + ap), events),
    };
  }) ?? null;
}

function groupCells(model, { level }, [low, high]) {
  const answer = (l) => (l >= high ? 1 : l < low ? 0 : 2),
    empty = () => [0, 1].map(() => [0, 0, 0]);
  if (!model.cases)
    return model.groups?.map(({ steps, positives, negatives, ...one }) => {
      const cells = empty();
      steps.forEach((l, i) => {
        cells[0][answer(l)] += negatives[i];
        cells[1][answer(l)] += positives[i];
      });
      return { ...one, cells };
    });
  const { group, groups, truth, weight } = model.cases.table;
  if (!group || !groups) return undefined;
  const found = groups.map((name) => ({ group: name, n: 0, events: 0, cells: empty() }));
  for (let i = 0; i < truth.length; i++) {
    const one = found[group[i]];
    one.n++;
    one.events += truth[i];
    one.cells[truth[i]][answer(level[i])] += weight ? weight[i] : 1;
  }
  return found;
}
