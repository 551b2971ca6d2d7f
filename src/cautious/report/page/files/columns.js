// Which column of a file holds what, guessed from its name by the same lists as the library
// (cautious.logs.columns).

const TRUTH = ["y_true", "truth", "true", "label", "target", "actual", "class", "y"];
const SCORE = ["y_score", "score", "p", "proba", "probability", "prob", "margin", "decision"];
const SETS = ["y_set", "set", "prediction_set"];
const MODEL = ["model", "classifier", "estimator"];
const WEIGHT = ["sample_weight", "weight"];
const CLASS_PREFIXES = ["p_", "proba_", "prob_"];
const MEMBER_PREFIXES = ["set_", "in_"];

function prefixed(names, prefixes) {
  const found = [];
  for (const name of names) {
    const prefix = prefixes.find((p) => name.toLowerCase().startsWith(p) && name.length > p.length);
    if (prefix) found.push({ label: name.slice(prefix.length), column: name });
  }
  return found;
}

export function guessColumns(names) {
  const first = (wanted) => {
    for (const want of wanted) {
      const found = names.find((name) => name.trim().toLowerCase() === want);
      if (found !== undefined) return found;
    }
    return null;
  };
  const proba = prefixed(names, CLASS_PREFIXES);
  return {
    truth: first(TRUTH),
    score: proba.length ? null : first(SCORE),
    proba,
    members: prefixed(names, MEMBER_PREFIXES),
    sets: first(SETS),
    model: first(MODEL),
    weight: first(WEIGHT),
  };
}

// What a reader of the file can mend, said in one line.
export class FileProblem extends Error {}

export function checkGuess(columns, names) {
  const listed = names
    .slice(0, 12)
    .map((name) => `“${name}”`)
    .join(", ");
  if (columns.truth === null) {
    throw new FileProblem(
      `No column holds the truth; the columns are ${listed}. Choose one, or call it y_true.`,
    );
  }
  if (columns.score === null && columns.sets === null && !columns.proba.length && !columns.members.length) {
    throw new FileProblem(
      `No column holds predictions; the columns are ${listed}. Choose a score column, or give ` +
        "p_<class> columns, or a y_set column of sets written as a|b.",
    );
  }
}
