// From a table to the predictions of each model: columns found, classes settled, every cell checked,
// by the rules of cautious.predictions.read_predictions.
import { guessColumns } from "./columns.js";
import { binaryClasses, labelNotes, matchLabels, namedClasses, sortedLabels, wholeLabels } from "./labels.js";
import { checkedNumbers, checkedWeights, suchCells, weightNotes } from "./numbers.js";
import { checkedProbabilities } from "./probabilities.js";
import { isLonger, limit, listed, note, quoted, refusal, strip, thousands, words } from "./rules.js";
import { allRows, recoded, someRows, taken } from "./table.js";
import { parseSet } from "./written_sets.js";

// Nobody tells more classes apart by a single score: so many different truths are no classes.
const MANY_CLASSES = 20;

// `said` may hold truth, score, model, weight and groups (columns), pos_label, empty and drop_missing.
// Gives columns, notes and models: {name, rows, classes, codes, score, column, proba, sets, weight, group}, where
// `codes` are the true classes of all rows of the table, `proba(row, k)` is a probability, `sets(row)` a
// list of classes, `group` the group of each row and `column` that of the scores, where it does not go by itself.
export function readPredictions(table, name, said = {}) {
  const { names } = table;
  checkNames(names);
  const columns = guessColumns(names, said);
  checkNamedClasses(columns, said.pos_label ?? undefined);
  checkSetsBeside(columns, said.pos_label ?? undefined);
  if (!table.rows) throw refusal("no rows");
  const draft = draftOf(table, columns, said.drop_missing);
  return { columns, truths: draft.truth.values, ...settled(draft, name, said) };
}

function checkNames(names) {
  const [most, longest] = [limit("columns"), limit("label")];
  if (names.length > most)
    throw refusal("many columns", { count: thousands(names.length), most: thousands(most) });
  const long = names.find((name) => isLonger(name, longest));
  if (long !== undefined)
    throw refusal("long name", { name: quoted(long), most: thousands(longest), heading: names });
  const seen = new Set();
  for (const name of names) {
    if (seen.has(name)) throw refusal("two columns", { name: quoted(name) });
    seen.add(name);
  }
}

// Labels that are too long, and more than there can be classes, are refused.
function checkLabels({ codes, values }, name, place) {
  const [most, longest] = [limit("classes"), limit("label")];
  if (values.filter((label) => label !== null).length > most)
    throw refusal("many labels", { name: quoted(name), most: thousands(most) });
  const long = values.findIndex((label) => label !== null && isLonger(label, longest));
  if (long >= 0)
    throw refusal("long label", {
      place: place(codes.indexOf(long)),
      value: quoted(values[long]),
      most: thousands(longest),
    });
}

function checkClassCount({ length }) {
  const most = limit("classes");
  if (length > most) throw refusal("too many classes", { count: thousands(length), most: thousands(most) });
}

// What the names of columns show to be undecided is refused before any row is read: a single class,
// and classes of probabilities or sets that leave the positive one open or do not have it.
function checkNamedClasses({ proba, members, scores }, positive) {
  const every = (proba.length ? proba : members).map(({ label }) => label),
    names = sortedLabels(namedClasses(every)),
    onlySets = !proba.length && !scores.length;
  checkClassCount(names);
  if (onlySets && names.length === 1) throw refusal("only one class", { label: listed(names) });
  const undecided = proba.length
    ? names.length === 2 || (names.length > 2 && positive !== undefined)
    : onlySets && names.length && positive !== undefined;
  const said = positive === undefined ? [] : [positive],
    isBoolean = !matchLabels([...names, ...said], ["False", "True"], true).includes(-1);
  if (undecided && !isBoolean) binaryClasses(names, positive); // truth values go by many names
}

// Sets must be of the classes of the scores beside them: of all probabilities, or of two classes.
function checkSetsBeside(columns, positive) {
  const [proba, members] = [columns.proba, columns.members].map(byOneName);
  if (proba.length > 1 && members.length) {
    if (matchLabels(proba, members).includes(-1) || members.length !== proba.length)
      throw refusal("sets of other classes", {
        one: listed(sortedLabels(proba)),
        other: listed(sortedLabels(members)),
      });
  }
  const hasScore = columns.scores.length || proba.length === 1,
    hasSets = members.length || columns.sets !== null;
  if ((hasScore && members.length > 2) || (hasSets && proba.length > 2 && positive !== undefined))
    throw refusal("sets of many", { classes: listed(sortedLabels(proba.length > 2 ? proba : members)) });
}

