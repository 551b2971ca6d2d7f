"""Certificates: what is promised of a rule on new cases, in numbers and in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._checks import check_choice, check_share, check_wrong_of
from cautious._files import parsed_json
from cautious._text import p_words
from cautious.errors import shown
from cautious.guarantees._limits import LIMITS, outward
from cautious.guarantees.bounds import expected_cases, least_answers, risk_p_value

CERTIFICATE_SCHEMA = "cautious.certificate/1"

GRADED = " of graded answers"
"""How the method ends where the cases are answers that were graded."""


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
    p_value : float or None
        Chance of so few if the limit were broken; None for a promise on average, which tests
        nothing.
    group : str or None
        The group of cases, where each has its own test.
    """

    limit: str
    at_most: float
    wrong: int
    answered: int
    p_value: float | None
    group: str | None = None


@dataclass(frozen=True)
class MeanTest:
    """The mean of what was seen, and its bound on new cases.

    Attributes
    ----------
    mean : float or None
        Mean of the cases; None where there are none.
    bound : float
        Its bound: the largest cost, or the least utility, that new cases may have on average.
    cases : int
        Number of cases.
    of_class : str or None
        The class of these cases, where each class has its own bound.
    """

    mean: float | None
    bound: float
    cases: int
    of_class: str | None = None


