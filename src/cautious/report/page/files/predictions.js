// From a table to the predictions of each model: columns found, classes settled, every cell checked,
// by the rules of cautious.predictions.read_predictions.
import { checkedNumbers, checkedProbabilities, checkedWeights, suchCells, weightNotes } from "./cells.js";
import { guessColumns } from "./columns.js";
import { rowsUpTo } from "./csv.js";
import {
  binaryClasses, labelNotes, matchLabels, namedClasses, sortedLabels, truthValue, wholeLabels,
} from "./labels.js";
import { isLonger, limit, listed, note, quoted, refusal, strip, thousands, words } from "./rules.js";
import { parseSet } from "./written_sets.js";

// Nobody tells more classes apart by a single score: so many different truths are no classes.
const MANY_CLASSES = 20;

// `said` may hold truth, score, model, weight and groups (columns), pos_label, empty and drop_missing.
// Gives columns, notes and models: {name, rows, classes, codes, score, proba, sets, weight, group, columns}, where
// `codes` are the true classes of all rows of the table, `proba(row, k)` is a probability, `sets(row)` a
// list of classes, `group` the group of each row and `columns` those that a rule keeps.
export function readPredictions(table, name, said = {}) {
  checkNames(table.names);
  const columns = guessColumns(table.names, said), positive = said.pos_label ?? undefined;
  checkNamedClasses(columns, positive);
  checkSetsBeside(columns, positive);
  const cells = table.cells();
  if (!cells.rows) throw refusal("no rows");
  const draft = draftOf(cells, table.names, columns, said.drop_missing);
  return { columns, rows: cells.rows, truths: draft.truth.values, ...settled(draft, name, said, positive) };
}

function checkNames(names) {
  if (names.length > limit("columns"))
    throw refusal("many columns", { count: thousands(names.length), beyond: "columns" });
  const long = names.find((name) => isLonger(name, limit("label")));
  if (long !== undefined) throw refusal("long name", { name: quoted(long), beyond: "label", heading: names });
  const seen = new Set(),
    twice = names.find((name) => seen.has(name) || !seen.add(name));
  if (twice !== undefined) throw refusal("two columns", { name: quoted(twice) });
}

// Labels that are too long, and more than there can be classes, are refused.
function checkLabels({ codes, values }, name, place, beyond = "classes") {
  if (values.length > limit(beyond)) throw refusal("many labels", { name: quoted(name), beyond });
  const long = values.findIndex((label) => isLonger(label, limit("label")));
  if (long >= 0)
    throw refusal("long label", { place: place(codes.indexOf(long)), value: quoted(values[long]), beyond: "label" });
}

function checkClassCount({ length }) {
  if (length > limit("classes")) throw refusal("too many classes", { count: thousands(length), beyond: "classes" });
}

// What the names of columns show to be undecided is refused before any row is read: a single class,
// and classes of probabilities or sets that leave the positive one open or do not have it.
function checkNamedClasses({ proba, members, scores }, positive) {
  const names = sortedLabels(namedClasses(proba.length ? proba : members)),
    onlySets = !proba.length && !scores.length;
  checkClassCount(names);
  if (onlySets && names.length === 1) throw refusal("only one class", { label: listed(names) });
  const undecided = proba.length
    ? names.length === 2 || (names.length > 2 && positive !== undefined)
    : onlySets && names.length && positive !== undefined;
  const areTruthValues = [...names, positive ?? "1"].every(truthValue); // these go by many names
  if (undecided && !areTruthValues) binaryClasses(names, positive);
}

// Sets must be of the classes of the scores beside them: of all probabilities, or of two classes.
function checkSetsBeside(columns, positive) {
  const [proba, members] = [columns.proba, columns.members].map((some) => {
    const names = namedClasses(some);
    return names.every(truthValue) ? names.map(truthValue) : names;
  });
  if (proba.length > 1 && members.length) {
    const [one, other] = [proba, members].map((names) => listed(sortedLabels(names)));
    if (matchLabels(proba, members).includes(-1) || members.length !== proba.length)
      throw refusal("sets of other classes", { one, other });
  }
  const hasScore = columns.scores.length || proba.length === 1,
    hasSets = members.length || columns.sets !== null;
  if ((hasScore && members.length > 2) || (hasSets && proba.length > 2 && positive !== undefined))
    throw refusal("sets of many", { classes: listed(sortedLabels(proba.length > 2 ? proba : members)) });
}

