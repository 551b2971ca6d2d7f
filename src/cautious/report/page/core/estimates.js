// What a window will do on new cases (cautious.tuning._cross_fitting). It reaches from what the window did
// on its own cases to what windows chosen on other folds did on held-out ones, and allows for mistakes that
// were never seen. It abstains as often as on its own cases.
import { LEVEL, normalQuantile, studentQuantile } from "./distributions.js";
import { chosenInterval, meanOfCounts } from "./mean_intervals.js";
import { evidenceOf, LEAST_CASES, levelsAt } from "./parts.js";
import { classScales, firstThat, sharesBetween, sum } from "./surface.js";

const NEGATIVE = 0, POSITIVE = 1, ABSTAIN = 2;
const ROUNDING = 1e-12;

// Levels below which the cheapest window of a part answers negative, and from which positive. Shares are rounded
// as the library rounds them (cautious.tuning._search): of windows that cost the same both take one.
function cutsOf(part, prior, costs) {
  const [ns, ps] = classScales([part.negatives, part.positives], prior),
    [lowest, highest] = sharesBetween(costs),
    { pos, neg, upTo, under } = part;
  // Shares of positives rise from bin to bin.
  const share = (e) => (pos[e] * ps) / (pos[e] * ps + neg[e] * ns),
    u = firstThat(0, pos.length, (e) => share(e) >= highest),
    l = firstThat(0, u, (e) => share(e) > lowest);
  return [l < u || costs.graded ? upTo[l] : under[u], under[u]];
}

// Answers to the cases of one repetition: each by the window of the other folds. `choose(part)` gives the two levels.
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

// What the cheapest windows answer to each case: that of all cases, and those of the other folds.
export const searchCheapest = (parts, prior, costs) => chosenBy(parts, (part) => cutsOf(part, prior, costs));

export function cheapestOf(parts, prior, costs) {
  const key = [prior, costs.fn, costs.fp, costs.abstain].join(),
    known = (parts.cheapest ??= new Map()),
    answers = known.get(key) ?? searchCheapest(parts, prior, costs);
  known.delete(key); // those asked for last are kept
  known.set(key, answers);
  if (known.size > 2) known.delete(known.keys().next().value);
  return answers;
}

function chosenBy(parts, choose) {
  const cuts = choose(parts.whole);
  return {
    own: heldOut(parts, 0, () => cuts),
    heldOut: parts.atoms.map((_, r) => heldOut(parts, r, choose)),
  };
}

export const lossesOf = ({ fn, fp, abstain, graded }) =>
  graded ? [abstain, fp, abstain, abstain, 0, abstain] : [0, fp, abstain, fn, 0, abstain];

// Shares of all cases by truth and answer: cell y · 3 + a. `held`: under held-out windows. `squares`: of the
// shares of own cases.
export function cellsOf(parts, prior, answers, width = 3) {
  const shares = sharesOf(parts, prior),
    counted = (repeat, some, power) => {
      const { truth, weight, square } = parts.atoms[repeat],
        each = power === 2 ? square : weight,
        cells = new Float64Array(2 * width);
      for (let i = 0; i < some.length; i++) cells[truth[i] * width + some[i]] += each ? each[i] : 1;
      return cells.map((total, cell) => total * shares.each[cell < width ? 0 : 1] ** power);
    },
    own = counted(0, answers.own, 1),
    repeats = answers.heldOut.map((some, repeat) => counted(repeat, some, 1)),
    held = own.map((_, cell) => average(repeats.map((cells) => cells[cell])));
  return { parts, prior, shares, answers, width, own, held, squares: counted(0, answers.own, 2) };
}

// What is expected of the window: as many answers of a class, or of a kind, as its own; as many wrong as held-out ones.
function madeOf({ parts, own, held }, byAnswer) {
  return own.map((share, cell) => {
    const peers = byAnswer ? [cell % 3, (cell % 3) + 3] : [cell - (cell % 3), cell - (cell % 3) + 1],
      [given, kept] = [held, own].map((some) => some[peers[0]] + some[peers[1]]);
    return cell % 3 === ABSTAIN || given * parts.n < 1 ? share : (held[cell] / given) * kept;
  });
}

const every = (of) => Array.from({ length: 6 }, (_, cell) => (of((cell / 3) | 0, cell % 3) ? 1 : 0)),
  is = (wanted, answer) => every((y, a) => y === wanted && a === answer),
  truly = (wanted) => every((y) => y === wanted),
  saying = (answer) => every((y, a) => a === answer),
  wrong = every((y, a) => a !== ABSTAIN && a !== y),
  all = every(() => true);

