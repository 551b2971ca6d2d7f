"""Five ways into the library, one table of numbers."""

from __future__ import annotations

import pytest
from tests.conformance import ways
from tests.conformance.corpus import CASES
from tests.conformance.page import ask_page, file_request

EVERY = list(CASES.values())


def through(way):
    """The cases that go a way."""
    return [case for case in EVERY if way in case.ways]


def named(cases):
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])


def check(case, way, table):
    wrong = ways.differences(ways.expected(case, way), table)
    if way in ("library", "command line", "engine"):
        for group, row in case.groups.items():
            (found,) = (one["groups"] for one in table.values())
            usual = {name: value for name, value in row.items() if name in found[group]}
            assert usual
            wrong += ways.differences({group: usual}, {group: dict(found[group])})
    assert not wrong, "\n".join(wrong)


@named(EVERY)
def test_library(case, tmp_path):
    check(case, "library", ways.library(case, ways.write(case, tmp_path)))


@named([case for case in EVERY if callable(case.content)])
def test_frames(case):
    for kind, frame in ways.frames(case).items():
        table = ways.library(case, frame)
        wrong = ways.differences(case.expected(), table)
        assert not wrong, "\n".join([kind, *wrong])


@named(through("command line"))
def test_command_line(case, tmp_path):
    check(case, "command line", ways.command(case, ways.write(case, tmp_path)))


@named(through("engine"))
def test_engine(case, tmp_path):
    table = ways.command(case, ways.write(case, tmp_path), engine="local")
    check(case, "engine", table)


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    return ways.reported(through("report"), tmp_path_factory.mktemp("reports"))


@named(through("report"))
def test_report(case, reported):
    check(case, "report", reported[case.name])


TEXT = [case for case in through("page") if not callable(case.content)]


@pytest.fixture(scope="module")
def dropped(tmp_path_factory):
    return ways.dropped(TEXT, tmp_path_factory.mktemp("files"))


@named(TEXT)
def test_page(case, dropped):
    check(case, "page", dropped[case.name])


def test_the_page_leaves_other_files_to_python(tmp_path):
    files = {"Parquet": [ways.write(case, tmp_path) for case in EVERY if callable(case.content)]}
    files["JSON"] = [ways.write(case, tmp_path) for case in EVERY if "objects" in case.name]
    files["Arrow"] = [tmp_path / "given.arrow"]
    files["Arrow"][0].write_bytes(b"ARROW1\0\0")
    for what, paths in files.items():
        for answer in ask_page([file_request("given", path.read_bytes()) for path in paths]):
            assert what in answer["error"]
            assert answer["error"].endswith("run `cautious report` on it.")


ABOUT_LABELS = ("differ by spaces", "taken together")


def test_what_is_odd_about_labels_is_said_alike_in_every_way(tmp_path):
    cases = [case for case in EVERY if any("differ" in one or "taken" in one for one in case.notes)]
    assert len(cases) > 3
    for case, notes in zip(cases, ways.notes(cases, tmp_path), strict=True):
        about = {
            way: [one for one in said if any(words in one for words in ABOUT_LABELS)]
            for way, said in notes.items()
        }
        assert set(about) == {"library", "engine", "report", "page"}
        for said in about.values():
            assert said == about["library"], (case.name, about)
            assert len(said) == len(case.notes)


def test_that_a_word_means_abstaining_is_said_alike_in_every_way(tmp_path):
    (notes,) = ways.notes([CASES["sets_abstain_in_words"]], tmp_path)
    for way, said in notes.items():
        (about,) = [one for one in said if "abstaining" in one]
        assert about.startswith(
            "an answer written abstain, reject, ? or ⊥ means abstaining (4 of 6 rows); if"
        ), way


def test_truths_that_may_be_missing_are_doubted_in_every_way(tmp_path):
    (notes,) = ways.notes([CASES["rest_without_truth"]], tmp_path)
    for way, said in notes.items():
        (about,) = [one for one in said if "no truths at all" in one]
        rows = "" if way == "engine" else " (2 rows)"  # an engine counts pairs of classes
        assert about.startswith(
            f"counted as 'not bad', though perhaps no truths at all: '?', 'N/A'{rows}. If so,"
        ), way


def test_weights_that_look_like_something_else_are_doubted_alike_in_every_way(tmp_path):
    cases = [case for case in EVERY if case.name.startswith("kilograms")]
    doubted, declined = ways.notes(cases, tmp_path)
    for way, said in doubted.items():
        (about,) = [one for one in said if "count as" in one]
        assert about.startswith("column 'weight' is taken as the weight of cases, by"), way
        left_out = "the choice 'weight')" if way in ("page", "report") else "with weight=False"
        assert about.endswith(left_out), way
    assert not any("count as" in one for said in declined.values() for one in said)


@pytest.mark.parametrize(("name", "asked"), [("per_cent", True), ("zero_one", False)])
def test_scores_that_look_like_per_cent_are_doubted_alike_in_every_way(name, asked, tmp_path):
    from cautious import tune

    case = CASES[name]
    path = ways.write(case, tmp_path)
    words = (
        f"'{name}': Are these per cent? Then divide by 100: some scores lie outside 0 to 1, such "
        "as 95, so they are no probabilities"
    )
    (said,) = ways.notes([case], tmp_path)
    said["tune"] = [str(note) for note in tune(path, costs=ways.COSTS).notes]
    for way in ("tune", "report", "page"):
        assert [one for one in said[way] if "per cent" in one] == [words] * asked, way
    page = ["-o", str(tmp_path / "page.html")]
    for engine in ([], ["--engine", "local"]):
        shown = " ".join(ways.said("report", str(path), *page, *engine).split())
        assert (words in shown) == asked
