import builtins
import io
import sys

import pytest

from cautious import progress
from cautious.progress import Lines, track


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_silent_when_piped(capsys):
    with track("folds", 2) as bar:
        bar.advance(2)
    assert capsys.readouterr() == ("", "")


def test_lines_when_asked_for(capsys):
    with track("folds", 2, show=True) as bar:
        bar.advance(2)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("folds: 2 of 2, ")


def test_time_left(monkeypatch):
    clock = iter([0.0, 2.0, 10.0, 20.0, 20.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    lines = Lines("folds", 100, stream)
    lines.advance(1)  # after 2 s: too early for a line
    lines.advance(19)  # 20 in 10 s
    lines.advance(20)
    lines.finish()
    assert stream.getvalue().splitlines() == [
        "folds: 20 of 100, about 40 s left",
        "folds: 40 of 100, about 30 s left",
        "folds: 40 of 100, 20 s taken",
    ]


def test_a_bar_on_a_terminal(monkeypatch):
    pytest.importorskip("rich")
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with track("[red]folds", 3) as bar:
        bar.advance(3)
    assert "[red]folds" in stream.getvalue()
    assert "3/3" in stream.getvalue()


def test_lines_on_a_terminal_without_rich(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    real = builtins.__import__

    def without_rich(name, *args, **kwargs):
        if name.startswith("rich"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_rich)
    with track("folds", 3) as bar:
        bar.advance(3)
    assert stream.getvalue().startswith("folds: 3 of 3")


def test_how_much_there_is_may_be_known_later(monkeypatch):
    clock = iter([0.0, 10.0, 20.0, 30.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    lines = Lines("rows", None, stream)
    lines.update(20)
    lines.update(40, 80)
    lines.finish()
    assert stream.getvalue().splitlines() == [
        "rows: 20, 10 s so far",
        "rows: 40 of 80, about 20 s left",
        "rows: 40 of 80, 30 s taken",
    ]
