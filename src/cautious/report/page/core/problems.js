// From predictions to the problems that the page shows (cautious.report.payload): models that answer
// the same question stand side by side.
import { libraryGenerator } from "./random.js";
import { riskOfCells } from "./risk.js";
import { keptScores, staircaseOf, stepsOf, summariseStaircase } from "./scores.js";
import { countSets, groupSizes, hitSizes, utilitySet } from "./sets.js";
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
    tables = [];
  const put = (kind, { classes }, summaries) => {
    const question = JSON.stringify([kind, classes]);
    const same = problems.find((one) => JSON.stringify([one.kind, one.classes]) === question);
    if (same) same.models.push(...summaries);
    else problems.push({ kind, classes, models: summaries });
  };
  for (const given of models) {
    const { model, leftOut } = usable(given),
      { name, score, sets, proba, classes } = model;
    if (score) put("binary", model, [{ name, ...binaryModel(model, tables), left_out: leftOut }]);
    const risk = proba && classes.length > 2 ? riskOf(model) : null,
      about = { n: model.rows.length, weighted: Boolean(model.weight), left_out: leftOut };
    if (sets) {
      const counted = countedSets(model, sets, tables);
      put("sets", model, [{ name, utility: null, ...counted, risk, ...about }]);
    }
    else if (risk) put("sets", model, answersOf(model, risk, about, tables));
  }
  return problems;
}

// Rows that count for nothing are left out and counted.
function usable(model) {
  const { rows, weight } = model,
    kept = weight ? rows.filter((row) => weight[row] > 0) : rows,
    count = rows.length - kept.length;
  return {
    model: { ...model, rows: kept },
    leftOut: count ? [{ count, reason: "have the weight 0" }] : [],
  };
}

// The cases apart from any model; the same object for models judged on the same ones.
function caseTableOf({ rows, codes, weight, group, classes }, tables) {
  const truth = Uint32Array.from(rows, (row) => codes[row]),
    weights = weight ? Float64Array.from(rows, (row) => weight[row]) : null,
    names = group ? [...new Set(Array.from(rows, (row) => group[row]))] : null,
    place = names && new Map(names.map((one, at) => [one, at])),
    groups = names ? Uint32Array.from(rows, (row) => place.get(group[row])) : null;
  const equal = (a, b) => a === b || (a && b && a.length === b.length && a.every((x, i) => x === b[i]));
  const same = tables.find(
    (one) => equal(one.truth, truth) && equal(one.weight, weights) && equal(one.group, groups),
  );
  if (same) return same;
  const together = groups !== null && areUnits({ rows, codes, group, classes }),
    table = { n: truth.length, truth, weight: weights, group: groups, groups: together ? null : names, together };
  tables.push(table);
  return table;
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
    events = eventsOf(model),
    origin = { n: rows.length, ...(model.column && { score: model.column }) },
    about = { ...summary, n: rows.length, events, weighted: Boolean(weight), origin };
  if (rows.length <= CASES_KEPT) {
    const kept = Float64Array.from(rows, (row) => score[row] + 0);
    return { ...about, cases: { table: caseTableOf(model, tables), score: kept } };
  }
  const counted = weight ? staircaseOf({ ...model, weight: null }) : null,
    { scores, hull: { low, high } = {} } = keptScores(stairs, counted ?? stairs),
    { step, ...steps } = stepsOf({ ...stairs, ...(counted && { rows: counted }) }, summary);
  const drawn = drawnRows(model),
    sample = { table: caseTableOf({ rows: drawn, codes }, tables), score: Float64Array.from(drawn, (row) => score[row]) };
  Object.assign(origin, { scores, low, high });
  return { ...about, stairs: steps, sample, ...(group && { groups: groupCounts(model, stairs, step) }) };
}

function eventsOf({ rows, codes }) {
  let count = 0;
  for (let i = 0; i < rows.length; i++) count += codes[rows[i]];
  return count;
}

