"""Plain English: what users read avoids idioms, and rates are "per case"."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "docs").is_dir():
    pytest.skip("the documentation is not part of an installed package", allow_module_level=True)

MADE_BY_SPHINX = {"_build", "generated", "gallery", "vendor"}
FILES = [
    path
    for folder, pattern in (
        ("src", "*.py"), ("src", "*.js"), ("src", "*.html"), ("docs", "*.md"), ("examples", "*.py"),
        (".", "*.md"), ("reproduction", "*.py"),
    )
    for path in ((ROOT / folder).glob(pattern) if folder == "." else (ROOT / folder).rglob(pattern))
    if not MADE_BY_SPHINX & set(path.relative_to(ROOT).parts)
]  # fmt: skip

# What is written, and what to write in its place.
BANNED = {
    r"keep(s|ing)? quiet|stay(s|ing)? silent": "abstain",
    r"\bdear(er|est)?\b": "expensive",
    r"[\d%}] an? (case|patient|person|mail|row)\b|\b(cost|surface) a (case|model)\b": "per case",
    r"\bone (row|column|line|number|threshold|idea|bin|fold|value|cell) an? (?!time)": "one per …",
    r"cry wolf|farewell|nobody's business|so manieth|in one breath|come round": "plain words",
    r"\ball roads\b|rule of thumb|anybody's guess|next to nothing|on its own account": "plain",
}
# The slogan stands on the first page, over the help and on the report.
SLOGAN = {
    "README.md",
    "docs/index.md",
    "src/cautious/cli/app.py",
    "src/cautious/report/document.py",
}


def test_plain_words():
    found = []
    for path in FILES:
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        for pattern, better in BANNED.items():
            for match in re.finditer(pattern, text, re.IGNORECASE):
                if match.group().lower() == "keep quiet" and name in SLOGAN:
                    continue
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{name}:{line}: {match.group()!r}; write {better!r}")
    assert not found, "\n".join(found)
