"""Every display at once: hostile names, other styles, texts that do not overlap."""

from __future__ import annotations

import io
import itertools

import pytest
from matplotlib import pyplot, style
from matplotlib.text import Text

from cautious import displays

HOSTILE = [
    (("$x_{", ""), ("<script>alert(1)</script>", "$\\frac$", "_a{b}%#&~^\\")),
    (("🦄 \x00\x07", "x" * 10_000), ("y" * 10_000, "z\n\t\r\u2028" * 3_000, "\u202emirrored")),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Glyph .* missing from:UserWarning")
@pytest.mark.parametrize(("names", "classes"), HOSTILE, ids=["syntax", "length"])
def test_any_name_is_drawn(gallery, names, classes):
    drawn = gallery(names, classes)
    assert {type(display).__name__ for display in drawn} == set(displays.__all__)
    for display in drawn:
        assert len(display.frame())
        legend = display.ax_.get_legend()
        assert display.ax_.get_title() or legend.get_title().get_text()
        text = " ".join(t.get_text() for t in display.figure_.findobj(Text))
        assert len(text) < 3_000


@pytest.mark.slow
def test_texts_do_not_overlap(gallery):
    for display in gallery(("random forest", "naive Bayes"), ("healthy", "ill", "unknown")):
        if display.ax_.name == "3d":
            continue  # their texts are turned, so boxes say nothing
        isolines = getattr(display, "isolines_", None)
        on_lines = [] if isolines is None else isolines.labelTexts
        ticks = [
            t
            for axis in (display.ax_.xaxis, display.ax_.yaxis)
            for t in axis.get_ticklabels()
        ]  # fmt: skip
        shown = [
            t
            for t in display.figure_.findobj(Text)
            if t.get_visible() and t.get_text().strip() and t not in on_lines
            and (display.ax_.axison or t not in ticks)
            and t not in (display.ax_.xaxis.offsetText, display.ax_.yaxis.offsetText)
        ]  # fmt: skip
        inside = display.figure_.bbox.padded(1)
        boxes = [(t, t.get_window_extent()) for t in shown]
        drawn = [(t, b) for t, b in boxes if not _hidden_tick(t, display.ax_)]
        for text, box in drawn:
            assert inside.x0 <= box.x0, (display, text)
            assert box.x1 <= inside.x1, (display, text)
        for (a, box), (b, other) in itertools.combinations(drawn, 2):
            assert not box.padded(-1).overlaps(other.padded(-1)), (display, a, b)


def _hidden_tick(text, ax):
    """Tick labels exist beyond the limits of an axis, too, but are not drawn."""
    for axis in (ax.xaxis, ax.yaxis):
        if text in axis.get_ticklabels():
            low, high = sorted(axis.get_view_interval())
            at = text.get_position()[0 if axis is ax.xaxis else 1]
            return not low <= at <= high
    return False


def test_user_styles_are_honoured(binary):
    with style.context("dark_background"):
        drawn = displays.CapacityDisplay.from_predictions(
            binary.y, binary.sets, classes=binary.labels
        )
        cycle = pyplot.rcParams["axes.prop_cycle"].by_key()["color"]
        assert drawn.lines_[0].get_color() == cycle[0]
        drawn.figure_.savefig(io.BytesIO(), format="svg")


@pytest.mark.slow
def test_every_display_takes_a_style(gallery):
    with style.context("dark_background"):
        for display in gallery(("one", "two"), ("a", "b", "c")):
            display.figure_.savefig(io.BytesIO(), format="svg")


def test_dollar_signs_are_drawn_as_such(binary):
    names = dict(zip(["$5", "_hidden", "x" * 99], [binary.sets["shy"]] * 3, strict=True))
    display = displays.CapacityDisplay.from_predictions(binary.y, names, classes=binary.labels)
    display.figure_.canvas.draw()
    words = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert words[1].startswith(r"\$5 (")
    assert "_hidden (" in words[2]
    assert words[3].startswith("x" * 31 + "… (")
