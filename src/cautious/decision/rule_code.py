"""A rule as a short program: plain Python that answers alike where this library is not there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cautious._labels import label_text
from cautious._messages import ROUNDING
from cautious._typing import Floats, Mask
from cautious.costs import SetCosts, utility_costs
from cautious.costs._set_costs import answer_sets
from cautious.costs._tables import AnswerCosts
from cautious.decision.optimal._candidates import all_candidates
from cautious.decision.optimal._solver import parts_of_costs, rounded
from cautious.errors import InputError

if TYPE_CHECKING:
    from cautious.decision.rule import Rule

# A table of all sets has 2^K − 1 rows: with more classes it is no short program any more.
_MOST_CLASSES = 5

_PROGRAM = '''"""{title}

Usage: python rule.py < cases.csv > answers.csv
"""
import csv
import itertools
import sys

{constants}

def number(cell):
    cell = cell.strip()
    if cell.lower() in ("", "nan", "na", "null", "none"):
        return None
    value = float(cell)
    if value != value or "_" in cell:
        raise ValueError(cell + " is not a number")
    return value


def read(row):
{read}

def answer({values}):
{body}

sys.stdin.reconfigure(encoding="utf-8", newline="")
head = sys.stdin.readline()
mark = head[: head.startswith("\\ufeff")]
sep = max(",;\\t", key=head.count)
sys.stdout.reconfigure(encoding="utf-8-sig" if mark else "utf-8", newline="")
rows = csv.DictReader(itertools.chain([head[len(mark) :]], sys.stdin), delimiter=sep)
if "{target}" in rows.fieldnames:
    sys.exit("there is a column {target} already")
cases = []
for row in rows:
    if None in row or None in row.values():
        sys.exit("line " + str(rows.line_num) + " has not as many cells as the heading")
    try:
        cases.append((rows.line_num, row, read(row)))
    except ValueError as error:
        sys.exit("line " + str(rows.line_num) + ": " + str(error))
{sums}names = [*rows.fieldnames, "{target}"]
writer = csv.DictWriter(sys.stdout, names, delimiter=sep.replace("\\t", ","), lineterminator="\\n")
writer.writeheader()
for _, row, {values} in cases:
    writer.writerow(row | {{"{target}": ANSWERS[-1] if {values} is None else answer({values})}})
'''

_READ_SCORE = """    return number(row[SCORE])
"""
_WINDOW = """    if score >= UPPER:
        return ANSWERS[1]
    return ANSWERS[0] if score <= LOWER else ANSWERS[2]
"""

_NO_PROBABILITY = "is not a probability; they lie between 0 and 1"
_READ_PROBABILITY = f"""    score = number(row[SCORE])
    if score is not None and not 0 <= score <= 1:
        raise ValueError(str(score) + " {_NO_PROBABILITY}")
    return None if score is None else [1 - score, score]
"""
_READ_ALL = f"""    p = [number(row[name]) for name in COLUMNS]
    if None in p:
        return None
    for each in p:
        if not 0 <= each <= 1:
            raise ValueError(str(each) + " {_NO_PROBABILITY}")
    return p
"""
_LEAST_DECIMALS, _MOST_DECIMALS = ROUNDING["least_decimals"], ROUNDING["most_decimals"]
_EXACT, _WIDEST = ROUNDING["exact"], ROUNDING["most"]
# How far a row may be from 1 depends on the decimals of all rows, as where files are read.
_SUMS = f"""known = [p for _, _, p in cases if p is not None]
places = (d for d in range({_LEAST_DECIMALS}, {_MOST_DECIMALS + 1})
          if all(abs(q - round(q, d)) < 1e-7 for p in known for q in p))
off = min(max(len(COLUMNS) * 0.5 * 10.0 ** -next(places, 9), {_EXACT}), {_WIDEST}) + 1e-9
for line, _, p in cases:
    if p is not None and abs(sum(p) - 1) > off:
        sys.exit("line %s: the probabilities add up to %.6g; each row must add up to 1"
                 % (line, sum(p)))
"""
_DIVIDED = """    if abs(sum(p) - 1) > 5e-7:  # rounded when it was written
        p = [each / sum(p) for each in p]
"""

_LIKELY = """    best = p.index(max(p))
    return ANSWERS[best] if p[best] >= LEAST[best] else ANSWERS[-1]
