// What a window will do on new cases (cautious.evaluation.cross_fitted). Means come from held-out
// cases. Their variance has two parts: that of the held-out losses, and that of the mean loss among
// windows chosen on bootstrap replicates, because this window may be better or worse than such windows
// are on average. It abstains as often as on all cases; the intervals of shares hold what it did there.
import { LEVEL, studentQuantile } from "./distributions.js";
import { evidenceOf, LEAST_CASES, levelsAt } from "./parts.js";

const NEGATIVE = 0, POSITIVE = 1, ABSTAIN = 2;
const ROUNDING = 1e-12;

// Scales of both classes in a part: what one counted case stands for, up to a common factor.
const scalesOf = (part, prior) =>
  prior === null ? [1, 1] : [(1 - prior) / part.negatives, prior / part.positives];

// Levels below which the cheapest window of a part answers negative, and from which positive.
function cutsOf(part, prior, { fn, fp, abstain }) {
  const [ns, ps] = scalesOf(part, prior),
    pays = abstain * fp + abstain * fn < fn * fp,
    indifferent = fp / (fn + fp),
    lowest = pays ? abstain / fn : indifferent,
    highest = Math.max(lowest, pays ? (fp - abstain) / fp : indifferent),
    { pos, neg, upTo, under } = part;
  // Shares of positives rise from bin to bin.
  const reaching = (wanted, end, beyond) => {
    let [low, high] = [0, end];
    while (low < high) {
      const e = (low + high) >> 1, share = (pos[e] * ps) / (pos[e] * ps + neg[e] * ns);
      if (share < wanted || (beyond && share === wanted)) low = e + 1;
      else high = e;
    }
    return low;
  };
  const u = reaching(highest - ROUNDING, pos.length, false),
    l = reaching(lowest + ROUNDING, u, true);
  return [l < u ? upTo[l] : under[u], under[u]];
}

// The best answer to all cases: the first of negative, positive, abstain that costs least.
function singleOf(part, prior, { fn, fp, abstain }) {
  const [ns, ps] = scalesOf(part, prior),
    positive = part.positives * ps,
    negative = part.negatives * ns,
    losses = [fn * positive, fp * negative, abstain * (positive + negative)];
  return losses.indexOf(Math.min(...losses));
}

// Answers to the cases of one repetition: each by the window of the other folds. `choose(part)` gives
// the two levels.
function heldOut(parts, repeat, choose) {
  const cuts = parts.parts[repeat].map(choose),
    { fold, level } = parts.atoms[repeat],
    answers = new Uint8Array(fold.length);
  for (let i = 0; i < fold.length; i++) {
    const [low, high] = cuts[fold[i]];
    answers[i] = level[i] >= high ? POSITIVE : level[i] < low ? NEGATIVE : ABSTAIN;
  }
  return answers;
}

// The cheapest windows of all replicates, and what those of the other folds answer to each case.
export function cheapestOf(parts, prior, costs) {
  const key = [prior, costs.fn, costs.fp, costs.abstain].join();
  if (parts.cheapest?.key !== key)
    parts.cheapest = { key, ...chosenBy(parts, (part) => cutsOf(part, prior, costs)) };
  return parts.cheapest;
}

const chosenBy = (parts, choose) => ({
  own: choose(parts.whole),
  cuts: parts.replicates.map(choose),
  answers: parts.atoms.map((_, r) => heldOut(parts, r, choose)),
});

// Sums of weights, and of their squares, by truth, answer and a third thing of each case, such as the answer
// of another rule: cell (y · 3 + a) · 3 + s. `standing`: the weights as shares of all cases.
export function cellsOf(parts, repeat, shares, answers, thirds) {
  const { truth, weight, square } = parts.atoms[repeat],
    weights = new Float64Array(18),
    squares = new Float64Array(18);
  for (let i = 0; i < answers.length; i++) {
    const cell = (truth[i] * 3 + answers[i]) * 3 + thirds[i];
    weights[cell] += weight ? weight[i] : 1;
    squares[cell] += square ? square[i] : 1;
  }
  return { repeat, standing: scaled(weights, shares), squares, answers, thirds };
}

