// Risk against coverage by the model's own confidence: what it errs on when it answers the surest
// cases first. Cases of equal confidence form a block that no threshold can part.

const POINTS = 100;

// From cells sorted by falling confidence: the weight of each, and what of it is wrong.
export function riskOfCells(confidence, weight, wrong) {
  const covered = [], lost = [];
  let cases = 0, losses = 0;
  for (let i = 0; i < confidence.length; i++) {
    cases += weight[i];
    losses += wrong[i];
    if (confidence[i + 1] === confidence[i]) continue;
    covered.push(cases);
    lost.push(losses);
  }
  return { ...thinned(covered, lost, cases), ...areas(covered, lost, cases) };
}

function areas(covered, lost, cases) {
  let coverage = covered[0] / cases, risk = lost[0] / cases, aurc = 0, twice = risk * coverage;
  for (let i = 1; i < covered.length; i++) {
    const step = covered[i] / cases - coverage, more = lost[i] / cases - risk;
    twice += (2 * risk + more) * step;
    if (coverage > 0 && step > 0) aurc += (risk - (more * coverage) / step) * Math.log1p(step / coverage);
    coverage = covered[i] / cases;
    risk = lost[i] / cases;
  }
  return { aurc: aurc + risk, augrc: twice / 2 };
}

function thinned(covered, lost, cases) {
  if (covered.length <= POINTS) return { covered, lost };
  const kept = [];
  let next = covered[0] / cases;
  covered.forEach((weights, i) => {
    const c = weights / cases;
    if (c < next && i + 1 < covered.length) return;
    next = c + Math.min(1 / POINTS, c * 0.05);
    kept.push(i);
  });
  return { covered: kept.map((i) => covered[i]), lost: kept.map((i) => lost[i]) };
}

// Two classes: probabilities are cut at one half. Other scores do not say how sure they are.
export function riskOfStaircase({ scores, positives, negatives }) {
  const n = scores.length,
    [confidence, weight, wrong] = [0, 1, 2].map(() => new Float64Array(2 * n)),
    sure = (s) => Math.max(s, 1 - s);
  if (!(scores[0] >= 0 && scores[n - 1] <= 1)) return null;
  // Confidence falls from either end towards the cut: merge the two ends.
  for (let i = 0, j = n - 1, cell = 0; i <= j; ) {
    const at = sure(scores[j]) >= sure(scores[i]) ? j-- : i++, isPositive = scores[at] > 0.5;
    confidence[cell] = confidence[cell + 1] = sure(scores[at]);
    weight[cell] = positives[at];
    weight[cell + 1] = negatives[at];
    if (isPositive) wrong[cell + 1] = negatives[at];
    else wrong[cell] = positives[at];
    cell += 2;
  }
  return riskOfCells(confidence, weight, wrong);
}

// Up to the first block the risk is that of the block, whatever part of it is answered.
export const riskPoints = ({ coverage, risk }) => [
  [0, risk[0] / coverage[0]],
  ...coverage.map((c, i) => [c, risk[i] / c]),
];
