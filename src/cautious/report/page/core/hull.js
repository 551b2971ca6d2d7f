// The hull of a staircase: neighbouring scores merged into bins whose share of positives rises.
// Everything optimal depends on these bins only (cautious.curves._hull says why).

// Pool adjacent violators. `positives` and `negatives` are counts at increasing scores; bin e of the
// result holds the scores cuts[e] up to, not including, cuts[e + 1].
export function hullBins(positives, negatives) {
  const n = positives.length;
  const start = new Int32Array(n), pos = new Float64Array(n), neg = new Float64Array(n);
  const share = new Float64Array(n);
  let top = -1;
  for (let i = 0; i < n; i++) {
    if (positives[i] === 0 && negatives[i] === 0) continue;
    top++;
    start[top] = i;
    pos[top] = positives[i];
    neg[top] = negatives[i];
    share[top] = pos[top] / (pos[top] + neg[top]);
    while (top > 0 && share[top - 1] >= share[top]) {
      pos[top - 1] += pos[top];
      neg[top - 1] += neg[top];
      top--;
      share[top] = pos[top] / (pos[top] + neg[top]);
    }
  }
  const cuts = Array.from(start.subarray(0, top + 1));
  if (cuts.length) cuts[0] = 0;
  cuts.push(n);
  return {
    cuts, positives: Array.from(pos.subarray(0, top + 1)),
    negatives: Array.from(neg.subarray(0, top + 1)),
  };
}

// Thresholds midway between the neighbours of a cut that has scores on both sides. The two ends of
// a window differ only where no float lies between two neighbouring scores.
export function thresholdsAt(scores, cuts) {
  const largest = Number.MAX_VALUE;
  const clip = (x) => Math.max(-largest, Math.min(largest, x));
  const lower = [], upper = [];
  for (const cut of cuts) {
    const below = scores[cut - 1], above = scores[cut];
    const midway = clip(below) / 2 + clip(above) / 2;
    lower.push(midway < above ? midway : below);
    upper.push(midway > below ? midway : above);
  }
  return { lower, upper };
}