// Classes in the names of columns; those of truth values go by many names.
function byOneName(columns) {
  const names = namedClasses(columns.map(({ label }) => label)),
    boolean = matchLabels(names, ["False", "True"], true);
  return boolean.includes(-1) ? names : boolean.map((at) => ["False", "True"][at]);
}

function draftOf(whole, columns, dropMissing) {
  const { table, truth, notes } = withTruth(whole, columns.truth, dropMissing);
  const position = new Map(table.names.map((name, at) => [name, at])),
    column = (name) => table.column(position.get(name));
  const place = (name) => (row) => `column ${quoted(name)}, ${table.where(row)}`;
  const numbers = (name, isScore = false) => checkedNumbers(column(name).numbers(), place(name), isScore);
  const draft = { table, columns, truth, place, notes, proba: null, model: null };
  draft.weight =
    columns.weight === null ? null : checkedWeights(numbers(columns.weight), place(columns.weight));
  draft.scores = columns.scores.map((name) => ({ name, values: numbers(name, true) }));
  if (columns.proba.length) {
    const parts = columns.proba.map(({ column: name }) => ({
      column: name,
      values: numbers(name, true),
      eps: column(name).eps ?? Number.EPSILON,
    }));
    const cell = (name, row) => place(name)(row);
    const checked = checkedProbabilities(parts, table.rows, cell, table.where);
    draft.proba = checked.p;
    notes.push(...checked.notes);
  }
  if (columns.members.length)
    draft.members = columns.members.map(({ column: one }) => memberships(column(one).labels(), place(one)));
  else if (columns.sets !== null) {
    const { codes, values } = column(columns.sets).labels();
    const known = new Set([...truth.values, ...columns.proba.map(({ label }) => label)]);
    const parsed = (value, at) => atRow(codes, at, place(columns.sets), () => parseSet(value, known));
    draft.written = { codes, sets: values.map(parsed) };
  }
  if (columns.model !== null) {
    const labels = column(columns.model).labels();
    checkLabels(labels, columns.model, place(columns.model));
    draft.model = plainLabels(labels, true);
  }
  if (columns.groups !== null) {
    const { codes, values } = column(columns.groups).labels();
    checkLabels({ codes, values }, columns.groups, place(columns.groups));
    draft.group = taken(values.map((value) => value ?? ""), codes); // a missing one is empty
  }
  return draft;
}

// What goes wrong with a value is said of the first row that holds it.
function atRow(codes, code, place, read) {
  try {
    return read();
  } catch (error) {
    throw error.at ? error.at(place(codes.indexOf(code))) : error;
  }
}

// Labels as classes: blank ones are missing (-1), and whole numbers lose their point if all have one.
function plainLabels({ codes, values, kind = "text" }, asText = false) {
  const there = values.filter((label) => label !== null && strip(label));
  const labels = asText ? there : wholeLabels(there),
    distinct = [...new Set(labels)];
  const code = new Map(distinct.map((label, at) => [label, at])),
    position = new Map(there.map((label, at) => [label, code.get(labels[at])]));
  const of = values.map((label) => position.get(label) ?? -1);
  return { codes: recoded(codes, of), values: distinct, kind };
}

// Rows without a truth are refused, or left out.
function withTruth(table, name, dropMissing) {
  const truth = plainLabels(table.column(table.names.indexOf(name)).labels()),
    first = truth.codes.indexOf(-1);
  checkLabels(truth, name, (row) => `column ${quoted(name)}, ${table.where(row)}`);
  if (first < 0) return { table, truth, notes: [] };
  const kept = allRows(table.rows).filter((row) => truth.codes[row] >= 0),
    count = table.rows - kept.length;
  if (!dropMissing) {
    const place = `column ${quoted(name)}, ${table.where(first)}`;
    throw refusal("missing truth", { place, cells: suchCells(count) });
  }
  if (!kept.length) throw refusal("no rows");
  const notes = [note("dropped", { count: thousands(count), n: thousands(table.rows) })];
  return { table: someRows(table, kept), truth: { ...truth, codes: taken(truth.codes, kept) }, notes };
}

function memberships({ codes, values }, place) {
  const isIn = values.map((value) => {
    const word = strip(String(value ?? "")).toLowerCase();
    return words("yes").includes(word) ? true : words("no").includes(word) ? false : null;
  });
  const bad = codes.findIndex((code) => isIn[code] === null);
  if (bad >= 0) throw refusal("membership", { place: place(bad), value: quoted(values[codes[bad]] ?? "") });
  return { codes, isIn };
}

// Where labels are among others, -1 where they are not.
function places(among, labels) {
  const position = new Map(among.map((label, at) => [label, at]));
  return labels.map((label) => position.get(label) ?? -1);
}

