// Which column of a table holds what: as its reader says, or guessed by its name
// (cautious.predictions._columns).
import { hint, listed, quoted, refusal, strip, words } from "./rules.js";

// `said` may hold truth, score (one name or several), model, weight and groups; null says that there is none.
export function guessColumns(names, said = {}) {
  const lowered = names.map((name) => strip(name).toLowerCase()),
    columns = listed(names, 20);
  const there = (argument, name) => {
    if (names.includes(name)) return name;
    throw refusal("no such column", { argument, name: quoted(name), columns, near: [name, names] });
  };
  const first = (role, taken = []) => {
    const found = words(role).map((word) => names[lowered.indexOf(word)]);
    return found.find((name) => name !== undefined && !taken.includes(name)) ?? null;
  };
  const one = (role, taken) =>
    said[role] === undefined ? first(role, taken) : said[role] === null ? null : there(role, said[role]);
  const truth = one("truth");
  if (truth === null) {
    const [usual, ...others] = words("truth");
    throw refusal("no truth column", { columns, first: quoted(usual), others: others.join(", "), heading: names });
  }
  // What is named for one thing is not guessed to be another: a score called weight is no weight.
  const taken = [said.truth, said.score, said.model, said.weight, said.groups].flat(),
    [model, weight, groups] = ["model", "weight", "groups"].map((role) => one(role, taken)),
    rest = { truth, model, weight, groups, guessedWeight: said.weight === undefined && weight !== null };
  if (said.score ?? false) {
    const scores = [said.score].flat().map((name) => there("score", name));
    return { ...rest, scores, proba: [], members: [], sets: null };
  }
  const proba = prefixed(names, words("class_prefixes")),
    members = prefixed(names, words("member_prefixes")),
    sets = members.length ? null : first("sets"),
    usual = first("score");
  let scores =
    usual === null ? prefixed(names, words("score_prefixes")).map(({ column }) => column) : [usual];
  if (!scores.length && !proba.length && !members.length && sets === null) {
    // Beside answers, a confidence is in those, and no score of the positive class.
    const answers = names.filter((_, i) => words("answers").includes(lowered[i]));
    let other = first("other_score");
    if (other === null && !answers.length) other = names[lowered.indexOf("confidence")] ?? null;
    const hints = answers.slice(0, 1).map((name) => hint("single answers", { name, shown: quoted(name) }));
    if (other === null) throw refusal("no predictions column", { columns, heading: names, hints });
    scores = [other];
  }
  return { ...rest, scores: proba.length ? [] : scores, proba, members, sets };
}

// Columns called <prefix><class>.
const prefixed = (names, prefixes) =>
  names.flatMap((column) => {
    const prefix = prefixes.find((p) => column.toLowerCase().startsWith(p) && column.length > p.length);
    return prefix ? [{ label: column.slice(prefix.length), column }] : [];
  });
