"""The checklist leaves no item open, and names only what is there."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers" / "checklist.md").read_text(encoding="utf-8")
REPRODUCTION = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
ITEMS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| item", "| ---"))
]
CHECKED = re.compile(r"scorecard|figure|cells: |reason: |`(?:reproduction/)?tests/")


def test_every_item_is_checked_or_has_its_reason():
    assert len(ITEMS) >= 75
    for item, library, checked in ITEMS:
        assert item, PAGE
        assert library not in ("", "–", "—"), item
        assert CHECKED.match(checked), item


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([a-z]+\.\w+)`", PAGE))))
def test_every_name_of_the_library_exists(name):
    package, _, attribute = name.partition(".")
    assert attribute in importlib.import_module(f"cautious.{package}").__all__


def test_every_test_and_table_named_is_there():
    for path in re.findall(r"`((?:reproduction/)?tests/[\w/.]+)`", PAGE):
        assert (ROOT / path).exists(), path
    for _, _, checked in ITEMS:
        for table in re.findall(r"cells: ([^;]+)", checked):
            name = re.sub(r", (?:given|from).*", "", table).strip()
            assert f"| {name} | " in REPRODUCTION, name
