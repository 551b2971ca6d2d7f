// From predictions to the problems that the page shows (cautious.report.problems): models that answer
// the same question stand side by side.
import { riskOfCells } from "./risk.js";
import { staircaseOf, summariseStaircase } from "./scores.js";
import { countSets, utilitySet } from "./sets.js";

const UTILITIES = { u65: 0.65, u80: 0.8 };

// `models` are those of readPredictions.
export function problemsOf(models) {
  const problems = [];
  const put = (kind, { classes }, summaries) => {
    const question = JSON.stringify([kind, classes]);
    const same = problems.find((one) => JSON.stringify([one.kind, one.classes]) === question);
    if (same) same.models.push(...summaries);
    else problems.push({ kind, classes, models: summaries });
  };
  for (const model of models) {
    const { name, score, sets, proba, classes } = model;
    if (score) put("binary", model, [{ name, ...summariseStaircase(staircaseOf(model)) }]);
    const risk = proba && classes.length > 2 ? riskOf(model) : null;
    if (sets) put("sets", model, [{ name, utility: null, ...countedSets(model, sets), risk }]);
    else if (risk) put("sets", model, answersOf(model, risk));
  }
  return problems;
}

const countedSets = ({ rows, codes, classes, weight }, sets) =>
  countSets(rows, codes, classes, sets, weight ? (row) => weight[row] : () => 1);

// The likeliest class, and the sets of greatest expected utility.
function answersOf(model, risk) {
  const { name, classes, proba } = model;
  const of = (row) => Float64Array.from(classes, (_, c) => proba(row, c));
  return [
    { name, utility: null, ...countedSets(model, (row) => [likeliest(model, row)]), risk },
    ...Object.entries(UTILITIES).map(([utility, k]) => ({
      name: `${name}, ${utility} sets`,
      utility,
      ...countedSets(model, (row) => utilitySet(of(row), k)),
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
