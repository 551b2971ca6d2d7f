"""How predictions are read: word lists and refusals, as plain data.

Python reads by these lists, and the page gets them as JSON (``page_rules``), so that a file is
read alike wherever it is dropped. Refusals are templates of :mod:`cautious.errors`: the same words
everywhere, with each way's own names of arguments.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from cautious._files import once
from cautious._input_limits import CEILINGS
from cautious.errors import ARGUMENTS, InputError, Message, quoted

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)

WORDS: dict[str, Any] = {
    # Names of columns, in the order in which they are looked for.
    "truth": ["y_true", "truth", "true", "label", "target", "actual", "class", "y"],
    "score": ["y_score", "score", "p", "proba", "probability", "prob", "margin", "decision"],
    "other_score": ["y_prob", "y_proba", "y_pred_proba"],
    "answers": ["y_pred", "pred", "prediction", "predicted", "y_hat"],
    "sets": ["y_set", "set", "sets", "prediction_set"],
    "model": ["model", "classifier", "estimator"],
    "weight": ["sample_weight", "weight"],
    "groups": ["group", "groups"],
    # Beginnings of names of columns, one column per class, model or cost.
    "class_prefixes": ["p_", "proba_", "prob_"],
    "member_prefixes": ["set_", "in_"],
    "score_prefixes": ["score_", "y_score_"],
    "costs": ["false_negative", "false_positive", "abstain", "abstain_negative"],
    # What stands in cells.
    "plain_pairs": [
        ["0", "1"],
        ["-1", "1"],
        ["false", "true"],
        ["no", "yes"],
        ["n", "y"],
        ["negative", "positive"],
        ["absent", "present"],
    ],
    "right": ["true", "1", "1.0", "yes", "y", "correct", "right"],
    "wrong": ["false", "0", "0.0", "no", "n", "incorrect", "wrong"],
    "yes": ["true", "1", "1.0", "yes", "y"],
    "no": ["false", "0", "0.0", "no", "n"],
    "no_number": ["", "nan", "na", "null", "none"],
    "no_truth": ["na", "n/a", "n.a.", "nan", "null", "unknown", "missing", "?", "-"],
    # Ways of writing sets; neither spaces inside nor capitals matter.
    "empty_set": ["", "{}", "[]", "()", "∅", "set()"],
    "abstain": ["?", "⊥", "abstain", "reject"],
    "brackets": ["{}", "[]", "()"],
    "other_marks": ";,/",
}
"""Word lists by what they are for; all in lower case."""

ROUNDING: dict[str, Any] = {
    "exact": 1e-6,  # how far a row may be from 1 without being rounded
    "least_decimals": 2,
    "most_decimals": 6,
    "most": 0.05,  # however many classes share the rounding, more is rather a class that is missing
}
"""What rounding explains of a row of probabilities that does not add up to 1."""


def _texts(table: str) -> dict[str, str]:
    """Read texts by name, each once; a line that is indented goes on with the one above."""
    entries = re.sub(r"\n +", " ", re.sub(r"(?m)^#.*\n", "", table.strip())).split("\n")
    return once([(name, text) for name, text in (entry.split(": ", 1) for entry in entries)])


REFUSALS: dict[str, str] = _texts("""
# Files.
broken json: {where} cannot be read as JSON ({why}); mend it, or leave it out.
no json object: {where} holds {given}, which is no object of names and values; give one object per
    case.
empty file: the file is empty; the first line must name the columns.
long heading: the first line has more than {most} characters; is this a table?
long line: a line has more than {most} bytes; is this a table?
long cell: line {line} has a cell of more than {most} characters; is a quotation mark missing?
many row groups: there are {count} row groups, and at most {most} are read; write the file with more
    rows in each.
other file: this is {what}.
not text: this is not text in {encoding} (byte {offset}); save it as CSV in UTF-8, or say its
    encoding with {=encoding}.
unknown encoding: {=encoding} is {given}, which is no known encoding; 'latin-1' is one.
row length: line {line} has {found} cells, but the heading has {width}.
quotation: line {line} has a quotation that does not end as it should ({why}).
damaged gzip: this is damaged gzip data; pack or copy the file again.
damaged file: this is no whole {kind} file ({why}); write or copy it again.
row count: {found} rows were found where {promised} are promised; the file is damaged, write or copy
    it again.
device: this is a device, not a file; give a file of predictions.
no standard input: standard input is closed; give a file, or pipe the table in.
same file: the file {name} is given twice; give each model's file once.
# The table and its columns.
no rows: there are no rows; give at least one prediction.
column gone: column {name} is missing, but {first} has it; all files of a log must have the same
    columns. Leave this file out, or write it again with the column.
