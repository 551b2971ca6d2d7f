"""One formatter: a number is as long as its uncertainty allows, and nothing is sure to be zero."""

from __future__ import annotations

from tests.report.core import ask_core

ESTIMATES = [
    ((0.41634, 0.39817, 0.43423), False, "0.416 (0.398 to 0.434)"),
    ((0.0007, -0.002, 0.003), False, "0.0007 (−0.0020 to 0.0030)"),
    ((12.3456, 8, 16.2), False, "12.3 (8.0 to 16.2)"),
    ((0.0213, 0.0117, 0.0342), True, "2.1% (1.2 to 3.4%)"),
    ((0.0, 0.0, 0.0036), True, "none seen (at most 0.36%)"),
    ((1.0, 0.963, 1.0), True, "all seen (at least 96.3%)"),
    (("NaN", "NaN", "NaN"), True, "–"),
    ((0.18243, 0.18241, 0.18245), True, "18.243% (18.241 to 18.245%)"),
]


def test_estimates_in_words():
    given = [[dict(zip(("value", "low", "high"), one, strict=True)), p] for one, p, _ in ESTIMATES]
    found = ask_core(
        """return given.map(([one, percents]) => {
          const numbers = Object.fromEntries(Object.entries(one).map(([k, v]) => [k, Number(v)]));
          return core.estimateText(numbers, { percents });
        });""",
        given,
    )
    assert found == [words for _, _, words in ESTIMATES]


def test_numbers_beside_each_other_have_the_same_decimals():
    given = [[0.3, 0.547], [0.000219, 1], [12.5, 0.25], [0.00001, 0.00002], [3, 40]]
    found = ask_core("return given.map((some) => some.map(core.alike(some)))", given)
    assert found == [
        ["0.300", "0.547"],
        ["0.000219", "1"],
        ["12.50", "0.25"],
        ["1.00e−5", "2.00e−5"],
        ["3", "40"],
    ]


def test_no_interval_looks_like_a_point():
    given = [
        [0.2007, 0.1991, 0.2023],
        [-0.2007, -0.2023, -0.1991],
        [0.30971, 0.30968, 0.30974],
        [0.5, 0.5, 0.5],
        [3, 1, 6],
    ]
    found = ask_core(
        """return given.map(([at, low, high]) => {
          const write = core.alike([at, low, high], 2, [{ low, high }]);
          return [at, low, high].map(write);
        });""",
        given,
    )
    assert found == [
        ["0.201", "0.199", "0.202"],
        ["−0.201", "−0.202", "−0.199"],
        ["0.30971", "0.30968", "0.30974"],
        ["0.5", "0.5", "0.5"],
        ["3", "1", "6"],
    ]
    shares = [[0.0355, 0.0352, 0.0358], [0.864, 0.857, 0.871], [0.5, 0.49999, 0.50001]]
    found = ask_core(
        """return given.map(([at, low, high]) =>
          [at, low, high].map(core.percentBetween({ low, high })));""",
        shares,
    )
    assert found == [
        ["3.55%", "3.52%", "3.58%"],
        ["86.4%", "85.7%", "87.1%"],
        ["50.000%", "49.999%", "50.001%"],
    ]
