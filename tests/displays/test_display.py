from __future__ import annotations

import sys

import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from cautious import displays
from cautious.displays._display import LINES, OKABE_ITO, line_styles, plain_text


def test_missing_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'cautious\[plots\]'"):
        displays.UtilityDisplay("u65").plot()


def test_axes_are_reused():
    figure, axes = pyplot.subplots(1, 2)
    before = pyplot.get_fignums()
    display = displays.UtilityDisplay("u65").plot(axes[1])
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    assert pyplot.get_fignums() == before
    assert not axes[0].lines


def test_figure_of_a_subfigure_is_the_whole_figure():
    figure = pyplot.figure()
    part = figure.subfigures(1, 2)[0]
    assert displays.UtilityDisplay("u65").plot(part.subplots()).figure_ is figure


def test_wrong_axes_are_refused(binary):
    _, axes = pyplot.subplots(1, 2)
    with pytest.raises(TypeError, match="ax is of type ndarray"):
        displays.UtilityDisplay("u65").plot(axes)
    with pytest.raises(ValueError, match="projection='3d'"):
        displays.CostSurfaceDisplay.from_predictions(
            binary.y, binary.score["Bayes"], pos_label="ill", projection="3d", ax=axes[0]
        )


def test_lines_differ_in_more_than_colour():
    looks = line_styles(40)
    assert [look["color"] for look in looks[:3]] == list(OKABE_ITO[:3])
    for key in ("color", "linestyle", "marker"):
        assert len({str(look[key]) for look in looks[: len(LINES)]}) == len(LINES)
    assert len({tuple(map(str, look.values())) for look in looks}) == 40


def test_own_colours_are_taken():
    with pyplot.rc_context({"axes.prop_cycle": pyplot.cycler(color=["red", "lime"])}):
        assert [to_hex(look["color"]) for look in line_styles(3)] == [
            "#ff0000",
            "#00ff00",
            "#ff0000",
        ]
    with pyplot.rc_context({"axes.prop_cycle": pyplot.cycler(linestyle=["-"])}):
        assert line_styles(1)[0]["color"] == OKABE_ITO[0]


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("plain", "plain"),
        (3, "3"),
        (None, "None"),
        ("a$b$", r"a\$b\$"),
        ("two\nlines\tand\x00more", "two lines and more"),
        ("_x", "\u200b_x"),
        ("", "(no name)"),
        ("\ud800", "(no name)"),
        ("abcdefghij" * 4, "abcdefghij" * 3 + "a…"),
        (" " * 1000 + "a", "…"),
    ],
)
def test_plain_text(label, text):
    assert plain_text(label) == text


def test_most_characters_are_kept():
    assert plain_text("x" * 32) == "x" * 32
    assert plain_text("x" * 33, most=10) == "x" * 9 + "…"
