// Risk against coverage by the model's own confidence: what it errs on when it answers the surest
// cases first. Cases of equal confidence form a block that no threshold can part.

const POINTS = 100;

// From cells sorted by falling confidence: weights and losses of each.
export function riskOfCells(confidence, loss, weight) {
  const covered = new Float64Array(confidence.length),
    lost = new Float64Array(confidence.length);
  let cases = 0,
    losses = 0,
    blocks = 0;
  for (let i = 0; i < confidence.length; i++) {
    cases += weight[i];
    losses += weight[i] * loss[i];
    if (i + 1 === confidence.length || confidence[i + 1] !== confidence[i]) {
      covered[blocks] = cases;
      lost[blocks++] = losses;
    }
  }
  return riskOfBlocks(covered.subarray(0, blocks), lost.subarray(0, blocks));
}

// From what is covered and lost up to the end of each block.
function riskOfBlocks(coverage, risk) {
  const cases = coverage[coverage.length - 1];
  for (let i = 0; i < coverage.length; i++) {
    coverage[i] /= cases;
    risk[i] /= cases;
  }
  return { ...thinned(coverage, risk), ...areas(coverage, risk) };
}

function areas(coverage, risk) {
  const last = coverage.length - 1;
  let aurc = risk[last],
    twice = risk[0] * coverage[0];
  for (let i = 0; i < last; i++) {
    const step = coverage[i + 1] - coverage[i];
    twice += (risk[i + 1] + risk[i]) * step;
    if (coverage[i] > 0 && step > 0) {
      const intercept = risk[i] - ((risk[i + 1] - risk[i]) * coverage[i]) / step;
      aurc += intercept * Math.log1p(step / coverage[i]);
    }
  }
  return { aurc, augrc: twice / 2 };
}

function thinned(coverage, risk) {
  if (coverage.length <= POINTS) return { coverage: Array.from(coverage), risk: Array.from(risk) };
  const kept = { coverage: [], risk: [] };
  let next = coverage[0];
  for (let i = 0; i < coverage.length; i++) {
    const c = coverage[i];
    if (c < next && i + 1 < coverage.length) continue;
    kept.coverage.push(c);
    kept.risk.push(risk[i]);
    next = c + Math.min(1 / POINTS, c * 0.05);
  }
  return kept;
}

// Two classes: probabilities are cut at one half. Other scores do not say how sure they are.
export function riskOfStaircase({ scores, positives, negatives }) {
  const n = scores.length;
  if (!(scores[0] >= 0 && scores[n - 1] <= 1)) return null;
  const sure = (s) => Math.max(s, 1 - s),
    covered = new Float64Array(n),
    lost = new Float64Array(n);
  // Confidence falls from either end towards the cut: merge the two ends.
  let i = 0,
    j = n - 1,
    blocks = -1,
    last = NaN,
    cases = 0,
    losses = 0;
  while (i <= j) {
    const at = sure(scores[j]) >= sure(scores[i]) ? j-- : i++,
      confidence = sure(scores[at]);
    if (confidence !== last) blocks++;
    last = confidence;
    cases += positives[at];
    cases += negatives[at];
    losses += scores[at] > 0.5 ? negatives[at] : positives[at];
    covered[blocks] = cases;
    lost[blocks] = losses;
  }
  return riskOfBlocks(covered.subarray(0, blocks + 1), lost.subarray(0, blocks + 1));
}

// Up to the first block the risk is that of the block, whatever part of it is answered.
export const riskPoints = ({ coverage, risk }) => [
  [0, risk[0] / coverage[0]],
  ...coverage.map((c, i) => [c, risk[i] / c]),
];
