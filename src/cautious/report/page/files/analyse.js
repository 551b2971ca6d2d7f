// From a table of predictions to the summaries the page shows; the browser's own build_report.
import { riskOfCells } from "../core/risk.js";
import { staircase, summariseStaircase, weightedStaircase } from "../core/scores.js";
import { countSets, utilitySet } from "../core/sets.js";
import { checkGuess, FileProblem } from "./columns.js";
import { plainLabel, positionOf, settlePositive } from "./labels.js";
import { probabilityRows } from "./probabilities.js";

export function analyse(table, columns, fileName, positiveLabel) {
  checkGuess(columns, table.names);
  const truth = table.columns[columns.truth].labels();
  const blank = truth.values.findIndex((label) => label.trim() === "");
  if (blank >= 0)
    throw new FileProblem(`Row ${truth.codes.indexOf(blank) + 1} has no truth; leave such rows out.`);
  const weight = columns.weight === null ? null : table.columns[columns.weight].numbers();
  if (weight)
    forbid(weight, (w) => !(w >= 0 && w < Infinity), columns.weight, "a weight is finite and not negative");
  const parts = partsOf(table, columns, fileName);
  const binary =
    columns.score !== null ||
    columns.proba.length === 1 ||
    (columns.proba.length === 2 && !columns.members.length && columns.sets === null);
  return binary
    ? binaryProblem(table, columns, truth, weight, parts, positiveLabel)
    : setProblem(table, columns, truth, weight, parts);
}

// Rows of each model.
function partsOf(table, columns, fileName) {
  const all = new Uint32Array(table.rows);
  for (let row = 0; row < all.length; row++) all[row] = row;
  if (columns.model === null) return [{ name: fileName, rows: all }];
  const { codes, values } = table.columns[columns.model].labels();
  const size = new Uint32Array(values.length);
  for (const code of codes) size[code]++;
  const parts = values.map((name, i) => ({ name: name || fileName, rows: new Uint32Array(size[i]) }));
  size.fill(0);
  codes.forEach((code, row) => {
    parts[code].rows[size[code]++] = row;
  });
  return parts;
}

function forbid(values, isBad, column, rule) {
  const at = values.findIndex(isBad);
  if (at >= 0) throw new FileProblem(`Column “${column}” is ${values[at]} in row ${at + 1}; ${rule}.`);
}

function binaryProblem(table, columns, truth, weight, parts, positiveLabel) {
  const labels = truth.values;
  if (labels.length < 2)
    throw new FileProblem(`All rows have the truth “${labels[0]}”; rows of two classes are needed.`);
  if (columns.proba.length > 1) checkTruths(labels, columns.proba);
  const positive = positiveLabel ?? settlePositive(labels, columns);
  const rest = labels.filter((label) => label !== positive);
  const negative = rest.length === 1 ? rest[0] : `not ${positive}`;
  const code = labels.indexOf(positive);
  const { column, scores } = columns.proba.length
    ? probabilityScores(table, columns.proba, labels, positive)
    : { column: columns.score, scores: table.columns[columns.score].numbers() };
  forbid(scores, (s) => s !== s, column, "every row needs a score");
  const models = parts.map(({ name, rows }) => {
    const stairs = weight
      ? weightedStaircase(rows, scores, truth.codes, code, weight)
      : staircase(rows, scores, truth.codes, code);
    if (!stairs.positives.some(Boolean) || !stairs.negatives.some(Boolean))
      throw new FileProblem(`“${name.slice(0, 60)}” has rows of one class only; rows of both are needed.`);
    return { name, stairs, ...summariseStaircase(stairs) };
  });
  return { kind: "binary", classes: [negative, positive], models };
}

// Which column belongs to each truth.
function checkTruths(labels, columns) {
  const at = new Map(columns.map(({ label }, i) => [plainLabel(label), i]));
  return labels.map((label) => {
    const found = at.get(plainLabel(label));
    if (found === undefined)
      throw new FileProblem(`The truth “${label.slice(0, 60)}” has no column of its own.`);
    return found;
  });
}

