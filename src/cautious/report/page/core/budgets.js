// Budgets instead of costs: the best window that keeps limits on the cases seen, or one that keeps them
// on new cases with a stated confidence. Limits are shares: `abstention` of all cases, `error` of the answers,
// `missed` of the positives, which are answered negative; what is promised of them says their table.
import { binomialShare, LEVEL } from "./distributions.js";
import { estimatesOf } from "./estimates.js";
import { thresholdsAt } from "./hull.js";
import { limitOf } from "./limits.js";
import { evidenceOf, stairsOf, sumsBelow } from "./parts.js";
import { classScales, firstThat, search, sum } from "./surface.js";
import { cumulated, ratesBetween, windowAt } from "./window.js";

const BUDGET_ROUNDING = 1e-12;
const CANDIDATES = 100;
const HEAD_START = 3;

const perAnswer = (wrong, answered) => (answered > BUDGET_ROUNDING ? wrong / answered : 0);

// All windows that abstain on no more than they may: levels i and j, the shares of missed positives, of false
// ones and of abstentions. `visit` says whether a wider one from i on is of no use. What is graded is never
// answered negative: it goes out or is escalated.
function eachWindow({ negatives, positives, silent }, most, visit) {
  const m = negatives.length - 1;
  for (let i = 0; i <= (silent >= 0 ? 0 : m); i++)
    for (let j = silent ?? i; j <= m; j++) {
      const abstention = negatives[j] - negatives[i] + (positives[j] - positives[i]);
      if (abstention > most() + BUDGET_ROUNDING) break;
      if (visit(i, j, positives[i], negatives[m] - negatives[j], abstention)) break;
    }
}

// The window that keeps the limits and abstains least, then errs least, then has the lowest thresholds
// (cautious.curves._budgets). `keeps` takes the shares of missed positives, of wrong answers and of answers.
function leastAbstaining(sums, keeps) {
  const all = sums.negatives.at(-1) + sums.positives.at(-1);
  let best = null, least = Infinity, fewest = Infinity;
  eachWindow(sums, () => least, (i, j, fn, fp, abstention) => {
    if (!keeps(fn, fn + fp, all - abstention)) return false;
    const error = perAnswer(fn + fp, all - abstention);
    if (abstention < least - BUDGET_ROUNDING || error < fewest - BUDGET_ROUNDING) {
      best = [i, j];
      least = Math.min(least, abstention);
      fewest = error;
    }
    return true;
  });
  return best;
}

// Levels of the window that a budget asks for; null if there is none. Where only abstention is limited, it errs
// least.
function budgetLevels(sums, { abstention, error, missed }) {
  const all = sums.negatives.at(-1) + sums.positives.at(-1),
    most = (limit) => (limit ?? Infinity) + BUDGET_ROUNDING;
  if (error === undefined && missed === undefined) {
    let fewest = Infinity;
    eachWindow(sums, () => abstention, (i, j, fn, fp, without) => {
      fewest = Math.min(fewest, perAnswer(fn + fp, all - without));
    });
    return leastAbstaining(sums, (fn, wrong, answered) => perAnswer(wrong, answered) <= most(fewest));
  }
  const [ofAnswers, ofPositives] = [most(error), most(missed) * sums.positives.at(-1)],
    keeps = (fn, wrong, answered) => fn <= ofPositives && perAnswer(wrong, answered) <= ofAnswers,
    found = leastAbstaining(sums, keeps);
  return found && ratesBetween(sums, found).abstention <= most(abstention) ? found : null;
}

