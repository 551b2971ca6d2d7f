"""Whether what was measured comes onto the honesty page as it was measured."""

import numpy as np
import pytest
from scipy import stats
from tests.statistics.conftest import HONESTY, Ledger, Row, Scribe, shortfall
from tests.statistics.trials import LONG, runs

PAGE = """Words before.

<!-- measured -->

| what | where | promised | measured | 95 % interval | trials | on |
| --- | --- | --- | --- | --- | --- | --- |
| old | a | 95 % | 90.0 % | 80.0–95.0 % | 100 | 2020-01-01 |
| share | b | 95 % | 1.0 % | 0.0–2.0 % | 100 | 2020-01-01 |

<!-- end -->

Words after.
"""


class Report:
    when = "call"

    def __init__(self, measure):
        self.user_properties = [("other", 1)]
        measure(Ledger(self.user_properties))


def written(tmp_path, *reports):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    scribe = Scribe(page)
    for report in reports:
        scribe.pytest_runtest_logreport(report)
    return page.read_text(encoding="utf-8")


def test_parts_of_a_check_add_up_and_other_rows_stay(tmp_path):
    claim = {"promised": "95 %", "between": (0.0, 1.0)}
    text = written(
        tmp_path,
        Report(lambda ledger: ledger.share("share", "b", [True] * 3 + [False], **claim)),
        Report(lambda ledger: ledger.share("share", "b", [True] * 6, **claim)),
    )
    spread = stats.binomtest(9, 10).proportion_ci(0.95, "wilson")
    ends = f"{100 * spread.low:.1f}–{100 * spread.high:.1f} %"
    assert f"| share | b | 95 % | 90.0 % | {ends} | 10 |" in text
    assert "| old | a | 95 % | 90.0 % | 80.0–95.0 % | 100 | 2020-01-01 |" in text
    assert text.count("| share |") == 1
    assert text.startswith("Words before.")
    assert text.endswith("Words after.\n")


def test_a_failed_check_is_written_too(tmp_path):
    def fails(ledger):
        with pytest.raises(AssertionError, match="0 of 50"):
            ledger.share("share", "b", [False] * 50, "95 %", (0.95, 1.0))

    assert "| share | b | 95 % | 0.0 % |" in written(tmp_path, Report(fails))


def test_means_have_intervals_of_student():
    values = np.array([0.1, 0.4, 0.2, 0.7])
    properties = []
    Ledger(properties).mean("m", "w", values, promised="–", between=(0.3, 0.4))
    [(name, (_, sums))] = properties
    assert name == HONESTY
    expected = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert Row(*sums).ends(0.95) == pytest.approx(expected)
    halves = [Row("mean", 2, part.sum(), (part**2).sum()) for part in (values[:2], values[2:])]
    assert (halves[0] + halves[1]).ends(0.95) == pytest.approx(expected)


def test_parts_have_all_trials_together():
    few, *parts = runs(7, parts=3)
    assert few == 7
    assert sum(part.values[0] for part in parts) == LONG
    assert len({part.id for part in parts}) == 3


def test_rows_that_fall_short_are_named(tmp_path):
    for what, promised, interval, words in [
        ("interval of x", "90 %", "85.0–89.9 %", "interval of x (w): m, not 90 %"),
        ("interval of x", "90 %", "85.0–90.1 %", ""),
        ("95 % interval of x", "≥ 88 %", "89.0–94.0 %", "95 % interval of x (w): m, not 95 %"),
        ("x", "≤ 10 %", "10.2–11.0 %", "x (w): m, not 10 %"),
        ("x", "at most 5 %", "4.9–11.0 %", ""),
        ("x", "≤ 10 %", "1.0–2.0 %", ""),
        ("x", "no promise", "1.0–2.0 %", ""),
        ("x", "20 % on average", "1.0–2.0 %", ""),
        ("x", "nearly 0 %", "-1.0–-0.2 %", ""),
    ]:
        assert shortfall(what, "w", promised, "m", interval) == words
    claim = {"promised": "95 %", "between": (0.0, 1.0)}
    text = written(tmp_path, Report(lambda ledger: ledger.share("share", "b", [0] * 9, **claim)))
    assert "\n\n- share (b): 0.0 %, not 95 %\n\n| what |" in text
