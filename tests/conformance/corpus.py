"""The corpus: small tables of predictions, each with its plain meaning.

A case is a table as a person would have it (the text of a file, or typed columns) and, beside it,
what it means, typed by hand in plain lists. The expected numbers follow from the meaning
(:mod:`tests.conformance.oracle`), so no reader of the library is involved in them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.conformance import oracle

COSTS = {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0}
PRICES = (COSTS["false_negative"], COSTS["false_positive"], COSTS["abstain"])
WAYS = ("library", "command line", "engine", "report", "page")


@dataclass(frozen=True)
class Meaning:
    """What one model's predictions mean: truths, and scores, probabilities or answer sets.

    Two classes are (negative, positive) where there is a score. Sets are Python sets of labels; an
    empty one is wrong. A row of probabilities that is None is not known: rules abstain on it, and
    it is no part of the risk.
    """

    truth: Sequence[str]
    classes: Sequence[str]
    score: Sequence[float] | None = None
    proba: Sequence[Sequence[float] | None] | None = None
    sets: Sequence[set[str]] | None = None
    weight: Sequence[float] | None = None

    def numbers(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The expected table."""
        weight = [1] * len(self.truth) if self.weight is None else self.weight
        found: dict[str, Any] = {}
        sets = self.answers(options)
        if sets is not None:
            found |= oracle.set_measures(self.truth, sets, len(self.classes), weight)
            positive = self.positive(options)
            if positive is not None:
                found["cost"] = oracle.mean_cost(self.truth, sets, positive, weight, PRICES)
        rows = self.rows()
        if rows is not None:
            position = {label: k for k, label in enumerate(self.classes)}
            known = [at for at, row in enumerate(rows) if row is not None]
            sure = [max(rows[at]) for at in known]
            answer = [rows[at].index(most) for at, most in zip(known, sure, strict=True)]
            loss = [int(a != position[self.truth[at]]) for a, at in zip(answer, known, strict=True)]
            found |= oracle.risk_measures(loss, sure, [weight[at] for at in known])
        if self.score is not None:
            positive = [label == self.classes[1] for label in self.truth]
            found |= oracle.score_measures(positive, self.score, weight, PRICES)
        return found

    def positive(self, options: Mapping[str, Any]) -> str | None:
        """The class whose mistakes are false negatives: the scores speak for it, or it is said."""
        if len(self.classes) != 2:
            return None
        return options.get("pos_label") if self.score is None else self.classes[1]

    def rows(self) -> list[Any] | None:
        """Probabilities of all classes, where they are known."""
        if self.proba is not None:
            exact = [row and [oracle.exact(value) for value in row] for row in self.proba]
            return [row and [value / sum(row) for value in row] for row in exact]
        if self.score is None or not all(0 <= value <= 1 for value in self.score):
            return None
        # The complement as a computer has it: 1 − 0.45 and 0.55 are one confidence.
        return [[oracle.exact(1 - value), oracle.exact(value)] for value in self.score]

    def answers(self, options: Mapping[str, Any]) -> list[set[str]] | None:
        """Answers: the sets given, or those of the rule, or the likeliest class."""
        every = set(self.classes)
        if "window" in options and self.score is not None:
            lower, upper = options["window"]
            negative, positive = self.classes
            return [
                {positive} if value >= upper else {negative} if value <= lower else every
                for value in self.score
            ]
        if self.sets is not None:
            return list(self.sets)
        rows = self.rows()
        if rows is None:
            return None
        least = oracle.exact(options.get("confidence", 0.0))
        return [
            {self.classes[row.index(max(row))]} if row and max(row) >= least else every
            for row in rows
        ]


GRADED_COSTS = {"wrong": 5.0, "abstain": 1.0}


