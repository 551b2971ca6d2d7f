"""The file: whole or not at all, small, and open about what it may do."""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from cautious._messages import page_rules
from cautious.report import build_report
from cautious.report.document import embedded_json, page_modules, render_page

GOOD = {"m": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])}


def data_of(path):
    text = path.read_text("utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def test_a_report_is_one_small_file(tmp_path):
    path = build_report(GOOD, tmp_path / "r.html", title="<b>T</b>", priors=0.25)
    assert path == tmp_path / "r.html"
    assert list(tmp_path.iterdir()) == [path]
    assert path.stat().st_size < 360_000
    assert data_of(path)["prior"] == 0.25
    assert "<b>T</b>" not in path.read_text("utf-8")
    turned = build_report({"m": (np.arange(40) % 2, -(np.arange(40.0) % 2))}, path)
    assert data_of(turned)["problems"][0]["models"][0]["reversed"]
    assert data_of(turned)["notes"] == []  # the page says it beside its advice


def test_the_page_carries_the_messages_that_it_names_and_no_others(tmp_path):
    rules = data_of(build_report(GOOD, tmp_path / "r.html"))["rules"]
    script = "\n".join(page_modules().values())
    called = re.findall(r'\b(refusal|hint|note)\("([^"]+)"', script)
    assert len(called) > 50
    plural = {"refusal": "refusals", "hint": "hints", "note": "notes"}
    for kind, key in called:
        known = page_rules()[plural[kind]]
        assert key not in known or rules[plural[kind]][key] == known[key]
    assert "rounded scores" not in rules["notes"]
    assert "read once" not in rules["refusals"]


def test_a_million_predictions_are_a_few_thousand_numbers(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1_000_000)
    path = build_report({"m": (y, y + 2 * rng.normal(size=len(y)))}, tmp_path / "r.html")
    assert path.stat().st_size < 400_000


@pytest.mark.parametrize("n", [1500, 100_000])
def test_five_models_take_at_most_400_kilobytes(tmp_path, n):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    models = {f"model {i}": (y, rng.random(n) + i * y / 3) for i in range(5)}
    assert build_report(models, tmp_path / "r.html").stat().st_size <= 400_000


def test_models_are_grouped_by_their_question(tmp_path, classified):
    y, p, classes = classified
    trees = {"y_true": y, "y_proba": p, "classes": classes}
    path = build_report({**GOOD, "n": GOOD["m"], "trees": trees}, tmp_path / "r.html")
    problems = data_of(path)["problems"]
    assert [(q["kind"], len(q["models"])) for q in problems] == [("binary", 2), ("sets", 3)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"costs": {"false_negative": 1}}, "false_positive"),
        ({"costs": {"false_negative": 1, "false_positive": -1, "abstain": 0}}, "negative"),
        ({"costs": {"false_negative": 0, "false_positive": 1, "abstain": 0}}, "cost something"),
        ({"priors": 1.0}, "strictly between 0 and 1"),
        ({"priors": [0.3, 0.3]}, "add up to 1"),
        ({"priors": {"a": 0.3, "b": 0.7}}, "names"),
    ],
)
def test_bad_options(tmp_path, options, words):
    with pytest.raises(ValueError, match=words):
        build_report(GOOD, tmp_path / "r.html", **options)


def test_confusable_models(tmp_path, classified):
    y, p, classes = classified
    one = {"y_true": y, "y_proba": p, "classes": classes}
    turned = {"y_true": y, "y_proba": p[:, ::-1], "classes": classes[::-1]}
    with pytest.raises(ValueError, match="another order"):
        build_report({"a": one, "b": turned}, tmp_path / "r.html")
    with pytest.raises(ValueError, match="two models are called 'a, u65 sets'"):
        build_report({"a": one, "a, u65 sets": one}, tmp_path / "r.html")


def test_policy_names_exactly_what_the_page_carries():
    page = render_page("t", "{}")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    hashes = re.findall(r"'sha256-([^']*)'", page)
    for source in (*scripts, *styles):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert digest in hashes
    assert len(hashes) == len(scripts) + len(styles) == 2
    assert not re.search(r"<[^>]+\son\w+=", page.split("<script>")[0])  # no inline handlers


def test_every_module_is_on_the_page():
    folder = files("cautious.report").joinpath("page")
    there = {path.relative_to(folder).as_posix() for path in Path(str(folder)).rglob("*.*")}
    assert there == {*page_modules(), "index.html", "style.css", "package.json"}


def test_modules_stand_after_those_they_import():
    """One scope holds them all, so what is used at the top level must already be there."""
    seen = []
    for path, text in page_modules().items():
        for used in re.findall(r'^import [^;]* from "([^"]+)";', text, re.MULTILINE):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(path), used)) in seen
        seen.append(path)
        assert "innerHTML" not in text
        assert not re.search(
            r"`[^`\n]*\n", re.sub(r"`[^`\n]*`", "", text)
        )  # indentation is dropped
        assert len(text.splitlines()) <= 400
    names = re.findall(
        r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)",
        "\n".join(page_modules().values()),
        re.MULTILINE,
    )
    assert len(names) == len(set(names))  # no name means two things in that scope


def test_json_is_safe_inside_a_page():
    hostile = {"a": "</script><!--&\u2028\ud800", "b": [np.inf, -np.inf, np.nan, np.float64(0.1)]}
    text = embedded_json(hostile)
    assert not set("<>&\u2028") & set(text)
    back = json.loads(text)
    assert back["a"].startswith("</script><!--&\u2028")
    assert back["b"] == ["Infinity", "-Infinity", "NaN", 0.1]


def test_without_javascript_the_page_says_what_it_needs(browser, one_model):
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(one_model.as_uri())
        words = page.inner_text("body")
    finally:
        context.close()
    assert "needs JavaScript" in words
    assert "connects to nothing" in words
