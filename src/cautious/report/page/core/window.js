// A window that somebody gives: what happens to the cases under it, as bestWindow says it of the
// cheapest one.
import { number } from "./format.js";
import { levelsAt, shortCut, stairsOf } from "./parts.js";
import { search } from "./surface.js";

// Shares of all cases below each level, by class.
export function cumulated(model, prior) {
  const stairs = stairsOf(model),
    m = stairs.scores.length,
    below = [new Float64Array(m + 1), new Float64Array(m + 1)];
  for (let l = 0; l < m; l++) {
    below[0][l + 1] = below[0][l] + stairs.negatives[l];
    below[1][l + 1] = below[1][l] + stairs.positives[l];
  }
  const counts = [below[0][m], below[1][m]],
    each =
      prior === null
        ? [1 / (counts[0] + counts[1]), 1 / (counts[0] + counts[1])]
        : [(1 - prior) / counts[0], prior / counts[1]];
  for (const y of [0, 1]) for (let l = 0; l <= m; l++) below[y][l] *= each[y];
  return { stairs, negatives: below[0], positives: below[1] };
}

/** Shares of all cases under a window between two levels. */
export function ratesBetween({ negatives, positives }, [low, high]) {
  const m = negatives.length - 1,
    rates = {
      tn: negatives[low],
      fn: positives[low],
      fp: negatives[m] - negatives[high],
      tp: positives[m] - positives[high],
      abstainedNegative: negatives[high] - negatives[low],
      abstainedPositive: positives[high] - positives[low],
    };
  return {
    ...rates,
    abstention: rates.abstainedNegative + rates.abstainedPositive,
    error: rates.fn + rates.fp,
    answered: rates.tn + rates.fn + rates.fp + rates.tp,
  };
}

/**
 * What a window does: negative up to `lower`, positive from `upper` on.
 *
 * @returns {{lower, upper, tn, fn, fp, tp, abstainedNegative, abstainedPositive, abstention, error,
 *   answered}} shares of all cases; the thresholds are those that were counted
 */
export function windowAt(model, prior, lower, upper) {
  const sums = cumulated(model, prior),
    { cuts } = sums.stairs,
    at = levelsAt(sums.stairs, { lower: Math.min(lower, upper), upper });
  const end = (level) =>
    level === 0 ? -Infinity : level === cuts.length + 1 ? Infinity : cuts[level - 1];
  const ends = cuts ? { lower: end(at[0]), upper: end(at[1]) } : { lower: Math.min(lower, upper), upper };
  return { ...ends, ...ratesBetween(sums, at) };
}

/**
 * A threshold as text that may be copied: the shortest decimal, of `least` digits or more, that decides every
 * case as the threshold itself does. Of steps the page knows such decimals for the corners of the hull, and of
 * the scores of a log that are known to lie in cells it takes one in the same cell.
 */
export function thresholdText(model, threshold, least = 3) {
  if (Math.abs(threshold) === Infinity) return number(threshold);
  const stairs = stairsOf(model),
    { scores, cuts, rounding = 0 } = stairs;
  if (cuts) return String(shortCut(stairs, threshold));
  for (let digits = least; digits < 17; digits++) {
    const near = Number(threshold.toPrecision(digits)),
      low = Math.min(near, threshold) - rounding,
      high = Math.max(near, threshold) + rounding;
    if (search(scores, low) === search(scores, high, true)) return String(near);
  }
  return String(threshold);
}

export const windowText = (model, { lower, upper }) =>
  [lower, upper].map((end) => thresholdText(model, end)).join(" and ");
