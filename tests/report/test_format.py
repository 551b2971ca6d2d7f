"""One formatter: a number is as long as its uncertainty allows."""

from __future__ import annotations

from tests.report.core import ask_core


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
          core.withRange(core.percentBetween({ low, high }), { value: at, low, high }));""",
        shares,
    )
    assert found == [
        "3.55% (3.52% to 3.58%)",
        "86.4% (85.7% to 87.1%)",
        "50.000% (49.999% to 50.001%)",
    ]
