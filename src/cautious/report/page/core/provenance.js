// Where a rule of two classes is from, for its file (cautious.tune writes the same): the cases it was chosen
// on, their scores, and what was asked for.
import { stairsOf } from "./parts.js";
import { keptScores } from "./scores.js";

/**
 * What stands in the file of a rule as its data.
 *
 * @param model the model, with its `origin`
 * @param limits the limits that the rule was searched for, if it was
 */
export function originOf(model, limits = {}) {
  const { low, high, scores, ...about } = model.origin ?? {},
    { positives, negatives } = model,
    kept = model.cases
      ? keptScores(stairsOf(model), rowStairs(model))
      : { ...(scores && { scores }), ...(low && { hull: { low, high, negatives, positives } }) },
    goal = goalOf(limits);
  return { ...about, ...kept, ...(goal && { goal }) };
}

// New cases come one by one, whatever weights these have.
function rowStairs(model) {
  const { scores, level } = stairsOf(model),
    counts = [0, 1].map(() => new Float64Array(scores.length));
  model.cases.table.truth.forEach((y, i) => counts[y][level[i]]++);
  return { scores, negatives: counts[0], positives: counts[1] };
}

// One limit is a goal that the library can search for again; it has no name for several at once.
function goalOf(limits) {
  const [[name, limit], ...more] = [...Object.entries(limits), []],
    goal = { error: "max_error", abstention: "max_abstention" }[name];
  return goal && more.length < 2 ? { [goal]: limit, per: "answer" } : null;
}
