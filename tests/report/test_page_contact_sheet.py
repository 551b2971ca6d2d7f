"""Odd reports as pictures on one sheet, for people to look at: ``build/contact_sheet.png``.

What a machine can see is checked: nothing sticks out of the screen, and no number is missing where
one should be.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from cautious.report import build_report

PLACES = [
    {"viewport": {"width": 1400, "height": 900}},
    {"viewport": {"width": 1400, "height": 900}, "color_scheme": "dark"},
    {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
]
TWO = np.array([0, 1, 0, 1, 1, 0])
RNG = np.random.default_rng(7)


def scores_of(n, share, models, names=("well", "ill")):
    ill = RNG.random(n) < share
    y = np.where(ill, names[1], names[0])
    return {
        name: (y, 1 / (1 + np.exp(-(quality * (2 * ill - 1) + RNG.normal(size=n)))))
        for name, quality in models.items()
    }


def letters(k, n):
    truth = RNG.integers(k, size=n)
    z = RNG.normal(size=(n, k))
    z[np.arange(n), truth] += 3
    z[np.arange(n), (truth + 1) % k] += 1.2
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    classes = [chr(65 + i) for i in range(k)]
    return {"letters": {"y_true": np.array(classes)[truth], "y_proba": p, "classes": classes}}


LONG = "a name that goes on and on, as names of pipelines do, until nobody reads it any more"
REPORTS = {
    "five models": lambda: (
        scores_of(900, 0.35, {f"model {i}": 0.4 + 0.2 * i for i in range(5)}),
        "ill",
    ),
    "twelve models": lambda: (
        scores_of(900, 0.35, {f"model {i}": 0.5 + 0.1 * i for i in range(12)}),
        "ill",
    ),
    "one percent": lambda: (scores_of(8000, 0.01, {"a": 1.2, "b": 1.0}, ("ok", "fraud")), "fraud"),
    "one row": lambda: (
        {"a": {"y_true": ["x"], "y_set": [["x", "y"]], "classes": ["x", "y"]}},
        None,
    ),
    "two rows": lambda: ({"a": (["no", "yes"], [0.2, 0.7])}, "yes"),
    "long names": lambda: (
        scores_of(300, 0.4, {LONG: 1.1, LONG + "!": 0.9}, (LONG, LONG.upper())),
        LONG.upper(),
    ),
    "26 classes": lambda: (letters(26, 2000), None),
    "odd scores": lambda: (
        {
            "constant": (TWO, np.zeros(6)),
            "turned": (TWO, 1.0 - TWO),
            "infinite": (TWO, [-np.inf, 0, -np.inf, 0, 0, -np.inf]),
            "huge": (TWO, [-1e308, 1e308, 0, 5, 1e300, -7]),
        },
        None,
    ),
    "margins": lambda: (
        {"svm": (lambda y: (y, 3 * y + RNG.normal(size=400) - 1.5))(RNG.integers(2, size=400))},
        None,
    ),
}


@pytest.mark.slow
def test_contact_sheet(tmp_path, open_report):
    image = pytest.importorskip("PIL.Image")
    sheet = image.new("RGB", (1100, 330 * len(REPORTS)), "white")
    for row, (name, make) in enumerate(REPORTS.items()):
        predictions, positive = make()
        said = {} if positive is None else {"pos_label": positive}
        path = build_report(predictions, tmp_path / f"{row}.html", title=name, **said)
        for column, place in enumerate(PLACES):
            report = open_report(path, **place)
            width = place["viewport"]["width"]
            assert report.page.evaluate("() => document.documentElement.scrollWidth") <= width, name
            number = report.page.locator("[data-card='table'] tbody td >> nth=1")
            if number.count():  # names must not push all numbers off the screen
                assert number.bounding_box()["x"] + 60 < width, name
            words = report.page.inner_text("body")
            assert "NaN" not in words, name
            assert "undefined" not in words, name
            assert " 1 cases" not in words, name
            shot = image.open(io.BytesIO(report.page.screenshot()))
            shot.thumbnail((470, 320))
            sheet.paste(shot, (column * 475, row * 330))
    Path("build").mkdir(exist_ok=True)
    sheet.save("build/contact_sheet.png")
