"""Every law on every subject; every exemption shown to be real."""

from __future__ import annotations

import pytest
from tests.catalogue.everything import CATALOGUE

# Of a handful of cases there is often nothing to promise, which is said and no error.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Nothing can be promised"),
    pytest.mark.filterwarnings("ignore:there are .* to conformalise on"),
    pytest.mark.filterwarnings("ignore:the .* examples that the estimator is fitted on are all of"),
]


def params(exempt: bool):
    # A model must be fitted many times over before a law that does not hold is seen to fail.
    return [
        pytest.param(
            law,
            subject,
            id=f"{law}-{subject}",
            marks=[pytest.mark.slow] if exempt and law.about == "models" else [],
        )
        for law in CATALOGUE.values()
        for subject in (sorted(law.exempt) if exempt else law.applies_to)
    ]


@pytest.mark.parametrize(("law", "subject"), params(exempt=False))
def test_law(law, subject, profile, times) -> None:
    # Models and comparisons take long per case: every day half as many.
    few = profile == "bounded" and law.about in ("models", "comparison")
    law.check(subject, profile, times / 2 if few else times)


@pytest.mark.parametrize(("law", "subject"), params(exempt=True))
def test_exemption_is_real(law, subject) -> None:
    with pytest.raises(AssertionError):
        law.check(subject, "bounded", times=30)
