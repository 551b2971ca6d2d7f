// Trials of the page's own intervals where the truth is known: {"n", "separation", "costs", "share",
// "trials", "seed", "models"} on the standard input. Scores are normal, one apart by the separation.
//
// With one model: for every trial, whether the 95 % interval of the recommended window's cost holds the
// true cost of that window; null where there were too few cases for advice. With several, equally good
// ones: whether one of them was named as the cheapest.
import { readFileSync } from "node:fs";

const core = new URL("../../src/cautious/report/page/core/", import.meta.url);
const { verdictOf } = await import(new URL("differences.js", core));
const { estimatesOf } = await import(new URL("estimates.js", core));
const { problemsOf } = await import(new URL("problems.js", core));
const { generator } = await import(new URL("random.js", core));
const { bestWindow, makeSurface } = await import(new URL("surface.js", core));

const asked = JSON.parse(readFileSync(0, "utf8"));
const { n, separation, costs, share, trials, models: count = 1 } = asked,
  random = generator(asked.seed);

const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

// P(Z <= z), by the series or the continued fraction.
function normalShare(z) {
  if (z === -Infinity || z === Infinity) return z > 0 ? 1 : 0;
  if (z < 0) return 1 - normalShare(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 4) {
    let fraction = z;
    for (let k = 60; k > 0; k--) fraction = z + k / fraction;
    return 1 - density / fraction;
  }
  let term = z,
    series = z;
  for (let k = 1; k < 200; k++) {
    term *= (z * z) / (2 * k + 1);
    series += term;
  }
  return 0.5 + density * series;
}

const trueCost = ({ lower, upper }) => {
  const below = (t, mean) => normalShare(t - mean);
  const part = (mean, wrongBelow, wrongAbove) =>
    wrongBelow * below(lower, mean) +
    wrongAbove * (1 - below(upper, mean)) +
    costs.abstain * (below(upper, mean) - below(lower, mean));
  return share * part(separation, costs.fn, 0) + (1 - share) * part(0, 0, costs.fp);
};

const found = Array.from({ length: trials }, () => {
  const codes = Uint8Array.from({ length: n }, () => (random() < share ? 1 : 0)),
    rows = Uint32Array.from({ length: n }, (_, row) => row),
    about = { rows, codes, classes: ["no", "yes"], weight: null, sets: null, proba: null };
  const given = Array.from({ length: count }, (_, i) => ({
    ...about,
    name: `m${i}`,
    score: Float64Array.from(codes, (y) => normal() + separation * y),
  }));
  if (new Set(codes).size < 2) return null;
  const [{ models }] = problemsOf(given);
  if (count > 1) {
    const verdict = verdictOf(models, null, costs);
    return verdict.best < 0 ? null : verdict.distinct;
  }
  const expected = estimatesOf(models[0], null, costs);
  if (!expected.enough) return null;
  const truth = trueCost(bestWindow(makeSurface(models[0], null), costs));
  return expected.cost.low <= truth && truth <= expected.cost.high;
});
process.stdout.write(JSON.stringify(found));
