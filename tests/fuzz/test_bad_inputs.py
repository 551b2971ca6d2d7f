"""Bad inputs and the answers to them: the page ``docs/bad_inputs.md`` says what the library says.

``python -m tests.fuzz.test_bad_inputs`` writes the page anew.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.conformance.refusals import REFUSALS
from tests.fuzz.fuzz_commands import error_of, run
from tests.fuzz.fuzz_effort import attempt

from cautious._cases import cases_of_sets
from cautious._checks import check_mask
from cautious._random import bootstrap_weights
from cautious.costs import SetCosts, as_costs, class_selective, discounted, p_discounted, zero_one
from cautious.decision import threshold_rule
from cautious.metrics import coverage_score
from cautious.report import build_report
from cautious.sets import as_mask

PAGE = Path(__file__).parents[2] / "docs" / "bad_inputs.md"
Answer = Callable[[Path], str]
SCORES = "y_true,score\n0,0.1\n1,0.9\n0,0.4\n"
MATRIX = "cost,cat,dog\ncat,0,1\ndog,1,0\n"


def of_file(
    content: str | bytes, *args: str, name: str = "p.csv", verb: str = "evaluate"
) -> Answer:
    """The answer of a command to a file."""

    def answer(folder: Path) -> str:
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
        return error_of(run(folder, verb, name, *args))

    return answer


def of_command(*args: str) -> Answer:
    """The answer of a command beside a good file, ``p.csv``."""

    def answer(folder: Path) -> str:
        (folder / "p.csv").write_text(SCORES)
        return error_of(run(folder, *args))

    return answer


def of_call(call: Callable[[], Any]) -> Answer:
    """The answer of a function."""

    def answer(_: Path) -> str:
        _, refusal = attempt(call)
        assert refusal is not None
        return refusal

    return answer


def _frame(rows: list[Any], columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(
        np.ones((len(rows), len(columns))), pd.Index(rows, tupleize_cols=False), columns
    )


_MASK = np.array([[True, False], [True, True]])
_P = [[0.2, 0.8], [0.5, 0.5]]

GROUPS: dict[str, dict[str, Answer]] = {
    "Files of predictions (`cautious evaluate p.csv`)": {
        "no such file": of_command("evaluate", "nowhere.csv"),
        "a folder": of_command("evaluate", "."),
        "a device, such as `/dev/zero`": of_command("evaluate", "/dev/zero"),
        "an Excel workbook": of_file(b"PK\x03\x04", name="p.xlsx"),
        "Parquet through a pipe": lambda folder: error_of(
            run(folder, "evaluate", "-", stdin=b"PAR1")
        ),
        "gzip, cut short": of_file(gzip.compress(SCORES.encode() * 99, mtime=0)[:60]),
        "an empty file": of_file(""),
        **{
            one.name: of_file(one.content, name=one.file)
            for one in REFUSALS
            if not one.options and isinstance(one.content, str)
        },
    },
    "Options of the command line": {
        "a column that is not there": of_command("evaluate", "p.csv", "--truth", "y_ture"),
        "options that exclude each other": of_command("evaluate", "p.csv", "--json", "--csv"),
        "too little to go by": of_command("tune", "p.csv", "--abstain", "1"),
        "a positive class that does not occur": of_command("evaluate", "p.csv", "--positive", "2"),
        "an output that is an input": of_command(
            "tune", "p.csv", "--max-error", "0", "-o", "p.csv"
        ),
        "an output in no folder": of_command(
            "tune", "p.csv", "--max-error", "0", "-o", "nowhere/t"
        ),
        "a file given twice": of_command("compare", "p.csv", "p.csv"),
        "a data set that is not there": of_command("datasets", "show", "irris"),
        "more replicates than anybody waits for": of_command(
            "evaluate", "p.csv", "--confidence-level", "0.9", "--resamples", "9999999999"
        ),
    },
    "Cost tables": {
        "too few columns": of_file("cost,cat\ncat,0\n", verb="audit"),
        "a cost left out": of_file("cost,cat,dog\ncat,0,\ndog,1,0\n", verb="audit"),
        "a thousands separator": of_file('cost,cat,dog\ncat,0,"1,000"\ndog,1,0\n', verb="audit"),
        "a negative cost": of_file("cost,cat,dog\ncat,0,-1\ndog,1,0\n", verb="audit"),
        "a row that is no class": of_file("cost,cat,dog\ncat,0,1\nemu,1,0\n", verb="audit"),
        "a set twice": of_file(MATRIX + '"{cat, dog}",1,1\ncat|dog,1,1\n', verb="audit"),
        "a set that can be read in two ways": of_call(
            lambda: SetCosts.from_table(_frame(["{a, b}"], ["a", "b", "a, b"]))
        ),
        "a set that the table does not list": of_call(
            lambda: SetCosts.from_table(_frame(["a"], ["a", "b"])).of([[True, True]])
        ),
        "rewards, or a table turned on its side": of_call(
            lambda: as_costs([[0, 100], [20, 0], [-2, 3]]).normal_form()
        ),
        "a matrix that is not square": of_call(lambda: discounted([[0, 1, 2], [1, 0, 2]])),
        "text for a number": of_call(lambda: p_discounted(zero_one(2), "half")),
        "a fraction for a count": of_call(lambda: zero_one(2.5)),
        "too expensive a second class": of_call(lambda: class_selective([1, 1], 0.5)),
    },
    "Arrays of labels and sets": {
        "a truth that is missing": of_call(lambda: coverage_score(["a", None], _MASK)),
        "a truth hidden in a masked array": of_call(
            lambda: coverage_score(np.ma.masked_array(["a", "b"], [False, True]), _MASK)
        ),
        "a truth that is no class": of_call(lambda: coverage_score([0, 5], _MASK, classes=[0, 1])),
        "more rows on one side": of_call(lambda: coverage_score([0, 1, 0], _MASK)),
        "columns without labels": of_call(lambda: coverage_score([0, 0], _MASK)),
        "a class given twice": of_call(lambda: as_mask(["a"], ["a", "a"])),
        "an empty set": of_call(lambda: check_mask([[True, False], [False, False]])),
        "probabilities in the place of sets": of_call(lambda: check_mask(np.array(_P))),
        "a set hidden in a masked array": of_call(
            lambda: check_mask(np.ma.masked_array(_MASK, ~_MASK))
        ),
        "sets of several confidence levels": of_call(
            lambda: as_mask(np.ones((2, 2, 3), dtype=bool), [0, 1])
        ),
        "a matrix that may be labels": of_call(lambda: as_mask([[1, 0], [0, 1]], [0, 1])),
        "labels without classes": of_call(lambda: as_mask(["a", "b"])),
        "nothing at all": of_call(lambda: cases_of_sets([], [])),
    },
    "Arrays of numbers": {
        "rows that do not add up to 1": of_call(lambda: threshold_rule([[0.5, 0.6]], 0.5)),
        "nan": of_call(lambda: threshold_rule([[0.5, np.nan]], 0.5)),
        "text": of_call(lambda: threshold_rule([["low", "high"]], 0.5)),
        "complex numbers": of_call(lambda: threshold_rule(np.array(_P) + 0j, 0.5)),
        "dates": of_call(
            lambda: coverage_score([0, 1], _MASK, sample_weight=pd.date_range("2020", periods=2))
        ),
        "a sparse matrix": of_call(lambda: threshold_rule(sparse.csr_matrix(_P), 0.5)),
        "rows of different lengths": of_call(lambda: threshold_rule([[1.0], [0.5, 0.5]], 0.5)),
        "a masked array": of_call(
            lambda: threshold_rule(np.ma.masked_array(_P, np.array(_P) > 0.6), 0.5)
        ),
        "a flat list for a matrix": of_call(lambda: threshold_rule([0.2, 0.8], 0.5)),
        "a negative weight": of_call(lambda: coverage_score([0, 1], _MASK, sample_weight=[1, -1])),
        "a stratum that is missing": of_call(
            lambda: bootstrap_weights(np.ones(2), 5, strata=["a", None])
        ),
    },
    "Reports (`build_report`)": {
        "nothing to report on": lambda folder: _refused(folder, {}),
        "an unknown key": lambda folder: _refused(folder, {"m": {"y_true": [0, 1], "y_prob": []}}),
        "one class only": lambda folder: _refused(folder, {"m": ([0, 0], [0.1, 0.2])}),
        "a table without predictions": lambda folder: _refused(
            folder, {"m": pd.DataFrame({"y_true": [0, 1]})}
        ),
        "a cost that is a word": lambda folder: _refused(
            folder,
            {"m": ([0, 1], [0.1, 0.9])},
            costs={"false_negative": "high", "false_positive": 1, "abstain": 1},
        ),
    },
}


def _refused(folder: Path, predictions: Any, **options: Any) -> str:
    _, refusal = attempt(lambda: build_report(predictions, folder / "r.html", **options))
    assert refusal is not None
    assert not (folder / "r.html").exists()
    return refusal


_HEAD = """# Bad inputs and their answers

