// A window that somebody gives: what happens to the cases under it, as bestWindow says it of the
// cheapest one, and the thresholds as text and in the file of a rule.
import { number } from "./format.js";
import { limitOf } from "./limits.js";
import { countsAt, levelsAt, shortCut, stairsOf, sumsBelow } from "./parts.js";
import { keptScores, writtenSo } from "./scores.js";
import { classScales, ratesFrom, search } from "./surface.js";

// Shares of all cases below each level, by class.
export function cumulated(model, prior) {
  const stairs = stairsOf(model),
    m = stairs.scores.length,
    below = [stairs.negatives, stairs.positives].map(sumsBelow),
    each = classScales([below[0][m], below[1][m]], prior),
    [negatives, positives] = below.map((sums, y) => sums.map((count) => count * each[y]));
  return { stairs, negatives, positives };
}

// Shares of all cases under a window between two levels.
export function ratesBetween({ negatives, positives }, [low, high]) {
  const m = negatives.length - 1;
  return ratesFrom({
    tn: negatives[low], fn: positives[low], fp: negatives[m] - negatives[high],
    tp: positives[m] - positives[high], abstainedNegative: negatives[high] - negatives[low],
    abstainedPositive: positives[high] - positives[low],
  });
}

// What a window does: negative up to `lower`, positive from `upper` on. The thresholds that it gives are those
// that were counted.
export function windowAt(model, prior, lower, upper) {
  const sums = cumulated(model, prior),
    { cuts } = sums.stairs,
    at = levelsAt(sums.stairs, { lower: Math.min(lower, upper), upper }),
    end = (level) => (level === 0 ? -Infinity : (cuts[level - 1] ?? Infinity)),
    ends = cuts ? { lower: end(at[0]), upper: end(at[1]) } : { lower: Math.min(lower, upper), upper };
  return { ...ends, ...ratesBetween(sums, at) };
}

// A threshold as text that may be copied: the shortest decimal, of `least` digits or more, that decides every
// case as the threshold itself does. Of steps the page knows such decimals for the corners of the hull, and of
// the scores of a log that are known to lie in cells it takes one in the same cell.
export function thresholdText(model, threshold, least = 3) {
  if (Math.abs(threshold) === Infinity) return number(threshold);
  const stairs = stairsOf(model), { scores, cuts, rounding = 0 } = stairs;
  if (cuts) return String(shortCut(stairs, threshold));
  return String(
    writtenSo(threshold, least, (near) => {
      const [low, high] = [Math.min(near, threshold) - rounding, Math.max(near, threshold) + rounding];
      return search(scores, low) === search(scores, high, true);
    }),
  );
}

export const windowText = (model, { lower, upper }) =>
  model.graded
    ? `threshold ${thresholdText(model, upper)}`
    : `thresholds ${thresholdText(model, lower)} and ${thresholdText(model, upper)}`;

// What stands in the file of a rule as its data (cautious.tune writes the same): the cases it was chosen on,
// their scores, and the limits that it was searched for, if it was.
export function originOf(model, limits = {}) {
  const { low, high, scores, ...about } = model.origin ?? {},
    { positives, negatives } = model,
    kept = model.cases
      ? keptScores(stairsOf(model), rowStairs(model))
      : { ...(scores && { scores }), ...(low && { hull: { low, high, negatives, positives } }) };
  // One limit is a goal that the library can search for again; it has no name for several at once.
  const [name, ...others] = Object.keys(limits), goal = !others.length && limitOf(name)?.goal;
  return { ...about, ...kept, ...(goal && { goal: { [goal]: limits[name], per: "answer" } }) };
}

// New cases come one by one, whatever weights these have.
function rowStairs(model) {
  const stairs = stairsOf(model), counts = countsAt(stairs, model.cases.table.truth, () => 1),
    [scores, negatives, positives] = [stairs.scores, ...counts].map((each) => each.subarray(stairs.silent ?? 0));
  return { scores, negatives, positives };
}