@dataclass(frozen=True)
class Graded(Meaning):
    """What graded answers mean: "right" or "wrong", and confidences, nan where one is missing."""

    def numbers(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The expected table: an answer goes out from the threshold on."""
        assert self.score is not None
        least = options.get("threshold", -math.inf)
        sets = [{"right"} if one >= least else {"right", "wrong"} for one in self.score]
        every = [1] * len(sets)
        found: dict[str, Any] = oracle.set_measures(self.truth, sets, 2, every)
        prices = (0.0, GRADED_COSTS["wrong"], GRADED_COSTS["abstain"])
        found["cost"] = oracle.mean_cost(self.truth, sets, "right", every, prices)
        known = [at for at, one in enumerate(self.score) if not math.isnan(one)]
        grades = [label == "right" for label in self.truth]
        confidence, right = ([column[at] for at in known] for column in (self.score, grades))
        found |= oracle.risk_measures([not one for one in right], confidence, every[: len(known)])
        found["auc"] = oracle.area_under_roc(
            right, [oracle.exact(one) for one in confidence], [oracle.exact(1)] * len(known)
        )
        return found | {"window": oracle.best_threshold(grades, self.score, *prices[1:])}


@dataclass(frozen=True)
class Case:
    """A table, what its reader is told, and what it means.

    ``content`` is the text or the bytes of a CSV file, or a function that makes an Arrow table,
    which then also stands for frames (``frames`` names the kinds) and Parquet files.
    """

    name: str
    content: str | bytes | Callable[[], Any]
    models: Mapping[str, Meaning]
    options: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    frames: tuple[str, ...] = ("pandas", "polars", "arrow")
    notes: tuple[str, ...] = ()
    ways: tuple[str, ...] = WAYS

    @property
    def file(self) -> str:
        """Name of its file."""
        ending = "parquet" if callable(self.content) else self.options.get("ending", "csv")
        return f"{self.name}.{ending}"

    def expected(self) -> dict[str, dict[str, Any]]:
        """The expected table of each model."""
        return {name: one.numbers(self.options) for name, one in self.models.items()}


CASES: dict[str, Case] = {}


def add(name: str, content: Any, meaning: Meaning | Mapping[str, Meaning], **rest: Any) -> None:
    """Enter a case; a single meaning is that of the model named after the file."""
    models = {name: meaning} if isinstance(meaning, Meaning) else dict(meaning)
    assert name not in CASES, name
    CASES[name] = Case(name, content, models, **rest)


def table(heading: str, rows: Sequence[Sequence[Any]], mark: str = ",") -> str:
    """Text of a file."""
    lines = [mark.join(map(str, row)) for row in rows]
    return "\n".join([heading.replace(",", mark), *lines]) + "\n"


def arrow(**columns: Any) -> Callable[[], Any]:
    """Make an Arrow table from lists, or from (list, Arrow type as text)."""

    def make() -> Any:
        import pyarrow as pa

        def typed(given: Any) -> Any:
            values, kind = given if isinstance(given, tuple) else (given, None)
            if kind == "dictionary":
                codes, names = values
                return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), names)
            if kind == "list":
                return pa.array(values, pa.list_(pa.string()))
            return pa.array(values, None if kind is None else pa.type_for_alias(kind))

        return pa.table({name: typed(given) for name, given in columns.items()})

    return make


# --- Two classes: scores -------------------------------------------------------------------------

TRUTH = [0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
SCORE = [0.05, 0.15, 0.2, 0.3, 0.45, 0.55, 0.6, 0.7, 0.85, 0.1, 0.95, 0.65]
TIED = [0.5, 0.25, 0.5, 0.5, 0.75, 0.5, 0.75, 0.5, 0.75, 0.25, 0.5, 0.25]


def named(negative: str, positive: str) -> list[str]:
    return [positive if one else negative for one in TRUTH]


def scored(negative: str, positive: str, score: Sequence[float] = SCORE, **rest: Any) -> Meaning:
    return Meaning(named(negative, positive), (negative, positive), score=score, **rest)


def binary(name: str, pair: tuple[str, str], score: Sequence[float] = SCORE, **rest: Any) -> None:
    text = table("y_true,score", list(zip(named(*pair), score, strict=True)))
    add(name, text, scored(*pair, score), **rest)


binary("zero_one", ("0", "1"))
binary("zero_one_tied", ("0", "1"), TIED)
binary("minus_one_one", ("-1", "1"))
binary("false_true", ("false", "true"))
binary("capital_false_true", ("FALSE", "TRUE"))
binary("no_yes", ("no", "yes"))
binary("no_yes_tied", ("No", "Yes"), TIED)
binary("n_y", ("n", "y"))
binary("negative_positive", ("negative", "positive"))
binary("absent_present", ("absent", "present"))
binary("good_bad", ("good", "bad"), options={"pos_label": "bad"})
binary("bad_good", ("bad", "good"), TIED, options={"pos_label": "good"})
binary("window", ("0", "1"), options={"window": (0.3, 0.7)})
binary("window_tied", ("no", "yes"), TIED, options={"window": (0.25, 0.75)})
binary("window_without_abstention", ("no", "yes"), TIED, options={"window": (0.5, 0.5)})

# --- JSON: a line per case, or an array -----------------------------------------------------------

OBJECTS = [
    {"id": at, "y_true": label, "model": {"score": score}}
    for at, (label, score) in enumerate(zip(named("no", "yes"), SCORE, strict=True))
]
LINES = "\n".join(map(json.dumps, OBJECTS)) + "\n"
PYTHON = ("library", "command line", "engine", "report")
for ending, content in (("jsonl", LINES), ("json", json.dumps(OBJECTS, indent=1)), ("txt", LINES)):
    options = {"ending": ending, "score": "model.score"}
    add(f"objects_{ending}", content, scored("no", "yes"), options=options, ways=PYTHON)


# --- Graded answers ------------------------------------------------------------------------------

SURE = [0.9, 0.8, 0.8, 0.5, 0.5, math.nan, 0.2, 0.95, 0.9, 0.7, 0.9, 0.3]
RIGHT = [1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0]
GRADES = ["right" if one else "wrong" for one in RIGHT]
PAIR, NAMED = ("wrong", "right"), {"correct": "ok", "confidence": "sure"}
COUNTED = ("library", "command line", "engine")


def graded(name: str, words: tuple[str, str], sure: Sequence[float] = SURE, **rest: Any) -> None:
    cells = ["" if math.isnan(one) else one for one in sure]
    rows = [(words[one], cell) for one, cell in zip(RIGHT, cells, strict=True)]
    options = NAMED | rest.pop("options", {})
    meaning = Graded(GRADES, PAIR, score=sure)
    add(name, table("ok,sure", rows), meaning, options=options, ways=COUNTED, **rest)


graded("grades", ("0", "1"))
graded("grades_in_words", ("incorrect", "Correct"), options={"threshold": 0.75})
graded("grades_at_a_tie", ("no", "yes"), options={"threshold": 0.8})
graded("grades_of_any_scale", ("false", "true"), [10 * one - 5 for one in SURE])
VERBAL = [round(1 - one, 2) if at % 3 else one for at, one in enumerate(SURE)]
add(
    "grades_of_two_confidences",
    table("ok,sure,verbal", list(zip(RIGHT, SURE, VERBAL, strict=True))).replace("nan", ""),
    {"sure": Graded(GRADES, PAIR, score=SURE), "verbal": Graded(GRADES, PAIR, score=VERBAL)},
    options={"correct": "ok", "confidence": ["sure", "verbal"]},
    ways=COUNTED,
)
ASKED = [at not in (0, 6) for at in range(len(RIGHT))]
add(
    "grades_of_what_may_be_answered",
    table("ok,sure,can", list(zip(RIGHT, SURE, ASKED, strict=True))).replace("nan", ""),
    Graded(
        [grade if may else "wrong" for grade, may in zip(GRADES, ASKED, strict=True)],
        PAIR,
        score=SURE,
    ),
    options=NAMED | {"answerable": "can", "threshold": 0.6},
    ways=COUNTED,
)
ANSWERS = [
    {"graded": {"ok": bool(one)}, "sure": None if math.isnan(sure) else sure}
    for one, sure in zip(RIGHT, SURE, strict=True)
]
add(
    "grades_in_objects",
    "\n".join(map(json.dumps, ANSWERS)),
    Graded(GRADES, PAIR, score=SURE),
    options={"correct": "graded.ok", "confidence": "sure", "ending": "jsonl"},
    ways=COUNTED,
)

MARGIN = [-2.5, -1.0, 0.0, -0.5, 1.5, 3.0, 0.25, 2.0, 0.0, -4.0, 1.5, 0.0]
binary("margins", ("0", "1"), MARGIN)
binary("margins_window", ("0", "1"), MARGIN, options={"window": (-0.5, 1.5)})
binary("per_cent", ("0", "1"), [round(100 * one) for one in SCORE])
binary("constant_score", ("0", "1"), [0.5] * 12)
binary("extreme_scores", ("0", "1"), [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
add(
    "infinite_scores",
    table("y_true,score", [("0", "-inf"), ("1", "inf"), ("0", "1.5"), ("1", "-2"), ("1", "3e0")]),
    Meaning(list("01011"), ("0", "1"), score=[-math.inf, math.inf, 1.5, -2.0, 3.0]),
)
add(
    "exponents",
    table(
        "y_true,score", [("0", "1e-3"), ("1", "9.5E-1"), ("1", ".25"), ("0", "+0.5"), ("0", "0")]
    ),
    Meaning(list("01100"), ("0", "1"), score=[0.001, 0.95, 0.25, 0.5, 0.0]),
)
add(
    "one_probability_column",
    table("y_true,p_bad", list(zip(named("good", "bad"), SCORE, strict=True))),
    scored("good", "bad"),
)
add(
    "one_probability_column_turned",
    table("y_true,p_good", [(t, 1 - s) for t, s in zip(named("good", "bad"), TIED, strict=True)]),
    scored("good", "bad", TIED),
    options={"pos_label": "bad"},
)
add(
    "two_probability_columns",
    table(
        "y_true,p_no,p_yes",
        [(t, f"{1 - s:.2f}", s) for t, s in zip(named("no", "yes"), SCORE, strict=True)],
    ),
    scored("no", "yes"),
)
add(
    "two_probability_columns_said",
    table(
        "y_true,p_ham,p_spam",
        [(t, f"{1 - s:.2f}", s) for t, s in zip(named("ham", "spam"), SCORE, strict=True)],
    ),
    scored("ham", "spam"),
    options={"pos_label": "spam"},
)

# --- Weights, groups, models ---------------------------------------------------------------------

REPEATED = [2, 1, 3, 1, 1, 4, 1, 2, 1, 1, 5, 1]
FRACTIONAL = [0.5, 1.25, 0.75, 2, 1, 0.125, 3, 1.5, 0.25, 1, 2, 0.5]
SOME_ZERO = [0, 1, 2, 0, 1, 1, 1, 0, 1, 3, 1, 1]
for name, weight in (
    ("weights", REPEATED),
    ("fractional_weights", FRACTIONAL),
    ("zero_weights", SOME_ZERO),
):
    add(
        name,
        table("y_true,score,weight", list(zip(named("no", "yes"), TIED, weight, strict=True))),
        scored("no", "yes", TIED, weight=weight),
    )
KILOGRAMS = [80.5, 61, 93, 71, 55, 84, 66, 72, 101, 58.5, 75, 69]
WEIGHED = table("y_true,score,weight", list(zip(named("no", "yes"), TIED, KILOGRAMS, strict=True)))
add(
    "kilograms",
    WEIGHED,
    scored("no", "yes", TIED, weight=KILOGRAMS),
    notes=("by which 12 rows count as 886",),
)
add("kilograms_declined", WEIGHED, scored("no", "yes", TIED), options={"weight": False})
GROUP = list("uvuvuvuvuvuv")
add(
    "groups",
    table("y_true,score,group", list(zip(named("no", "yes"), SCORE, GROUP, strict=True))),
    scored("no", "yes"),
    options={"window": (0.3, 0.7)},
    groups={
        group: Meaning(
            [t for t, g in zip(named("no", "yes"), GROUP, strict=True) if g == group],
            ("no", "yes"),
            score=[s for s, g in zip(SCORE, GROUP, strict=True) if g == group],
        ).numbers({"window": (0.3, 0.7)})
        for group in "uv"
    },
)
add(
    "two_models",
    table(
        "y_true,score,model",
        [(t, s, "first") for t, s in zip(named("no", "yes"), SCORE, strict=True)]
        + [(t, s, "second") for t, s in zip(named("no", "yes"), TIED, strict=True)],
    ),
    {"first": scored("no", "yes"), "second": scored("no", "yes", TIED)},
)
add(
    "two_score_columns",
    table("y_true,lgbm,hgb", list(zip(named("no", "yes"), SCORE, TIED, strict=True))),
    {"lgbm": scored("no", "yes"), "hgb": scored("no", "yes", TIED)},
    options={"score": ["lgbm", "hgb"]},
)
add(
    "columns_said",
    table("outcome,risk,w", list(zip(named("no", "yes"), SCORE, REPEATED, strict=True))),
    scored("no", "yes", weight=REPEATED),
    options={"truth": "outcome", "score": ["risk"], "weight": "w"},
)
SETS = [{"a"}, {"b"}, {"a", "b"}, {"c"}, {"a", "b", "c"}, {"b", "c"}]
SET_TRUTH = list("abbacc")
add(
    "sets_of_two_models",
    table(
        "y_true,y_set,model",
        [(t, "|".join(sorted(s)), "bold") for t, s in zip(SET_TRUTH, SETS, strict=True)]
        + [(t, "a|b|c", "shy") for t in SET_TRUTH],
    ),
    {
        "bold": Meaning(SET_TRUTH, "abc", sets=SETS),
        "shy": Meaning(SET_TRUTH, "abc", sets=[set("abc")] * 6),
    },
)
add(
    "model_without_weight",
    table(
        "y_true,y_set,weight,model",
        [("a", "b", 0, "bold"), ("a", "a", 2, "shy"), ("b", "a|b", 1, "shy"), ("b", "b", 1, "sly")],
    ),
    {
        "shy": Meaning(["a", "b"], "ab", sets=[{"a"}, {"a", "b"}], weight=[2, 1]),
        "sly": Meaning(["b"], "ab", sets=[{"b"}], weight=[1]),
    },
)

# --- Files as people have them -------------------------------------------------------------------

rows = list(zip(named("no", "yes"), SCORE, strict=True))
add("semicolons", table("y_true,score", rows, ";"), scored("no", "yes"))
add("tabs", table("y_true,score", rows, "\t"), scored("no", "yes"), options={"ending": "tsv"})
for name, mark in {"decimal_commas": ";", "decimal_commas_and_tabs": "\t"}.items():
    add(
        name,
        table("y_true,score", rows, mark).replace(".", ","),
        scored("no", "yes"),
        options={"decimal": ","},
        ways=WAYS[:-1],  # the page refuses them
    )
add("windows_lines", table("y_true,score", rows).replace("\n", "\r\n"), scored("no", "yes"))
add("blank_first_lines", "\r\n\n" + table("y_true,score", rows), scored("no", "yes"))
add("blank_first_line_of_a_return", "\r" + table("y_true,score", rows), scored("no", "yes"))
add("byte_order_mark", b"\xef\xbb\xbf" + table("y_true,score", rows).encode(), scored("no", "yes"))
add("utf_16", table("y_true,score", rows).encode("utf-16"), scored("no", "yes"))
add("no_last_line_end", table("y_true,score", rows).rstrip("\n"), scored("no", "yes"))
add(
    "other_columns",
    table("id,Score,note,Y_TRUE", [(i, s, '"a, ""b"""', t) for i, (t, s) in enumerate(rows)]),
    scored("no", "yes"),
)
add(
    "quoted_labels",
    table("y_true,p_a", [('"b, c"', 0.25), ("a", 0.75), ('"b, c"', 0.625), ("a", 0.375)]),
    Meaning(["b, c", "a", "b, c", "a"], ("b, c", "a"), score=[0.25, 0.75, 0.625, 0.375]),
)
add(
    "whole_floats_said",
    table("y_true,score", list(zip(named("1.0", "0.0"), SCORE, strict=True))),
    scored("1", "0"),
    options={"pos_label": "0.0"},
)
add(
    "one_class_written_in_two_ways",
    table("y_true,score", list(zip(["0", "1", "1.0"] * 4, SCORE, strict=True))),
    Meaning(["0", "1.0", "1.0"] * 4, ("0", "1.0"), score=SCORE),
    options={"pos_label": "1.0"},
)
add(
    "whole_floats_in_columns",
    table(
        "y_true,p_0.0,p_1.0",
        [(t, f"{1 - s:.2f}", s) for t, s in zip(named("0.0", "1.0"), SCORE, strict=True)],
    ),
    scored("0", "1"),
)
add(
    "whole_floats",
    table("y_true,score", [(f"{t}.0", s) for t, s in zip(TRUTH, SCORE, strict=True)]),
    scored("0", "1"),
)

