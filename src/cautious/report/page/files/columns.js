// Which column of a table holds what: as its reader says, or guessed by its name
// (cautious.predictions.guess_columns).
import { hint, listed, quoted, refusal, strip, words } from "./rules.js";

// `said` may hold truth, score (one name or several), model, weight and groups; null says that there is
// none.
export function guessColumns(names, said = {}) {
  const lowered = names.map((name) => strip(name).toLowerCase());
  const first = (role, taken = []) => {
    const at = words(role)
      .map((word) => lowered.indexOf(word))
      .find((place) => place >= 0 && !taken.includes(names[place]));
    return at === undefined ? null : names[at];
  };
  const one = (role, taken) =>
    said[role] === undefined ? first(role, taken) : said[role] === null ? null : there(names, role, said[role]);
  const truth = one("truth");
  if (truth === null)
    throw refusal("no truth column", {
      columns: listed(names, 20),
      first: quoted(words("truth")[0]),
      others: words("truth").slice(1).join(", "),
      heading: names,
    });
  // What is named for one thing is not guessed to be another: a score called weight is no weight.
  const taken = [said.truth, said.score, said.model, said.weight, said.groups].flat(),
    free = (role) => one(role, taken),
    rest = { truth, model: free("model"), weight: free("weight"), groups: free("groups") };
  rest.guessedWeight = said.weight === undefined && rest.weight !== null;
  if (said.score === undefined || said.score === null) return { ...rest, ...guessed(names, lowered, first) };
  const scores = [said.score].flat().map((name) => there(names, "score", name));
  return { ...rest, scores, proba: [], members: [], sets: null };
}

function guessed(names, lowered, first) {
  const proba = prefixed(names, words("class_prefixes")),
    members = prefixed(names, words("member_prefixes")),
    sets = members.length ? null : first("sets");
  const usual = first("score");
  let scores =
    usual === null ? prefixed(names, words("score_prefixes")).map(({ column }) => column) : [usual];
  if (!scores.length && !proba.length && !members.length && sets === null) {
    // Beside answers, a confidence is in those, and no score of the positive class.
    const answers = names.filter((_, i) => words("answers").includes(lowered[i]));
    let other = first("other_score");
    if (other === null && !answers.length) other = names[lowered.indexOf("confidence")] ?? null;
    if (other === null)
      throw refusal("no predictions column", {
        columns: listed(names, 20),
        heading: names,
        hints: answers.slice(0, 1).map((name) => hint("single answers", { name, shown: quoted(name) })),
      });
    scores = [other];
  }
  return { scores: proba.length ? [] : scores, proba, members, sets };
}

function there(names, argument, name) {
  if (names.includes(name)) return name;
  throw refusal("no such column", {
    argument,
    name: quoted(name),
    columns: listed(names, 20),
    near: [name, names],
  });
}

// Columns called <prefix><class>.
function prefixed(names, prefixes) {
  const found = [];
  for (const name of names) {
    const prefix = prefixes.find((p) => name.toLowerCase().startsWith(p) && name.length > p.length);
    if (prefix) found.push({ label: name.slice(prefix.length), column: name });
  }
  return found;
}