// Names as labels: the truths they mean, or else new ones of the same kind.
function like(names, { values, kind }) {
  const fresh = (name) => (kind === "integer" && /^[+-]?\d+$/.test(name) ? String(BigInt(name)) : name);
  const found = matchLabels(names, values, kind === "boolean");
  return names.map((name, i) => values[found[i]] ?? fresh(name));
}

function settled(draft, name, said) {
  const { truth, columns, table } = draft,
    positive = said.pos_label ?? undefined;
  const named = like(columns.proba.map(({ label }) => label), truth),
    members = like(columns.members.map(({ label }) => label), truth);
  let scores = draft.scores.map(({ name: title, values }) => ({
    name: draft.scores.length > 1 ? title : name,
    score: values,
    column: said.score || draft.scores.length > 1 ? title : null,
  }));
  let classes,
    proba = null;
  const k = named.length,
    column = (c) => taken(draft.proba, allRows(table.rows).map((row) => row * k + c));
  if (k === 1) {
    classes = ofOneColumn(draft, named[0], positive);
    const turned = classes[1] !== named[0];
    if (turned) draft.notes.push(note("turned", { label: quoted(classes[1]) }));
    scores = [{ name, score: turned ? column(0).map((value) => 1 - value) : column(0) }];
  } else if (k) {
    classes = sortedLabels(named);
    checkTruths(draft, classes);
    if (k === 2 || positive !== undefined) {
      const pair = binaryClasses(classes, positive, truth.kind === "boolean");
      scores = [{ name, score: column(named.indexOf(pair[1])) }];
      classes = pair;
    }
    if (k === classes.length) {
      const at = places(named, classes);
      proba = (row, c) => draft.proba[row * k + at[c]];
    }
  } else if (scores.length) classes = ofScores(draft, positive);
  else {
    const written = draft.written?.sets.flatMap(({ labels }) => labels ?? []) ?? [];
    classes = sortedLabels(members.length ? members : [...truth.values, ...like(written, truth)]);
    checkTruths(draft, classes);
    if (positive !== undefined) binaryClasses(classes, positive, truth.kind === "boolean");
  }
  if (classes.length < 2) throw refusal("only one class", { label: listed(classes) });
  checkClassCount(classes);
  if (scores.length && draft.written && truth.values.length > 2)
    throw refusal("sets of many", { classes: listed(sortedLabels(truth.values)) });
  const sets = setsOf(draft, classes, members, said.empty ?? "error");
  const position = matchLabels(truth.values, classes).map((at) => Math.max(at, 0));
  const codes = recoded(truth.codes, position),
    whole = { classes, codes, proba, sets, weight: draft.weight, group: draft.group };
  if (draft.model && draft.weight?.every((weight) => !weight)) throw refusal("no weight");
  const models = (scores.length ? scores : [{ name, score: null }]).flatMap((one) =>
    partsOf(draft, one.name, scores.length > 1).map((part) => ({
      ...whole,
      ...part,
      score: one.score,
      column: one.column,
    })),
  );
  // Of several models the first by name is refused: engines meet the rows in any order.
  const names = models.map((model) => model.name),
    isNamed = draft.model !== null;
  (isNamed ? sortedLabels(names) : names).forEach((one) => {
    const model = models[names.indexOf(one)];
    if (model.score) bothClasses(model, isNamed);
  });
  return { models, notes: [...draft.notes, ...oddities(draft, classes, scores)] };
}

// The class of a single probability is positive, unless the other one is said to be.
function ofOneColumn(draft, label, positive) {
  const { values } = draft.truth;
  if (!values.includes(label))
    throw refusal("column of no class", {
      column: quoted(draft.columns.proba[0].column),
      label: quoted(label),
      classes: listed(sortedLabels(values)),
      near: [label, values],
    });
  if (positive === undefined || matchLabels([positive], [label])[0] >= 0) return ofScores(draft, label);
  const pair = ofScores(draft, positive);
  if (label !== pair[0])
    throw refusal("declared classes", { given: quoted(positive), classes: quoted(label) });
  return pair;
}

function ofScores(draft, positive) {
  const { truth, columns } = draft,
    truths = sortedLabels(truth.values),
    isBoolean = truth.kind === "boolean";
  if (columns.members.length) {
    const named = like(columns.members.map(({ label }) => label), truth),
      pair = binaryClasses(named, positive, isBoolean);
    checkTruths(draft, pair);
    return pair;
  }
  const unknown = positive === undefined || matchLabels([positive], truths, isBoolean)[0] < 0;
  if (unknown && truths.length > MANY_CLASSES && columns.scores.length)
    throw refusal("many truths", {
      truth: quoted(columns.truth),
      score: quoted(columns.scores[0]),
      count: truths.length,
    });
  return binaryClasses(truths, positive, isBoolean);
}

