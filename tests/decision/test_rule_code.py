"""The program that a rule prints answers as the rule does, in a Python of its own."""

import contextlib
import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import cautious
from cautious.costs import as_costs, discounted, ordinal
from cautious.decision import Rule
from cautious.errors import InputError

TREES = ["ash", "elm", "oak"]
TABLE = [[0, 1, 2], [1, 0, 3], [4, 1, 0], [0.5, 0.5, 0.5]]
RULES = {
    "window": Rule.window(0.25, 0.75, classes=["no", "yes"]),
    "no window": Rule.window(0.5, 0.5, classes=[0, 1]),
    "half a window": Rule.window(-np.inf, 0.75, classes=['say "x"', "a\\b"]),
    "confidence": Rule.confidence(0.6, classes=TREES),
    "confidence of two": Rule.confidence(0.8, classes=["no", "yes"]),
    "thresholds": Rule.class_thresholds([0.4, np.inf, 0.5], classes=TREES),
    "thresholds with costs": Rule.class_thresholds([0, 0.1, 0.05], classes=TREES, costs=TABLE),
    "thresholds with ties": Rule.class_thresholds(
        [0, 0.3, 0], classes=TREES, costs=[[0, 7, 2], [4, 0, 1], [3, 2, 0], [1, 1, 1]]
    ),
    "two thresholds with ties": Rule.class_thresholds(
        [0, 0], classes=["no", "yes"], costs=[[0, 1], [4, 0], [0.8, 0.8]]
    ),
    "utility": Rule.utility("u80", classes=TREES),
    "utility of two": Rule.utility("u65", classes=["no", "yes"]),
    "costs of answers": Rule.set_costs(as_costs(TABLE, TREES), classes=TREES),
    "costs of sets": Rule.set_costs(discounted(ordinal(3)), classes=TREES),
}


def cases(rule):
    rng = np.random.default_rng(0)
    if len(rule.classes) == 2:
        score = np.append(rng.random(300).round(2), [0.25, 0.75, 0.5, 0.8, np.nan])
        return pd.DataFrame({"id": range(len(score)), "score": score})
    p = rng.dirichlet(np.ones(3), 300)
    tenths = rng.multinomial(10, np.full(3, 1 / 3), 60) / 10
    p = np.vstack([p.round(3), tenths, np.eye(3), [[0.5, 0.5, 0], [np.nan, 0.5, 0.5]]])
    return pd.DataFrame(p, columns=[f"p_{label}" for label in rule.classes])


@pytest.mark.parametrize("name", RULES)
def test_the_program_answers_alike(name, tmp_path):
    rule = RULES[name]
    path = tmp_path / "cases.csv"
    cases(rule).to_csv(path, index=False)
    found = cautious.apply(path, rule, tmp_path / "ours.csv")
    program = rule.to_code()
    assert len(program.splitlines()) <= 80
    assert "cautious" not in program
    (tmp_path / "rule.py").write_text(program, encoding="utf-8")
    with path.open() as opened:
        theirs = subprocess.run(
            [sys.executable, "-I", tmp_path / "rule.py"], stdin=opened, capture_output=True
        )
    assert not theirs.stderr
    assert theirs.stdout == (tmp_path / "ours.csv").read_bytes()
    (counts,) = found.counts.values()
    assert counts.missing == 1
    assert sum(counts.single) + counts.several > 0


CELLS = ["nan", "NA", "None", "", "-nan", "+nan", "N/A", "?", "inf", "-inf", "Infinity", "1e400",
         "1_000", "0x10", ".5", "5.", "+.3", " .3 ", "-0", "5e-324", ".25", ".75"]  # fmt: skip
TEXTS = [
    *(f"score,id\n{cell},a\n.9,b\n" for cell in CELLS),
    *("score;id\n.1;a\n.9;b\n", "id\tscore\na\t.1\n", "\ufeffscore,id\n.1,a\n"),
    *('\ufeffscore;id\n.1;"a;b"\n.9;c, d\n', "score,id\n"),
    *("score,id,c\n.1,a\n", "score\n.1,a\n", "score,y_set\n.1,a\n", "other\n.1\n"),
    'score,id\r\n.1,"a\nb, c"\r\n',
]


SHARES = ["31.5", "2.5", "1.0000001", "-.1", "1", "0"]
TABLES = [
    *("20,30,50", "0.2,0.3,0.4", "0.2,0.3,0.5", "0.33,0.33,0.33", "0.3333333,0.3333333,0.3333333"),
    *("1.2,-0.1,-0.1", "0.2,,0.3", "5,,0.3", "0.2,0.30001,0.5", "0.2,0.3,0.5\n0.123,0.4,0.475"),
    *("0.5,0.5,0.1", "0.1,0.1,0.7", "0.25,0.25,0.49", "inf,0,0", "0.125,0.125,0.749"),
]
REFUSED = {
    "window": (Rule.window(0.25, 0.75, classes=["no", "yes"]), TEXTS),
    "upper": (Rule.window(0.25, np.inf, classes=["no", "yes"]), TEXTS),
    "lower": (Rule.window(-np.inf, 0.75, classes=["no", "yes"]), TEXTS),
    "per cents are scores": (RULES["window"], [f"score\n.1\n{cell}\n" for cell in SHARES]),
    "confidence": (
        RULES["confidence of two"],
        TEXTS + [f"score\n.1\n{cell}\n" for cell in SHARES],
    ),
    "classes": (RULES["confidence"], [f"p_ash,p_elm,p_oak\n{rows}\n" for rows in TABLES]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_program_reads_and_refuses_alike(name, tmp_path, monkeypatch):
    rule, texts = REFUSED[name]
    program = compile(rule.to_code(), "rule.py", "exec")
    refused = 0
    for text in texts:
        (tmp_path / "cases.csv").write_bytes(text.encode())
        ours = tmp_path / "ours.csv"
        ours.unlink(missing_ok=True)
        with contextlib.suppress(InputError):
            named = {"score": "score"} if rule.n_classes == 2 else {}
            cautious.apply(tmp_path / "cases.csv", rule, ours, **named)
        told = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        monkeypatch.setattr(sys, "stdout", told)
        stopped = False
        try:
            exec(program, {})
        except (SystemExit, ValueError, KeyError):
            stopped = True
        told.flush()
        assert stopped == (not ours.exists()), text
        refused += stopped
        assert told.buffer.getvalue() == (b"" if stopped else ours.read_bytes()), text
    assert refused or name == "per cents are scores"


def test_the_program_says_what_it_refuses(monkeypatch):
    said = {
        "confidence of two": ("score\n.1\n31.5\n", "line 3: 31.5 is not a probability; they"),
        "confidence": ("p_ash,p_elm,p_oak\n0.2,0.3,0.4\n", "line 2: .* add up to 0.9; each row"),
    }
    for name, (text, message) in said.items():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
        with pytest.raises(SystemExit, match=message):
            exec(RULES[name].to_code(), {})


def test_many_sets_have_no_short_program():
    with pytest.raises(InputError, match=r"'utility' chooses among all sets .* up to 5 classes"):
        Rule.utility("u65", classes=range(6)).to_code()
