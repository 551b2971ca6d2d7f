// From the predictions of a dropped file to the problems that the page shows, summarised as the library does
// it for a report (cautious.report._page_data): models that answer the same question stand side by side.
import { unpackProblems } from "./packing.js";
import { libraryGenerator } from "./random.js";
import { riskOfCells } from "./risk.js";
import { keptScores, staircaseOf, stepsOf, summariseStaircase } from "./scores.js";
import { countSets, hitSizes, likeliestOf, utilitySet } from "./sets.js";
import { search } from "./surface.js";

const UTILITIES = { u65: 0.65, u80: 0.8 };

// Up to so many cases every one is kept, as in a report; of more, counts at steps of the score.
const CASES_KEPT = 1500;
const LEAST_GROUPS = 10;
const GROUPS_SHOWN = 12;
const DRAWN_OF_CLASS = 200;

// `models` are those of readPredictions.
export function problemsOf(models) {
  const problems = [],
    put = (kind, model, summaries) => {
      const question = JSON.stringify([kind, model.classes]),
        isSame = (one) => JSON.stringify([one.kind, one.classes]) === question;
      if (!problems.some(isSame)) problems.push({ kind, classes: model.classes, models: [], tables: [] });
      const problem = problems.find(isSame);
      problem.models.push(...summaries(problem.tables));
    };
  for (const given of models) {
    const { model, about } = usable(given),
      { name, score, sets, proba, classes } = model,
      p = proba && ((row) => Float64Array.from(classes, (_, c) => proba(row, c))),
      risk = proba && classes.length > 2 ? riskOf(model, p) : null;
    if (score) put("binary", model, (tables) => [{ ...about, ...binaryModel(model, tables) }]);
    if (sets)
      put("sets", model, (tables) => [{ ...about, name, utility: null, ...countedSets(model, sets, tables), risk }]);
    else if (risk) put("sets", model, (tables) => answersOf(model, p, risk, about, tables));
  }
  return unpackProblems(problems);
}

// Rows that count for nothing are left out and counted.
function usable(model) {
  const { name, rows, weight, columns } = model,
    kept = weight ? rows.filter((row) => weight[row] > 0) : rows,
    count = rows.length - kept.length,
    left_out = count ? [{ count, reason: "have the weight 0" }] : [];
  return { model: { ...model, rows: kept }, about: { name, n: kept.length, weighted: Boolean(weight), left_out, columns } };
}

// The place of the cases apart from any model; the same for models judged on the same ones.
function caseTableOf({ rows, codes, weight, group, classes }, tables) {
  const truth = Uint32Array.from(rows, (row) => codes[row]),
    weights = weight ? Float64Array.from(rows, (row) => weight[row]) : null,
    place = new Map(),
    groups = group
      ? Uint32Array.from(rows, (row) => place.get(group[row]) ?? place.set(group[row], place.size).size - 1)
      : null;
  const equal = (a, b) => a === b || (a && b && a.length === b.length && a.every((x, i) => x === b[i])),
    same = tables.findIndex(
      (one) => equal(one.truth, truth) && equal(one.weight, weights) && equal(one.group, groups),
    );
  if (same >= 0) return same;
  const together = group ? areUnits({ rows, codes, group, classes }) : false,
    names = group && !together ? [...place.keys()] : null;
  return tables.push({ n: truth.length, truth, weight: weights, group: groups, groups: names, together }) - 1;
}

// Many groups with cases of every class, such as patients: their cases stay together, unnamed.
function areUnits({ rows, codes, group, classes }) {
  const every = new Set(),
    spread = classes.map(() => new Set());
  for (const row of rows) {
    every.add(group[row]);
    spread[codes[row]].add(group[row]);
  }
  return spread.every(({ size }) => size >= LEAST_GROUPS) && every.size < rows.length;
}