# --- Typed columns -------------------------------------------------------------------------------

add("typed_integers", arrow(y_true=TRUTH, score=SCORE), scored("0", "1"))
add("typed_floats", arrow(y_true=[float(t) for t in TRUTH], score=SCORE), scored("0", "1"))
add("typed_booleans", arrow(y_true=[bool(t) for t in TRUTH], score=SCORE), scored("False", "True"))
add("typed_text", arrow(y_true=named("no", "yes"), score=SCORE), scored("no", "yes"))
add(
    "large_text",
    arrow(y_true=(named("no", "yes"), "large_string"), score=SCORE),
    scored("no", "yes"),
)
EIGHTHS = [0.125, 0.25, 0.375, 0.25, 0.5, 0.625, 0.5, 0.75, 0.875, 0.125, 1.0, 0.625]
add(
    "single_precision",
    arrow(y_true=(TRUTH, "int8"), score=(EIGHTHS, "float32")),
    scored("0", "1", EIGHTHS),
)
add(
    "categories",
    arrow(y_true=((TRUTH, ["no", "yes"]), "dictionary"), score=SCORE),
    scored("no", "yes"),
)
add(
    "unused_categories",
    arrow(
        y_true=(([t + 1 for t in TRUTH], ["maybe", "no", "yes", "never"]), "dictionary"),
        score=SCORE,
    ),
    scored("no", "yes"),
)
add(
    "typed_classes",
    arrow(y_true=TRUTH, p_0=[1 - s for s in EIGHTHS], p_1=EIGHTHS),
    scored("0", "1", EIGHTHS),
)
add(
    "boolean_classes",
    arrow(y_true=[bool(t) for t in TRUTH], p_true=EIGHTHS),
    scored("False", "True", EIGHTHS),
)
add(
    "integer_scores",
    arrow(y_true=named("no", "yes"), score=[0, 3, 1, 7, 9, 4, 2, 8, 6, 1, 9, 0]),
    scored("no", "yes", [0, 3, 1, 7, 9, 4, 2, 8, 6, 1, 9, 0]),
)
add(
    "typed_weights",
    arrow(y_true=TRUTH, score=TIED, sample_weight=(REPEATED, "int32")),
    scored("0", "1", TIED, weight=REPEATED),
)

