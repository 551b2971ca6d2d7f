// Budgets instead of costs: the best window that keeps limits on the cases seen, or one that keeps them
// on new cases with a stated confidence.
import { binomialShare } from "./distributions.js";
import { estimatesOf } from "./estimates.js";
import { asideOf, divisionOf, stairsOf } from "./parts.js";
import { cumulated, ratesBetween, windowAt } from "./window.js";

const BUDGET_ROUNDING = 1e-12;
const CANDIDATES = 100;
const HEAD_START = 3;

const perAnswer = (wrong, answered) => (answered > BUDGET_ROUNDING ? wrong / answered : 0);

// All windows that keep the limits; those that abstain least first, then those that err least, then those
// with the lowest thresholds (cautious.curves.surface.budgets). Both functions take the shares of missed
// positives, of false ones and of answers.
function leastAbstaining({ negatives, positives }, keeps, error) {
  const m = negatives.length - 1,
    all = negatives[m] + positives[m];
  let best = null,
    least = Infinity,
    fewest = Infinity;
  for (let i = 0; i <= m; i++)
    for (let j = i; j <= m; j++) {
      const abstention = negatives[j] - negatives[i] + (positives[j] - positives[i]);
      if (abstention > least + BUDGET_ROUNDING) break;
      const fp = negatives[m] - negatives[j];
      if (!keeps(positives[i], fp, all - abstention)) continue;
      const wrong = error(positives[i], fp, all - abstention);
      if (abstention < least - BUDGET_ROUNDING || wrong < fewest - BUDGET_ROUNDING) {
        best = [i, j];
        least = Math.min(least, abstention);
        fewest = wrong;
      }
      break;
    }
  return best;
}

function leastErring(sums, most, error) {
  const { negatives, positives } = sums,
    m = negatives.length - 1,
    all = negatives[m] + positives[m];
  let fewest = Infinity;
  for (let i = 0; i <= m; i++)
    for (let j = i; j <= m; j++) {
      const abstention = negatives[j] - negatives[i] + (positives[j] - positives[i]);
      if (abstention > most + BUDGET_ROUNDING) break;
      fewest = Math.min(fewest, error(positives[i], negatives[m] - negatives[j], all - abstention));
    }
  return leastAbstaining(sums, (fn, fp, answered) => error(fn, fp, answered) <= fewest + BUDGET_ROUNDING, error);
}

// Levels of the window that a budget asks for; null if there is none. Errors are counted per answer,
// or per case if that is what is limited.
function budgetLevels(sums, { abstention, error, errorPerCase, missed }) {
  const perCase = errorPerCase !== undefined && error === undefined,
    wrong = (fn, fp, answered) => (perCase ? fn + fp : perAnswer(fn + fp, answered)),
    most = (limit) => (limit ?? Infinity) + BUDGET_ROUNDING;
  if (error === undefined && errorPerCase === undefined && missed === undefined)
    return leastErring(sums, abstention, wrong);
  const m = sums.positives.length - 1,
    [ofAnswers, ofCases, ofPositives] = [most(error), most(errorPerCase), most(missed) * sums.positives[m]],
    keeps = (fn, fp, answered) =>
      fn <= ofPositives && fn + fp <= ofCases && perAnswer(fn + fp, answered) <= ofAnswers,
    found = leastAbstaining(sums, keeps, wrong);
  return found && ratesBetween(sums, found).abstention <= most(abstention) ? found : null;
}

/**
 * The window that a budget asks for: it abstains least among those that keep the limits, or errs least
 * where only abstention is limited.
 *
 * @param {{abstention?, error?, errorPerCase?, missed?}} limits shares: of all cases, of the answers, of
 *   all cases, and of the positives that are answered negative
 * @param {{promise?: boolean, level?: number}} options promise: the limits hold on new cases with
 *   confidence `level` (cautious.guarantees.certify with two thresholds)
 * @returns {{none: false, window, tests?, n?, certificate?} | {none: true, needed?, weighted?, prior?,
 *   abstention?}} certificate: as the library writes it; needed: the number of cases at which a promise may
 *   be expected, null if at none; weighted, prior, abstention: weights, another share of positives and a
 *   limit on abstention allow no promise
 */
