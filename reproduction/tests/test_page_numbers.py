"""Every number that a paper prints is found on the page by searching for it."""

import re
from pathlib import Path

import pandas as pd
import pytest

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "reproduction.md").read_text(encoding="utf-8")
PRINTED = pd.read_csv(HERE / "printed_numbers.csv", dtype=str, keep_default_na=False)
TITLES = {"ferri": "Ferri", "friedel": "Friedel", "zaffalon": "Zaffalon", "yang": "Yang"}


def parts():
    """Split the page into what is said of each paper: its scorecard and its own part."""
    found = dict.fromkeys(TITLES, "")
    for part in re.split(r"(?m)^(?=## |### Scorecard: )", PAGE):
        heading = part.partition("\n")[0]
        for paper, author in TITLES.items():
            if author in heading:
                found[paper] += part
    return found


@pytest.mark.parametrize("paper", TITLES)
def test_every_printed_number_is_on_the_page(paper):
    """Small numbers are everywhere, so theirs is a row that says what they are of, too."""
    lines = parts()[paper].splitlines()
    own = PRINTED[PRINTED["paper"] == paper]
    missing = [
        (number, beside)
        for number, beside in zip(own["number"], own["beside"], strict=True)
        if not any(
            beside in line and re.search(rf"(?<![\d.]){re.escape(number)}(?![\d])", line)
            for line in lines
        )
    ]
    assert not missing


def test_forty_at_random():
    """As a sceptic would: forty numbers, searched for in the whole page."""
    sample = PRINTED.sample(40, random_state=1)
    assert len(sample) == 40
    assert all(number in PAGE for number in sample["number"])


def test_the_scorecard_comes_first_and_is_long_enough():
    card = PAGE.partition("## Scorecard")[2].partition("\n## ")[0]
    verdicts = re.findall(
        r"\| (?:holds|\*\*(?:fails|the paper contradicts itself|cannot tell)\*\*) \|", card
    )
    assert len(verdicts) >= 60
    assert PAGE.index("## Scorecard") < PAGE.index("\n## Ferri")
    for author in TITLES.values():
        assert f"### Scorecard: {author}" in card


def test_what_does_not_hold_has_a_cause():
    card = PAGE.partition("## Scorecard")[2].partition("\n## ")[0]
    rows = [
        re.split(r"(?<!\\) \| ", line.strip("| ")) for line in card.splitlines() if "| **" in line
    ]
    assert len(rows) >= 60
    assert not [row for row in rows if not (len(row) == 6 and row[-1])]


def test_what_is_printed_in_per_cent_is_so_on_both_sides():
    cells = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| Table 1, ")]
    accuracies = [cell for cell in cells if len(cell) == 8 and cell[1].endswith(", accuracy")]
    printed = [cell for cell in accuracies if "normalised" not in cell[1]]
    assert len(printed) >= 30
    assert all(number.endswith("%") for cell in printed for number in cell[2:6])
