"""What was measured is both checked and, on request, written into the documentation.

A check draws data whose truth is known, many times over, and counts. The count must lie between
the 1 in 10 000 quantiles of the binomial distributions at the ends of the range that is claimed,
so that a check can fail, but hardly by chance; seeds make it repeatable besides.
`pytest tests/statistics -m slow --honesty docs/honesty.md` rewrites the table of that page.
"""

import datetime
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

RARE = 1e-4
START, END = "<!-- measured -->", "<!-- end -->"


@dataclass
class Ledger:
    """Checks what was measured, and remembers it."""

    rows: list = field(default_factory=list)

    def share(self, subject, setting, hits, *, promised, between):
        """Check a list of yes and no against the range of chances claimed for a yes."""
        hits = np.asarray(hits, dtype=bool)
        n, count = len(hits), int(hits.sum())
        low, high = between
        least, most = stats.binom.ppf(RARE, n, low), stats.binom.ppf(1 - RARE, n, high)
        spread = stats.binomtest(count, n).proportion_ci(0.95, "wilson")
        self._add(subject, setting, promised, count / n, spread.low, spread.high, n)
        assert least <= count <= most, f"{subject}, {setting}: {count} of {n}, not {between}"

    def mean(self, subject, setting, values, *, promised, between):
        """Check a mean over independent trials against the range claimed for it."""
        values = np.asarray(values, dtype=float)
        n, centre = len(values), values.mean()
        error = values.std(ddof=1) / np.sqrt(n)
        wide, narrow = stats.t.ppf([1 - RARE, 0.975], n - 1) * error
        self._add(subject, setting, promised, centre, centre - narrow, centre + narrow, n)
        low, high = between
        assert low - wide <= centre <= high + wide, f"{subject}, {setting}: {centre:.4f}"

    def _add(self, subject, setting, promised, found, low, high, n):
        key = (subject, setting, promised)
        # The long run of a check replaces its short run.
        self.rows = [row for row in self.rows if row[0] != key]
        self.rows.append((key, found, low, high, n))

    def table(self):
        lines = ["| what | where | promised | measured | 95 % interval | trials |"]
        lines.append("| --- | --- | --- | --- | --- | --- |")
        for (subject, setting, promised), found, low, high, n in self.rows:
            lines.append(
                f"| {subject} | {setting} | {promised} | {100 * found:.1f} % | "
                f"{100 * low:.1f}–{100 * high:.1f} % | {n} |"
            )
        return "\n".join(lines)


def pytest_addoption(parser):
    parser.addoption("--honesty", help="Markdown file whose table of measurements is rewritten.")


@pytest.fixture(scope="session")
def ledger(request):
    found = Ledger()
    yield found
    page = request.config.getoption("--honesty", default=None)
    if page is None:
        return
    named = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    words = f"Measured on {datetime.date.today():%-d %B %Y} with {named}."
    text = Path(page).read_text(encoding="utf-8")
    before, after = text[: text.index(START)], text[text.index(END) :]
    table = f"{START}\n\n{words}\n\n{found.table()}\n\n"
    Path(page).write_text(before + table + after, encoding="utf-8")


@pytest.fixture
def rng(request):
    """A stream of its own for every check, the same in every run."""
    return np.random.default_rng([ord(letter) for letter in request.node.name])
