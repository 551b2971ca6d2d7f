// Problems as the rest of the page wants them: what a report carries as JSON (cautious.report._page_data) and what
// a dropped file gives (problems.js) come here alike, the one with its numbers packed into text.

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// Whole numbers of one, two or three bytes each, the lowest byte first.
function unpackWhole(text, width) {
  const bytes = bytesOf(text), values = new Uint32Array(bytes.length / width);
  for (let i = 0; i < values.length; i++)
    for (let b = width - 1; b >= 0; b--) values[i] = values[i] * 256 + bytes[i * width + b];
  return values;
}

// What is no text is not packed.
const unpacked = (values, unpack) => (typeof values === "string" ? unpack(values) : values);

const unpackBits = (bytes, n) => Uint8Array.from({ length: n }, (_, i) => (bytes[i >> 3] >> (i & 7)) & 1);

// Scores, and how far one may be from what it was.
function unpackScores({ scores, least, digits, low, high, levels }) {
  const step = low === undefined ? 0 : (high - low) / 0xffffff;
  const score = unpacked(scores, (text) => {
    if (levels) return Float64Array.from(unpackWhole(text, 2), (level) => Number(levels[level]));
    if (digits === undefined && !step) return new Float64Array(bytesOf(text).buffer);
    const value = digits === undefined ? (whole) => low + whole * step : (whole) => (whole + least) / 10 ** digits;
    return Float64Array.from(unpackWhole(text, 3), value);
  });
  return { score, rounding: step };
}

export function unpackProblems(problems) {
  for (const problem of problems) {
    const { kind, classes } = problem,
      k = classes.length,
      tables = (problem.tables ?? []).map((table) => ({
        n: table.n,
        truth: unpacked(table.truth, (text) => (k === 2 ? unpackBits(bytesOf(text), table.n) : unpackWhole(text, 2))),
        weight: table.weight ? Float64Array.from(table.weight) : null,
        group: table.group ? unpacked(table.group, (text) => unpackWhole(text, 2)) : null,
        groups: table.groups ?? null,
        together: table.together ?? false,
      }));
    for (const model of problem.models) {
      const { risk, stairs, origin, sample, hits, cases } = model;
      model.graded = kind === "graded";
      if (kind !== "sets") {
        model.lower = model.lower.map(Number);
        model.upper = model.upper?.map(Number) ?? model.lower;
      }
      if (risk) model.risk = unpackRisk(risk);
      if (stairs) unpackStairs(stairs, model);
      if (origin?.ends) unpackOrigin(model);
      if (sample) model.sample = { table: tables[sample.table], ...unpackScores(sample) };
      const proba = () => ({ proba: unpacked(cases.proba, (text) => unpackProba(text, k)) }),
        size = () => ({ size: unpacked(hits.codes, (text) => unpackWhole(text, hits.width)) });
      if (hits) model.hits = { table: tables[hits.table], ...size() };
      if (cases) model.cases = { table: tables[cases.table], ...(kind === "sets" ? proba() : unpackScores(cases)) };
    }
    delete problem.tables;
  }
  return problems;
}

function unpackRisk({ covered, lost, aurc, augrc }) {
  const total = covered.at(-1);
  const [coverage, risk] = [covered, lost].map((weights) => weights.map((weight) => weight / total));
  return { aurc, augrc, coverage, risk };
}

// Steps stand for scores by their order; corners of the hull are known already. `unseen` are the cuts that do
// not depend on labels.
function unpackStairs(stairs, { lower, graded, unscored }) {
  const unseen = new Set([...stairs.cuts.map(Number), ...stairs.shared.map((corner) => lower[corner])]);
  stairs.cuts = [...stairs.cuts.map(Number), ...lower].sort((a, b) => a - b);
  stairs.unseen = stairs.cuts.map((cut) => unseen.has(cut));
  stairs.short = new Map(stairs.short?.map((short, corner) => [lower[corner], Number(short)]));
  stairs.scores = stairs.positives.map((_, step) => step);
  stairs.silent = graded ? Number(unscored > 0) : undefined;
}

// Ends of the bins of the hull: a threshold lies midway between two bins, if a number lies there.
function unpackOrigin({ origin, lower, upper }) {
  const { ends, high = lower } = origin;
  origin.low = [ends[0], ...high.map((end, e) => (end < lower[e] ? 2 * lower[e] - end : upper[e]))];
  origin.high = [...high, ends[1]];
  delete origin.ends;
}

// Probabilities in steps of 1/65535, each row made to add up to 1; NaN where a case has none.
function unpackProba(text, k) {
  const whole = unpackWhole(text, 2), p = new Float64Array(whole.length);
  for (let row = 0; row < p.length; row += k) {
    const total = whole.subarray(row, row + k).reduce((a, b) => a + b, 0);
    for (let c = row; c < row + k; c++) p[c] = whole[c] / total;
  }
  return p;
}
