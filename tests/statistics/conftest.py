"""What was measured is both checked and, on request, written into the documentation.

A check draws data whose truth is known, many times over, and counts. The count must lie between
the 1 in 10 000 quantiles of the binomial distributions at the ends of the range that is claimed,
so that a check can fail, but hardly by chance; seeds make it repeatable besides. Without `-m slow`
one setting of each check is run, with few trials.
`pytest tests/statistics -m slow --honesty docs/honesty.md` writes what was measured into the table
of that page, after every check, so that a run that is stopped has lost nothing. Rows of checks that
were run are replaced, also of those that failed; the others stay with their date, such as rows of
checks that were skipped for want of Node or of a package.
"""

import datetime
import re
from dataclasses import astuple, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

RARE = 1e-4
START, END = "<!-- measured -->", "<!-- end -->"
HONESTY = "honesty"
HEADINGS = ("what", "where", "promised", "measured", "95 % interval", "trials", "on")


@dataclass(frozen=True)
class Row:
    """Sums of what was measured in trials; those of parts of one check add up."""

    kind: str
    n: int
    total: float
    squares: float
    width: float = 0.0  # of intervals, and of those beside them
    beside: float = 0.0

    def __add__(self, other):
        mine, theirs = astuple(self)[1:], astuple(other)[1:]
        return Row(self.kind, *(a + b for a, b in zip(mine, theirs, strict=True)))

    @property
    def mean(self):
        return self.total / self.n

    def ends(self, level):
        """Give the ends of an interval: Wilson's of a share, Student's of a mean."""
        if self.kind == "share":
            found = stats.binomtest(round(self.total), self.n).proportion_ci(level, "wilson")
            return found.low, found.high
        spread = max(self.squares / self.n - self.mean**2, 0) / max(self.n - 1, 1)
        half = stats.t.ppf((1 + level) / 2, max(self.n - 1, 1)) * np.sqrt(spread)
        return self.mean - half, self.mean + half

    def cells(self):
        low, high = self.ends(0.95)
        today = f"{datetime.date.today():%Y-%m-%d}"
        width = f", × {self.width / self.beside:.2f}" if self.beside else ""
        return (
            f"{100 * self.mean:.1f} %{width}",
            f"{100 * low:.1f}–{100 * high:.1f} %",
            f"{self.n:,}",
            today,
        )


@dataclass(frozen=True)
class Ledger:
    """Checks what was measured, and hands it to the report of the test."""

    properties: list

    def share(self, subject, setting, hits, promised, between, widths=None):
        """Check a list of yes and no against the range of chances claimed for a yes.

        Of intervals, `widths` has theirs, those of intervals beside them, and how many times as
        wide they may be on average.
        """
        own, beside, most = widths or ([], [], np.inf)
        wide = np.array([own, beside], dtype=float)
        wide = wide[:, np.isfinite(wide).all(axis=0)]
        row = self._add("share", (subject, setting, promised), np.asarray(hits, dtype=bool), wide)
        if most < np.inf and wide.shape[1] > 1:
            excess = wide[0] - most * wide[1]
            reach = stats.t.ppf(1 - RARE, len(excess) - 1) * stats.sem(excess)
            assert excess.mean() <= reach, f"{subject}, {setting}: {wide.sum(axis=1)}, not × {most}"
        low, high = between
        count, n = round(row.total), row.n
        least, most = stats.binom.ppf(RARE, n, low), stats.binom.ppf(1 - RARE, n, high)
        assert least <= count <= most, f"{subject}, {setting}: {count} of {n}, not {between}"

    def mean(self, subject, setting, values, promised, between):
        """Check a mean over independent trials against the range claimed for it."""
        row = self._add("mean", (subject, setting, promised), values)
        low, high = between
        least, most = row.ends(1 - 2 * RARE)
        allowed = least <= high and low <= most
        assert allowed, f"{subject}, {setting}: {row.mean:.4f}, not {between}"

    def at_most(self, subject, setting, values, limit, of="share"):
        """Check a share, or a mean, that was promised to be at most so large."""
        getattr(self, of)(subject, setting, values, f"≤ {100 * limit:.0f} %", (0.0, limit))

    def _add(self, kind, key, values, wide=np.zeros((2, 0))):  # noqa: B008
        values = np.asarray(values, dtype=float)
        sums = values.sum(), (values**2).sum(), *wide.sum(axis=1)
        row = Row(kind, len(values), *map(float, sums))
        self.properties.append((HONESTY, [list(key), list(astuple(row))]))
        return row


