"""Every law on every member; every exemption shown to be real."""

from __future__ import annotations

import pytest

from catalogue.everything import CATALOGUE


def params(exempt: bool):
    return [
        pytest.param(law, member, id=f"{law}-{member}")
        for law in CATALOGUE.values()
        for member in (sorted(law.exempt) if exempt else law.bound)
    ]


@pytest.mark.parametrize(("law", "member"), params(exempt=False))
def test_law(law, member, effort) -> None:
    law.hold(member, *effort)


@pytest.mark.parametrize(("law", "member"), params(exempt=True))
def test_exemption_is_real(law, member) -> None:
    with pytest.raises(AssertionError):
        law.hold(member, "bounded", 30)
