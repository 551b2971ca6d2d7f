"""The page about reading names every table of the corpus, and no other."""

import re
from pathlib import Path

import pytest
from tests.conformance.corpus import CASES
from tests.conformance.refusals import REFUSALS

PAGE = Path(__file__).parents[2] / "docs" / "reading.md"
if not PAGE.is_file():
    pytest.skip("the documentation is not part of an installed package", allow_module_level=True)


def test_every_table_of_the_corpus_stands_on_the_page():
    rows = re.findall(r"^\|.*\| ([^|]*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"`([^`]+)`", " ".join(rows))
    assert len(named) == len(set(named)), "a table is named twice"
    assert set(named) == {*CASES, *(refusal.name for refusal in REFUSALS)}
