"""The papers' figures drawn, the sheets and the page that shows them."""

import io
import re
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.image import imread
from matplotlib.text import Text

from cautious_reproduction import Cell, Figure, ReproducedFigureDisplay, Reproduction, Table
from cautious_reproduction.page import reproduction_page, write_reproduction_page
from cautious_reproduction.pictures import contact_sheet, save_figures


def lines(names=("one", "two"), points=5, **changes):
    frame = pd.DataFrame(
        [
            (panel, line, s, s * k)
            for panel in names
            for k, line in enumerate("ab", start=1)
            for s in np.logspace(-3, 1, points)
        ],
        columns=["panel", "line", "s", "cost"],
    )
    settings = {"lines": "line", "panels": "panel"} | changes
    return Figure("Fig. 3", "Costs", frame, "s", "cost", **settings)


def pairs():
    frame = pd.DataFrame({"NCC": [0.6, 0.7, 0.8], "NBC": [0.7, 0.6, 0.8], "panel": ["u65"] * 3})
    return Figure("Fig. 5", "Pairs", frame, "NCC", "NBC", None, "points", "panel")


def ranks():
    frame = pd.DataFrame(
        {
            "rank": [1.5, 2.0, 2.5, 2.5, 2.0, 1.5],
            "classifier": ["NCC", "CMA", "CDT"] * 2,
            "utility": ["u50"] * 3 + ["u65"] * 3,
            "critical_difference": [0.7] * 3 + [0.2] * 3,
        }
    )
    return Figure("Fig. 6", "Ranks", frame, "rank", "classifier", None, "ranks", "utility")


def strips():
    frame = pd.DataFrame(
        [
            *(("VI", 0.0, "{h}"), ("VI", 0.25, "{h}"), ("VI", 0.25, "{n}"), ("VI", 1.0, "{n}")),
            *(("VII", 0.0, "{h}"), ("VII", 0.5, "{h}"), ("VII", 0.5, "{n}"), ("VII", 1.0, "{n}")),
        ],
        columns=["table", "p(n)", "set"],
    ).assign(cost=0.0)
    return Figure("Fig. 2", "Decisions", frame, "p(n)", "cost", "set", "strips", "table")


def surface(lowest=0.0, panels=("J48", "RF")):
    grid = np.linspace(0, 1, 6)
    frame = pd.DataFrame(
        [(p, mu, nu, lowest + mu * nu) for p in panels for mu in grid for nu in grid],
        columns=["learner", "mu", "nu", "cost"],
    )
    return Figure(
        *("Fig. 4", "Surface", frame, "mu", "nu", None, "surface", "learner"), value="cost"
    )


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


EVERY_KIND = {"lines": lines, "points": pairs, "ranks": ranks, "strips": strips, "surface": surface}


def reproduced(*figures, quick=False, paper="yang", **settings):
    cells = [
        Cell("{h}", "J48 | x", 0.5, 0.5),
        Cell("{n}", "cost in $", 0.7, 0.5, remark="<b>misprinted</b>"),
        Cell("b", "shown only", 1.0),
        Cell("c", "input", 2.0, 2.0, given=True),
    ]
    tables = [Table("Table I", "numbers", cells, "so it is."), Table("T", "none", [cells[2]])]
    known = {"remarks": ["Said of *all*."], "quick": quick, "seconds": 90.0} | settings
    return Reproduction(paper, "Yang (2017)", tables, list(figures), **known)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_is_drawn_with_its_title(kind):
    figure = EVERY_KIND[kind]()
    display = ReproducedFigureDisplay(figure).plot()
    assert display.frame() is figure.frame
    assert display.ax_ is display.axes_[0]
    title = f"{figure.name}. {figure.title}"
    shown = display.figure_.get_suptitle() or display.ax_.get_title()
    assert shown == title
    display = display.plot(name="mine")
    assert (display.figure_.get_suptitle() or display.ax_.get_title()) == "mine"
    assert ReproducedFigureDisplay(figure).png(dpi=30).startswith(b"\x89PNG")


