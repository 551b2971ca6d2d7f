"""Whatever is public is in the catalogue; a newcomer without an entry is named here."""

from __future__ import annotations

import pytest
from tests.catalogue import (
    comparison,
    costs,
    credal,
    curves,
    decisions,
    measures,
    models,
    page,
    preparation,
)
from tests.catalogue.law import law

import cautious.comparison
import cautious.utility
from cautious.costs import zero_one
from cautious.metrics import MEASURES
from cautious.utility import Utility

MAKE_UTILITIES = {"exponential": 1.0, "f_beta": 1.0, "quadratic": 0.6}


@pytest.mark.parametrize(
    ("public", "entered", "where"),
    [
        (set(MEASURES), set(measures.SUBJECTS), "measures.SUBJECTS"),
        (set(models.PUBLIC), set(models.SUBJECTS), "models.SUBJECTS"),
        (set(curves.PUBLIC), set(curves.SUBJECTS), "curves.SUBJECTS"),
        (set(preparation.PUBLIC), set(preparation.SUBJECTS), "preparation.SUBJECTS"),
        (
            set(decisions.PUBLIC),
            {name.partition(",")[0] for name in (*decisions.CRITERIA, *decisions.RULES)},
            "decisions.CRITERIA or decisions.RULES",
        ),
        (
            set(credal.PUBLIC_MAKERS),
            {name.partition(",")[0] for name in credal.MAKERS},
            "credal.MAKERS",
        ),
    ],
    ids=["measures", "models", "curves", "preparation", "decisions", "credal"],
)
def test_every_public_name_has_an_entry(public, entered, where):
    assert public, "nothing was found; the catalogue looks in the wrong place"
    missing = sorted(public - entered)
    assert not missing, f"{missing} have no entry in tests/catalogue/{where}; enter them there."
    gone = sorted(entered - public)
    assert not gone, f"{gone} in tests/catalogue/{where} are not public any more; remove them."


def test_every_kind_of_set_costs_is_made_by_an_entry():
    made = {type(extend(zero_one(3))).__name__ for extend in costs.EXTENSIONS.values()}
    made |= {type(make(3)).__name__ for make in costs.BY_SIZE.values()}
    assert made == costs.PUBLIC_COSTS


def test_every_utility_has_an_entry():
    named = {
        name
        for name in cautious.utility.__all__
        if isinstance(getattr(cautious.utility, name), Utility) or name in MAKE_UTILITIES
    }
    assert named == set(costs.UTILITIES) - {"a function"}


def test_every_comparison_is_under_a_law():
    told = {name.partition("(")[0] for name in [*comparison.SUBJECTS, *comparison.PAIRED]}
    told |= {"objective_winner"}
    assert set(cautious.comparison.__all__) <= told


def test_a_law_must_be_stated_and_placed():
    with pytest.raises(ValueError, match="family is 'Luck'"):
        law("Luck", "measures", {})
    with pytest.raises(ValueError, match="exempt names"):
        law("Duality", "measures", {}, exempt={"ghost": "none"})
    with pytest.raises(ValueError, match="has no docstring"):
        law("Duality", "measures", {})(lambda member: None)


def test_the_page_says_what_the_laws_say():
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), (
        "docs/catalogue.md is out of date; write it again with `python -m tests.catalogue.page`."
    )
