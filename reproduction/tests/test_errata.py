"""What is wrong in print is listed once, and the papers' pages count it rightly."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "papers"
ERRATA = (PAGES / "errata.md").read_text(encoding="utf-8")
WORDS = {"five": 5, "ten": 10, "thirteen": 13, "fourteen": 14}


def rows(paper):
    section = ERRATA.partition(f"\n## {paper.capitalize()}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines[2:]]


@pytest.mark.parametrize("paper", ["ferri", "friedel", "zaffalon", "yang"])
def test_every_slip_says_what_is_right_and_how_we_know(paper):
    assert all(len(row) == 4 and all(cell.strip() for cell in row) for row in rows(paper))
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    said = re.search(rf"(\w+) (?:places|sentences)[^.]*\(errata\.md#{paper}\)", page)
    assert WORDS[said[1].lower()] == len(rows(paper))
    for target in re.findall(rf"\({paper}\.md#([\w-]+)\)", ERRATA):
        assert f"## {target.replace('-', ' ').capitalize()}" in page


@pytest.mark.parametrize("paper", ["ferri", "friedel", "zaffalon", "yang"])
def test_every_paper_is_cited_as_on_its_own_page(paper):
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    title = re.search(r"\*([^*]+)\*", page.partition("\n\n")[2])[1]
    doi = re.search(r"doi:10\.[\w./]+", page)
    for other in (ERRATA, (PAGES / "index.md").read_text(encoding="utf-8")):
        assert f"*{title}*" in other
        assert doi is None or doi[0] in other
