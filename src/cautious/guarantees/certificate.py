"""Certificates: what is promised of a rule on new cases, in numbers and in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

__all__ = ["Certificate", "LimitTest"]

SCHEMA = "cautious.certificate/1"

LIMITS = {
    "error": "at most {share} of the answers are wrong",
    "false_discovery": "at most {share} of the positive answers are wrong",
    "false_omission": "at most {share} of the negative answers are wrong",
    "class_error": "at most {share} of the answers of each class are wrong",
    "missed": "at most {share} of the positive cases are answered negative",
    "error_per_case": "at most {share} of all cases are answered wrongly",
    "abstention": "at most {share} of all cases are abstained on",
}
"""What can be promised, in words."""


@dataclass(frozen=True)
class LimitTest:
    """One limit and the counts that speak for it.

    Attributes
    ----------
    limit : str
        What is limited.
    at_most : float
        The limit.
    wrong, answered : int
        What was counted against the limit, among how many.
    p_value : float
        Chance of so few if the limit were broken.
    group : str or None
        The group of cases, where each has its own test.
    """

    limit: str
    at_most: float
    wrong: int
    answered: int
    p_value: float
    group: str | None = None


@dataclass(frozen=True)
class Certificate:
    """What is promised of a rule: limits, confidence, and the evidence.

    With the stated confidence over the draw of the calibration cases, the rule keeps all its limits
    on new cases that are drawn as the calibration cases were.

    Attributes
    ----------
    limits : mapping
        From the name of a limit to its value.
    confidence_level : float
        How sure the promise is.
    n : int
        Number of calibration cases.
    tests : tuple of LimitTest
        Counts and p-values of the rule that was chosen.
    method : str
        How it was found.
    missing : int
        Calibration cases without a score; the rule abstains on them.
    granted : bool
        Whether there is a promise at all.
    cases_needed : int or None
        Where nothing could be promised: the number of calibration cases at which it could be
        expected; None if no number will do.

    Examples
    --------
    >>> tested = LimitTest("error", 0.1, 3, 100, 0.0078)
    >>> print(Certificate({"error": 0.1}, 0.95, 120, (tested,)))
    On new cases like these, with 95 % confidence: at most 10 % of the answers are wrong.
    Seen on 120 calibration cases: 3 of 100 (p = 0.0078).
    """

    limits: Mapping[str, float]
    confidence_level: float
    n: int
    tests: tuple[LimitTest, ...] = ()
    method: str = "fixed sequence of exact binomial tests"
    missing: int = 0
    granted: bool = True
    cases_needed: int | None = None
    schema: str = field(default=SCHEMA, repr=False)

    def __str__(self) -> str:
        promise = " and ".join(
            LIMITS[name].format(share=f"{100 * value:g} %") for name, value in self.limits.items()
        )
        if not self.granted:
            needed = (
                "no number of cases would do, because the limit is below the risk seen"
                if self.cases_needed is None
                else f"about {self.cases_needed:,} calibration cases could be enough"
            )
            return (
                f"Nothing can be promised from {self.n:,} calibration cases with "
                f"{100 * self.confidence_level:g} % confidence ({promise}): {needed}."
            )
        sure = (
            "on average"
            if self.method.startswith("on average")
            else f"with {100 * self.confidence_level:g} % confidence"
        )
        lines = [f"On new cases like these, {sure}: {promise}."]
        for one in self.tests:
            of_group = f" in group {one.group}" if one.group is not None else ""
            lines.append(
                f"Seen on {self.n:,} calibration cases{of_group}: {one.wrong:,} of "
                f"{one.answered:,} (p = {one.p_value:.2g})."
            )
        if self.missing:
            lines.append(f"{self.missing:,} of them had no score; the rule abstains on such cases.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """Return what :meth:`from_dict` reads, ready for JSON."""
        return asdict(self) | {"tests": [asdict(one) for one in self.tests]}

    def to_json(self) -> str:
        """Write it as JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Certificate:
        """Read a certificate that :meth:`to_dict` made; anything else is refused."""
        if not isinstance(state, Mapping) or state.get("schema") != SCHEMA:
            raise ValueError(f"this is no certificate of the schema {SCHEMA!r}.")
        unknown = set(state) ^ {*cls.__dataclass_fields__}
        if unknown:
            raise ValueError(f"a certificate has no entry {min(map(str, unknown))!r}, or lacks it.")
        strange = set(state["limits"]) - set(LIMITS)
        if strange:
            raise ValueError(f"{min(strange)!r} is no limit; the limits are {', '.join(LIMITS)}.")
        tests = tuple(LimitTest(**one) for one in state["tests"])
        return cls(**{**state, "limits": dict(state["limits"]), "tests": tests})

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read JSON that :meth:`to_json` wrote."""
        return cls.from_dict(json.loads(text))