export function budgetWindow(model, prior, limits, { promise = false, level = 0.95 } = {}) {
  // Cases count once and as they came: weights, and another share of positives, have no exact test.
  if (promise && model.weighted) return { none: true, weighted: true };
  if (promise && prior !== null) return { none: true, prior: true };
  if (promise && limits.abstention !== undefined) return { none: true, abstention: true };
  if (promise) return certified(model, limits, level);
  const sums = cumulated(model, prior),
    found = budgetLevels(sums, limits);
  if (!found) return { none: true };
  const { lower, upper } = thresholdsOf(sums.stairs, found);
  return { none: false, window: { lower, upper, ...ratesBetween(sums, found) } };
}

// Thresholds between levels: midway between neighbouring scores, or the ends of steps.
function thresholdsOf({ scores, cuts }, [low, high]) {
  const at = (level) => {
    if (level === 0) return -Infinity;
    if (level === scores.length) return Infinity;
    return cuts ? cuts[level - 1] : scores[level - 1] / 2 + scores[level] / 2;
  };
  return { lower: at(low), upper: at(high) };
}

/** Honest estimates of the rule that a budget finds: it is searched for in each part anew. */
export function budgetEstimates(model, prior, costs, limits, options = {}) {
  const whole = stairsOf(model),
    choose = (part) => {
      const { levels, positives, negatives } = part.seen,
        total = part.positives + part.negatives,
        [ns, ps] = prior === null ? [1 / total, 1 / total] : [(1 - prior) / part.negatives, prior / part.positives],
        sums = { negatives: running(negatives, ns), positives: running(positives, ps) },
        found = budgetLevels(sums, limits) ?? [0, levels.length];
      // A threshold lies midway between neighbours of the part.
      const at = (cut, inclusive) => {
        if (cut === 0 || cut === levels.length) return cut === 0 ? 0 : whole.scores.length;
        const middle = whole.scores[levels[cut - 1]] / 2 + whole.scores[levels[cut]] / 2;
        let l = levels[cut - 1] + 1;
        while (whole.scores[l] < middle || (inclusive && whole.scores[l] === middle)) l++;
        return l;
      };
      const high = at(found[1], false);
      return [found[0] < found[1] ? at(found[0], true) : high, high];
    };
  return estimatesOf(model, prior, costs, { ...options, choose });
}

function running(counts, each) {
  const sums = new Float64Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) sums[i + 1] = sums[i] + counts[i] * each;
  return sums;
}

/**
 * Honest estimates of a rule that keeps limits with a promise: in each part of the cases it is tested
 * anew which thresholds can be promised, with the scores set aside there. Nothing promised is nothing
 * answered.
 */
export function promiseEstimates(model, prior, costs, limits, { level = 0.95 } = {}) {
  const stairs = stairsOf(model),
    m = stairs.scores.length,
    choose = ({ counts, apart }) => {
      const aside = apart(),
        others = aside[0].map((count, l) => count + aside[1][l]),
        tested = counts.map((some, y) => Float64Array.from(some, (count, l) => count - aside[y][l])),
        [negative, positive] = sidesOf(model, { stairs, others, tested }, limits, level),
        high = positive.last ?? m;
      return [Math.min(high, negative.last === null ? 0 : negative.last + 1), high];
    };
  return estimatesOf(model, prior, costs, { level, choose });
}