What is read is either answered rightly or refused by a message that says what is wrong, where it is
and what to do next. Nothing is guessed at, no input is changed, and no output is left half written.
On the command line a refusal is one line on standard error and exit code 2; in Python it is a
`ValueError` or a `TypeError` (an `OSError` for files). The answers below are what the library says:
a test runs each case and compares.
"""
_TAKEN = """
## Read without complaint

- CSV with commas, semicolons or tabs; with a byte order mark; with any line ends; packed by gzip,
  whatever the file is called; from standard input (`-`) or a pipe.
- Labels such as `NA`, `None` and `007`: they stay text.
- Numbers of any real type, in lists, arrays of any order and stride, read-only or memory-mapped
  arrays, and pandas columns, the nullable and the Arrow-backed among them. Probabilities of half or
  single precision may add up as badly as rounding makes them.
- Labels as text, numbers, booleans, categories, or a mixture; in pandas, rows are matched by
  position and never by the index.
- Sets as a matrix of booleans or of 0s and 1s (dense, sparse, or a frame with named columns in any
  order), as lists of labels, as single labels with `None`, NaN or −1 for "don't know", and as MAPIE
  and crepes return them.
- Classes whose names hold commas, braces or bars, and classes called `⊥`. Where a written set can
  be read in two ways, that is said.