const CELLS = Object.fromEntries(
  ["tn", "fp", "abstainedNegative", "fn", "tp", "abstainedPositive"]
    .map((name, cell) => [name, [every((y, a) => 3 * y + a === cell), all, "answer"]]),
);

// What each share counts, and among what; what is expected by answer, or by class and, its range, as on own cases.
const SHARES = {
  abstention: [saying(ABSTAIN), all, "own"],
  error: [wrong, all, "answer"],
  selectiveError: [wrong, every((y, a) => a !== ABSTAIN), "answer"],
  sensitivity: [is(1, POSITIVE), truly(1), "own"],
  specificity: [is(0, NEGATIVE), truly(0), "own"],
  ppv: [is(1, POSITIVE), saying(POSITIVE), "answer"],
  npv: [is(0, NEGATIVE), saying(NEGATIVE), "answer"],
};

// What a rule is expected to do on new cases: estimates {value, low, high} by name, those of the cells under
// `cells`; or {enough: false, n, events} below 30 cases of a class. `prior` is the share of positives, null for
// that of the cases; `window` a rule that was given rather than searched for; `choose(part)` another search
// than for the cheapest window.
export function estimatesOf(model, prior, costs, { window = null, choose = null } = {}) {
  const { n, events } = model;
  if (tooFew(model)) return { enough: false, n, events };
  const parts = evidenceOf(model), losses = lossesOf(costs);
  let answers = window ? null : choose ? chosenBy(parts, choose) : cheapestOf(parts, prior, costs);
  if (window) {
    const given = heldOut(parts, 0, () => levelsAt(parts.stairs, window));
    answers = { own: given, heldOut: [given] };
  }
  const evidence = cellsOf(parts, prior, answers),
    { share } = evidence.shares,
    singles = [NEGATIVE, POSITIVE, ABSTAIN].map((a) => share[0] * losses[a] + share[1] * losses[3 + a]),
    single = singles.indexOf(Math.min(...singles)),
    savings = losses.map((loss, cell) => losses[(cell < 3 ? 0 : 3) + single] - loss);
  // No window has thresholds between scores that were seen: new cases change nothing.
  const abstains = (some) => some.every((answer) => answer === ABSTAIN),
    certain = !window && abstains(answers.own) && answers.heldOut.every(abstains),
    shown = ({ value, low, high }) => (certain ? { value, low: value, high: value } : { value, low, high }),
    each = (kinds) =>
      Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, shown(shareOf(evidence, ...kind))]));
  // As many are wrong as said, and there are as many of each class as ever: what lacks of one is abstained on in
  // place of the other or, where too few are, answered rightly.
  const cells = each(CELLS);
  let lack = share[1] - cells.tp.value - cells.fn.value - cells.abstainedPositive.value;
  for (const pair of [[cells.abstainedNegative, cells.abstainedPositive], [cells.tn, cells.tp]]) {
    const by = Math.max(-pair[1].value, Math.min(pair[0].value, lack));
    for (const [cell, more] of [[pair[0], -by], [pair[1], by]]) {
      Object.assign(cell, reaching(cell, cell.value + more));
    }
    lack -= by;
  }
  return {
    enough: true, n, events, cells, ...each(SHARES),
    cost: shown(meanOf(evidence, losses)), saving: shown(meanOf(evidence, savings)),
  };
}

const reaching = ({ low, high }, value) => ({ value, low: Math.min(low, value), high: Math.max(high, value) });
export const tooFew = ({ n, events }) => Math.min(events, n - events) < LEAST_CASES;

// What a unit of weight of each class stands for, and the share of each class.
function sharesOf({ whole: { negatives, positives } }, prior) {
  const each = classScales([negatives, positives], prior);
  return { each, share: [each[0] * negatives, each[1] * positives] };
}

export const average = (values) => sum(values) / values.length;

// All cells, or those of each class where their shares are given: {share, from, to}.
function strataOf({ prior, width }) {
  if (prior === null) return [{ share: 1, from: 0, to: 2 * width }];
  return [1 - prior, prior].map((share, y) => ({ share, from: y * width, to: (y + 1) * width })).filter(({ share }) => share > 0);
}

const countedIn = (cells, kind, { from, to } = { from: 0, to: 6 }) =>
  sum(cells.slice(from, to).map((share, cell) => share * kind[from + cell]));

// Where a falling function is zero, between two places where it is above and below that (Illinois).
function crossing(of, low, high) {
  let [above, below] = [of(low), of(high)], at = low, last = NaN, side = 0;
  while (!(Math.abs(at - last) < 1e-13)) {
    last = at;
    at = low + ((high - low) * above) / (above - below);
    const value = of(at), now = Math.sign(value);
    // The other end counts half where the same side moves once more.
    if (now > 0) [low, above, below] = [at, value, side > 0 ? below / 2 : below];
    else if (now < 0) [high, below, above] = [at, value, side < 0 ? above / 2 : above];
    else return at;
    side = now;
  }
  return at;
}

