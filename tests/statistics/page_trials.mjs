// Trials of the page's own intervals where the truth is known: {"n", "separation", "costs", "share",
// "trials", "seed", "models", "tied"} on the standard input. Scores are normal, one apart by the
// separation; or, if tied, exponential with means 1 and 4, rounded to halves.
//
// With one model: for every trial, whether the 95 % interval of the recommended window's cost holds the
// true cost of that window. With several, equally good ones: whether one of them was named as the
// cheapest. Draws with too few cases for advice are no trials.
import { readFileSync } from "node:fs";

const core = new URL("../../src/cautious/report/page/core/", import.meta.url);
const { verdictOf } = await import(new URL("differences.js", core));
const { normalShare } = await import(new URL("distributions.js", core));
const { estimatesOf } = await import(new URL("estimates.js", core));
const { problemsOf } = await import(new URL("problems.js", core));
const { libraryGenerator } = await import(new URL("random.js", core));
const { bestWindow, makeSurface } = await import(new URL("surface.js", core));

const asked = JSON.parse(readFileSync(0, "utf8"));
const { n, separation, costs, share, trials, models: count = 1, tied = false } = asked,
  { share: random } = libraryGenerator([BigInt(asked.seed), 2n * BigInt(asked.seed) + 1n]);

const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const scoreOf = tied
  ? (y) => Math.round(-2 * (y ? 4 : 1) * Math.log(1 - random())) / 2
  : (y) => normal() + separation * y;

// P(score <= t) and P(score < t) in a class: they differ where scores are tied.
const tiedShare = (steps, mean) => (steps < 0 ? 0 : 1 - Math.exp(-(2 * steps + 1) / (4 * mean)));
const upTo = tied
  ? (t, y) => tiedShare(Math.floor(2 * t), y ? 4 : 1)
  : (t, y) => normalShare(t - separation * y);
const below = tied ? (t, y) => tiedShare(Math.ceil(2 * t) - 1, y ? 4 : 1) : upTo;

const trueCost = ({ lower, upper }) => {
  const part = (y, wrongBelow, wrongAbove) => {
    const positive = 1 - below(upper, y),
      negative = lower < upper ? upTo(lower, y) : 1 - positive;
    return wrongBelow * negative + wrongAbove * positive + costs.abstain * (1 - positive - negative);
  };
  return share * part(1, costs.fn, 0) + (1 - share) * part(0, 0, costs.fp);
};

const trial = () => {
  const codes = Uint8Array.from({ length: n }, () => (random() < share ? 1 : 0)),
    rows = Uint32Array.from({ length: n }, (_, row) => row),
    about = { rows, codes, classes: ["no", "yes"], weight: null, sets: null, proba: null };
  const given = Array.from({ length: count }, (_, i) => ({
    ...about,
    name: `m${i}`,
    score: Float64Array.from(codes, scoreOf),
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
};

const found = [];
while (found.length < trials) {
  const hit = trial();
  if (hit !== null) found.push(hit);
}
process.stdout.write(JSON.stringify(found));