// A random fifth of the cases, whose labels are never looked at, gives the candidates; the others are
// tested on. Counts by level: `others` and, by class, `tested`.
function calibrationSplit(model) {
  const stairs = stairsOf(model),
    m = stairs.scores.length,
    others = new Float64Array(m),
    tested = [new Float64Array(m), new Float64Array(m)];
  if (model.cases) {
    const { aside } = divisionOf(model.cases.table),
      { truth } = model.cases.table;
    for (let i = 0; i < truth.length; i++)
      if (aside[i]) others[stairs.level[i]]++;
      else tested[truth[i]][stairs.level[i]]++;
  } else {
    const aside = asideOf(stairs);
    [stairs.negatives, stairs.positives].forEach((counts, y) =>
      counts.forEach((count, l) => {
        others[l] += aside[y][l];
        tested[y][l] = count - aside[y][l];
      }),
    );
  }
  return { stairs, others, tested };
}

// First level that speaks for the positive class: probabilities above one half, other scores from the
// median of the cases set aside on.
function middleOf({ scores, cuts }, others, probabilities) {
  if (probabilities) return cuts ? levelAbove(cuts, 0.5) : firstLevel(scores, (s) => s > 0.5);
  const total = totalOf(others),
    at = (rank) => {
      let seen = 0;
      return others.findIndex((count) => (seen += count) > rank);
    },
    [a, b] = [at(Math.floor((total - 1) / 2)), at(Math.floor(total / 2))],
    middle = scores[a] / 2 + scores[b] / 2;
  return firstLevel(scores, (s) => s >= middle);
}

const levelAbove = (cuts, value) => firstLevel(cuts, (cut) => cut >= value) + 1;

function firstLevel(values, holds) {
  const at = Array.prototype.findIndex.call(values, holds);
  return at < 0 ? values.length : at;
}

function leastAnswers(limit, delta) {
  const guess = Math.ceil(Math.log(delta) / Math.log1p(-limit));
  return (1 - limit) ** (guess - 1) <= delta ? guess - 1 : guess;
}

const totalOf = (counts) => counts.reduce((a, b) => a + b, 0);

// The loosest threshold of each side that can be promised.
function sidesOf(model, { stairs, others, tested }, { error, errorPerCase, missed, ppv, npv }, level) {
  const m = stairs.scores.length,
    middle = middleOf(stairs, others, model.risk !== null),
    n = totalOf(tested[0]) + totalOf(tested[1]),
    delta = (1 - level) / 2;
  return [0, 1].map((side) => {
    const own = Array.from({ length: side ? m - middle : middle }, (_, i) => (side ? m - 1 - i : i)),
      errors = [error, side ? ppv && 1 - ppv : npv && 1 - npv].filter((limit) => limit !== undefined),
      limits = [
        ...(missed !== undefined && side === 0 ? [{ name: "missed", limit: missed }] : []),
        ...(errors.length ? [{ name: "error", limit: Math.min(...errors) }] : []),
        ...(errorPerCase !== undefined ? [{ name: "errorPerCase", limit: errorPerCase / 2 }] : []),
      ];
    // A promise is tested at thresholds that were chosen without looking at the labels tested on.
    const isCandidate = (l) => stairs.unseen?.[side ? l - 1 : l] ?? true;
    return sequenceOf({ side, own, others, tested, limits, delta, n, isCandidate });
  });
}

function certified(model, limits, level) {
  const split = calibrationSplit(model),
    { stairs, tested } = split,
    n = totalOf(tested[0]) + totalOf(tested[1]),
    sides = sidesOf(model, split, limits, level),
    [negative, positive] = sides,
    tests = sides.flatMap((one) => one.tests);
  if (!tests.length) {
    const needed = sides.map((one) => one.needed()).filter((one) => one !== null);
    return { none: true, needed: needed.length ? Math.min(...needed) : null, n };
  }
  // A threshold is a score that is still answered, whatever it was before it was rounded, or the end of a
  // step.
  const { scores, cuts, rounding = 0 } = stairs,
    lower = negative.last === null ? -Infinity : cuts ? (cuts[negative.last] ?? Infinity) : scores[negative.last] + rounding,
    upper = positive.last === null ? Infinity : cuts ? (cuts[positive.last - 1] ?? -Infinity) : scores[positive.last] - rounding;
  return {
    none: false,
    window: windowAt(model, null, lower, upper),
    tests,
    n,
    certificate: certificateOf(limits, level, n, tests),
  };
}

