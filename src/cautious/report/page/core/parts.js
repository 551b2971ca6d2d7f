// Cross-fitting (cautious.tuning._cross_fitting): the cases are divided into ten folds, four times
// over. A window is chosen on nine folds and measured on the tenth. What is chosen on a part of the
// cases depends on the hull of that part only, so the hulls are made once for all costs and priors.
//
// Up to a limit the page knows every case. Of more cases it knows counts at steps of the score, which
// are dealt out at random.
import { hullBins, thresholdsAt } from "./hull.js";
import { binomial, libraryGenerator, promiseGenerator } from "./random.js";
import { writtenAt } from "./scores.js";
import { search, sum } from "./surface.js";

export const LEAST_CASES = 30; // of a class, for advice
const FOLDS = 10;
const REPEATS = 4;

// Levels: the different scores in order, with the counts of both classes. Graded answers without a confidence have
// a level of their own below all thresholds: `silent` is how many such levels there are, undefined of two classes.
function levelsOf({ table, score, rounding = 0 }, graded) {
  const order = Uint32Array.from(score.keys()).filter((row) => score[row] === score[row]).sort((a, b) => score[a] - score[b] || 0),
    level = new Uint32Array(score.length),
    silent = graded ? Number(order.length < score.length) : undefined,
    scores = silent ? [-Infinity] : [];
  for (const row of order) {
    if (scores.length === (silent ?? 0) || scores[scores.length - 1] !== score[row]) scores.push(score[row]);
    level[row] = scores.length - 1;
  }
  const [negatives, positives] = countsAt({ scores, level }, table.truth, (i) => table.weight?.[i] ?? 1);
  return { scores: Float64Array.from(scores), level, negatives, positives, silent, rounding: 0.501 * rounding };
}

// What the cases of each class add up to at each level.
export function countsAt({ scores, level }, truth, each) {
  const counts = [new Float64Array(scores.length), new Float64Array(scores.length)];
  for (let i = 0; i < level.length; i++) counts[truth[i]][level[i]] += each(i);
  return counts;
}

export const stairsOf = (model) =>
  (model.stairsKnown ??= model.cases ? levelsOf(model.cases, model.graded) : model.stairs);

// How many levels lie up to a lower threshold, and below an upper one. Of steps, those that the
// threshold leaves below it: a threshold inside a step counts as its lower end.
export function levelsAt(stairs, { lower, upper }) {
  const { scores, cuts, silent, rounding = 0 } = stairs;
  // A threshold that was copied with few digits may be less by a hair.
  const ends = cuts && (stairs.ends ??= cuts.map((cut) => Math.min(cut, shortCut(stairs, cut)))),
    step = (end) => (end === Infinity ? scores.length : search(ends, end, true)),
    high = Math.max(silent ?? 0, cuts ? step(upper) : search(scores, upper - rounding)),
    low = lower === -Infinity ? 0 : cuts ? step(lower) : search(scores, lower + rounding, true);
  return [Math.min(low, high), high];
}

// A cut between steps with few digits: one that decides every case alike or, of scores that are known to lie
// in cells, one less than half a cell away.
export const shortCut = ({ short, width }, cut) =>
  short?.get(cut) ?? (width ? writtenAt(cut, cut - width / 2, cut + width / 2) : cut);

// Which fold each case is in, four times. Models that
// were judged on the same cases share these, so that they can be compared case by case.
export function divisionOf(table) {
  if (table.division) return table.division;
  const random = libraryGenerator(),
    unit = table.together ? table.group : null,
    { units, stratum } = unitsOf(table, unit),
    strata = [...new Set(stratum)].sort((a, b) => a - b),
    members = strata.map((one) => units.filter((u) => stratum[u] === one));
  const folds = Array.from({ length: REPEATS }, () => {
    const fold = new Uint8Array(units.length);
    for (const some of members) {
      const order = random.permuted(some), first = random.under(FOLDS);
      order.forEach((u, i) => (fold[u] = (i + first) % FOLDS));
    }
    return unit ? Uint8Array.from(unit, (u) => fold[u]) : fold;
  });
  // A fifth whose labels are never looked at, for promises.
  const aside = new Uint8Array(table.n);
  for (const i of promiseGenerator().some(table.n, Math.floor(table.n / 5))) aside[i] = 1;
  return (table.division = { folds, aside });
}

// A unit goes with its rarest class, so that rare classes are spread evenly.
function unitsOf({ truth, n }, unit) {
  const rank = 2 * sum(truth) < n ? [1, 0] : [0, 1],
    count = unit ? Math.max(...unit) + 1 : n,
    stratum = new Uint8Array(count).fill(2);
  truth.forEach((y, i) => {
    const u = unit ? unit[i] : i;
    stratum[u] = Math.min(stratum[u], rank[y]);
  });
  return { units: Array.from(stratum.keys()), stratum };
}

// What is chosen on a part: bins of its hull, and for every corner how many levels lie up to and
// below the threshold, which is midway between neighbouring scores of the part, or where a step begins.
function partOf(stairs, positives, negatives) {
  const seen = [], pos = [], neg = [];
  for (let l = 0; l < positives.length; l++) {
    if (positives[l] === 0 && negatives[l] === 0) continue;
    seen.push(l);
    pos.push(positives[l]);
    neg.push(negatives[l]);
  }
  const { silent = 0 } = stairs,
    first = Number(seen[0] < silent),
    bins = hullBins(pos.slice(first), neg.slice(first)),
    inner = bins.cuts.slice(1, -1).map((cut) => cut + first),
    scores = seen.map((l) => stairs.scores[l]),
    { lower, upper } = thresholdsAt(scores, inner),
    after = (cut, level) => (stairs.cuts ? seen[cut] : Math.max(seen[cut - 1] + 1, level)),
    levels = (ends, right) => [
      right ? 0 : silent, ...inner.map((cut, e) => after(cut, search(stairs.scores, ends[e], right))), stairs.scores.length,
    ];
  return {
    pos: bins.positives, neg: bins.negatives, positives: sum(pos), negatives: sum(neg),
    upTo: levels(lower, true),
    under: levels(upper, false),
    seen: { levels: seen, scores, positives: pos, negatives: neg },
  };
}