// {none: false, window, tests?, n?, certificate?} or {none: true, …}: with `promise` the limits hold on new cases
// with 95% confidence (cautious.guarantees.certify with two thresholds). Where none is found, `needed` is
// the number of cases at which a promise may be expected, null if at none; weights, another share of positives
// and a limit on abstention allow no promise: cases count once and as they came.
export function budgetWindow(model, prior, limits, { promise = false } = {}) {
  if (promise && model.weighted) return { none: true, weighted: true };
  if (promise && prior !== null) return { none: true, prior: true };
  if (promise && Object.keys(limits).some((name) => !limitOf(name).sides)) return { none: true, abstention: true };
  if (promise) return certified(model, limits);
  const sums = cumulated(model, prior),
    { scores, cuts, silent } = sums.stairs,
    found = budgetLevels({ ...sums, silent }, limits);
  if (!found) return { none: true };
  // Thresholds lie midway between neighbouring scores, or at the ends of steps.
  const [lower, upper] = found.map((level) => {
    if (level === 0 || level === scores.length) return level === 0 ? -Infinity : Infinity;
    return cuts ? cuts[level - 1] : scores[level - 1] / 2 + scores[level] / 2;
  });
  return { none: false, window: { lower, upper, ...ratesBetween(sums, found) } };
}

// The limits that decide: without them the rule would be another one. Where no rule is found, `nearest` is the least
// limit {name, limit}, the others kept, with which there is one.
export function decisiveLimits(model, prior, limits, options) {
  const found = (some) => budgetWindow(model, prior, some, options),
    same = (a, b) => a.none === b.none && a.window?.lower === b.window?.lower && a.window?.upper === b.window?.upper,
    now = found(limits),
    names = Object.keys(limits),
    without = (name) => Object.fromEntries(Object.entries(limits).filter(([key]) => key !== name)),
    decisive = names.filter((name) => names.length < 2 || !same(now, found(without(name)))),
    known = now.none && (!options.promise || now.needed !== undefined);
  const least = (name) => {
    const isKept = (limit) => !found({ ...limits, [name]: limit / 1000 }).none;
    return { name, limit: firstThat(Math.ceil(1000 * limits[name]), 1000, isKept) / 1000 };
  };
  const nearest = known ? decisive.map(least).filter(({ limit }) => limit < 1) : [];
  return { decisive, nearest };
}

// Honest estimates of the rule that a budget finds: it is searched for in each part anew.
export function budgetEstimates(model, prior, costs, limits) {
  const { scores, silent, cuts } = stairsOf(model),
    choose = (part) => {
      const { levels, positives, negatives } = part.seen,
        [ns, ps] = classScales([part.negatives, part.positives], prior),
        running = (counts, each) => sumsBelow(counts.map((count) => count * each)),
        sums = { negatives: running(negatives, ns), positives: running(positives, ps), silent: silent && Number(levels[0] < silent) },
        found = budgetLevels(sums, limits) ?? [0, levels.length];
      // A threshold lies midway between neighbours of the part.
      const at = (cut, inclusive) => {
        if (cut === 0 || cut === levels.length) return cut === 0 ? 0 : scores.length;
        const middle = scores[levels[cut - 1]] / 2 + scores[levels[cut]] / 2;
        return cuts ? levels[cut] : Math.max(levels[cut - 1] + 1, search(scores, middle, inclusive));
      };
      const high = at(found[1], false);
      return [found[0] < found[1] ? at(found[0], true) : high, high];
    };
  return estimatesOf(model, prior, costs, { choose });
}

// Honest estimates of a rule that keeps limits with a promise: in each part of the cases it is tested anew which
// thresholds can be promised, with the scores set aside there. Nothing promised is nothing answered.
export function promiseEstimates(model, prior, costs, limits) {
  const stairs = stairsOf(model),
    choose = ({ counts, apart }) => {
      const [negative, positive] = sidesOf(model, splitOf(stairs, counts, apart()), limits),
        high = positive.last ?? stairs.scores.length;
      return [Math.min(high, negative.last === null ? 0 : negative.last + 1), high];
    };
  return estimatesOf(model, prior, costs, { choose });
}

// A random fifth of the cases, whose labels are never looked at, gives the candidates; the others are
// tested on. Counts by level: `others` and, by class, `tested`.
const splitOf = (stairs, counts, aside) => ({
  stairs,
  others: Float64Array.from(aside[0], (count, l) => count + aside[1][l]),
  tested: counts.map((some, y) => Float64Array.from(some, (count, l) => count - aside[y][l])),
});