// What is promised, as cautious.guarantees.Certificate.from_dict reads it.
const LIMITS = { error: "error", missed: "missed", errorPerCase: "error_per_case" };

const certificateOf = (limits, level, n, tests) => ({
  limits: Object.fromEntries(Object.entries(limits).map(([name, limit]) => [LIMITS[name], limit])),
  confidence_level: level,
  n,
  tests: tests.map(({ name, limit, wrong, answered, p }) => ({
    limit: name === "error" ? "class_error" : LIMITS[name], // of the answers of one class
    at_most: limit,
    wrong,
    answered,
    p_value: p,
    group: null,
  })),
  method: "fixed sequence of exact binomial tests",
  missing: 0,
  granted: true,
  cases_needed: null,
  means: [],
  shares: null,
  schema: "cautious.certificate/1",
});

// Test candidates from the strictest to the loosest, and take the last before the first failure.
function sequenceOf({ side, own, others, tested, limits, delta, n, isCandidate }) {
  const there = own.reduce((sum, l) => sum + others[l], 0),
    every = totalOf(others),
    positives = totalOf(tested[1]),
    candidates = [];
  if (!there) return { last: null, needed: () => null, tests: [] };
  // Levels at equally spaced coverages of the cases set aside.
  let seen = 0,
    rank = 1;
  for (const l of own) {
    seen += others[l];
    if (!isCandidate(l)) continue;
    let taken = false;
    while (rank <= CANDIDATES && seen >= Math.ceil((rank / CANDIDATES) * there)) {
      taken = true;
      rank++;
    }
    if (taken) candidates.push({ level: l, expected: seen });
  }
  let at = 0,
    answered = 0,
    wrong = 0;
  for (const one of candidates) {
    for (; ; at++) {
      answered += tested[0][own[at]] + tested[1][own[at]];
      wrong += tested[1 - side][own[at]];
      if (own[at] === one.level) break;
    }
    at++;
    one.pairs = limits.map(({ name, limit }) => {
      const among = name === "error" ? answered : name === "missed" ? positives : n;
      return { name, limit, side, wrong, answered: among, p: binomialShare(wrong, among, limit) };
    });
    one.passed = one.pairs.every(({ p }) => p <= delta);
    one.enough = limits.every(
      ({ name, limit }) =>
        name !== "error" || (one.expected / every) * n >= HEAD_START * leastAnswers(limit, delta),
    );
  }
  const first = candidates.findIndex((one) => one.enough),
    start = first < 0 ? candidates.length - 1 : first;
  let last = null;
  for (let c = start; c < candidates.length && candidates[c].passed; c++) last = c;
  return last === null
    ? { last: null, needed: () => casesNeeded(candidates, limits, delta, n), tests: [] }
    : { last: candidates[last].level, needed: () => null, tests: candidates[last].pairs };
}

// At how many cases some candidate would pass every test, as far as that can be foreseen.
function casesNeeded(candidates, limits, delta, n) {
  let most = 0;
  for (const [at, { limit }] of limits.entries()) {
    const tried = candidates.map(({ pairs }) => pairs[at]).filter(({ answered }) => answered >= 20),
      likely = tried
        .map(({ wrong, answered }) => expectedCases((wrong + 0.5) / (answered + 1), answered / n, limit, delta))
        .filter((cases) => cases !== null),
      known = tried.length ? likely : [HEAD_START * leastAnswers(limit, delta)];
    if (!known.length) return null;
    most = Math.max(most, Math.min(...known));
  }
  return most;
}

function expectedCases(risk, coverage, limit, delta) {
  if (!(risk < limit)) return null;
  const passes = (m) => binomialShare(Math.ceil(risk * m), m, limit) <= delta;
  let high = leastAnswers(limit, delta);
  while (!passes(high)) {
    if (high > 2 ** 30) return null;
    high *= 2;
  }
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (passes(middle)) high = middle;
    else low = middle;
  }
  return Math.ceil(high / coverage);
}