other columns: column {name} holds {found}, but in {first} it holds {kind}; all files of a log must
    have the same columns, of the same kind. Write one of the two again as the other is.
read once: the classes of written sets are known only when everything has been read, and this source
    can be read only once; give {=classes}.
many columns: there are {count} columns, and at most {most} are read; is there one row per case?
long name: the name of a column, {name}, has more than {most} characters; shorten it.
two columns: two columns are called {name}; give each its own name.
no such column: {==argument} is {name}, but the columns are {columns}.
no such columns: {==argument} is {name}, but no column is called or begins so; the columns are
    {columns}.
graded and more: {=correct} says that these are graded answers, which have {=confidence} and no
    {==argument}; leave one of the two out.
no grades: {==argument} is given without {=correct}; name the column that says whether each answer
    is right.
no confidence column: no column holds the confidence; the columns are {columns}. Name one
    'confidence', or say which with {=confidence}.
odd grade: {value} is no grade; write true or false, 1 or 0, yes or no, correct or incorrect, right
    or wrong. Is an answer that is partly right good enough to go out? Say so in the file.
missing grade: the grade is missing ({cells}); leave these rows out with {=drop_missing}, fill them
    in, or name a column of a judge's grades with {=judge}.
score and proba: {=score} and {=proba} are both given; give one of them.
no truth column: no column holds the truth; the columns are {columns}. Name one of them {first} (or
    {others}), or say which with {=truth}.
no predictions column: no column holds predictions; the columns are {columns}. Give a column
    'score', one column 'p_<class>' per class, or a column 'y_set' of sets written 'a|b'; or say
    which with {=score}, {=proba} or {=sets}.
column kind: column {name} is of the kind {kind}, which cannot be read ({why}).
choice: {==argument} is {given}; choose {allowed}.
# Cells.
many labels: column {name} holds more than {most} different labels; is it the right column?
missing truth: the truth is missing ({cells}); leave these rows out with {=drop_missing}, or fill
    them in.
missing number: a number is missing ({cells}); mend or drop these rows.
missing score: a number is missing ({cells}); drop these rows, or let them abstain with {=missing
    abstain}.
not a number: {value} is not a number ({cells}).
no probability: {value} is not a probability; they lie between 0 and 1.
probability sum: the probabilities add up to {total} ({row}); each row must add up to 1. Are they
    rounded too coarsely, or is the column of a class missing?
weight: the weight {value} is not allowed; weights are 0, or at least 2**-32 and below 2**32.
    Multiply all of them by one number if they are too small or too large.
cost: the cost {value} is not allowed; a cost per case is finite, and not below that of the right
    answer.
cost names: {=cost_columns} names {given}; the costs per case are {allowed}.
membership: {value} does not say whether the class is in the set; write true or false.
# Sets.
set label missing: the set {value} has a place where a label is missing; write a|b.
set marks: the set {value} is no known class; if it holds several, write {better}, and if it is one
    class, declare it with {=classes}.
set quotation: the set {value} cannot be read; a quotation ends before a comma or at the end. Or
    write a|b.
set long: the set {value} names more than {most} labels; write each class once.
long label: the label {value} has more than {most} characters; is this a column of labels?
set no label: the set {value} holds something that is no label; give labels only.
set unknown class: the set names {label}, which is not among the classes {classes}.
empty set: the set is empty ({cells}); say what that means with {=empty abstain} or {=empty wrong}.
sets of other classes: the columns of probabilities are of the classes {one} and those of sets of
    {other}; give both for the same classes.
sets of many: the classes are {classes}, but beside the sets stands a score, which speaks for one
    class against the rest; give probabilities of all classes, or leave out {=pos_label}, the scores
    or the sets.
set column missing: there is no set column of the class {label}.
# Classes.
unknown truth: the truth {label} is not among the classes {classes}.
too many classes: there are {count} classes, and at most {most} are read.
only one class: there is only one class, {label}; nothing can be told apart.
repeated classes: {=classes} holds {given}; each class may appear only once.
no truths: the truths are not known; name their column with {=truth}.
no classes: there are no truths to tell the classes; give {=classes}.
declared classes: {=classes} holds {given}, but the columns are of the classes {classes}.
column of no class: the column {column} is of the class {label}, but the truths are {classes}.
positive unknown: {=pos_label} is {given}, but the classes are {classes}.
positive not said: the classes are {classes}; say which one a high score speaks for: {=pos_label
    first} or {=pos_label second}.
many classes: there are {count} classes, {classes}, but a score speaks for one class against the
    rest; say which with {=pos_label}.