// First level that speaks for the positive class: probabilities above one half, other scores from the
// median of the cases set aside on.
function middleOf({ scores, cuts }, others, probabilities) {
  const first = (values, holds) => {
    const at = values.findIndex(holds);
    return at < 0 ? values.length : at;
  };
  if (probabilities) return cuts ? first(cuts, (cut) => cut >= 0.5) + 1 : first(scores, (s) => s > 0.5);
  const total = sum(others),
    at = (rank) => {
      let seen = 0;
      return others.findIndex((count) => (seen += count) > rank);
    },
    [a, b] = [at(Math.floor((total - 1) / 2)), at(Math.floor(total / 2))],
    middle = scores[a] / 2 + scores[b] / 2;
  return first(scores, (s) => s >= middle);
}

function leastAnswers(limit, delta) {
  const guess = Math.ceil(Math.log(delta) / Math.log1p(-limit));
  return (1 - limit) ** (guess - 1) <= delta ? guess - 1 : guess;
}

// The confidences of graded answers from which on they may go out: midway between two that were set aside.
// Counts of these are moved to the first level from there on, whose `ends` are what the threshold is.
function midwayOf({ scores, silent }, others) {
  const moved = new Float64Array(others.length), ends = [];
  moved.set(others.subarray(0, silent));
  let below = -1;
  others.forEach((count, l) => {
    if (!count || l < silent) return;
    const middle = below < 0 ? -Infinity : thresholdsAt([scores[below], scores[l]], [1]).upper[0],
      first = Math.max(below + 1, silent, search(scores, middle));
    moved[first] = count;
    ends[first] = middle;
    below = l;
  });
  return { others: moved, ends };
}

function sidesOf(model, split, wanted) {
  const { stairs, tested } = split,
    { graded } = model,
    { others, ends } = graded && !stairs.cuts ? midwayOf(stairs, split.others) : split,
    m = stairs.scores.length,
    middle = graded ? stairs.silent : middleOf(stairs, others, model.risk !== null),
    n = sum(tested[0]) + sum(tested[1]);
  return [0, 1].map((side) => {
    const own = Array.from({ length: side ? m - middle : graded ? 0 : middle }, (_, i) => (side ? m - 1 - i : i)),
      limits = Object.entries(wanted).flatMap(([of, most]) =>
        Object.entries(limitOf(of).sides[side]).map(([name, part]) => ({ name, limit: part * most })));
    // A promise is tested at thresholds that were chosen without looking at the labels tested on.
    const isCandidate = (l) => stairs.unseen?.[side ? l - 1 : l] ?? true;
    const delta = (1 - LEVEL) / (graded ? 1 : 2);
    return { ends, ...sequenceOf({ side, own, others, tested, limits, delta, n, isCandidate, graded }) };
  });
}

function certified(model, limits) {
  const { stairs, whole } = evidenceOf(model),
    split = splitOf(stairs, whole.counts, whole.apart()),
    { tested } = split,
    n = sum(tested[0]) + sum(tested[1]),
    sides = sidesOf(model, split, limits),
    [negative, positive] = sides,
    tests = sides.flatMap((one) => one.tests);
  if (!tests.length) {
    const needed = sides.map((one) => one.needed()).filter((one) => one !== null);
    return { none: true, needed: needed.length ? Math.min(...needed) : null, n };
  }
  // A threshold is a score that is still answered, whatever it was before it was rounded, or the end of a step.
  const { scores, cuts, rounding = 0 } = stairs,
    end = ({ last, ends }, beyond, cut, rounded) =>
      last === null ? beyond : cuts ? (cuts[cut(last)] ?? -beyond) : (ends?.[last] ?? rounded(scores[last])),
    lower = end(negative, -Infinity, (l) => l, (score) => score + rounding),
    upper = end(positive, Infinity, (l) => l - 1, (score) => score - rounding);
  return {
    none: false, window: windowAt(model, null, lower, upper), tests, n,
    certificate: certificateOf(model, limits, n, tests, stairs.silent ? tested[0][0] + tested[1][0] : 0),
  };
}