// Of many cases some of each class, which show how the mistakes of two models go together. The draw
// depends on the cases only.
function drawnRows({ rows, codes }) {
  const random = libraryGenerator(),
    own = [new Uint32Array(rows.length), new Uint32Array(rows.length)],
    filled = [0, 0];
  for (let i = 0; i < rows.length; i++) {
    const y = codes[rows[i]];
    own[y][filled[y]++] = rows[i];
  }
  return own
    .flatMap((some, y) => {
      const taken = new Set();
      while (taken.size < Math.min(DRAWN_OF_CLASS, filled[y])) taken.add(some[random.under(filled[y])]);
      return [...taken];
    })
    .sort((a, b) => a - b);
}

// Counts of the largest groups at each step that they have cases in.
function groupCounts({ rows, score, codes, weight, group }, { scores }, step) {
  const sizes = new Map();
  for (let i = 0; i < rows.length; i++) sizes.set(group[rows[i]], (sizes.get(group[rows[i]]) ?? 0) + 1);
  const firsts = scores.filter((_, i) => step[i] !== step[i - 1]), // of each step
    largest = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, GROUPS_SHOWN),
    none = () => [0, 1].map(() => new Float64Array(firsts.length)),
    shown = new Map(largest.map(([name, n]) => [name, { group: name, n, events: 0, at: none() }]));
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i],
      one = shown.get(group[row]);
    if (!one) continue;
    one.events += codes[row];
    one.at[codes[row]][search(firsts, score[row], true) - 1] += weight ? weight[row] : 1;
  }
  return [...shown.values()].map(({ at: [negatives, positives], ...one }) => {
    const steps = Array.from(negatives.keys()).filter((s) => negatives[s] + positives[s] > 0);
    return {
      ...one,
      steps,
      positives: steps.map((s) => positives[s]),
      negatives: steps.map((s) => negatives[s]),
    };
  });
}

// Sets counted, and case by case whether they hold the truth.
function countedSets(model, sets, tables) {
  const { rows, codes, classes, weight, group } = model,
    kept = rows.slice(0, CASES_KEPT),
    weightOf = weight ? (row) => weight[row] : () => 1,
    shown = group && !areUnits(model);
  return {
    ...countSets(rows, codes, classes, sets, weightOf),
    ...(shown && { groups: groupSizes(rows, (row) => group[row], codes, sets, weightOf) }),
    hits: { table: caseTableOf({ ...model, rows: kept }, tables), size: hitSizes(kept, codes, sets) },
  };
}

// The likeliest class, and the sets of greatest expected utility.
function answersOf(model, risk, about, tables) {
  const { name, classes, proba } = model;
  const of = (row) => Float64Array.from(classes, (_, c) => proba(row, c));
  const kept = model.rows.slice(0, CASES_KEPT),
    cases = { table: caseTableOf({ ...model, rows: kept }, tables), proba: new Float64Array(kept.length * classes.length) };
  kept.forEach((row, i) => cases.proba.set(of(row), i * classes.length));
  return [
    { name, utility: null, ...countedSets(model, (row) => [likeliest(model, row)], tables), risk, cases, ...about },
    ...Object.entries(UTILITIES).map(([utility, k]) => ({
      name: `${name}, ${utility} sets`,
      utility,
      ...countedSets(model, (row) => utilitySet(of(row), k), tables),
      ...about,
    })),
  ];
}

function likeliest({ classes, proba }, row) {
  let best = 0;
  for (let c = 1; c < classes.length; c++) if (proba(row, c) > proba(row, best)) best = c;
  return best;
}

function riskOf(model) {
  const { rows, codes, proba, weight } = model;
  const cells = Array.from(rows, (row) => {
    const best = likeliest(model, row);
    return {
      confidence: proba(row, best),
      loss: best === codes[row] ? 0 : 1,
      weight: weight ? weight[row] : 1,
    };
  }).sort((a, b) => b.confidence - a.confidence);
  return riskOfCells(...["confidence", "loss", "weight"].map((key) => cells.map((cell) => cell[key])));
}
