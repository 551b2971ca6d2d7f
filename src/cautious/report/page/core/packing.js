// Numbers that came with the page as text, and cases as the rest of the core wants them
// (cautious.report.payload writes what is read here).

export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// Whole numbers of one, two or three bytes each, the lowest byte first.
export function unpackWhole(text, width) {
  const bytes = bytesOf(text),
    values = new Uint32Array(bytes.length / width);
  for (let i = 0; i < values.length; i++)
    for (let b = width - 1; b >= 0; b--) values[i] = values[i] * 256 + bytes[i * width + b];
  return values;
}

function unpackBits(text, n) {
  const bytes = bytesOf(text);
  return Uint8Array.from({ length: n }, (_, i) => (bytes[i >> 3] >> (i & 7)) & 1);
}

function unpackScores({ scores, least, digits, low, high, levels }) {
  if (digits !== undefined)
    return Float64Array.from(unpackWhole(scores, 3), (value) => (value + least) / 10 ** digits);
  if (levels) {
    const known = levels.map(Number);
    return Float64Array.from(unpackWhole(scores, 2), (level) => known[level]);
  }
  if (low === undefined) return new Float64Array(bytesOf(scores).buffer);
  const step = (high - low) / 0xffffff;
  return Float64Array.from(unpackWhole(scores, 3), (value) => low + value * step);
}

// How far a score may be from what it was.
const roundingOf = ({ low, high }) => (low === undefined ? 0 : (high - low) / 0xffffff);

// Make the models of a report what those of a dropped file are; done once.
export function unpackProblems(problems) {
  for (const problem of problems) {
    const tables = (problem.tables ?? []).map((table) => ({
      n: table.n,
      truth: problem.classes.length === 2 ? unpackBits(table.truth, table.n) : unpackWhole(table.truth, 2),
      weight: table.weight ? Float64Array.from(table.weight) : null,
      group: table.group ? unpackWhole(table.group, 2) : null,
      groups: table.groups ?? null,
      together: table.together ?? false,
    }));
    for (const model of problem.models) {
      if (model.lower) model.lower = model.lower.map(Number);
      if (model.lower) model.upper = model.upper ? model.upper.map(Number) : model.lower;
      if (model.risk) unpackRisk(model.risk);
      if (model.stairs) unpackStairs(model);
      if (model.origin?.ends) unpackOrigin(model);
      if (model.sample) model.sample = { table: tables[model.sample.table], score: unpackScores(model.sample) };
      if (model.hits)
        model.hits = { table: tables[model.hits.table], size: unpackWhole(model.hits.codes, model.hits.width) };
      if (!model.cases) continue;
      const { table, ...packed } = model.cases;
      model.cases =
        problem.kind === "binary"
          ? { table: tables[table], score: unpackScores(packed), rounding: roundingOf(packed) }
          : { table: tables[table], width: packed.width, proba: unpackProba(packed, problem.classes.length) };
    }
    delete problem.tables;
  }
  return problems;
}

function unpackRisk(risk) {
  const { covered, lost } = risk,
    total = covered[covered.length - 1];
  risk.coverage = covered.map((weight) => weight / total);
  risk.risk = lost.map((weight) => weight / total);
}

// Steps stand for scores by their order; corners of the hull are known already. `unseen` are the cuts that do
// not depend on labels.
function unpackStairs({ stairs, lower }) {
  const unseen = new Set([...stairs.cuts.map(Number), ...stairs.shared.map((corner) => lower[corner])]);
  stairs.cuts = [...stairs.cuts.map(Number), ...lower].sort((a, b) => a - b);
  stairs.unseen = stairs.cuts.map((cut) => unseen.has(cut));
  stairs.short = new Map(stairs.short?.map((short, corner) => [lower[corner], Number(short)]));
  stairs.scores = stairs.positives.map((_, step) => step);
}

// Ends of the bins of the hull: a threshold lies midway between two bins, if a number lies there.
function unpackOrigin({ origin, lower, upper }) {
  const { ends, high = lower } = origin;
  origin.low = [ends[0], ...high.map((end, e) => (end < lower[e] ? 2 * lower[e] - end : upper[e]))];
  origin.high = [...high, ends[1]];
  delete origin.ends;
}

// Probabilities in steps of 1/65535, each row made to add up to 1; NaN where a case has none.
function unpackProba({ proba }, k) {
  const whole = unpackWhole(proba, 2),
    p = Float64Array.from(whole);
  for (let row = 0; row < p.length; row += k) {
    let total = 0;
    for (let c = 0; c < k; c++) total += whole[row + c];
    for (let c = 0; c < k; c++) p[row + c] = whole[row + c] / total;
  }
  return p;
}