// What is promised, as cautious.guarantees.Certificate.from_dict reads it.
const certificateOf = ({ graded }, limits, n, tests, missing) => ({
  limits, confidence_level: LEVEL, n,
  tests: tests.map(({ name, limit, wrong, answered, p }) => ({
    limit: name === "error" && !graded ? "class_error" : name, // of the answers of one class
    at_most: limit,
    wrong, answered, p_value: p, group: null,
  })),
  method: `fixed sequence of exact binomial tests${graded ? " of graded answers" : ""}`,
  missing, granted: true, cases_needed: null, means: [], shares: null, schema: "cautious.certificate/1",
});

// Test candidates from the strictest to the loosest, and take the last before the first failure.
function sequenceOf({ side, own, others, tested, limits, delta, n, isCandidate, graded }) {
  const there = own.reduce((total, l) => total + others[l], 0),
    every = sum(others),
    positives = sum(tested[1]),
    // Of graded answers so many can go out (cautious.guarantees answers_to_begin).
    toBegin = (least) => (graded ? Math.min(Math.max((there * (n / every)) / 3, 2 * least), 4 * least) : HEAD_START * least),
    candidates = [];
  if (!there) return { last: null, needed: () => null, tests: [] };
  // Levels at equally spaced coverages of the cases set aside.
  let rank = 1, expected = 0, answered = 0, wrong = 0;
  for (const level of own) {
    expected += others[level];
    answered += tested[0][level] + tested[1][level];
    wrong += tested[1 - side][level];
    if (!isCandidate(level)) continue;
    const first = rank;
    while (rank <= CANDIDATES && expected >= Math.ceil((rank / CANDIDATES) * there)) rank++;
    if (rank === first) continue;
    const pairs = limits.map(({ name, limit }) => {
      const among = limitOf(name).of_answers ? answered : positives;
      return { name, limit, side, wrong, answered: among, p: binomialShare(wrong, among, limit) };
    });
    candidates.push({
      level,
      pairs,
      passed: pairs.every(({ p }) => p <= delta),
      enough: limits.every(
        ({ name, limit }) => !limitOf(name).of_answers || expected * (n / every) >= toBegin(leastAnswers(limit, delta)),
      ),
    });
  }
  const first = candidates.findIndex((one) => one.enough);
  let last = null;
  for (let c = first < 0 ? candidates.length - 1 : first; candidates[c]?.passed; c++) last = candidates[c];
  return last === null
    ? { last: null, needed: () => casesNeeded(candidates, limits, delta, n), tests: [] }
    : { last: last.level, needed: () => null, tests: last.pairs };
}

// At how many cases some candidate would pass every test, as far as that can be foreseen.
function casesNeeded(candidates, limits, delta, n) {
  const step = Math.max(1, Math.floor(candidates.length / 20)); // these tell as much as all
  let most = 0;
  for (const [at, { limit }] of limits.entries()) {
    const every = candidates.map(({ pairs }) => pairs[at]),
      tried = every.filter(({ answered }, i) => i % step === 0 && answered >= 20),
      // The surest answers count where they keep the limit and are too few to show it.
      surest = every.map(({ wrong, answered }) => (answered >= 10 && wrong <= limit * answered ? answered : 0)),
      known = tried
        .map(({ wrong, answered }) => expectedCases((wrong + 0.5) / (answered + 1), answered / n, limit, delta))
        .filter((cases) => cases !== null),
      begun = (HEAD_START * leastAnswers(limit, delta) * n) / (tried.length ? Math.max(...surest) : n);
    most = Math.max(most, known.length ? Math.min(...known) : Math.ceil(begun));
  }
  return most < Infinity ? most : null;
}

function expectedCases(risk, coverage, limit, delta) {
  if (!(risk < limit)) return null;
  const passes = (m) => binomialShare(Math.ceil(risk * m), m, limit) <= delta;
  let high = leastAnswers(limit, delta);
  while (!passes(high)) {
    if (high > 2 ** 30) return null;
    high *= 2;
  }
  for (let low = Math.floor(high / 2); high - low > 1; ) {
    const middle = Math.floor((low + high) / 2);
    if (passes(middle)) high = middle;
    else low = middle;
  }
  return Math.ceil(high / coverage);
}
