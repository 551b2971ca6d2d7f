"""The catalogue as a page of the documentation, written from the laws themselves."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.catalogue.everything import CATALOGUE
from tests.catalogue.law import FAMILIES, Law

PAGE = Path(__file__).parents[2] / "docs" / "catalogue.md"

HEAD = """\
# What always holds

A test by example shows that one answer is right. A law shows that many are: that no answer depends
on the order of the rows, that a weight is a repetition, that more caution never shrinks a set. The
laws below are tried on random cases, for every measure, model, curve and criterion of the library.
Whatever is added to it must be entered in the catalogue, and inherits them. Where a subject is
exempt, the reason is given, and a test shows that the law really fails for it.

`make test` tries each law on a few cases, the same every time; `make test-all` on many new ones. To
hunt for longer:

```text
CATALOGUE_TIMES=100 pytest -m slow tests/catalogue
```

This page is written by `python -m tests.catalogue.page` and checked against the laws.
"""

INTRODUCTIONS = {
    "Invariance": "What must not matter.",
    "Reduction": "Where the general case meets a special one, often of another paper.",
    "Monotonicity": "More of one means no less of another.",
    "Duality": "Two sides of one thing.",
    "Manners": "How an object behaves.",
}


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for family in FAMILIES:
        laws = [law for law in CATALOGUE.values() if law.family == family]
        parts.append(f"## {family}\n\n{INTRODUCTIONS[family]}\n")
        for about in sorted({law.about for law in laws}):  # whatever was imported first
            parts.append(f"**{about.capitalize()}**\n")
            parts.append("\n".join(entry(law) for law in laws if law.about == about) + "\n")
    parts.append("## Who is in the catalogue\n")
    subjects: dict[str, set[str]] = {}
    for law in CATALOGUE.values():
        subjects.setdefault(law.about, set()).update(law.subjects)
    parts.append("\n".join(f"- {a}: {names(m)}" for a, m in sorted(subjects.items())) + "\n")
    return "\n".join(parts)


def entry(law: Law) -> str:
    """One law: its statement, for whom it holds, and for whom not."""
    few = len(law.applies_to) <= 3
    held_by = (
        names(law.applies_to)
        if few
        else f"{'the other' if law.exempt else 'all'} {len(law.applies_to)}"
    )
    lines = [f"- *{law.name.replace('_', ' ')}*: {law.statement} ({held_by})"]
    reasons: dict[str, list[str]] = {}
    for subject, reason in law.exempt.items():
        reasons.setdefault(reason, []).append(subject)
    lines += [f"  - but not {names(who)}: {reason}" for reason, who in reasons.items()]
    return "\n".join(lines)


def names(subjects: Iterable[str]) -> str:
    return ", ".join(f"`{subject}`" for subject in sorted(subjects))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
