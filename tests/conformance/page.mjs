// The page without a browser: reads requests, one JSON object per line, and answers each with one.
//
//   node tests/conformance/page.mjs < requests.jsonl > responses.jsonl
//
// First of all, the rules by which files are read (cautious.predictions.page_rules()):
//   {"id": 0, "kind": "rules", "data": {…}}                     → {"id": 0}
// A file dropped onto the page:
//   {"id": 1, "kind": "file", "name": "p.csv", "bytes_base64": "…", "options": {…}}
// A page that build_report wrote (the JSON of its element #data; it brings its rules along):
//   {"id": 2, "kind": "report", "data": {…}, "options": {…}}
// Options, all of them optional:
//   "truth", "score" (one or a list), "model", "weight": names of columns (files only)
//   "pos_label": text of the positive class (files only)
//   "empty":     "error" | "abstain" | "wrong" (files only)
//   "drop_missing": true leaves rows without a truth out (files only)
//   "costs":     {"false_negative": 10, "false_positive": 2, "abstain": 1}, for "window" below
//   "window":    [lower, upper]: scores of two classes answer through this window (files only: a
//                report holds no scores, so the measures of answers are null); without it
//                probabilities answer every case, a tie going to the negative class, and other
//                scores none
//
// Response:
//   {"id": 1, "models": {name: {n, classes, coverage, abstention, error, selective_accuracy,
//     containment, mean_set_size, u65, u80, discounted_accuracy, aurc, augrc, auc, vacc,
//     window: {lower, upper, cost, abstention, error} | null}}, "notes": [words], "doubts": [words]}
// or {"id": 1, "error": words, "key": name of the refusal}; the words begin with the file's name, as
// the library's do. `classes` of two are [negative, positive]. What is not defined is null;
// infinities are "Infinity" and "-Infinity". `n` is the sum of the weights. A model with sets beside
// scores is one entry: the sets are its answers, the scores give the curves. Sets that the page
// makes itself from probabilities ("name, u65 sets") are left out.
import { createInterface } from "node:readline";

const report = new URL("../../src/cautious/report/", import.meta.url);
const load = (path) => import(new URL(`page/${path}`, report));

const { unpackProblems } = await load("core/packing.js");
const { problemsOf } = await load("core/problems.js");
const { staircaseOf } = await load("core/scores.js");
const { meanUtility, setMeasures } = await load("core/sets.js");
const { bestWindow, costsOf, makeSurface, sum, vacc } = await load("core/surface.js");
const { readPredictions } = await load("files/predictions.js");
const { perCentNotes } = await load("files/cells.js");
const { Refusal, useRules } = await load("files/rules.js");
const { readTable } = await load("files/csv.js");

// Answers through a window: cases by size of the set, right and wrong.
function windowSizes({ scores, positives, negatives }, [lower, upper]) {
  const single = [1, 0, 0],
    both = [2, 0, 0];
  scores.forEach((score, i) => {
    const positive = score >= upper;
    if (!positive && !(score <= lower)) both[1] += positives[i] + negatives[i];
    else {
      single[1] += positive ? positives[i] : negatives[i];
      single[2] += positive ? negatives[i] : positives[i];
    }
  });
  return [single, both].filter(([, right, wrong]) => right + wrong > 0);
}

// Without a window every case is answered; the risk at full coverage is the error of that.
function forcedSizes({ positives, negatives, risk }) {
  const n = sum(positives) + sum(negatives),
    wrong = risk.risk[risk.risk.length - 1] * n;
  return [[1, n - wrong, wrong]];
}

// An empty set is an answer, and wrong.
function answersOf(sizes) {
  const { n, containment, meanSize, accuracy } = setMeasures({ sizes });
  const answered = sizes.filter(([size]) => size < 2),
    covered = sum(answered.map(([, right, wrong]) => right + wrong)),
    wrong = sum(answered.map((cell) => cell[2]));
  return {
    n,
    coverage: covered / n,
    abstention: (n - covered) / n,
    error: wrong / n,
    selective_accuracy: covered ? (covered - wrong) / covered : NaN,
    containment,
    mean_set_size: meanSize,
    u65: meanUtility({ sizes }, 0.65).mean,
    u80: meanUtility({ sizes }, 0.8).mean,
    discounted_accuracy: accuracy,
  };
}

function curvesOf(model, costs) {
  const surface = makeSurface(model, null);
  const best = costs ? bestWindow(surface, costsOf(costs)) : null;
  const { lower, upper, cost, abstention, error } = best ?? {};
  return {
    auc: model.auc,
    vacc: vacc(surface, false),
    window: best && { lower, upper, cost, abstention, error },
  };
}

// `stairs` has the scores of each model, by name, where they are known.
function measuresOf(problems, { costs = null, window = null }, stairs = null) {
  const models = Object.create(null);
  for (const { kind, classes, models: found } of problems) {
    for (const model of found) {
      if (model.utility) continue;
      const known = models[model.name] ?? {};
      const { aurc = null, augrc = null } = model.risk ?? known;
      let answers = {};
      if (kind === "sets") answers = window && known.auc !== undefined ? {} : answersOf(model.sizes);
      else if (window && stairs) answers = answersOf(windowSizes(stairs[model.name], window));
      else if (window || !model.risk) answers = nothing(model);
      else answers = answersOf(forcedSizes(model));
      const curves = kind === "binary" ? curvesOf(model, costs) : { auc: null, vacc: null, window: null };
      models[model.name] = { ...curves, ...known, classes, aurc, augrc, ...answers };
    }
  }
  return models;
}

// Measures of answers that are not known.
const nothing = ({ total }) => {
  const measures = Object.keys(answersOf([[1, 1, 0]])).map((key) => [key, null]);
  return { ...Object.fromEntries(measures), n: total };
};

async function answer({ kind, name, bytes_base64, data, options = {} }) {
  if (kind === "rules") {
    useRules(data);
    return {};
  }
  if (kind === "report") {
    return { models: measuresOf(unpackProblems(data.problems), options), notes: data.notes ?? [] };
  }
  const bytes = Buffer.from(bytes_base64, "base64");
  const table = await readTable(Uint8Array.from(bytes).buffer);
  const title = name.replace(/\.gz$/i, "").replace(/(?<=.)\.[^.]+$/, "");
  const { models, notes } = readPredictions(table, title, options);
  const scored = models.filter(({ score }) => score).map((model) => [model.name, staircaseOf(model)]);
  const measures = measuresOf(problemsOf(models), options, Object.fromEntries(scored));
  return { models: measures, notes, doubts: perCentNotes(models) };
}

const plain = (key, value) =>
  typeof value !== "number" || Number.isFinite(value) ? value : value !== value ? null : String(value);

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const request = JSON.parse(line);
  let response;
  try {
    response = await answer(request);
  } catch (error) {
    if (!(error instanceof Refusal)) console.error(error);
    response = { error: request.name ? `${request.name}: ${error.message}` : error.message, key: error.key };
  }
  process.stdout.write(`${JSON.stringify({ id: request.id, ...response }, plain)}\n`);
}