def pytest_addoption(parser):
    parser.addoption("--honesty", help="Markdown file whose table of measurements is rewritten.")


@pytest.fixture
def ledger(request):
    return Ledger(request.node.user_properties)


def pytest_collection_modifyitems(config, items):
    """Keep one setting of every short run: it shows that the check works, the long run judges."""
    here = Path(__file__).parent
    seen, left_out = set(), []
    for item in items:
        check = (item.path, getattr(item, "originalname", item.name))
        if item.path.is_relative_to(here) and not item.get_closest_marker("slow"):
            if check in seen:
                left_out.append(item)
            seen.add(check)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def pytest_configure(config):
    page = config.getoption("--honesty", default=None)
    if page is not None and not hasattr(config, "workerinput"):  # workers hand over their reports
        config.pluginmanager.register(Scribe(Path(page)))


class Scribe:
    """Writes what tests report into the table of a page."""

    def __init__(self, page):
        self.page, self.rows = page, {}

    def pytest_runtest_logreport(self, report):
        if report.when != "call":
            return
        told = [value for name, value in report.user_properties if name == HONESTY]
        for key, sums in told:
            key, row = tuple(key), Row(*sums)
            self.rows[key] = self.rows[key] + row if key in self.rows else row
        if told:
            write(self.page, {key: row.cells() for key, row in self.rows.items()})


def write(page, rows):
    """Put rows into the table of a page, those of the same check in their old places."""
    text = page.read_text(encoding="utf-8")
    before, after = text[: text.index(START)], text[text.index(END) :]
    old = (line.strip("| ").split(" | ") for line in text[len(before) : -len(after)].splitlines())
    known = {tuple(cells[:3]): tuple(cells[3:]) for cells in old if len(cells) == len(HEADINGS)}
    known.pop(HEADINGS[:3], None)
    known.pop(("---",) * 3, None)
    lines = [HEADINGS, ("---",) * len(HEADINGS), *((*k, *v) for k, v in (known | rows).items())]
    named = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    short = [words for cells in lines[2:] if (words := shortfall(*cells[:5]))]
    missed = "\n".join(f"- {words}" for words in short) or "- none"
    page.write_text(
        f"{before}{START}\n\nLast measured with {named}. Rows that are worse than they say, since "
        f"their whole interval lies on the wrong side:\n\n{missed}\n\n{table}\n\n{after}",
        encoding="utf-8",
    )


def shortfall(what, where, promised, measured, interval):
    """Say in words that a row is worse than it says; nothing if it is not, or promises nothing."""
    claim = re.fullmatch(r"(≥ |≤ |at most )?(\d+) %", promised)
    if claim is None:
        return ""
    # Where less is tested than an interval says, what it says counts.
    level = re.match(r"(\d+) % interval", what)
    said = float(level[1] if level else claim[2])
    low, high = (float(end) for end in re.match(r"(.+)–(.+) %", interval).groups())
    limit = claim[1] in ("≤ ", "at most ")
    worse = low > said if limit else high < said
    return f"{what} ({where}): {measured}, not {said:g} %" if worse else ""


@pytest.fixture
def rng(request):
    """A stream of its own for every check, the same in every run."""
    return np.random.default_rng([ord(letter) for letter in request.node.name])