"""

_CHEAP = """    costs = [sum(q * c for q, c in zip(p, line)) for line in COSTS]
    best, saving = first_of_equals(costs), costs[-1] - min(costs)
    if best == len(costs) - 1:  # abstaining costs less than every answer
        best = first_of_equals(costs[:-1])
        saving = min(costs[-1] - min(costs[:-1]), -1 / PARTS)
    return ANSWERS[best] if round(saving * PARTS) / PARTS >= LEAST[best] else ANSWERS[-1]


def first_of_equals(costs):
    most = min(costs) + 1e-12 * min(costs) + 1e-15 * max(map(max, COSTS))
    return next(at for at, cost in enumerate(costs) if cost <= most)
"""

_SETS = """    costs = [sum(q * c for q, c in zip(p, line)) for line in COSTS]
    most = min(costs) + 1e-12 * min(costs) + 1e-15 * max(map(max, COSTS))
    return SETS[next(at for at, cost in enumerate(costs) if cost <= most)]
"""


def rule_code(rule: Rule, score: str | None = None) -> str:
    """Write a rule as a program of fifty to eighty lines that needs nothing but Python."""
    k = rule.n_classes
    constants: dict[str, Any] = {}
    divided = "" if k == 2 else _DIVIDED
    if rule.ends is not None:
        # An infinite threshold is never reached, not even by an infinite score; nan never is.
        lower, upper = rule.ends
        ends = {"LOWER": (lower, -math.inf), "UPPER": (upper, math.inf)}
        constants = {name: math.nan if at == end else at for name, (at, end) in ends.items()}
        body = _WINDOW
    elif rule.kind == "confidence" or (rule.kind == "class_thresholds" and rule.costs is None):
        constants = {"LEAST": list(rule.least)}
        body = divided + _LIKELY
    elif rule.kind == "class_thresholds":
        assert rule.costs is not None
        table = rule.costs.answer_values()
        parts = parts_of_costs(rule.costs)
        least = rounded(np.array(rule.thresholds), parts).tolist()
        table = table - table.min(axis=0)
        constants = {"LEAST": least, "PARTS": parts, "COSTS": table.tolist()}
        body = divided + _CHEAP
    else:
        if k > _MOST_CLASSES:
            raise InputError(
                "a rule of the kind {kind} chooses among all sets of classes, and {n} classes have "
                "too many for a short program; there is one for up to {most} classes. Use "
                "`cautious apply`.",
                kind=repr(rule.kind),
                n=k,
                most=_MOST_CLASSES,
            )
        priced = rule.costs if rule.worth is None else utility_costs(k, rule.worth)
        assert priced is not None
        sets, costs = sets_and_costs(priced)
        constants = {"SETS": rule.texts(sets), "COSTS": costs.tolist()}
        body = divided + _SETS
    answers = rule.texts(np.vstack([np.eye(k, dtype=np.bool_), np.ones((1, k), dtype=np.bool_)]))
    proba = list(rule.tuned_proba.values()) or [f"p_{label_text(label)}" for label in rule.classes]
    column = score or rule.tuned_column or (proba[1] if rule.tuned_proba else rule.score_column)
    values, read = "p", _READ_PROBABILITY if k == 2 else _READ_ALL
    if rule.ends is not None:
        values, read = "score", _READ_SCORE
    given = {"SCORE": column} if k == 2 else {"COLUMNS": proba}
    lines = (given | {"ANSWERS": answers} | constants).items()
    return _PROGRAM.format(
        title=rule.describe().replace("\\", "/").replace('"', "'"),
        constants="".join(f"{name} = {_literal(value)}\n" for name, value in lines),
        values=values,
        target=rule.answer_column,
        read=read,
        body=body,
        sums=_SUMS if k > 2 else "",
    )


def sets_and_costs(costs: SetCosts, *, answers: bool = False) -> tuple[Mask, Floats]:
    """List the sets, preferred ones first, or single answers, and what each costs by truth."""
    if answers or isinstance(costs, AnswerCosts):
        table = costs.answer_values()
        return answer_sets(costs.n_classes), table - table.min(axis=0)
    return all_candidates(costs)


def _literal(value: Any) -> str:
    """Write numbers and lists as Python; infinite numbers have no literal."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)