// Everything that estimates of a model are made from. `atoms` are the cases of each repetition, or
// equal ones gathered: fold, level and truth, how many there are, their weight and its square.
export function evidenceOf(model) {
  if (model.evidenceKnown) return model.evidenceKnown;
  const stairs = stairsOf(model),
    found = model.cases ? partsOfCases(model.cases, stairs) : partsOfCounts(stairs);
  return (model.evidenceKnown = {
    ...found,
    stairs, unit: model.cases?.table.together ? model.cases.table.group : null,
  });
}

export function sumsBelow(counts) {
  const sums = new Float64Array(counts.length + 1);
  for (let l = 0; l < counts.length; l++) sums[l + 1] = sums[l] + counts[l];
  return sums;
}

function partsOfCases({ table }, stairs) {
  const { truth, weight, n } = table,
    { folds, aside } = divisionOf(table),
    { level } = stairs;
  const counted = (keep) => {
    const counts = countsAt(stairs, truth, (i) => (keep(i) ? (weight ? weight[i] : 1) : 0));
    // Promises need to know which of these cases were set aside; few readers ask for one.
    const apart = () => countsAt(stairs, truth, (i) => (keep(i) ? aside[i] : 0));
    return { ...partOf(stairs, counts[1], counts[0]), counts, apart };
  };
  const square = weight ? weight.map((w) => w * w) : null;
  const atoms = folds.map((fold) => ({ fold, level, truth, weight, square }));
  const parts = folds.map((fold) =>
    Array.from({ length: FOLDS }, (_, f) => counted((i) => fold[i] !== f)),
  );
  return { n, atoms, parts, whole: counted(() => true) };
}

// Deal counts at random: each row to one of ten folds. Of weighted
// rows only the weight of each step is known; they share it equally.
function partsOfCounts(stairs) {
  const random = libraryGenerator(),
    m = stairs.scores.length,
    sides = [stairs.negatives, stairs.positives],
    rowsOf = stairs.rows ? [stairs.rows.negatives, stairs.rows.positives] : sides,
    each = sides.map((counts, y) => counts.map((count, l) => (count ? count / rowsOf[y][l] : 0)));
  // What is chosen without a fold must not know its labels: some cuts are where the labels of all cases put them.
  const starts = [];
  stairs.scores.forEach((_, l) => starts.push(l && !stairs.unseen[l - 1] ? starts[l - 1] : l));
  const partWith = (counts, isHeldOut) => {
    const [neg, pos] = counts.map((some, y) => {
      const moved = new Float64Array(m);
      some.forEach((count, l) => (moved[isHeldOut ? starts[l] : l] += count * each[y][l]));
      return moved;
    });
    const apart = () =>
      asideOf(stairs).map((set, y) =>
        Float64Array.from(counts[y], (count, l) => (count ? Math.round((count * set[l]) / rowsOf[y][l]) : 0)),
      );
    return { ...partOf(stairs, pos, neg), counts, apart };
  };
  const repeats = Array.from({ length: REPEATS }, () => {
    const dealt = rowsOf.map((counts) => Array.from(counts, (count) => spread(random, count, FOLDS))),
      atoms = { fold: [], level: [], truth: [], weight: [], square: [] };
    for (let y = 0; y < 2; y++)
      for (let l = 0; l < m; l++)
        dealt[y][l].forEach((count, f) => {
          if (!count) return;
          atoms.fold.push(f);
          atoms.level.push(l);
          atoms.truth.push(y);
          atoms.weight.push(count * each[y][l]);
          atoms.square.push(count * each[y][l] ** 2);
        });
    const parts = Array.from({ length: FOLDS }, (_, f) =>
      partWith(rowsOf.map((counts, y) => Array.from(counts, (count, l) => count - dealt[y][l][f])), true),
    );
    return { atoms, parts };
  });
  return {
    n: sum(rowsOf.map(sum)),
    atoms: repeats.map((one) => one.atoms),
    parts: repeats.map((one) => one.parts),
    whole: partWith(rowsOf.map((counts) => Array.from(counts))),
  };
}

// Of counts, a fifth at each level by chance: [of negatives, of positives].
function asideOf(stairs) {
  const random = promiseGenerator(),
    fifth = (count) => {
      if (count >= 100) return binomial(random, count, 0.2);
      let set = 0;
      for (let i = 0; i < count; i++) set += random.under(5) === 0;
      return set;
    };
  return (stairs.aside ??= [stairs.negatives, stairs.positives].map((counts) => Array.from(counts, fifth)));
}

function spread(random, count, folds) {
  const dealt = new Array(folds).fill(0);
  if (count < 2 * folds) for (let i = 0; i < count; i++) dealt[random.under(folds)]++;
  else
    for (let f = 0, left = count; f < folds; f++)
      left -= dealt[f] = f === folds - 1 ? left : binomial(random, left, 1 / (folds - f));
  return dealt;
}