# --- Several classes -----------------------------------------------------------------------------

CLASS_TRUTH = list("abcabcab")
PROBA = [
    (0.5, 0.25, 0.25),
    (0.25, 0.625, 0.125),
    (0.375, 0.25, 0.375),
    (0.75, 0.125, 0.125),
    (0.5, 0.5, 0.0),
    (0.0, 0.125, 0.875),
    (0.25, 0.5, 0.25),
    (0.375, 0.375, 0.25),
]


def classed(heading: str, truth: Sequence[Any], proba: Sequence[Sequence[Any]]) -> str:
    return table(heading, [(t, *row) for t, row in zip(truth, proba, strict=True)])


add(
    "three_classes",
    classed("y_true,p_a,p_b,p_c", CLASS_TRUTH, PROBA),
    Meaning(CLASS_TRUTH, "abc", proba=PROBA),
)
add(
    "three_classes_confidence",
    classed("y_true,p_a,p_b,p_c", CLASS_TRUTH, PROBA),
    Meaning(CLASS_TRUTH, "abc", proba=PROBA),
    options={"confidence": 0.5},
    ways=("library", "command line", "engine"),
)
GAPS = [row if at not in (2, 5) else None for at, row in enumerate(PROBA)]
WITH_GAPS = [row or (0.5, "", 0.5) for row in GAPS]
add(
    "three_classes_with_gaps",
    classed("y_true,p_a,p_b,p_c", CLASS_TRUTH, WITH_GAPS),
    Meaning(CLASS_TRUTH, "abc", proba=GAPS),
    options={"missing": "abstain"},
    notes=("no score in 2 of 8 rows; abstained on",),
    ways=("library", "command line", "engine", "report"),  # the page refuses them
)
ROUNDED = [(0.33, 0.33, 0.33), (0.17, 0.5, 0.33), (0.2, 0.2, 0.6), (0.67, 0.17, 0.17)]
add(
    "rounded_probabilities",
    classed("y_true,p_a,p_b,p_c", "abca", ROUNDED),
    Meaning("abca", "abc", proba=ROUNDED),
    notes=("rounded",),
)
add(
    "three_classes_weighted",
    table(
        "y_true,p_a,p_b,p_c,weight",
        [(t, *row, w) for t, row, w in zip(CLASS_TRUTH, PROBA, REPEATED, strict=False)],
    ),
    Meaning(CLASS_TRUTH, "abc", proba=PROBA, weight=REPEATED[:8]),
)
add(
    "columns_in_another_order",
    classed(
        "p_c,y_true,p_a,p_b",
        [row[2] for row in PROBA],
        [(t, *row[:2]) for t, row in zip(CLASS_TRUTH, PROBA, strict=True)],
    ),
    Meaning(CLASS_TRUTH, "abc", proba=PROBA),
)
add(
    "class_that_never_occurs",
    classed("y_true,p_a,p_b,p_c", "abab", PROBA[:4]),
    Meaning("abab", "abc", proba=PROBA[:4]),
)
add(
    "numbered_classes",
    arrow(
        y_true=[1, 2, 3, 1, 2, 3, 1, 2],
        p_1=[row[0] for row in PROBA],
        p_2=[row[1] for row in PROBA],
        p_3=[row[2] for row in PROBA],
    ),
    Meaning(list("12312312"), "123", proba=PROBA),
)
add(
    "single_precision_classes",
    arrow(
        y_true=CLASS_TRUTH,
        p_a=([row[0] for row in PROBA], "float32"),
        p_b=([row[1] for row in PROBA], "float32"),
        p_c=([row[2] for row in PROBA], "float32"),
    ),
    Meaning(CLASS_TRUTH, "abc", proba=PROBA),
)

