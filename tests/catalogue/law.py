"""What a law is, and how it is tried.

A law says what holds for *every* subject of a registry: every measure, model, curve, … It is stated
once; whoever enters the registry inherits it. Where a subject is exempt, the law says so and why,
and the exemption is itself tested: it must be possible to find a case that breaks the law.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

FAMILIES = ("Invariance", "Reduction", "Monotonicity", "Duality", "Manners")


@dataclass(frozen=True)
class Law:
    """One law, the subjects it holds for, and the cases it is tried on.

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
    subjects : mapping
        The subjects by name.
    check_case : callable
        ``check_case(subject, **case)`` raises AssertionError if the case breaks the law.
    cases : mapping
        A hypothesis strategy for each argument of a case.
    exempt : mapping
        Subjects for which the law does not hold, each with the reason.
    n_examples : int
        How many cases are tried in a bounded run.
    """

    name: str
    statement: str
    family: str
    about: str
    subjects: Mapping[str, Any]
    check_case: Callable[..., None]
    cases: Mapping[str, st.SearchStrategy[Any]]
    exempt: Mapping[str, str] = field(default_factory=dict)
    n_examples: int = 10

    def __str__(self) -> str:
        return f"{self.about}-{self.name}"

    @property
    def applies_to(self) -> list[str]:
        """Names of the subjects that keep the law, sorted."""
        return sorted(set(self.subjects) - set(self.exempt))

    def check(self, subject: str, profile: str, times: float = 1) -> None:
        """Try the law on one subject; raises what the first case that breaks it raises."""
        tried = settings(settings.get_profile(profile), max_examples=ceil(self.n_examples * times))

        @tried
        @given(st.fixed_dictionaries(dict(self.cases)))
        def holds(case: dict[str, Any]) -> None:
            self.check_case(self.subjects[subject], **case)

        holds()


CATALOGUE: dict[str, Law] = {}
"""Every law by what it is about and its name, in the order of declaration."""


def law(
    family: str,
    about: str,
    subjects: Mapping[str, Any],
    *,
    exempt: Mapping[str, str] | None = None,
    n_examples: int = 10,
    **cases: st.SearchStrategy[Any],
) -> Callable[[Callable[..., None]], Law]:
    """Enter a law: decorates ``check_case(subject, **case)``, whose docstring states it."""
    if family not in FAMILIES:
        raise ValueError(f"family is {family!r}; choose one of {', '.join(FAMILIES)}.")
    strangers = set(exempt or {}) - set(subjects)
    if strangers:
        raise ValueError(f"exempt names {sorted(strangers)}, which are no {about}.")

    def enter(check_case: Callable[..., None]) -> Law:
        name, statement = check_case.__name__, " ".join((check_case.__doc__ or "").split())
        if not statement:
            raise ValueError(f"{name} has no docstring; it states the law.")
        exemptions = exempt or {}
        new = Law(
            name, statement, family, about, subjects, check_case, cases, exemptions, n_examples
        )
        known = CATALOGUE.get(str(new))
        if known and known.statement != statement:
            raise ValueError(f"there are two laws called {new}; rename one.")
        CATALOGUE[str(new)] = new
        return new

    return enter