function checkTruths({ truth, columns, place }, classes) {
  matchLabels(truth.values, classes).forEach((found, at) => {
    if (found >= 0) return;
    throw refusal("unknown truth", {
      place: place(columns.truth)(truth.codes.indexOf(at)),
      label: quoted(truth.values[at]),
      classes: listed(sortedLabels(classes)),
      near: [truth.values[at], sortedLabels(classes)],
    });
  });
}

// Classes of each row's set, in order; empty ones are refused, or what they are said to mean.
function setsOf(draft, classes, members, empty) {
  const every = classes.map((_, c) => c),
    { table, columns, place } = draft;
  let sets, where;
  if (draft.members) {
    const at = places(members, classes);
    if (at.includes(-1)) throw refusal("set column missing", { label: quoted(classes[at.indexOf(-1)]) });
    sets = (row) => every.filter((c) => draft.members[at[c]].isIn[draft.members[at[c]].codes[row]]);
    where = table.where;
  } else if (draft.written) {
    const { codes } = draft.written,
      distinct = draft.written.sets.map(({ labels }, code) =>
        atRow(codes, code, place(columns.sets), () => classesOf(labels, classes, draft.truth.kind)),
      );
    sets = (row) => distinct[codes[row]];
    where = place(columns.sets);
  } else return null;
  let first = -1,
    count = 0;
  for (let row = 0; row < table.rows; row++) {
    if (sets(row).length) continue;
    if (!count++) first = row;
  }
  if (count && empty === "error")
    throw refusal("empty set", { place: where(first), cells: suchCells(count) });
  return count && empty === "abstain" ? (row) => (sets(row).length ? sets(row) : every) : sets;
}

function classesOf(labels, classes, kind) {
  if (labels === null) return classes.map((_, c) => c);
  const found = matchLabels(labels, classes, kind === "boolean"),
    unknown = found.indexOf(-1);
  if (unknown >= 0)
    throw refusal("set unknown class", {
      label: quoted(labels[unknown]),
      classes: listed(classes),
      near: [labels[unknown], classes],
    });
  return [...new Set(found)].sort((a, b) => a - b);
}

// Rows of each model; one whose rows have no weight is not there.
function partsOf({ model, weight, table }, name, several) {
  if (!model) return [{ name, rows: allRows(table.rows) }];
  const parts = [...model.values, "(no name)"].map((title) => ({
    name: several ? `${title}, ${name}` : title,
    rows: [],
  }));
  model.codes.forEach((code, row) => parts.at(code).rows.push(row)); // -1 is the last
  return parts
    .filter(({ rows }) => (weight ? rows.some((row) => weight[row] > 0) : rows.length))
    .map(({ name: title, rows }) => ({ name: title, rows: Uint32Array.from(rows) }));
}

// Scores of which one class does not occur cannot be weighed against anything.
function bothClasses({ name, rows, codes, weight, classes }, isNamed) {
  const there = new Set();
  for (let i = 0; i < rows.length && there.size < 2; i++)
    if (!weight || weight[rows[i]] > 0) there.add(codes[rows[i]]);
  const place = isNamed ? quoted(name, 60) : "";
  if (!there.size) throw refusal("no weight", { place });
  if (there.size < 2) throw refusal("one class", { place, label: quoted(classes[[...there][0]]) });
}

// What looks odd, or was decided.
function oddities({ members, written, proba, truth, columns, table, weight }, classes, scores) {
  const notes = [];
  if ((members || written) && (scores.length || proba))
    notes.push(note("sets are answers", { beside: proba ? "probabilities" : "scores" }));
  if (written) {
    const count = written.codes.reduce((n, code) => n + written.sets[code].repeated, 0);
    if (count) notes.push(note("repeated label", { count: thousands(count), n: thousands(table.rows) }));
    const known = matchLabels(classes, truth.values),
      fresh = classes.filter((_, at) => known[at] < 0);
    if (fresh.length && !columns.proba.length) notes.push(note("new class", { labels: listed(fresh) }));
  }
  const named = like(columns.proba.map(({ label }) => label), truth);
  if (scores.length) notes.push(...labelNotes([...truth.values, ...named], classes, truth));
  else notes.push(...labelNotes(classes));
  return weight ? [...notes, ...weightNotes(weight, columns.guessedWeight ? columns.weight : null)] : notes;
}