# --- Sets ----------------------------------------------------------------------------------------


def written(name: str, cells: Sequence[str], **rest: Any) -> None:
    rows = [
        (t, '"' + cell.replace('"', '""') + '"') for t, cell in zip(SET_TRUTH, cells, strict=True)
    ]
    meaning = Meaning(SET_TRUTH, "abc", sets=rest.pop("sets", SETS))
    add(name, table("y_true,y_set", rows), meaning, **rest)


written("sets_bars", ["a", "b", "a|b", "c", "a|b|c", "b|c"])
written("sets_bars_spaced", ["a", " b ", "a | b", "c", "c|b|a", "b| c"])
written("sets_braces", ["{a}", "{b}", "{a, b}", "{c}", "{a, b, c}", "{b, c}"])
written("sets_braces_tight", ["{a}", "b", "{b,a}", "{c}", "{a,b,c}", "{c,b}"])
written(
    "sets_python_lists", ["['a']", "['b']", "['a', 'b']", "['c']", "['a', 'b', 'c']", "['b', 'c']"]
)
written("sets_json_lists", ['["a"]', '["b"]', '["a","b"]', '["c"]', '["a","b","c"]', '["b","c"]'])
written("sets_tuples", ["('a',)", "('b',)", "('a', 'b')", '("c",)', '("a","b","c")', "('b', 'c')"])
written("sets_mixed", ["a", "{b}", "a|b", "['c']", '["a", "b", "c"]', "(b, c)"])
written("sets_repeated", ["a|a", "b", "a|a|b", "c", "a|b|c|c", "b|c"], notes=("twice",))
written(
    "sets_empty_abstain",
    ["a", "", "{}", "[]", "()", "∅"],
    sets=[{"a"}] + [set("abc")] * 5,
    options={"empty": "abstain"},
)
written(
    "sets_empty_wrong",
    ["a", "", "{}", "[]", "a|b|c", "∅"],
    sets=[{"a"}, set(), set(), set(), set("abc"), set()],
    options={"empty": "wrong"},
)
written(
    "sets_abstain_in_words",
    ["a", "abstain", "?", "Reject", "⊥", "b|c"],
    sets=[{"a"}] + [set("abc")] * 4 + [set("bc")],
    notes=("means abstaining (4 of 6 rows)",),
)
add(
    "class_called_reject",
    table("y_true,y_set", [("reject", "reject"), ("grant", "abstain"), ("grant", "grant")]),
    Meaning(
        ["reject", "grant", "grant"],
        ["grant", "reject"],
        sets=[{"reject"}, {"grant", "reject"}, {"grant"}],
    ),
)
for column in ("set", "sets", "y_set", "prediction_set"):
    add(
        f"column_called_{column}",
        table(f"y_true,{column}", [("a", "a"), ("b", "a|b"), ("c", "b")]),
        Meaning("abc", "abc", sets=[{"a"}, set("ab"), {"b"}]),
    )