@dataclass(frozen=True)
class Certificate:
    """What is promised of a rule: limits, confidence, and the evidence.

    With the stated confidence over the draw of the calibration cases, the rule keeps all its limits
    on new cases that are drawn as the calibration cases were; with `shares`, on new cases whose
    classes have other shares, if the cases of each class are drawn alike.

    Attributes
    ----------
    limits : mapping
        From the name of a limit to its value.
    confidence_level : float or None
        How sure the promise is; None for a promise on average over such draws.
    n : int
        Number of calibration cases.
    tests : tuple of LimitTest
        Counts and p-values of the rule that was chosen.
    method : str
        How it was found.
    missing : int
        Calibration cases without a score, or a confidence; the rule answers none of them.
    granted : bool
        Whether there is a promise at all.
    cases_needed : int or None
        Where nothing could be promised: the number of calibration cases at which it could be
        expected; None if no number will do.
    means : tuple of MeanTest
        Means and bounds behind a promise about a cost or a utility.
    shares : mapping or None
        From classes to the least and the largest share for which the promise holds, empty for any
        shares; None where the classes occur as among the calibration cases.

    Examples
    --------
    >>> tested = LimitTest("error", 0.1, 3, 100, 0.0078)
    >>> print(Certificate({"error": 0.1}, 0.95, 120, (tested,)))
    On new cases like these, with 95 % confidence: at most 10 % of the answers are wrong.
    Seen on 120 calibration cases: 3 of 100 answers were wrong (p = 0.0078).
    """

    limits: Mapping[str, float]
    confidence_level: float | None
    n: int
    tests: tuple[LimitTest, ...] = ()
    method: str = "fixed sequence of exact binomial tests"
    missing: int = 0
    granted: bool = True
    cases_needed: int | None = None
    means: tuple[MeanTest, ...] = ()
    shares: Mapping[str, tuple[float, float]] | None = None
    schema: str = field(default=CERTIFICATE_SCHEMA, repr=False)

    @classmethod
    def of_sequence(
        cls,
        wrong: npt.ArrayLike,
        answered: npt.ArrayLike,
        max_error: float,
        *,
        confidence_level: float = 0.95,
        limit: str = "error",
    ) -> tuple[int | None, Certificate]:
        r"""Find the last rule of a sequence that provably keeps a limit.

        The rules, and their order from the strictest to the loosest, must be fixed before the
        labels of the calibration cases are looked at. They are tested one after the other, exactly;
        the last one before the first failure is taken. No correction for their number is needed.

        Parameters
        ----------
        wrong, answered : array-like of shape (m,), int
            For each rule, the number of its wrong answers and of all its answers on calibration
            cases.
        max_error : float
            The limit α on the share of wrong answers.
        confidence_level : float, default=0.95
            How sure the promise is, over the draw of the calibration cases.
        limit : str, default="error"
            What the shares are about, for the words of the certificate: "error" among the answers,
            "error_per_case" where every case has an answer, or "set_error" for sets that miss the
            truth.

        Returns
        -------
        at : int or None
            Position of the rule; None where nothing can be promised.
        certificate : Certificate
            What is promised, or what it would take.

        See Also
        --------
        cautious.guarantees.certify : Thresholds of scores and probabilities, from the cases.

        Examples
        --------
        >>> at, certificate = Certificate.of_sequence([0, 2, 4, 9], [200] * 4, 0.05)
        >>> at
        2
        >>> print(certificate)
        On new cases like these, with 95 % confidence: at most 5 % of the answers are wrong.
        Seen on 200 calibration cases: 4 of 200 answers were wrong (p = 0.026).
        """
        k, m = check_wrong_of(wrong, answered)
        level = check_share(confidence_level, "confidence_level")
        share = check_share(max_error, "max_error")
        if k.ndim != 1 or k.shape != m.shape or not len(k):
            raise ValueError(
                f"wrong has shape {k.shape} and answered has shape {m.shape}; give one number of "
                "each per rule, and at least one rule."
            )
        check_choice(limit, "limit", ("error", "error_per_case", "set_error"))
        p_values = np.asarray(risk_p_value(k, m, share))
        at = int(np.argmax(np.append(p_values > 1 - level, True))) - 1
        n = int(m.max())
        if at >= 0:
            test = LimitTest(limit, share, int(k[at]), int(m[at]), float(p_values[at]))
            return at, cls({limit: share}, level, n, (test,))
        if not k[0]:  # with no mistake at all, so many would do
            needed: int | None = least_answers(share, level)
        else:
            needed = expected_cases((k[0] + 0.5) / (m[0] + 1), 1.0, share, level)
        return None, cls({limit: share}, level, n, granted=False, cases_needed=needed)

    def __str__(self) -> str:
        promise = " and ".join(LIMITS[name].said(value) for name, value in self.limits.items())
        level = self.confidence_level
        sure = "on average" if level is None else f"with {100 * level:g} % confidence"
        if not self.granted:
            if self.cases_needed is None:
                seen = "the share of mistakes seen is above the limit even among the surest answers"
                if "abstention" in self.limits and len(self.limits) > 1:
                    seen = "no threshold keeps all of these limits even on the cases seen"
                needed = f"{seen}; take a better model, a larger limit or many more cases"
            elif self.cases_needed <= self.n:
                # Expected to pass by now, it did not; twice as many mostly do (7 of 8 tried).
                needed = f"about {2 * self.n:,} calibration cases have a good chance to be enough"
            else:
                needed = f"about {self.cases_needed:,} calibration cases could be enough"
            return (
                f"Nothing can be promised from {self.n:,} calibration cases {sure} ({promise}): "
                f"{needed}."
            )
        in_groups = any(test.group is not None for test in self.tests)
        where = self._shares_in_words() + ", in each group" * in_groups
        lines = [f"On new cases like these{where}, {sure}: {promise}."]
        for test in self.tests:
            in_group = f"in group {test.group} " if test.group is not None else ""
            p_value = "" if test.p_value is None else f" ({p_words(test.p_value)})"
            lines.append(
                f"Seen on {self.n:,} calibration cases: {in_group}{test.wrong:,} of "
                f"{test.answered:,} {LIMITS[test.limit].seen}{p_value}."
            )
        name, side = ("utility", "at least") if "utility" in self.limits else ("cost", "at most")
        for one in self.means:
            of_class = f" of class {one.of_class}" if one.of_class is not None else ""
            mean = "no mean" if one.mean is None else f"mean {one.mean:.4g}"
            lines.append(
                f"Seen on {one.cases:,} calibration cases{of_class}: {mean}; {side} "
                f"{outward(one.bound, name)}."
            )
        if "judge" in self.method:
            lines.append(f"Method: {self.method}.")
        if self.missing:
            words = "had no score; the rule abstains on such cases."
            if GRADED in self.method or "judge" in self.method:
                words = "had no confidence; such answers are escalated."
            lines.append(f"{self.missing:,} of them {words}")
        return "\n".join(lines)

    def _shares_in_words(self) -> str:
        if self.shares is None:
            return ""
        limited = [
            f"class {name} makes up {100 * low:g}"
            + (" %" if low == high else f" to {100 * high:g} %")
            for name, (low, high) in self.shares.items()
        ]
        return " within each class, " + (
            f"where {' and '.join(limited)} of them" if limited else "whatever the class shares"
        )

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """Return what :meth:`from_dict` reads, ready for JSON.

        Examples
        --------
        >>> tests = (LimitTest("error", 0.1, 3, 100, 0.0078),)
        >>> proof = Certificate({"error": 0.1}, 0.95, 120, tests)
        >>> proof.to_dict()["limits"]
        {'error': 0.1}
        """
        state = asdict(self)
        state |= {name: list(state[name]) for name in ("tests", "means")}
        if self.shares is not None:
            state["shares"] = {name: list(pair) for name, pair in self.shares.items()}
        return state

    def to_json(self) -> str:
        """Write it as JSON.

        Examples
        --------
        >>> tested = LimitTest("error", 0.1, 3, 100, 0.0078)
        >>> text = Certificate({"error": 0.1}, 0.95, 120, (tested,)).to_json()
        >>> Certificate.from_json(text).limits
        {'error': 0.1}
        """
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Certificate:
        """Read a certificate that :meth:`to_dict` made; anything else is refused.

        Examples
        --------
        >>> tests = (LimitTest("error", 0.1, 3, 100, 0.0078),)
        >>> proof = Certificate({"error": 0.1}, 0.95, 120, tests)
        >>> Certificate.from_dict(proof.to_dict()) == proof
        True
        """
        if not isinstance(state, Mapping) or state.get("schema") != CERTIFICATE_SCHEMA:
            raise ValueError(f"this is no certificate of the schema {shown(CERTIFICATE_SCHEMA)}.")
        unknown = set(state) ^ {*cls.__dataclass_fields__}
        if unknown:
            raise ValueError(
                f"a certificate has no entry {shown(min(map(str, unknown)))}, or lacks it."
            )
        strange = set(state["limits"]) - set(LIMITS)
        if strange:
            raise ValueError(f"{shown(min(strange))} is no limit; limits are {', '.join(LIMITS)}.")
        tests = tuple(LimitTest(**one) for one in state["tests"])
        means = tuple(MeanTest(**one) for one in state["means"])
        shares = state["shares"]
        if shares is not None:
            shares = {name: (low, high) for name, (low, high) in shares.items()}
        read = {"limits": dict(state["limits"]), "tests": tests, "means": means, "shares": shares}
        return cls(**{**state, **read})

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read JSON that :meth:`to_json` wrote.

        Examples
        --------
        >>> tests = (LimitTest("error", 0.1, 3, 100, 0.0078),)
        >>> proof = Certificate({"error": 0.1}, 0.95, 120, tests)
        >>> Certificate.from_json(proof.to_json()) == proof
        True
        """
        return cls.from_dict(parsed_json(text))
