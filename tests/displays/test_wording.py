from __future__ import annotations

import pytest

from cautious.displays.wording import plain_text


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("plain", "plain"),
        (3, "3"),
        (None, "None"),
        ("a$b$", r"a\$b\$"),
        ("two\nlines\tand\x00more", "two lines and more"),
        ("_x", "\u200b_x"),
        ("", "(no name)"),
        ("\ud800", "(no name)"),
        ("abcdefghij" * 4, "abcdefghij" * 3 + "a…"),
        (" " * 1000 + "a", "…"),
    ],
)
def test_plain_text(label, text):
    assert plain_text(label) == text


def test_most_characters_are_kept():
    assert plain_text("x" * 32) == "x" * 32
    assert plain_text("x" * 33, most=10) == "x" * 9 + "…"