add(
    "blank_cell_wrong",
    table("y_true,y_set", [("a", "a"), ("b", ""), ("c", "c"), ("b", "b")]),
    Meaning("abcb", "abc", sets=[{"a"}, set(), {"c"}, {"b"}]),
    options={"empty": "wrong"},
)
add(
    "bar_in_a_label",
    table("y_true,y_set", [("Gen|too", "Gen|too"), ("Adelie", "Adelie"), ("Gen|too", "Adelie")]),
    Meaning(
        ["Gen|too", "Adelie", "Gen|too"],
        ["Adelie", "Gen|too"],
        sets=[{"Gen|too"}, {"Adelie"}, {"Adelie"}],
    ),
)
for positive in "ab":
    add(
        f"sets_of_two_where_{positive}_is_positive",
        table("y_true,y_set", [("a", "a"), ("b", "a|b"), ("a", "b"), ("b", "b"), ("a", "a|b")]),
        Meaning("ababa", "ab", sets=[{"a"}, set("ab"), {"b"}, {"b"}, set("ab")]),
        options={"pos_label": positive},
    )
    add(
        f"set_columns_of_two_where_{positive}_is_positive",
        table(
            "y_true,set_a,set_b,weight",
            [("a", 1, 0, 2), ("b", 1, 0, 3), ("a", 0, 1, 1), ("b", 0, 1, 1), ("b", 1, 1, 2)],
        ),
        Meaning(
            "ababb", "ab", sets=[{"a"}, {"a"}, {"b"}, {"b"}, set("ab")], weight=[2, 3, 1, 1, 2]
        ),
        options={"pos_label": positive},
    )