many truths: column {truth} holds {count} different truths; are {truth} and {score} swapped?
one class: every row has the truth {label}; rows of two classes are needed.
no weight: no row has a positive weight; rows of two classes are needed.
classes no pair: {=classes} is {given}; give two different labels, (negative, positive).
# Arrays.
source: predictions come from {kind}; give a file, a frame, or a mapping from the name of each model
    to its predictions.
model kind: this is {kind}; give (y_true, y_score), a mapping with y_true and y_score, y_proba or
    y_set, a frame, or a file.
array names: the keys are {given}; y_true is needed, and beside it are allowed {allowed}.
no answers: there are no predictions; give one of y_score, y_proba and y_set.
rows: {first} has {n} rows and {name} has {found}; give one of each per case.
shape: {name} has the shape {found}; {expected} is needed.
width: y_proba has {found} columns but there are {count} classes; give {=classes} with the class of
    each column, in order.
# Several models.
two models: two models are called {name}; give each its own name.
no models: there are no predictions; give those of at least one model.
several models: there are several models, {names}; take one of them by its name.
one model: there is only one model, {name}; give several files, or several columns of scores or
    confidences, or name the column of models with {=model}.
other classes: {one} and {other} are about different classes: {first} and {second}.
no groups: there are no groups; name their column with {=groups}.
other rows: {one} has {first} rows and {other} has {second}; give both on the same cases, or name
    the column that tells the cases apart with {=case}.
other truth: case {row} is {first} for {one} but {second} for {other}; give both in the same order,
    or name the column that tells the cases apart with {=case}.
case twice: {one} has the case {case} twice; each case must occur once.
other cases: {one} and {other} are not about the same cases: {count} are in one only, such as
    {case}.
""")
"""Templates of errors by name."""

HINTS: dict[str, str] = _texts("""
did you mean: Did you mean {near}?
twins: {one} and {other} differ by spaces, capitals or Unicode form only: mend the data if they are
    one.
heading: The first line holds numbers: does the file lack a heading?
single answers: If {shown} holds single answers: {=sets name}
swapped: Or are {truth} and {score} swapped?
decimal comma: Write {better}, with a decimal point.
say decimal: Or say that decimals follow commas: {=decimal comma}
decimal point: Write {better}, with a decimal comma.
thousands: Write a point before decimals, and nothing between thousands.
thousands by points: Write a comma before decimals, and nothing between thousands.
per cent: Write {better} for {value}%.
other base: Write {better}.
date: This is a date or a time; is the column the right one?
word: Write a number there, or leave these rows out. Is the column the right one?
truth value: Write 1 for true and 0 for false.
maybe per cent: Are these per cent? Then divide by 100.
other scores: If these are scores of another kind, name the column with {=score}.
""")
"""Templates of what to try, which end an error."""

NOTES: dict[str, str] = _texts("""
two scales: {name}: {low} scores lie between 0 and 1, and {high} between 10 and 100; are both shares
    and per cent in one column? Then thresholds mean nothing: write all of them alike
columns: {taken}{positive}{ignored}
rounded: the probabilities are rounded to {decimals} decimals; in {count} of {n} rows they do not
    add up to 1 (the worst: {worst}) and are divided by their sum
rounded rows: the probabilities are rounded; in {count} of {n} rows they do not add up to 1 and are
    divided by their sum
rounded scores: there are more distinct scores than the memory budget holds; they are rounded to
    {width}, and costs are upper bounds
rounded as asked: scores are rounded to {width}, as asked, and costs are upper bounds
sets are answers: the sets are the answers; the {beside} serve the curves only
repeated label: a set names a class twice ({count} of {n} rows); it counts once
abstaining: an answer written abstain, reject, ? or ⊥ means abstaining ({count} of {n} rows); if it
    is a class, declare it with {=classes}
twins: {one} and {other} differ by spaces, capitals or Unicode form only; they are read as different
    classes
rest: {labels} are taken together as {rest}, against {positive}
no truth: counted as {rest}, though perhaps no truths at all: {labels}{rows}. If so, leave these
    cells empty, and {=drop_missing} leaves out their rows
copies: copies of other rows: {count} of {n} rows, the same in {what}. A promise takes every row for
    a case of its own, so with copies it is too bold; leave them out
new class: {labels} occur in sets only, not among the truths
dropped: no truth in {count} of {n} rows; left out
judged alone: no person has graded {count} of {n} answers; the judge's grades of these are for
    promises only
judged apart: {one} and {other} were judged on different cases, so a difference between them may be
    one of the cases. Several files are several models here: if these are parts of one log, join
    them into one file; if they are the same cases, bring them into one order
