// The page without a browser: reads requests, one JSON object a line, and answers each with one line.
//
//   node tests/conformance/page.mjs < requests.jsonl > responses.jsonl
//
// Request, a file dropped onto the page:
//   {"id": 1, "kind": "file", "name": "p.csv", "bytes_base64": "…", "options": {…}}
// Request, a page that build_report wrote (the JSON of its element #data):
//   {"id": 2, "kind": "report", "data": {…}, "options": {…}}
// Options, all of them optional:
//   "pos_label": text of the positive class (files only)
//   "empty":     "error" | "abstain" | "wrong" (files only)
//   "costs":     {"false_negative": 10, "false_positive": 2, "abstain": 1}, for "window" below
//   "window":    [lower, upper]: binary scores (files only) answer through this window; without it
//                they answer every case, a tie going to the negative class
//
// Response:
//   {"id": 1, "models": {name: {n, classes, coverage, abstention, error, selective_accuracy,
//     containment, mean_set_size, u65, u80, discounted_accuracy, aurc, augrc, auc, vacc,
//     window: {lower, upper, cost, abstention, error} | null}}, "notes": [words]}
// or {"id": 1, "error": words}. `classes` of two are [negative, positive]. What is not defined is
// null; infinities are "Infinity" and "-Infinity". `n` is the sum of the weights. A model with sets
// beside scores is one entry: the sets are its answers, the scores give the curves. Sets that the
// page makes itself from probabilities ("name, u65 sets") are left out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";

const report = new URL("../../src/cautious/report/", import.meta.url);
const load = (path) => import(new URL(`page/${path}`, report));
runInThisContext(readFileSync(new URL("vendor/parquet.min.js", report), "utf8"));

const { bestWindow, costsOf, makeSurface, sum, vacc } = await load("core/surface.js");
const { meanUtility, setMeasures } = await load("core/sets.js");
const { analyse } = await load("files/analyse.js");
const { guessColumns } = await load("files/columns.js");
const { readTable } = await load("files/table.js");

// Answers of a model that scores two classes: cases by size of the set, right and wrong.
function windowSizes({ scores, positives, negatives }, [lower, upper]) {
  const sizes = { single: [1, 0, 0], both: [2, 0, 0] };
  scores.forEach((score, i) => {
    const positive = score >= upper,
      answered = positive || score <= lower;
    if (!answered) sizes.both[1] += positives[i] + negatives[i];
    else {
      sizes.single[1] += positive ? positives[i] : negatives[i];
      sizes.single[2] += positive ? negatives[i] : positives[i];
    }
  });
  return Object.values(sizes).filter(([, right, wrong]) => right + wrong > 0);
}

// Without a window every case is answered; the risk at full coverage is the error of that.
function forcedSizes({ positives, negatives, risk }) {
  const n = sum(positives) + sum(negatives),
    wrong = risk.risk[risk.risk.length - 1] * n;
  return [[1, n - wrong, wrong]];
}

function answersOf(sizes) {
  const of = setMeasures({ sizes }),
    right = of.determinacy > 0 ? of.singleAccuracy : NaN;
  return {
    n: of.n,
    coverage: of.determinacy,
    abstention: 1 - of.determinacy,
    error: of.determinacy > 0 ? of.determinacy * (1 - right) : 0,
    selective_accuracy: right,
    containment: of.containment,
    mean_set_size: of.meanSize,
    u65: meanUtility({ sizes }, 0.65).mean,
    u80: meanUtility({ sizes }, 0.8).mean,
    discounted_accuracy: of.accuracy,
  };
}

function curvesOf(model, costs) {
  const surface = makeSurface(model, null);
  const best = costs ? bestWindow(surface, costsOf(costs)) : null;
  return {
    auc: model.auc,
    vacc: vacc(surface, false),
    window: best && {
      lower: best.lower,
      upper: best.upper,
      cost: best.cost,
      abstention: best.abstention,
      error: best.error,
    },
  };
}

function measuresOf(problems, { costs = null, window = null }) {
  const models = {};
  for (const { kind, classes, models: found } of problems) {
    for (const model of found) {
      if (/, u(65|80) sets$/.test(model.name)) continue;
      const known = models[model.name],
        risk = { aurc: model.risk?.aurc ?? null, augrc: model.risk?.augrc ?? null };
      if (kind === "binary") {
        const sizes = window ? windowSizes(model.stairs, window) : forcedSizes(model);
        const answers = known ?? { classes, ...answersOf(sizes) };
        models[model.name] = { ...answers, classes, ...risk, ...curvesOf(model, costs) };
      } else {
        const curves = known ?? { ...risk, auc: null, vacc: null, window: null };
        models[model.name] = { ...curves, classes: known?.classes ?? classes, ...answersOf(model.sizes) };
      }
    }
  }
  return models;
}

async function problemsOf({ kind, name, bytes_base64, data, options = {} }) {
  if (kind === "report") {
    for (const { models } of data.problems)
      for (const model of models)
        for (const key of ["lower", "upper"]) if (model[key]) model[key] = model[key].map(Number);
    return data.problems;
  }
  const bytes = Buffer.from(bytes_base64, "base64");
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const table = await readTable(buffer, name);
  const model = name.replace(/\.[^.]+$/, "");
  return [analyse(table, guessColumns(table.names), model, options.pos_label ?? undefined)];
}

const plain = (key, value) =>
  typeof value !== "number" || Number.isFinite(value) ? value : value !== value ? null : String(value);

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const request = JSON.parse(line);
  let response;
  try {
    response = { models: measuresOf(await problemsOf(request), request.options ?? {}), notes: [] };
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) console.error(error);
    response = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify({ id: request.id, ...response }, plain)}\n`);
}
