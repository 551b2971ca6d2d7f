import builtins
import io
import sys
import threading
import time

import pytest

from cautious import progress
from cautious.progress import Progress, track


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def quick(monkeypatch):
    """Nobody waits long in a test."""
    for name in ("BEFORE_A_BAR", "BETWEEN_LINES", "BETWEEN_LOOKS"):
        monkeypatch.setattr(progress, f"_SECONDS_{name}", 0.02)


def shown(monkeypatch, stream, until="", what="folds", **how):
    """Work until a text is there, or for a tenth of a second, and give what is shown."""
    monkeypatch.setenv("TERM", "xterm-256color")  # rich draws nothing on a dumb one
    monkeypatch.setattr(sys, "stderr", stream)
    with track(what, 3, **how) as bar:
        bar.advance(2)
        bar.advance()
        for _ in range(6000 if until else 10):
            if until and until in stream.getvalue():
                break
            time.sleep(0.01)
    return stream.getvalue()


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_what_is_quick_is_silent(monkeypatch, stream):
    assert shown(monkeypatch, stream()) == ""


def test_nothing_is_shown_unless_wanted(quick, monkeypatch):
    assert shown(monkeypatch, Terminal(), show=False) == ""


def test_lines_in_a_log_file(quick, monkeypatch):
    first, *_, last = shown(monkeypatch, io.StringIO(), "left").splitlines()
    assert first == "folds: 3 of 3, about 0 s left"
    assert last == "folds: 3 of 3, 0 s taken"


def test_time_left(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 20.0, 60.0, 60.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    rows = Progress("rows")
    assert rows.line() == "rows: 5 s so far"  # nothing is known
    rows.update(20)
    assert rows.line() == "rows: 20, 10 s so far"
    rows.update(40, 80)
    assert rows.line() == "rows: 40 of 80, about 20 s left"
    rows.advance(20)
    assert rows.line() == "rows: 60 of 80, about 20 s left"
    assert rows.line(finished=True) == "rows: 60 of 80, 1 min 0 s taken"


def test_a_bar_on_a_terminal(quick, monkeypatch):
    pytest.importorskip("rich")
    assert "[red]folds" in shown(monkeypatch, Terminal(), "3/3", "[red]folds")


def test_lines_on_a_terminal_without_rich(quick, monkeypatch):
    real = builtins.__import__

    def without_rich(name, *args, **kwargs):
        if name.startswith("rich"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_rich)
    assert shown(monkeypatch, Terminal(), "left").startswith("folds: 3 of 3")


def test_work_that_fails_leaves_no_thread():
    before = threading.active_count()
    with pytest.raises(KeyError), track("folds"):
        raise KeyError
    assert threading.active_count() == before