missing: no score in {count} of {n} rows; abstained on
missing confidence: no confidence in {count} of {n} answers; escalated
turned: the column is of the other class, so its complement is the score of {label}
heavy: column {name} is taken as the weight of cases, by which {rows} rows count as {total}. If it
    holds something else, such as kilograms, leave it out with {=no_weight}
shares: the weights of {rows} rows add up to {total}; weights count repetitions, so intervals are as
    wide as for so few cases. If these are shares, multiply them by the number of rows
""")
NOTES["per cent"] = (
    "{name}: " + HINTS["maybe per cent"].replace(".", ": ") + "some scores lie outside 0 to 1, "
    "such as {value}, so they are no probabilities"
)
"""Templates of notes by name."""


def refusal(
    key: str, *, place: str = "", hints: Iterable[Message] = (), **values: Any
) -> InputError:
    """Make the error of a name."""
    more = list(hints)
    if (near := values.pop("near", None)) is not None:
        more += _near(*near)
    for one, other in twins(values.pop("twins", ()))[:1]:
        more.append(hint("twins", one=quoted(one), other=quoted(other)))
    if (heading := values.pop("heading", None)) is not None:
        more += _heading(heading)
    return InputError(Message(REFUSALS[key], values, key, place, tuple(more)))


def note(key: str, *, place: str = "", **values: Any) -> Message:
    """Make the note of a name."""
    return Message(NOTES[key], values, key, place)


def hint(key: str, **values: Any) -> Message:
    """Make the hint of a name."""
    return Message(HINTS[key], values, key)


def _near(label: Any, known: Sequence[Any], cutoff: float = 0.6) -> list[Message]:
    """Guess which label was meant: the same but for spaces and case, or one much like it."""
    text, others = str(label)[:100], [str(one)[:100] for one in known[:1000]]
    same = [one for one in others if bare(one) == bare(text)]
    found = same or difflib.get_close_matches(text, others, n=1, cutoff=cutoff)
    return [hint("did you mean", near=quoted(found[0]))] if found else []


def twins(labels: Sequence[Any]) -> list[tuple[str, str]]:
    """Pairs of labels that differ by spaces, case or Unicode form alone."""
    first: dict[str, str] = {}
    pairs = []
    for label in map(str, labels):
        other = first.setdefault(bare(label), label)
        if other != label:
            pairs.append((other, label))
    return pairs


def _heading(names: Sequence[Any]) -> list[Message]:
    """Ask whether a table lacks its heading: a column called by a number is no name."""
    numbers = [_NUMBER.fullmatch(str(name)[:40]) for name in names[:100]]
    points = any(found and "." in found[0] for found in numbers)
    return [hint("heading")] if numbers and (all(numbers) or points) else []


def bare(label: str) -> str:
    """Reduce a label to what is left without spaces, case and Unicode forms."""
    return "".join(unicodedata.normalize("NFKC", label).split()).casefold()


OTHER_FILES = {
    "PK\x03\x04": "a zip archive or an Excel workbook; save it as CSV in UTF-8, or as Parquet",
    "\xd0\xcf\x11\xe0": "an Excel workbook; save it as CSV in UTF-8, or as Parquet",
}
"""What files are that are no tables, by their first bytes as Latin-1."""

JSON_BEGINNINGS = {
    **dict.fromkeys(('{"', '{ "'), "JSON Lines"),
    **dict.fromkeys(("[{", "[ {", "[\n", "[\r", "{\n", "{\r"), "JSON"),
}
"""How tables of JSON begin, and what they are called."""

# What the page leaves to Python, by how such files begin.
_LEFT_TO_PYTHON = {
    "PAR1": "a Parquet file",
    "ARROW1": "an Arrow file",
    "\xff\xff\xff\xff": "an Arrow stream",
    **JSON_BEGINNINGS,
}


def page_rules(script: str | None = None) -> dict[str, Any]:
    """Everything the page needs to read as Python does, without messages a script never names."""
    arguments = {name: words["page"] for name, words in ARGUMENTS.items()}
    left = {
        begin: f"{what}, and this page reads text tables only; run `cautious report` on it"
        for begin, what in _LEFT_TO_PYTHON.items()
    }
    texts = {"refusals": REFUSALS, "hints": HINTS, "notes": NOTES}
    if script is not None:
        texts = {
            kind: {key: text for key, text in known.items() if f'"{key}"' in script}
            for kind, known in texts.items()
        }
    return {
        "words": WORDS,
        "rounding": ROUNDING,
        "limits": CEILINGS,
        **texts,
        "arguments": arguments,
        "other_files": OTHER_FILES | left,
    }