// Probabilities of the positive class; a column of the other class is turned round.
function probabilityScores(table, proba, labels, positive) {
  const named = proba.map(({ label }) => label),
    p = readProbabilities(table, proba),
    at = positionOf(named, positive);
  const { column } = proba[Math.max(at, 0)];
  if (p.length > 1) {
    const row = probabilityRows(p);
    return { column, scores: p[at].map((_, i) => row(i)[at]) };
  }
  const turned = at < 0 && positionOf(labels, named[0]) >= 0;
  return { column, scores: turned ? p[0].map((value) => 1 - value) : p[0] };
}

function readProbabilities(table, proba) {
  return proba.map(({ column }) => {
    const values = table.columns[column].numbers();
    forbid(values, (v) => !(v >= 0 && v <= 1), column, "probabilities lie between 0 and 1");
    return values;
  });
}

function setProblem(table, columns, truth, weight, parts) {
  const weightOf = weight ? (row) => weight[row] : () => 1;
  const named = columns.members.length ? columns.members : columns.proba;
  const written =
    named.length || columns.sets === null ? null : writtenSets(table.columns[columns.sets].labels());
  const classes = named.length ? named.map(({ label }) => label) : [...truth.values].sort();
  written?.forEach((set) =>
    set.forEach((label) => {
      if (!classes.includes(label)) classes.push(label);
    }),
  );
  const position = named.length
    ? checkTruths(truth.values, named)
    : truth.values.map((label) => classes.indexOf(label));
  const y = Int32Array.from(truth.codes, (code) => position[code]);
  const models = parts.flatMap(({ name, rows }) => {
    if (columns.members.length) {
      const inside = columns.members.map(({ column }) => table.columns[column].numbers());
      return [{ name, ...countSets(rows, y, classes, membersOf(inside, columns.members), weightOf) }];
    }
    if (columns.proba.length) return probabilityModels(table, columns, name, rows, y, classes, weightOf);
    const sets = written.map((set) =>
      (set.length ? set : classes).map((label) => classes.indexOf(label)).sort((a, b) => a - b),
    );
    const { codes } = table.columns[columns.sets].labels();
    return [{ name, ...countSets(rows, y, classes, (row) => sets[codes[row]], weightOf) }];
  });
  return { kind: "sets", classes, models };
}

const writtenSets = ({ values }) =>
  values.map((text) =>
    /^\s*[?⊥]?\s*$/.test(text)
      ? []
      : text
          .replace(/^\s*\{|\}\s*$/g, "")
          .split("|")
          .map((part) => part.trim()),
  );

function membersOf(inside, columns) {
  return (row) => {
    const set = [];
    inside.forEach((column, c) => {
      if (column[row]) set.push(c);
    });
    if (!set.length)
      throw new FileProblem(
        `Row ${row + 1} has an empty set; give all ${columns.length} classes to abstain.`,
      );
    return set;
  };
}

function probabilityModels(table, columns, name, rows, y, classes, weightOf) {
  const read = probabilityRows(readProbabilities(table, columns.proba));
  const likeliest = (row) => {
    const p = read(row);
    let best = 0;
    for (let c = 1; c < p.length; c++) if (p[c] > p[best]) best = c;
    return [best];
  };
  const cells = Array.from(rows, (row) => {
    const [best] = likeliest(row);
    return { confidence: read(row)[best], loss: best === y[row] ? 0 : 1, weight: weightOf(row) };
  }).sort((a, b) => b.confidence - a.confidence);
  const risk = riskOfCells(...["confidence", "loss", "weight"].map((key) => cells.map((cell) => cell[key])));
  return [
    { name, ...countSets(rows, y, classes, likeliest, weightOf), risk },
    ...[
      ["u65", 0.65],
      ["u80", 0.8],
    ].map(([title, k]) => ({
      name: `${name}, ${title} sets`,
      ...countSets(rows, y, classes, (row) => utilitySet(read(row), k), weightOf),
    })),
  ];
}
