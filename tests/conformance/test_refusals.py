"""What one way refuses, all ways refuse, in the same words but for the names of arguments."""

from __future__ import annotations

import pytest
from tests.conformance import ways
from tests.conformance.page import ask_page, file_request
from tests.conformance.refusals import REFUSALS

import cautious
from cautious.errors import InputError

# Nobody can say on the page that a dropped file holds graded answers.
DROPPED = [one for one in REFUSALS if not {"correct", "answerable"} & one.options.keys()]
named = pytest.mark.parametrize("given", REFUSALS, ids=[one.name for one in REFUSALS])


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What the library says, by way and without the name of the folder; asked once per table."""
    folder, known = tmp_path_factory.mktemp("tables"), {}

    def words(given, way="python"):
        if given.name not in known:
            with pytest.raises(InputError) as error:
                cautious.evaluate(ways.write(given, folder), **ways.reading(given.options))
            known[given.name] = error.value
        return without_folder(known[given.name].words(way), folder)

    return words


def without_folder(words, folder):
    return words.replace(f"{folder}/", "")


def command_words(given, folder, *engine):
    with pytest.raises(ways.CommandError) as error:
        ways.run("evaluate", str(ways.write(given, folder)), *ways._options(given.options), *engine)
    (line,) = [one for one in str(error.value).splitlines() if one.startswith("error: ")]
    return without_folder(line.removeprefix("error: "), folder)


@named
def test_the_library_names_what_is_wrong(given, refused):
    words = refused(given)
    for mentioned in given.mentions:
        assert mentioned in words


@named
def test_the_command_line_says_the_same(given, refused, tmp_path):
    expected = refused(given, "cli")
    assert command_words(given, tmp_path) == " ".join(expected.split())


@named
def test_the_engine_says_the_same(given, refused, tmp_path):
    expected = refused(given, "cli")
    assert command_words(given, tmp_path, "--engine", "local") == " ".join(expected.split())


@named
def test_the_report_says_the_same(given, refused, tmp_path):
    expected = refused(given)
    with pytest.raises(InputError) as error:
        cautious.build_report(
            ways.write(given, tmp_path), tmp_path / "p.html", **ways.reading(given.options)
        )
    assert without_folder(str(error.value), tmp_path) == expected


@pytest.fixture(scope="module")
def dropped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    requests = [
        file_request(one.file, ways.write(one, folder).read_bytes(), **ways.page_options(one))
        for one in DROPPED
    ]
    return {one.name: answer for one, answer in zip(DROPPED, ask_page(requests), strict=True)}


@pytest.mark.parametrize("given", DROPPED, ids=[one.name for one in DROPPED])
def test_the_page_says_the_same(given, refused, dropped):
    words = dropped[given.name].get("error")
    if given.file.endswith(".parquet"):
        assert words.endswith("run `cautious report` on it.")
    else:
        assert words == refused(given, "page")