// The whole of the cases under a rule chosen on a replicate.
function cellsOfRule({ negativesBelow, positivesBelow }, [low, high], single) {
  const weights = new Array(18).fill(0);
  [negativesBelow, positivesBelow].forEach((below, y) => {
    weights[(y * 3 + NEGATIVE) * 3 + single] = below[low];
    weights[(y * 3 + POSITIVE) * 3 + single] = below[below.length - 1] - below[high];
    weights[(y * 3 + ABSTAIN) * 3 + single] = below[high] - below[low];
  });
  return weights;
}

export const lossesOf = ({ fn, fp, abstain }) => [[0, fp, abstain], [fn, 0, abstain]];

// A value by truth y, answer a and third thing s as a table of its 18 cells: every move of a slider
// asks for each of them hundreds of times.
export const tableOf = (of) =>
  Array.from({ length: 18 }, (_, cell) => of((cell / 9) | 0, ((cell / 3) | 0) % 3, cell % 3));

const is = (wanted, answer) => tableOf((y, a) => (y === wanted && a === answer ? 1 : 0)),
  truly = (wanted) => tableOf((y) => (y === wanted ? 1 : 0)),
  saying = (answer) => tableOf((y, a) => (a === answer ? 1 : 0)),
  decided = (wanted) => tableOf((y, a) => (y === wanted && a !== ABSTAIN ? 1 : 0)),
  wrong = tableOf((y, a) => (a !== ABSTAIN && a !== y ? 1 : 0));

const CELLS = {
  tn: { value: is(0, NEGATIVE) },
  fn: { value: is(1, NEGATIVE) },
  fp: { value: is(0, POSITIVE) },
  tp: { value: is(1, POSITIVE) },
  abstainedNegative: { value: is(0, ABSTAIN), seen: true },
  abstainedPositive: { value: is(1, ABSTAIN), seen: true },
};

// Each quantity is a mean over cases of such a value, or the ratio of two such means. Those of cases
// that are abstained on are seen on all cases.
const SHARES = {
  abstention: { value: saying(ABSTAIN), seen: true },
  error: { value: wrong },
  selectiveError: { value: wrong, among: tableOf((y, a) => (a === ABSTAIN ? 0 : 1)) },
  sensitivity: { value: is(1, POSITIVE), among: truly(1) },
  specificity: { value: is(0, NEGATIVE), among: truly(0) },
  sensitivityAnswered: { value: is(1, POSITIVE), among: decided(1) },
  specificityAnswered: { value: is(0, NEGATIVE), among: decided(0) },
  ppv: { value: is(1, POSITIVE), among: saying(POSITIVE) },
  npv: { value: is(0, NEGATIVE), among: saying(NEGATIVE) },
};

// Of costs and savings, the least and the most that a case may have on average are known too.
function pricesOf(costs, { share }) {
  const losses = lossesOf(costs),
    [least, most] = [Math.min, Math.max].map((end) => share[0] * end(...losses[0]) + share[1] * end(...losses[1]));
  return {
    cost: { value: tableOf((y, a) => losses[y][a]), ends: [least, most] },
    saving: { value: tableOf((y, a, s) => losses[y][s] - losses[y][a]), ends: [least - most, most - least] },
  };
}

// What a rule is expected to do on new cases: estimates {value, low, high} by name, those of the cells under
// `cells`; or {enough: false, n, events} below 30 cases of a class. `prior` is the share of positives, null for
// that of the cases; `window` a rule that was given rather than searched for; `choose(part)` another search
// than for the cheapest window.
export function estimatesOf(model, prior, costs, { window = null, choose = null } = {}) {
  const { n, events } = model;
  if (tooFew(model)) return { enough: false, n, events };
  const parts = evidenceOf(model),
    shares = sharesOf(parts, prior),
    single = (part) => singleOf(part, prior, costs),
    given = (cuts) => {
      const answers = heldOut(parts, 0, () => cuts);
      return cellsOf(parts, 0, shares, answers, new Uint8Array(answers.length).fill(single(parts.whole)));
    },
    evidence = { parts, shares, repeats: null, rules: [], own: null };
  if (window) evidence.repeats = [given(levelsAt(parts.stairs, window))];
  else {
    const { own, cuts, answers } = choose ? chosenBy(parts, choose) : cheapestOf(parts, prior, costs);
    evidence.repeats = answers.map((some, r) => {
      const singles = parts.parts[r].map(single);
      return cellsOf(parts, r, shares, some, parts.atoms[r].fold.map((fold) => singles[fold]));
    });
    evidence.rules = parts.replicates.map((part, r) => scaled(cellsOfRule(parts, cuts[r], single(part)), shares));
    evidence.own = given(own);
    evidence.new = newCells(evidence);
  }
  const { repeats, rules } = evidence,
    abstains = (standing) => meanOf(standing, SHARES.abstention.value) > 1 - ROUNDING,
    // No window has thresholds between scores that were seen: new cases change nothing.
    certain = rules.length > 0 && rules.every(abstains) && repeats.every(({ standing }) => abstains(standing));
  const each = (quantities) =>
    Object.fromEntries(
      Object.entries(quantities).map(([name, quantity]) => {
        const { value, low, high } = estimated(evidence, quantity);
        return [name, certain ? { value, low: value, high: value } : { value, low, high }];
      }),
    );
  return { enough: true, n, events, ...each({ ...SHARES, ...pricesOf(costs, shares) }), cells: each(CELLS) };
}