add(
    "comma_in_a_label",
    table("y_true,y_set", [('"a, b"', '"a, b"'), ("[x]", "[x]"), ("c", '"a, b"'), ("c", "[x]|c")]),
    Meaning(
        ["a, b", "[x]", "c", "c"],
        ["[x]", "a, b", "c"],
        sets=[{"a, b"}, {"[x]"}, {"a, b"}, {"[x]", "c"}],
    ),
)
MEMBER = [[label in one for label in "abc"] for one in SETS]
for name, no, yes in (
    ("members_words", "false", "true"),
    ("members_digits", "0", "1"),
    ("members_yes_no", "No", "Yes"),
    ("members_letters", "n", "Y"),
):
    add(
        name,
        classed(
            "y_true,set_a,set_b,set_c",
            SET_TRUTH,
            [[yes if one else no for one in row] for row in MEMBER],
        ),
        Meaning(SET_TRUTH, "abc", sets=SETS),
    )
add(
    "members_typed",
    arrow(
        y_true=SET_TRUTH,
        set_a=[row[0] for row in MEMBER],
        set_b=[row[1] for row in MEMBER],
        set_c=[row[2] for row in MEMBER],
    ),
    Meaning(SET_TRUTH, "abc", sets=SETS),
)
add(
    "sets_typed_lists",
    arrow(y_true=SET_TRUTH, y_set=([sorted(one) for one in SETS], "list")),
    Meaning(SET_TRUTH, "abc", sets=SETS),
)
add(
    "sets_beside_probabilities",
    table(
        "y_true,p_a,p_b,p_c,y_set",
        [(t, *row, "|".join(sorted(s))) for t, row, s in zip(SET_TRUTH, PROBA, SETS, strict=False)],
    ),
    Meaning(SET_TRUTH, "abc", proba=PROBA[:6], sets=SETS),
    notes=("sets",),
)
add(
    "sets_beside_probabilities_with_gaps",
    table(
        "y_true,p_a,p_b,p_c,y_set",
        [
            (t, *row, "|".join(sorted(s)))
            for t, row, s in zip(SET_TRUTH, WITH_GAPS, SETS, strict=False)
        ],
    ),
    Meaning(SET_TRUTH, "abc", proba=GAPS[:6], sets=SETS),
    options={"missing": "abstain"},
    ways=("library", "command line", "engine", "report"),
)
add(
    "sets_weighted",
    table(
        "y_true,y_set,weight",
        [(t, "|".join(sorted(s)), w) for t, s, w in zip(SET_TRUTH, SETS, FRACTIONAL, strict=False)],
    ),
    Meaning(SET_TRUTH, "abc", sets=SETS, weight=FRACTIONAL[:6]),
)