HOSTILE = [
    (("$x_{", ""), ("<script>alert(1)</script>", "$\\frac$")),
    (("🦄 \x00\x07", "x" * 10_000), ("y" * 10_000, "z\n\t\r\u2028" * 3_000)),
]


@pytest.mark.filterwarnings("ignore:Glyph .* missing from:UserWarning")
@pytest.mark.parametrize(("names", "classes"), HOSTILE, ids=["syntax", "length"])
def test_any_name_is_drawn(names, classes):
    one, two = names
    points = pd.DataFrame({one: [0, 0, 1, 1], "y": range(4), two: [*classes] * 2})
    display = ReproducedFigureDisplay(Figure(one, two, points, one, "y", two)).plot()
    display.figure_.canvas.draw()
    assert len(" ".join(t.get_text() for t in display.figure_.findobj(Text))) < 3_000


def test_lines_have_the_same_look_in_every_panel_and_one_legend():
    display = ReproducedFigureDisplay(lines(log_x=True)).plot()
    first, second = display.axes_
    assert [line.get_label() for line in first.lines] == ["a", "b"]
    assert [line.get_color() for line in first.lines] == [line.get_color() for line in second.lines]
    np.testing.assert_allclose(second.lines[1].get_ydata(), 2 * np.logspace(-3, 1, 5))
    assert first.get_xscale() == "log"
    assert [axes.get_title() for axes in display.axes_] == ["one", "two"]
    assert first.get_legend() is None
    assert [text.get_text() for text in display.figure_.legends[0].get_texts()] == ["a", "b"]


def test_a_single_line_needs_no_legend_and_many_points_no_markers():
    few = ReproducedFigureDisplay(lines(["one"], lines=None, panels=None)).plot()
    assert few.ax_.get_legend() is None
    assert few.ax_.get_xscale() == "linear"
    marked = ReproducedFigureDisplay(lines(["one"], panels=None)).plot().ax_.lines[0]
    plain = ReproducedFigureDisplay(lines(["one"], 30, panels=None)).plot().ax_.lines[0]
    assert marked.get_marker() == "o"
    assert plain.get_marker() == ""


def test_pairs_name_who_is_higher():
    display = ReproducedFigureDisplay(pairs()).plot()
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words == ["NCC higher on 1 data set", "NBC higher on 1 data set", "equal on 1 data set"]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("NCC", "NBC")


def test_ranks_are_joined_by_the_critical_difference_of_their_panel():
    display = ReproducedFigureDisplay(ranks()).plot()
    thick = [sum(line.get_linewidth() == 4 for line in axes.lines) for axes in display.axes_]
    assert thick == [2, 0]