export const tooFew = ({ n, events }) => Math.min(events, n - events) < LEAST_CASES;

// What the window that was found does: it abstains as it did on all cases, and its answers to cases of a
// class are right as often as those of windows to cases held out.
function newCells({ own, repeats }) {
  const held = own.standing.map((_, cell) => average(repeats.map(({ standing }) => standing[cell])));
  return own.standing.map((share, cell) => {
    const y = (cell / 9) | 0, given = meanOf(held, decided(y));
    if (((cell / 3) | 0) % 3 === ABSTAIN || !(given > ROUNDING)) return share;
    return (held[cell] / given) * meanOf(own.standing, decided(y));
  });
}

// What a unit of weight of each class stands for, and the share of each class.
export function sharesOf({ whole }, prior) {
  const total = whole.positives + whole.negatives,
    share = prior === null ? [whole.negatives / total, whole.positives / total] : [1 - prior, prior];
  return { prior, share, each: [share[0] / whole.negatives, share[1] / whole.positives] };
}

const scaled = (weights, { each }) => weights.map((weight, cell) => weight * each[(cell / 9) | 0]);

function meanOf(standing, value) {
  let total = 0;
  for (let cell = 0; cell < 18; cell++) total += standing[cell] * value[cell];
  return total;
}

export const average = (values) => values.reduce((a, b) => a + b, 0) / values.length;

export function varianceAmong(values) {
  const centre = average(values);
  return values.reduce((total, one) => total + (one - centre) ** 2, 0) / (values.length - 1);
}

const ratioOf = (standing, { value, among }) => {
  const base = among ? meanOf(standing, among) : 1;
  return base > ROUNDING ? meanOf(standing, value) / base : NaN;
};

function estimated({ parts, shares, repeats, rules, own, new: cells }, quantity) {
  const { ends = null } = quantity,
    held = spreadOf(parts, shares, repeats, rules, quantity),
    spanOf = ({ estimate, variance, df, n }) => intervalOf(estimate, variance, df, n, ends);
  if (ends || !own) return { value: held.estimate, ...spanOf(held) };
  const seen = spreadOf(parts, shares, [own], [], quantity),
    value = quantity.seen ? seen.estimate : Math.min(1, Math.max(0, ratioOf(cells, quantity))),
    // What the window itself did is within, however other windows differ from it.
    spans = [spanOf(seen)];
  if (!quantity.seen && held.estimate === held.estimate) spans.push(spanOf({ ...held, estimate: value }));
  return { value, low: Math.min(...spans.map(({ low }) => low)), high: Math.max(...spans.map(({ high }) => high)) };
}

// A quantity in held-out cases, its variance, degrees of freedom, and of how many cases it is.
function spreadOf(parts, shares, repeats, rules, quantity) {
  const { value, among, ends } = quantity,
    mean = average(repeats.map(({ standing }) => meanOf(standing, value))),
    base = among ? average(repeats.map(({ standing }) => meanOf(standing, among))) : 1;
  if (!(base > ROUNDING)) return { estimate: NaN, variance: NaN, df: NaN, n: NaN };
  const estimate = ends ? mean : Math.min(1, Math.max(0, mean / base)),
    // A ratio varies as the mean of what its parts differ by does.
    each = among ? value.map((one, cell) => (one - estimate * among[cell]) / base) : value,
    { variance, df } = varianceOf(parts, shares, repeats, each),
    chosen = rules.map((standing) => ratioOf(standing, quantity)).filter((one) => one === one),
    n = among ? average(repeats.map(({ standing }) => rowsAmong(parts, shares, standing, among))) : parts.n;
  return { estimate, variance: variance + (chosen.length > 1 ? varianceAmong(chosen) : 0), df, n };
}

