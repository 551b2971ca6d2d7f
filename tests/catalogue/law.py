"""What a law is, and how it is tried.

A law says what holds for *every* member of a registry: every measure, model, curve, … It is stated
once; whoever enters the registry inherits it. Where a member is exempt, the law says so and why,
and the exemption is itself tested: it must be possible to find a case that breaks the law.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

FAMILIES = ("Invariance", "Reduction", "Monotonicity", "Duality", "Manners")


@dataclass(frozen=True)
class Law:
    """One law, the members it holds for, and the cases it is tried on.

    Attributes
    ----------
    name : str
        From the name of the checking function.
    statement : str
        What always holds, in a sentence: the docstring of the checking function.
    family : str
        One of ``FAMILIES``.
    about : str
        Which registry, such as "measures".
    members : mapping
        The members by name.
    check : callable
        ``check(member, **case)`` raises AssertionError if the case breaks the law.
    cases : mapping
        A hypothesis strategy for each argument of a case.
    exempt : mapping
        Members for which the law does not hold, each with the reason.
    examples : int
        How many cases are tried in a bounded run.
    """

    name: str
    statement: str
    family: str
    about: str
    members: Mapping[str, Any]
    check: Callable[..., None]
    cases: Mapping[str, st.SearchStrategy[Any]]
    exempt: Mapping[str, str] = field(default_factory=dict)
    examples: int = 10

    def __str__(self) -> str:
        return f"{self.about}-{self.name}"

    @property
    def bound(self) -> list[str]:
        """Names of the members that keep the law, sorted."""
        return sorted(set(self.members) - set(self.exempt))

    def hold(self, member: str, profile: str, effort: int) -> None:
        """Try the law on one member; raises what the first case that breaks it raises."""
        settled = settings(settings.get_profile(profile), max_examples=self.examples * effort)

        @settled
        @given(st.fixed_dictionaries(dict(self.cases)))
        def holds(case: dict[str, Any]) -> None:
            self.check(self.members[member], **case)

        holds()


CATALOGUE: dict[str, Law] = {}
"""Every law by what it is about and its name, in the order of declaration."""


def law(
    family: str,
    about: str,
    members: Mapping[str, Any],
    *,
    exempt: Mapping[str, str] | None = None,
    examples: int = 10,
    **cases: st.SearchStrategy[Any],
) -> Callable[[Callable[..., None]], Law]:
    """Enter a law: decorates ``check(member, **case)``, whose docstring states it."""
    if family not in FAMILIES:
        raise ValueError(f"family is {family!r}; choose one of {', '.join(FAMILIES)}.")
    strangers = set(exempt or {}) - set(members)
    if strangers:
        raise ValueError(f"exempt names {sorted(strangers)}, which are no {about}.")

    def enter(check: Callable[..., None]) -> Law:
        statement = " ".join((check.__doc__ or "").split())
        if not statement:
            raise ValueError(f"{check.__name__} has no docstring; it states the law.")
        new = Law(
            check.__name__, statement, family, about, members, check, cases, exempt or {}, examples
        )
        known = CATALOGUE.get(str(new))
        if known and known.statement != statement:
            raise ValueError(f"there are two laws called {new}; rename one.")
        CATALOGUE[str(new)] = new
        return new

    return enter


def same(ours: Any, theirs: Any, *, tolerance: float = 1e-9) -> None:
    """Assert that two numbers, arrays or mappings of them agree; nan agrees with nan."""
    if isinstance(ours, Mapping):
        assert ours.keys() == theirs.keys()
        for key in ours:
            same(ours[key], theirs[key], tolerance=tolerance)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, f"shapes differ: {ours.shape} and {theirs.shape}"
    if ours.dtype.kind in "fiub" and theirs.dtype.kind in "fiub":
        assert np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True), (
            f"{ours} and {theirs} differ"
        )
    else:
        assert np.array_equal(ours, theirs), f"{ours} and {theirs} differ"


def at_most(smaller: Any, larger: Any, *, slack: float = 1e-9) -> None:
    """Assert that numbers are in order; nan says nothing."""
    smaller, larger = np.asarray(smaller, dtype=float), np.asarray(larger, dtype=float)
    defined = ~(np.isnan(smaller) | np.isnan(larger))
    over = np.where(defined, smaller - larger, 0.0)
    assert (over <= slack).all(), f"{smaller} exceeds {larger}"


def within(smaller: Any, larger: Any) -> None:
    """Assert that each prediction set holds its counterpart."""
    lost = np.flatnonzero((smaller & ~larger).any(axis=1))
    assert not len(lost), (
        f"row {lost[0]}: {smaller[lost[0]].tolist()} is not within {larger[lost[0]].tolist()}"
    )
