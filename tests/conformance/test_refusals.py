"""What one way refuses, all ways refuse, in the same words but for the names of arguments."""

from __future__ import annotations

import pytest
from tests.conformance import ways
from tests.conformance.page import ask_page, file_request
from tests.conformance.refusals import REFUSALS

import cautious
from cautious.errors import InputError

named = pytest.mark.parametrize("given", REFUSALS, ids=[one.name for one in REFUSALS])


def refused(given, folder):
    """What the library says."""
    with pytest.raises(InputError) as error:
        cautious.evaluate(ways.write(given, folder), **ways.reading(given.options))
    return error.value


def without_folder(words, folder):
    return words.replace(f"{folder}/", "")


def command_words(given, folder, *engine):
    with pytest.raises(ways.CommandError) as error:
        ways.run("evaluate", str(ways.write(given, folder)), *ways._options(given.options), *engine)
    (line,) = [one for one in str(error.value).splitlines() if one.startswith("error: ")]
    return without_folder(line.removeprefix("error: "), folder)


@named
def test_the_library_names_what_is_wrong(given, tmp_path):
    words = str(refused(given, tmp_path))
    for mentioned in given.mentions:
        assert mentioned in words


@named
def test_the_command_line_says_the_same(given, tmp_path):
    expected = without_folder(refused(given, tmp_path).words("cli"), tmp_path)
    assert command_words(given, tmp_path) == " ".join(expected.split())


@named
def test_the_engine_says_the_same(given, tmp_path):
    expected = without_folder(refused(given, tmp_path).words("cli"), tmp_path)
    assert command_words(given, tmp_path, "--engine", "local") == " ".join(expected.split())


@named
def test_the_report_says_the_same(given, tmp_path):
    expected = str(refused(given, tmp_path))
    with pytest.raises(InputError) as error:
        cautious.build_report(
            ways.write(given, tmp_path), tmp_path / "p.html", **ways.reading(given.options)
        )
    assert str(error.value) == expected


@pytest.fixture(scope="module")
def dropped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    requests = [
        file_request(one.file, ways.write(one, folder).read_bytes(), **ways.page_options(one))
        for one in REFUSALS
    ]
    return {one.name: answer for one, answer in zip(REFUSALS, ask_page(requests), strict=True)}


@named
def test_the_page_says_the_same(given, dropped, tmp_path):
    expected = without_folder(refused(given, tmp_path).words("page"), tmp_path)
    assert dropped[given.name].get("error") == expected
