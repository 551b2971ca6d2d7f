"""Nothing in the page runs, asks or breaks that should not; and everybody can use it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cautious.report import build_report

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    "\"quoted\" & 'so'",
    "emoji 🦊 and \u2028 line",
    "{{script}}",
    "x" * 10_000,
]


def scores_for(labels, n=60):
    rng = np.random.default_rng(1)
    y = np.array(labels, dtype=object)[np.arange(n) % len(labels)]
    return y, rng.random(n) * 0.7 + 0.3 * (y == labels[-1])


QUICK = (HOSTILE[1], HOSTILE[-1])  # what ends the script that carries it, and what fits nowhere


@pytest.mark.parametrize(
    "label",
    [pytest.param(label, marks=() if label in QUICK else pytest.mark.slow) for label in HOSTILE],
)
def test_hostile_names_are_only_text(tmp_path, open_report, label):
    y, score = scores_for(["harmless", label])
    path = build_report(
        {label: (y, score), "other": (y, score**2)},
        tmp_path / "r.html",
        title=label,
        pos_label=label,
    )
    report = open_report(path)
    shown = report.page.inner_text("body")
    assert label[:20].split("\u2028")[0] in shown
    assert report.page.text_content("h1") == label
    assert report.page.locator("script").count() == 3
    assert report.page.locator("img").count() == 0
    wide = report.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 1280


def test_hostile_classes_of_many(tmp_path, open_report):
    labels = HOSTILE
    rng = np.random.default_rng(2)
    y = np.array(labels, dtype=object)[np.arange(140) % len(labels)]
    p = rng.dirichlet(np.ones(len(labels)), size=140)
    path = build_report({"m": {"y_true": y, "y_proba": p, "classes": labels}}, tmp_path / "r.html")
    report = open_report(path)
    assert "<script>alert(1)</sc" in report.page.inner_text("[data-card='confusion']")
    assert report.page.locator("script").count() == 3


def test_hostile_file(tmp_path, open_report):
    y, score = scores_for(["a", "b"])
    report = open_report(build_report({"m": (y, score)}, tmp_path / "r.html", pos_label="b"))
    bad = '"<img src=x onerror=alert(3)>"'
    rows = "\n".join(
        f"{bad if i % 2 else 'ok'},{i / 60},<script>alert(4)</script>" for i in range(60)
    )
    report.drop("<b>x</b>.csv", f"label,score,model\n{rows}\n".encode())
    assert "<b>x</b>.csv" in report.notice()
    assert report.page.locator("img").count() == 0
    assert report.page.locator("#stage script").count() == 0


def test_policy_forbids_connections(tmp_path, open_report):
    y, score = scores_for(["a", "b"])
    path = build_report({"m": (y, score)}, tmp_path / "r.html", pos_label="b")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', path.read_text("utf-8"))[1]
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?://", policy)
    report = open_report(path)
    refused = report.page.evaluate(
        "() => fetch('https://example.org').then(() => 'went', () => 'refused')"
    )
    assert refused == "refused"
    ran = report.page.evaluate(
        """() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';
            document.body.append(s); return window.ran === 1; }"""
    )
    assert not ran
    assert any("Content Security Policy" in text for text in report.complaints)
    report.complaints.clear()
    report.requests.clear()


@pytest.fixture(scope="module")
def plain(tmp_path_factory, scored):
    y, scores = scored
    path = tmp_path_factory.mktemp("plain") / "r.html"
    return build_report({n: (y, s) for n, s in scores.items()}, path, pos_label="ill")


def brightness(report) -> float:
    colour = report.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return float(np.mean([int(c) for c in re.findall(r"\d+", colour)[:3]]))


def test_dark_and_light(plain, open_report):
    report = open_report(plain, color_scheme="dark")
    dark = brightness(report)
    report.page.click("#theme")
    assert brightness(report) > 200 > 60 > dark
    report.page.emulate_media(color_scheme="light")
    report.page.reload()
    report.settle()
    light = brightness(report)
    report.page.click("#theme")
    assert brightness(report) < 60 < 200 < light


def test_prints_the_numbers_without_the_knobs(plain, open_report):
    report = open_report(plain, color_scheme="dark")
    pdf = report.page.pdf(format="A4", print_background=True)
    assert pdf.startswith(b"%PDF")
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))
    assert 1 <= pages <= 6
    report.page.emulate_media(media="print")
    assert brightness(report) == 255
    assert not report.page.is_visible("[data-slider='abstain']")
    assert report.page.is_visible("[data-input='abstain']")
    assert not report.page.is_visible("#theme")


def test_fits_every_screen(plain, open_report):
    report = open_report(plain, viewport={"width": 390, "height": 844})
    for width in (390, 768, 1280, 1920):  # a phone that is turned round, a window that is drawn
        report.page.set_viewport_size({"width": width, "height": 844})
        report.settle()
        assert report.page.evaluate("() => document.documentElement.scrollWidth") <= width
        first = report.page.locator("[data-card='scores']").bounding_box()
        second = report.page.locator("[data-card='confusion']").bounding_box()
        assert (first["y"] == second["y"]) == (width > 760), width


def test_every_control_has_a_name_and_can_be_reached(plain, open_report):
    report = open_report(plain)
    nameless = report.page.evaluate(
        """() => [...document.querySelectorAll("input, select, button, svg[role=img]")].filter(n =>
            !(n.getAttribute("aria-label") || n.textContent.trim() || n.labels?.length)).length"""
    )
    assert nameless == 0
    reached = set()
    for _ in range(60):
        report.page.keyboard.press("Tab")
        reached.add(report.page.evaluate("() => document.activeElement.dataset.slider ?? ''"))
    assert {"false_negative", "false_positive", "abstain", "prior"} <= reached


def test_terms_explain_themselves(plain, open_report):
    report = open_report(plain)
    report.open_details()
    term = report.page.locator("button[aria-label='What is VACC?']").first
    term.focus()
    assert "mean cost" in report.page.inner_text("[role=tooltip]")
    assert term.get_attribute("aria-describedby") == "tip"
    report.page.keyboard.press("Escape")
    assert report.page.locator("[role=tooltip]").count() == 0
    term.click()
    assert report.page.is_visible("[role=tooltip]")