const placesIn = (cells) => (name) => (row) => `column ${quoted(name)}, ${cells.where(row)}`;

function draftOf(whole, names, columns, dropMissing) {
  const { cells, truth, notes } = withTruth(whole, names, columns.truth, dropMissing),
    place = placesIn(cells),
    numbers = (name, isScore = false) =>
      checkedNumbers(cells.numbers(names.indexOf(name)), place(name), isScore),
    labels = (name) => cells.labels(names.indexOf(name));
  const draft = { cells, columns, truth, place, notes, proba: null, model: null };
  draft.weight =
    columns.weight === null ? null : checkedWeights(numbers(columns.weight), place(columns.weight));
  draft.scores = columns.scores.map((name) => ({ name, values: numbers(name, true) }));
  if (columns.proba.length) {
    const parts = columns.proba.map(({ column }) => ({ column, values: numbers(column, true) })),
      checked = checkedProbabilities(parts, cells.rows, (name, row) => place(name)(row), cells.where);
    draft.proba = checked.p;
    notes.push(...checked.notes);
  }
  if (columns.members.length)
    draft.members = columns.members.map(({ column }) => memberships(labels(column), place(column)));
  else if (columns.sets !== null) {
    const { codes, values } = labels(columns.sets),
      known = new Set([...truth.values, ...columns.proba.map(({ label }) => label)]),
      parsed = (value, at) => atRow(codes, at, place(columns.sets), () => parseSet(value, known));
    draft.written = { codes, sets: values.map(parsed) };
  }
  for (const [key, name] of [["model", columns.model], ["group", columns.groups]])
    if (name !== null) {
      draft[key] = labels(name);
      checkLabels(draft[key], name, place(name), key === "group" ? "groups" : "classes");
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
function truthsOf({ codes, values }) {
  const there = values.filter((label) => strip(label)),
    labels = wholeLabels(there),
    distinct = [...new Set(labels)],
    place = new Map(distinct.map((label, at) => [label, at])),
    code = new Map(there.map((label, at) => [label, place.get(labels[at])]));
  const truths = values.map((label) => code.get(label) ?? -1);
  return { codes: codes.map((at) => truths[at]), values: distinct };
}

// Rows without a truth are refused, or left out.
function withTruth(cells, names, name, dropMissing) {
  const truth = truthsOf(cells.labels(names.indexOf(name))),
    place = placesIn(cells)(name),
    first = truth.codes.indexOf(-1);
  checkLabels(truth, name, place);
  if (first < 0) return { cells, truth, notes: [] };
  const kept = rowsUpTo(cells.rows).filter((row) => truth.codes[row] >= 0),
    count = cells.rows - kept.length;
  if (!dropMissing) throw refusal("missing truth", { place: place(first), cells: suchCells(count) });
  if (!kept.length) throw refusal("no rows");
  const notes = [note("dropped", { count: thousands(count), n: thousands(cells.rows) })];
  return { cells: cells.some(kept), truth: { ...truth, codes: truth.codes.filter((code) => code >= 0) }, notes };
}

function memberships({ codes, values }, place) {
  const isIn = values.map((value) => {
    const word = strip(value).toLowerCase();
    return words("yes").includes(word) ? true : words("no").includes(word) ? false : null;
  });
  const bad = codes.findIndex((code) => isIn[code] === null);
  if (bad >= 0) throw refusal("membership", { place: place(bad), value: quoted(values[codes[bad]]) });
  return { codes, isIn };
}

// Classes in the names of columns as labels: the truths they mean, or else new ones.
function like(names, { values }) {
  const found = matchLabels(names, values);
  return names.map((name, i) => values[found[i]] ?? name);
}

function settled(draft, name, said, positive) {
  const { truth, columns, cells } = draft,
    named = like(columns.proba.map(({ label }) => label), truth),
    members = like(columns.members.map(({ label }) => label), truth),
    k = named.length,
    column = (c) => draft.proba.filter((_, at) => at % k === c);
  let scores = draft.scores.map(({ name: title, values }) => ({
    name: draft.scores.length > 1 ? title : name,
    score: values, column: title,
  }));
  let classes, proba = null;
  if (k === 1) {
    classes = ofOneColumn(draft, named[0], positive);
    const turned = classes[1] !== named[0];
    if (turned) draft.notes.push(note("turned", { label: quoted(classes[1]) }));
    scores = [{ name, score: turned ? draft.proba.map((value) => 1 - value) : draft.proba }];
  } else if (k) {
    classes = sortedLabels(named);
    checkTruths(draft, classes);
    if (k === 2 || positive !== undefined) {
      classes = binaryClasses(classes, positive);
      scores = [{ name, score: column(named.indexOf(classes[1])) }];
    }
    const at = classes.map((label) => named.indexOf(label));
    if (k === classes.length) proba = (row, c) => draft.proba[row * k + at[c]];
  } else if (scores.length) classes = ofScores(draft, positive);
  else {
    const written = draft.written?.sets.flatMap(({ labels }) => labels ?? []) ?? [];
    classes = sortedLabels(members.length ? members : [...truth.values, ...like(written, truth)]);
    checkTruths(draft, classes);
    if (positive !== undefined) binaryClasses(classes, positive);
  }
  if (classes.length < 2) throw refusal("only one class", { label: listed(classes) });
  checkClassCount(classes);
  if (scores.length && draft.written && truth.values.length > 2)
    throw refusal("sets of many", { classes: listed(sortedLabels(truth.values)) });
  const sets = setsOf(draft, classes, members, said.empty ?? "error"),
    known = matchLabels(truth.values, classes),
    codes = truth.codes.map((at) => Math.max(known[at], 0)),
    group = draft.group && Array.from(draft.group.codes, (code) => draft.group.values[code]),
    whole = { classes, codes, proba, sets, weight: draft.weight, group };
  if (draft.model && draft.weight?.every((weight) => !weight)) throw refusal("no weight");
  const models = (scores.length ? scores : [{ name, score: null }]).flatMap((one) =>
    partsOf(draft, one.name, scores.length > 1).map((part) => ({
      ...whole, ...one, ...part,
      columns: remembered(columns, named, classes, one.column),
    })),
  );
  // Of several models the first by name is refused: engines meet the rows in any order.
  const isNamed = draft.model !== null,
    titles = models.map((model) => model.name);
  for (const title of isNamed ? sortedLabels(titles) : titles) {
    const model = models[titles.indexOf(title)];
    if (model.score) bothClasses(model, isNamed);
  }
  return { models, notes: [...draft.notes, ...oddities(draft, classes, scores, named)] };
}

// What a rule keeps of the columns that it was tuned with (cautious.predictions._columns).
function remembered({ truth, groups, weight, proba }, named, classes, column = null) {
  const found = classes.map((label) => proba[named.indexOf(label)]?.column ?? null),
    isWhole = !found.includes(null),
    score = isWhole || classes.length > 2 ? null : (found[1] ?? column),
    all = { truth, score, groups, weight, proba: isWhole ? found : null };
  return Object.fromEntries(Object.entries(all).filter(([, name]) => name !== null));
}

// The class of a single probability is positive, unless the other one is said to be.
function ofOneColumn(draft, label, positive) {
  const { values } = draft.truth;
  if (!values.includes(label))
    throw refusal("column of no class", {
      column: quoted(draft.columns.proba[0].column), label: quoted(label),
      classes: listed(sortedLabels(values)), near: [label, values],
    });
  if (positive === undefined || matchLabels([positive], [label])[0] >= 0) return ofScores(draft, label);
  const pair = ofScores(draft, positive);
  if (label !== pair[0])
    throw refusal("declared classes", { given: quoted(positive), classes: quoted(label) });
  return pair;
}

function ofScores(draft, positive) {
  const { truth, columns } = draft, truths = sortedLabels(truth.values);
  if (columns.members.length) {
    const pair = binaryClasses(like(columns.members.map(({ label }) => label), truth), positive);
    checkTruths(draft, pair);
    return pair;
  }
  const [at] = matchLabels([positive], truths); // of 0, 1 and 1.0 both of the last are class 1
  if (at < 0 && truths.length > MANY_CLASSES && columns.scores.length) {
    const [of, score] = [columns.truth, columns.scores[0]].map((name) => quoted(name));
    throw refusal("many truths", { truth: of, score, count: truths.length });
  }
  return binaryClasses(truths.filter((label, i) => i === at || matchLabels([label], [positive])[0] < 0), positive);
}

function checkTruths({ truth, columns, place }, classes) {
  const unknown = matchLabels(truth.values, classes).indexOf(-1), ordered = sortedLabels(classes);
  if (unknown < 0) return;
  throw refusal("unknown truth", {
    place: place(columns.truth)(truth.codes.indexOf(unknown)), label: quoted(truth.values[unknown]),
    classes: listed(ordered), near: [truth.values[unknown], ordered],
  });
}

// Classes of each row's set, in order; empty ones are refused, or what they are said to mean.
function setsOf({ cells, columns, place, members: given, written }, classes, members, empty) {
  const every = classes.map((_, c) => c);
  let sets, where = cells.where;
  if (given) {
    const columnOf = classes.map((label) => given[members.indexOf(label)]),
      missing = columnOf.indexOf(undefined);
    if (missing >= 0) throw refusal("set column missing", { label: quoted(classes[missing]) });
    sets = (row) => every.filter((c) => columnOf[c].isIn[columnOf[c].codes[row]]);
  } else if (written) {
    const { codes } = written;
    where = place(columns.sets);
    const distinct = written.sets.map(({ labels }, code) =>
      labels === null ? every : atRow(codes, code, where, () => classesOf(labels, classes)),
    );
    sets = (row) => distinct[codes[row]];
  } else return null;
  const blank = rowsUpTo(cells.rows).filter((row) => !sets(row).length);
  if (blank.length && empty === "error")
    throw refusal("empty set", { place: where(blank[0]), cells: suchCells(blank.length) });
  return blank.length && empty === "abstain" ? (row) => (sets(row).length ? sets(row) : every) : sets;
}

function classesOf(labels, classes) {
  const found = matchLabels(labels, classes), label = labels[found.indexOf(-1)];
  if (label !== undefined) {
    const near = [label, classes];
    throw refusal("set unknown class", { label: quoted(label), classes: listed(classes), near });
  }
  return [...new Set(found)].sort((a, b) => a - b);
}

// Rows of each model; one whose rows have no weight is not there.
function partsOf({ model, weight, cells }, name, several) {
  if (!model) return [{ name, rows: rowsUpTo(cells.rows) }];
  const titles = model.values.filter((title) => strip(title)),
    parts = [...titles, "(no name)"].map((title) => ({ name: several ? `${title}, ${name}` : title, rows: [] })),
    part = model.values.map((title) => parts.at(titles.indexOf(title))); // -1 is the last
  model.codes.forEach((code, row) => part[code].rows.push(row));
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

function oddities({ members, written, proba, truth, columns, cells, weight }, classes, scores, named) {
  const notes = [];
  if ((members || written) && (scores.length || proba))
    notes.push(note("sets are answers", { beside: proba ? "probabilities" : "scores" }));
  if (written) {
    const odd = { "repeated label": ({ repeated }) => repeated, abstaining: ({ labels }) => labels === null };
    for (const [key, isOdd] of Object.entries(odd)) {
      const count = written.codes.reduce((n, code) => n + isOdd(written.sets[code]), 0);
      if (count) notes.push(note(key, { count: thousands(count), n: thousands(cells.rows) }));
    }
    const known = matchLabels(classes, truth.values),
      fresh = classes.filter((_, at) => known[at] < 0);
    if (fresh.length && !columns.proba.length) notes.push(note("new class", { labels: listed(fresh) }));
  }
  if (scores.length) notes.push(...labelNotes([...truth.values, ...named], classes, truth));
  else notes.push(...labelNotes(classes));
  return weight ? [...notes, ...weightNotes(weight, columns.guessedWeight ? columns.weight : null)] : notes;
}