# --- Labels as written ---------------------------------------------------------------------------

add(
    "numbers_in_sets",
    table("y_true,y_set", [("1", "1"), ("2", "1|2"), ("10", '"{2, 10}"'), ("2", "10")]),
    Meaning(["1", "2", "10", "2"], ["1", "2", "10"], sets=[{"1"}, {"1", "2"}, {"2", "10"}, {"10"}]),
)
add(
    "leading_zeros",
    table("y_true,y_set", [("01", "01"), ("1", "01"), ("1", "1"), ("01", "1|01")]),
    Meaning(["01", "1", "1", "01"], ["01", "1"], sets=[{"01"}, {"01"}, {"1"}, {"1", "01"}]),
)
LONG = ["12345678901234567890", "12345678901234567891"]
add(
    "twenty_digits",
    table("y_true,y_set", [(LONG[0], LONG[0]), (LONG[1], LONG[0]), (LONG[1], LONG[1])]),
    Meaning([LONG[0], LONG[1], LONG[1]], LONG, sets=[{LONG[0]}, {LONG[0]}, {LONG[1]}]),
)
add(
    "times_and_na",
    table("y_true,y_set", [("12:30", "12:30"), ("NA", "NA"), ("NA", "12:30|NA"), ("null", "null")]),
    Meaning(
        ["12:30", "NA", "NA", "null"],
        ["12:30", "NA", "null"],
        sets=[{"12:30"}, {"NA"}, {"12:30", "NA"}, {"null"}],
    ),
)
add(
    "one_is_not_true",
    table("y_true,y_set", [("1", "true"), ("true", "true"), ("1", "1"), ("x", "x|1")]),
    Meaning(
        ["1", "true", "1", "x"], ["1", "true", "x"], sets=[{"true"}, {"true"}, {"1"}, {"x", "1"}]
    ),
)
add(
    "twins",
    table("y_true,y_set", [("cat", "cat"), ("Cat", "cat"), ("Cat", "Cat"), ("dog", "dog|cat")]),
    Meaning(
        ["cat", "Cat", "Cat", "dog"],
        ["Cat", "cat", "dog"],
        sets=[{"cat"}, {"cat"}, {"Cat"}, {"dog", "cat"}],
    ),
    notes=("'Cat' and 'cat' differ",),
)
RISKS = [("bad", 0.9), ("Bad", 0.7), ("good", 0.2), ("bad", 0.4), ("good", 0.5), ("good", 0.1)]
RISKY = Meaning(
    [label if label == "bad" else "not bad" for label, _ in RISKS],
    ["not bad", "bad"],
    score=[score for _, score in RISKS],
)
TAKEN_TOGETHER = "'Bad', 'good' are taken together as 'not bad', against 'bad'"
add(
    "rest_with_a_twin",
    table("y_true,score", RISKS),
    RISKY,
    options={"pos_label": "bad"},
    notes=(TAKEN_TOGETHER, "'Bad' and 'bad' differ"),
)
add(
    "rest_without_truth",
    table(
        "y_true,score",
        [("N/A" if s == 0.7 else "?" if s == 0.5 else label, s) for label, s in RISKS],
    ),
    RISKY,
    options={"pos_label": "bad"},
    notes=("'?', 'N/A', 'good' are taken together as 'not bad', against 'bad'",),
)
add(
    "score_called_weight",
    table("y_true,weight", [(int(label == "bad"), score) for label, score in RISKS]),
    Meaning(
        [str(int(label == "bad")) for label, _ in RISKS],
        ["0", "1"],
        score=[score for _, score in RISKS],
    ),
    options={"score": "weight"},
)
add(
    "rest_of_one_column",
    table("y_true,p_bad", RISKS),
    RISKY,
    notes=(TAKEN_TOGETHER, "'Bad' and 'bad' differ"),
)
add(
    "rest_of_three_columns",
    table(
        "y_true,p_bad,p_good,p_new",
        [(label, score, 1 - score, 0.0) for label, score in RISKS if label != "Bad"],
    ),
    Meaning(
        ["bad", "not bad", "bad", "not bad", "not bad"],
        ["not bad", "bad"],
        score=[score for label, score in RISKS if label != "Bad"],
    ),
    options={"pos_label": "bad"},
    notes=("'good', 'new' are taken together as 'not bad', against 'bad'",),
)
add(
    "twins_of_scores",
    table("y_true,score", [("bad" if one == "bad" else "bad ", score) for one, score in RISKS]),
    Meaning(
        ["bad" if label == "bad" else "bad " for label, _ in RISKS],
        ["bad ", "bad"],
        score=[score for _, score in RISKS],
    ),
    options={"pos_label": "bad"},
    notes=("'bad' and 'bad ' differ",),
)