// A share: of own cases as many, of these as on held-out cases.
function shareOf(evidence, kind, among, by) {
  const { own, held, squares, parts, prior } = evidence, whole = countedIn(own, among);
  if (!(whole > ROUNDING)) return { value: NaN, low: NaN, high: NaN };
  const expected = madeOf(evidence, by === "answer"),
    isGiven = by === "answer" && prior !== null,
    second = by === "own" ? own : isGiven && countedIn(held, among) * parts.n >= 1 ? held : expected,
    part = (some) => countedIn(some, kind) / countedIn(some, among),
    value = Math.min(1, part(expected)),
    mean = (values) => meanOf({ ...evidence, held: second }, values),
    apart = (share) => kind.map((one, cell) => one - share * among[cell]);
  let low, high;
  if (among === all) ({ low, high } = mean(kind));
  else if (isGiven) {
    // A share may be so large as long as the mean of this may be zero.
    [low, high] = ["low", "high"].map((end) => crossing((share) => mean(apart(share))[end], -1, 2));
  } else {
    const n = whole ** 2 / countedIn(squares, among),
      counts = (some) => [n * (1 - part(some)), n * part(some)],
      strata = [{ share: 1, values: [0, 1], own: counts(own), heldOut: counts(second) }];
    ({ low, high } = weighedInterval(evidence, strata, apart(part(own)).map((one) => one / whole)));
  }
  return { value, low: Math.min(Math.max(low, 0), value), high: Math.max(Math.min(high, 1), value) };
}

// The mean of a value by cell.
export function meanOf(evidence, values, level = LEVEL) {
  const { own, held, squares } = evidence,
    strata = strataOf(evidence).map(({ share, from, to }) => {
      const total = sum(own.subarray(from, to)),
        n = total ** 2 / sum(squares.subarray(from, to)),
        counts = (cells) => {
          const inside = cells.subarray(from, to), whole = sum(inside);
          return Array.from(inside, (cell) => (n * cell) / whole);
        };
      return { share, values: values.slice(from, to), own: counts(own), heldOut: counts(held) };
    });
  return weighedInterval(evidence, strata, values, level);
}

// Cases count for less where their weights or groups make the mean of own values vary.
function weighedInterval(evidence, strata, values, level = LEVEL) {
  const { parts, prior, shares, answers, width, own, squares } = evidence, { unit } = parts;
  if (!unit && !isWeighted(parts.atoms[0])) return chosenInterval(strata, { level });
  const centres = [0, 1].map((y) => {
    const [from, to] = prior === null ? [0, 2 * width] : [y * width, (y + 1) * width];
    return countedIn(own, values, { from, to }) / Math.max(sum(own.subarray(from, to)), ROUNDING);
  });
  const apart = values.map((value, cell) => value - centres[cell < width ? 0 : 1]);
  let n = parts.n, varied = countedIn(squares, apart.map((one) => one * one), { from: 0, to: 2 * width }), alike = 1;
  if (unit) {
    const { truth, weight } = parts.atoms[0], sums = new Float64Array(Math.max(...unit) + 1), stands = sums.slice();
    for (let i = 0; i < unit.length; i++) {
      const share = shares.each[truth[i]] * (weight ? weight[i] : 1);
      sums[unit[i]] += share * apart[truth[i] * width + answers.own[i]];
      stands[unit[i]] += share;
    }
    const square = (some) => sum(some.map((one) => one * one));
    n = sums.length;
    varied = (square(sums) * n) / (n - 1);
    alike = square(stands) / sum(squares);
  }
  const alone = sum(strata.map((one) => one.share ** 2 * meanOfCounts(one.values, one.own).variance)),
    // Where nothing varies, cases of a group may be all alike.
    times = Math.max(1, alone > 0 ? varied / alone : alike),
    fewer = (counts) => counts.map((count) => count / times),
    thinned = strata.map((one) => ({ ...one, own: fewer(one.own), heldOut: fewer(one.heldOut) })),
    high = (1 + level) / 2;
  return chosenInterval(thinned, { level, widening: studentQuantile(high, n - 1) / normalQuantile(high) });
}

const isWeighted = (atoms) =>
  (atoms.isWeighted ??= unlike(Array.from(atoms.square ?? [], (square, i) => square / atoms.weight[i])));
const unlike = (values) => values.some((one) => Math.abs(one / values[0] - 1) > ROUNDING);