"""


def _cell(text: str) -> str:
    return "``" + text.replace("|", "\\|") + "``"


def answered() -> dict[str, dict[str, str]]:
    """Run every case, each in a folder of its own."""
    texts: dict[str, dict[str, str]] = {}
    for title, cases in GROUPS.items():
        texts[title] = {}
        for given, answer in cases.items():
            with tempfile.TemporaryDirectory() as folder:
                texts[title][given] = answer(Path(folder))
    return texts


def render(answers: dict[str, dict[str, str]]) -> str:
    """Write the page."""
    parts = [_HEAD]
    for title, cases in answers.items():
        parts.append(f"\n## {title}\n\n| given | answer |\n| --- | --- |\n")
        parts += [f"| {given} | {_cell(text)} |\n" for given, text in cases.items()]
    return "".join([*parts, _TAKEN])


@pytest.fixture(scope="module")
def answers():
    return answered()


def test_the_page_is_what_running_the_cases_gives(answers):
    written = PAGE.read_text(encoding="utf-8")
    made = render(answers)
    for old, new in zip(written.splitlines(), made.splitlines(), strict=False):
        assert old == new, "python -m tests.fuzz.test_bad_inputs writes the page anew"
    assert written == made


@pytest.mark.parametrize("title", sorted(GROUPS))
def test_answers_are_of_some_use(title, answers):
    for given, text in answers[title].items():
        assert 20 < len(text) < 500, (given, text)
        assert "\n" not in text, (given, text)
        # Words of numpy, pandas or Python are nobody's help.
        for foreign in ("np.str", "np.int", "np.float", "at 0x", "object at", "ndarray", "lambda"):
            assert foreign not in text, (given, text)


if __name__ == "__main__":
    PAGE.write_text(render(answered()), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