function binaryModel(model, tables) {
  const { rows, score, codes, weight, group } = model,
    stairs = staircaseOf(model),
    summary = summariseStaircase(stairs),
    origin = { n: rows.length },
    about = { ...summary, events: rows.reduce((n, row) => n + codes[row], 0), origin };
  if (rows.length <= CASES_KEPT) {
    const scores = Float64Array.from(rows, (row) => score[row] + 0);
    return { ...about, cases: { table: caseTableOf(model, tables), scores } };
  }
  const counted = weight ? staircaseOf({ ...model, weight: null }) : stairs,
    { scores, hull: { low, high } = {} } = keptScores(stairs, counted),
    { starts, ...steps } = stepsOf(stairs, summary, weight && counted),
    drawn = drawnRows(model),
    scoreOf = (row) => score[row];
  return {
    ...about,
    origin: { ...origin, scores, low, high },
    stairs: steps,
    sample: { table: caseTableOf({ rows: drawn, codes }, tables), scores: Float64Array.from(drawn, scoreOf) },
    ...(group && { groups: groupCounts(model, [0, ...starts].map((at) => stairs.scores[at])) }),
  };
}

// Of many cases some of each class, which show how the mistakes of two models go together. The draw
// depends on the cases only.
function drawnRows({ rows, codes }) {
  const random = libraryGenerator(), sides = [[], []];
  for (const row of rows) sides[codes[row]].push(row);
  return sides
    .flatMap((own) => Array.from(random.some(own.length, Math.min(DRAWN_OF_CLASS, own.length)), (i) => own[i]))
    .sort((a, b) => a - b);
}

// Counts of the largest groups at each step that they have cases in; `firsts` are the first scores of steps.
function groupCounts({ rows, score, codes, weight, group }, firsts) {
  const sizes = new Map();
  for (const row of rows) sizes.set(group[row], (sizes.get(group[row]) ?? 0) + 1);
  const largest = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, GROUPS_SHOWN),
    none = () => [0, 1].map(() => new Float64Array(firsts.length)),
    shown = new Map(largest.map(([name, n]) => [name, { group: name, n, events: 0, at: none() }]));
  for (const row of rows) {
    const one = shown.get(group[row]);
    if (!one) continue;
    one.events += codes[row];
    one.at[codes[row]][search(firsts, score[row], true) - 1] += weight ? weight[row] : 1;
  }
  return [...shown.values()].map(({ at, ...one }) => {
    const steps = Array.from(firsts.keys()).filter((s) => at[0][s] + at[1][s] > 0),
      [negatives, positives] = at.map((counts) => steps.map((s) => counts[s]));
    return { ...one, steps, positives, negatives };
  });
}

// Sets counted, and case by case whether they hold the truth.
function countedSets(model, sets, tables) {
  const { rows, codes, classes, weight, group } = model,
    kept = rows.slice(0, CASES_KEPT),
    weightOf = weight ? (row) => weight[row] : () => 1,
    groupOf = group && !areUnits(model) ? (row) => group[row] : null;
  return {
    ...countSets(rows, codes, classes, sets, weightOf, groupOf),
    hits: { table: caseTableOf({ ...model, rows: kept }, tables), codes: hitSizes(kept, codes, sets) },
  };
}

// The likeliest class, and the sets of greatest expected utility.
function answersOf(model, p, risk, about, tables) {
  const { name, rows, classes } = model,
    kept = rows.slice(0, CASES_KEPT),
    proba = new Float64Array(kept.length * classes.length);
  kept.forEach((row, i) => proba.set(p(row), i * classes.length));
  const cases = { table: caseTableOf({ ...model, rows: kept }, tables), proba },
    counted = (sets) => ({ ...about, ...countedSets(model, sets, tables) });
  return [
    { ...counted((row) => [likeliestOf(p(row))]), utility: null, risk, cases },
    ...Object.entries(UTILITIES).map(([utility, k]) => ({
      ...counted((row) => utilitySet(p(row), k)),
      name: `${name}, ${utility} sets`,
      utility,
    })),
  ];
}

function riskOf({ rows, codes, weight }, p) {
  const cells = Array.from(rows, (row) => {
    const best = likeliestOf(p(row)), own = weight ? weight[row] : 1;
    return [p(row)[best], own, best === codes[row] ? 0 : own];
  }).sort((a, b) => b[0] - a[0]);
  return riskOfCells(...[0, 1, 2].map((at) => cells.map((cell) => cell[at])));
}
