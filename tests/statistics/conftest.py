"""What was measured is both checked and, on request, written into the documentation.

A check draws data whose truth is known, many times over, and counts. The count must lie between
the 1 in 10 000 quantiles of the binomial distributions at the ends of the range that is claimed,
so that a check can fail, but hardly by chance; seeds make it repeatable besides. Without `-m slow`
one setting of each check is run, with few trials.
`pytest tests/statistics -m slow --honesty docs/honesty.md` writes what was measured into the table
of that page: rows of checks that were run are replaced, the others stay with their date. Workers of
pytest-xdist hand their rows to the process that started them.
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
HEADINGS = ("what", "where", "promised", "measured", "95 % interval", "trials", "on")


@dataclass
class Ledger:
    """Checks what was measured, and remembers it."""

    rows: dict = field(default_factory=dict)

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
        # The long run of a check replaces its short run.
        cells = (f"{100 * found:.1f} %", f"{100 * low:.1f}–{100 * high:.1f} %", f"{n:,}")
        self.rows[subject, setting, promised] = (*cells, f"{datetime.date.today():%Y-%m-%d}")


def pytest_addoption(parser):
    parser.addoption("--honesty", help="Markdown file whose table of measurements is rewritten.")


@pytest.fixture(scope="session")
def ledger(request):
    return request.config.stash[LEDGER]


LEDGER = pytest.StashKey[Ledger]()


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
    config.stash[LEDGER] = Ledger()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take over the rows of a worker."""
    rows = getattr(node, "workeroutput", {}).get("honesty", [])
    node.config.stash[LEDGER].rows.update({tuple(key): tuple(cells) for key, cells in rows})


def pytest_sessionfinish(session):
    config = session.config
    rows = config.stash[LEDGER].rows
    page = config.getoption("--honesty", default=None)
    if hasattr(config, "workeroutput"):
        config.workeroutput["honesty"] = [[list(key), list(cells)] for key, cells in rows.items()]
    elif page is not None and rows:
        write(Path(page), rows)


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
    page.write_text(
        f"{before}{START}\n\nLast measured with {named}.\n\n{table}\n\n{after}", encoding="utf-8"
    )


@pytest.fixture
def rng(request):
    """A stream of its own for every check, the same in every run."""
    return np.random.default_rng([ord(letter) for letter in request.node.name])