function rowsAmong({ rows }, { share }, standing, among) {
  let total = 0;
  for (let cell = 0; cell < 18; cell++) {
    const y = (cell / 9) | 0;
    total += (rows[y] * standing[cell] * among[cell]) / share[y];
  }
  return total;
}

// Variance of the mean of values, a table of cells, over repetitions of the same cases, its degrees of freedom,
// and its parts by class; groups that stay together vary as wholes. A prior that was given is certain, so values
// vary within the classes only; shares that were seen are as uncertain as everything else about the cases.
export function varianceOf(parts, { prior, share, each }, repeats, value) {
  const { rows, unit } = parts,
    found = repeats.map(({ repeat, standing, squares, answers, thirds }) => {
      const totals = [0, 0];
      for (let cell = 0; cell < 18; cell++) totals[(cell / 9) | 0] += standing[cell] * value[cell];
      const mean = totals.map((total, y) => (prior === null ? totals[0] + totals[1] : total / share[y])),
        spread = (cell) => each[(cell / 9) | 0] * (value[cell] - mean[(cell / 9) | 0]);
      if (!unit) {
        const sums = [0, 0];
        for (let cell = 0; cell < 18; cell++) sums[(cell / 9) | 0] += squares[cell] * spread(cell) ** 2;
        return welch(sums.map((total, y) => (total * rows[y]) / (rows[y] - 1)), rows);
      }
      const { truth, weight } = parts.atoms[repeat], sums = new Float64Array(Math.max(...unit) + 1);
      for (let i = 0; i < answers.length; i++)
        sums[unit[i]] += (weight ? weight[i] : 1) * spread((truth[i] * 3 + answers[i]) * 3 + thirds[i]);
      const total = sums.reduce((a, b) => a + b * b, 0);
      return { variance: (total * sums.length) / (sums.length - 1), df: sums.length - 1, variances: [NaN, NaN] };
    });
  return {
    variance: average(found.map((one) => one.variance)),
    df: average(found.map((one) => one.df)),
    variances: [0, 1].map((y) => average(found.map((one) => one.variances[y]))),
  };
}

// Degrees of freedom of a sum of two variances (Satterthwaite).
function welch(variances, rows) {
  const variance = variances[0] + variances[1];
  if (!(variance > 0)) return { variance: 0, df: rows[0] + rows[1] - 2, variances };
  const df = variance ** 2 / (variances[0] ** 2 / (rows[0] - 1) + variances[1] ** 2 / (rows[1] - 1));
  return { variance, df, variances };
}

// Ends of an interval: Student's between `ends`, or Wilson's for a share (ends null).
export function intervalOf(estimate, variance, df, n, ends) {
  const [least, most] = ends ?? [0, 1];
  // Where all cases seen did alike, others may be there, with this probability at most.
  const unseen = 1 - ((1 - LEVEL) / 2) ** (1 / n),
    low = estimate + unseen * (least - estimate),
    high = estimate + unseen * (most - estimate);
  if (!(variance > (ROUNDING * (most - least)) ** 2)) return { low, high };
  const t = studentQuantile((1 + LEVEL) / 2, df),
    within = (lowest, highest) => ({ low: Math.max(lowest, least), high: Math.min(highest, most) });
  if (!ends && estimate > ROUNDING && estimate < 1 - ROUNDING) {
    const cases = (estimate * (1 - estimate)) / variance,
      scale = 1 + (t * t) / cases,
      centre = (estimate + (t * t) / (2 * cases)) / scale,
      half = (t * Math.sqrt(variance + (t * t) / (4 * cases * cases))) / scale;
    return within(centre - half, centre + half);
  }
  // Of few mistakes the variance says little: they may be as rare as ones that were not seen.
  const half = t * Math.sqrt(variance);
  return within(Math.min(low, estimate - half), Math.max(high, estimate + half));
}