def test_strips_lie_in_one_panel_and_change_where_the_data_say():
    (axes,) = ReproducedFigureDisplay(strips()).plot().axes_
    ends = [(p.get_x(), p.get_x() + p.get_width(), p.get_y() + 0.25) for p in axes.patches]
    assert ends == [(0, 0.25, 0), (0.25, 1, 0), (0, 0.5, 1), (0.5, 1, 1)]
    assert [text.get_text() for text in axes.texts] == ["{h}", "{n}", "0.25", "{h}", "{n}", "0.5"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["VI", "VII"]


def test_numbers_are_named_in_titles_and_legends():
    figure = lines(["one"], panels=None)
    figure.frame["classes"] = figure.frame["line"].map({"a": "2", "b": "3"})
    figure.frame["mu"] = figure.frame["s"].gt(0.5) / 2
    changed = replace(figure, lines="classes", panels="mu", x="nu", frame=figure.frame.rename(
        columns={"s": "nu"}))  # fmt: skip
    display = ReproducedFigureDisplay(changed).plot()
    assert [axes.get_title() for axes in display.axes_] == ["mu = 0", "mu = 0.5"]
    assert display.figure_.legends[0].get_title().get_text() == "classes"
    assert "cost of abstaining" in display.ax_.get_xlabel()


def test_long_names_fit_below_the_panels():
    figure = lines()
    frame = pd.concat(
        [figure.frame.assign(line=f"pruned tree of many branches, {i}") for i in range(6)]
    )
    display = ReproducedFigureDisplay(replace(figure, frame=frame)).plot()
    display.figure_.canvas.draw()
    box = display.figure_.legends[0].get_window_extent()
    assert display.figure_.bbox.x0 <= box.x0
    assert box.x1 <= display.figure_.bbox.x1


def test_a_line_that_a_panel_lacks_looks_alike_in_the_legend():
    figure = lines(points=30)
    frame = figure.frame[(figure.frame["panel"] == "two") | (figure.frame["line"] == "a")]
    display = ReproducedFigureDisplay(replace(figure, frame=frame)).plot()
    assert {line.get_marker() for axes in display.axes_ for line in axes.lines} == {""}
    assert [len(line.get_xdata()) for line in display.axes_[0].lines] == [30, 0]


@pytest.mark.parametrize(("panels", "shape"), [(3, (1, 3)), (4, (2, 2)), (5, (2, 3))])
def test_panels_are_arranged_in_rows(panels, shape):
    display = ReproducedFigureDisplay(surface(panels=list("abcde")[:panels])).plot()
    grid = display.ax_.get_subplotspec().get_gridspec()
    assert (grid.nrows, grid.ncols) == shape
    assert len(display.axes_) == panels == len(display.figure_.axes) - 1  # and the colour bar


def test_long_titles_are_wrapped():
    figure = replace(
        surface(panels=["one"]), title="SVM less the cheapest trivial classifier, bupa, WEKA"
    )
    display = ReproducedFigureDisplay(figure).plot()
    display.figure_.canvas.draw()
    box = display.ax_.title.get_window_extent()
    assert display.figure_.bbox.x0 <= box.x0
    assert box.x1 <= display.figure_.bbox.x1
    assert "\n" in display.ax_.get_title()


@pytest.mark.parametrize(
    ("lowest", "limits"), [(0.0, (0, 1)), (-0.75, (-0.75, 0.75)), (-0.25, (-0.75, 0.75))]
)
def test_surfaces_share_one_scale(lowest, limits):
    display = ReproducedFigureDisplay(surface(lowest)).plot()
    meshes = [axes.collections[0] for axes in display.axes_]
    assert {mesh.get_clim() for mesh in meshes} == {limits}
    assert meshes[0].get_array()[2, 3] == pytest.approx(lowest + 0.4 * 0.6)
    assert meshes[0].get_cmap().name == ("PuOr" if lowest else "viridis")


def test_what_is_not_finite_is_left_blank():
    figure = surface()
    figure.frame.loc[0, "cost"] = np.inf
    mesh = ReproducedFigureDisplay(figure).plot().axes_[0].collections[0]
    assert np.ma.getmaskarray(mesh.get_array()).sum() == 1


def test_given_axes_take_one_panel_only():
    from matplotlib.figure import Figure as Page

    axes = Page().subplots()
    one = lines(["one"], panels=None)
    assert ReproducedFigureDisplay(one).plot(axes).ax_ is axes
    with pytest.raises(ValueError, match=r"Fig\. 3 has 2 panels.*leave ax= out"):
        ReproducedFigureDisplay(lines()).plot(axes)


def test_only_figures_of_a_reproduction():
    with pytest.raises(TypeError, match="figure is of type DataFrame"):
        ReproducedFigureDisplay(pd.DataFrame())


def test_pictures_lie_beside_their_data(tmp_path):
    done = reproduced(lines(["one"], panels=None), lines(["two"], panels=None), strips())
    done.write(tmp_path)
    files = save_figures(done, tmp_path / "deep")
    assert [f.name for f in files] == ["yang-fig-3.png", "yang-fig-3-2.png", "yang-fig-2.png"]
    assert sorted(files) == sorted((tmp_path / "deep").iterdir())
    assert all((tmp_path / f.with_suffix(".csv").name).is_file() for f in files)


@pytest.mark.slow
def test_a_sheet_holds_every_figure_and_is_small():
    one = contact_sheet(reproduced(strips()))
    three = contact_sheet(reproduced(lines(), lines(), strips()))
    small = contact_sheet(reproduced(lines(), lines(), strips()), most_bytes=1)
    size = {name: imread(io.BytesIO(png)).shape[:2] for name, png in
            {"one": one, "three": three, "small": small}.items()}  # fmt: skip
    assert size["one"][1] < size["three"][1]
    assert size["three"][1] / 4 < size["small"][1] <= size["three"][1] / 3
    # Twice two panels fit into one line, the strips begin a second.
    assert size["three"][0] > 1.5 * size["one"][0]


def test_the_page_says_what_was_found(tmp_path):
    done = [reproduced(strips()), reproduced(quick=True, paper="ferri", seconds=np.nan)]
    page = reproduction_page(done, {"yang": "_static/reproduction-yang.png"})
    assert (
        "| Yang (2017) | 1 of 2 (50%) | 0 of 0 | 0 of 0 | 1 of 2 (50%) | 1 | 1 min 30 s |" in page
    )
    assert "| all | 2 of 4 (50%) | 0 of 0 | 0 of 0 | 2 of 4 (50%) | 2 |  |" in page
    assert page.splitlines()[2].startswith("**A quick pass leaves out 18 of 20 splits (ferri); so")
    assert "A quick pass" not in reproduction_page(done[:1], {})
    assert "1 of 2 printed cells agree, 1 more are given, in a full pass; time 1 min" in page
    assert "a quick pass with fewer repeats, data sets or points; time not measured" in page
    assert "full pass of yang, quick pass of ferri, with python 3." in page
    assert "full pass, with python 3." in reproduction_page(done[:1], {})
    assert "all --quick` on" in reproduction_page(done[1:], {})
    assert "![Figures of yang](_static/reproduction-yang.png)" in page
    assert "- Said of \\*all\\*." in page
    assert "| Table I | numbers | arithmetic | 1 | 2 | 1 | 0.2 |" in page
    assert "**Table I.** Numbers" not in page
    assert "**Table I.** numbers. So it is." in page
    differing = page.split("### What does not agree")[1].split("###")[0]
    assert r"| \{n\}, cost in \$ | 0.7 | 0.5 | +0.2 | \<b\>misprinted\</b\> |" in differing
    assert "J48" not in differing
    assert r"| Table I | \{h\}, J48 \| x | 0.5 | 0.5 | +0 | 0.005 | agrees |  |" in page
    assert "| Table I | c, input | 2 | 2 | +0 | 0.005 | given |  |" in page
    assert "<summary>All 5 cells</summary>" in page


def test_every_row_of_a_table_on_the_page_is_as_wide_as_its_head():
    page = reproduction_page([reproduced(strips())], {})
    for grid in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", row)) for row in grid.splitlines()}
        assert len(widths) == 1, grid


def test_the_page_links_to_its_pictures_wherever_they_lie(tmp_path):
    done = [reproduced(strips())]
    sheet, page = write_reproduction_page(done, tmp_path / "docs" / "reproduction.md",
                                          pictures=tmp_path / "docs" / "_static")  # fmt: skip
    assert sheet == tmp_path / "docs" / "_static" / "reproduction-yang.png"
    assert "](_static/reproduction-yang.png)" in page.read_text()
    beside, page = write_reproduction_page(done, tmp_path / "all" / "REPRODUCTION.md")
    assert beside.parent == page.parent
    assert "](reproduction-yang.png)" in page.read_text()


def test_without_matplotlib_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"cautious\[plots\]"):
        ReproducedFigureDisplay(strips()).png()
    (page,) = write_reproduction_page([reproduced(strips())], tmp_path / "page.md")
    assert "The figures were not drawn." in page.read_text()
