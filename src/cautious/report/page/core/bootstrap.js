// How sure an expected cost is. Examples are drawn anew within each class, bin by bin; the drawn
// counts are pooled again and the window is chosen anew in each replicate. Choosing on the same data
// makes a cost optimistic, and a replicate's cost optimistic once more, so the interval is a basic
// one: it turns the replicates round the estimate, as cautious.curves.vacc_inference explains.
import { hullBins } from "./hull.js";
import { binomial, generator } from "./random.js";
import { classScales, sum } from "./surface.js";

export const REPLICATES = 300;
export const LEVEL = 0.95;

// Spread the draws of one class over the bins in proportion to their counts.
function redraw(random, counts) {
  const total = sum(counts),
    draws = Math.max(1, Math.round(total)),
    scale = total / draws;
  let left = draws,
    rest = total;
  return counts.map((count) => {
    const drawn = count >= rest ? left : binomial(random, left, count / rest);
    left -= drawn;
    rest -= count;
    return drawn * scale;
  });
}

export function replicatesOf(model) {
  const random = generator(20040614);
  return Array.from({ length: REPLICATES }, () => {
    const bins = hullBins(redraw(random, model.positives), redraw(random, model.negatives));
    return { positives: Float64Array.from(bins.positives), negatives: Float64Array.from(bins.negatives) };
  });
}

export function quantile(sorted, share) {
  const at = share * (sorted.length - 1),
    low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

export function costInterval(model, replicates, prior, costs, estimate) {
  const scales = classScales(model, prior);
  const drawn = new Float64Array(replicates.length);
  replicates.forEach(({ positives, negatives }, r) => {
    let cost = 0;
    for (let e = 0; e < positives.length; e++) {
      const p = positives[e] * scales.positive,
        n = negatives[e] * scales.negative;
      cost += Math.min(costs.fn * p, costs.fp * n, costs.abstain * (p + n));
    }
    drawn[r] = cost;
  });
  drawn.sort();
  const tail = (1 - LEVEL) / 2;
  return {
    low: Math.max(0, 2 * estimate - quantile(drawn, 1 - tail)),
    high: 2 * estimate - quantile(drawn, tail),
  };
}
