"""Nothing in the page runs, asks or breaks that should not; and everybody can use it."""

from __future__ import annotations

import csv
import io
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.fuzz.fuzz_damage import PREDICTIONS, any_file
from tests.fuzz.fuzz_effort import fuzz

from cautious.report import build_report

PAYLOADS = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    "\"quoted\" & 'so'",
    "emoji 🦊 and \u2028 line",
    "{{script}}",
    "x" * 10_000,
    "<svg onload=alert(4)>",
    "<iframe srcdoc='<script>parent.ran = 1</script>'></iframe>",
    "<a href='javascript:ran=1'>press</a>",
    "<style>@import '//evil.example/style.css'</style>",
    "<link rel=stylesheet href=//evil.example/style.css>",
    "<meta http-equiv=refresh content='0;url=//evil.example/'>",
    "<base href=//evil.example/>",
    "<form action=//evil.example/><button autofocus onfocus=alert(5)>",
    "<object data=//evil.example/x></object><embed src=//evil.example/x>",
    "<math><mtext></mtext><script>ran = 1</script></math>",
    "<template><img src=x onerror=alert(6)></template>",
    "<!--><script>ran = 1</script>-->",
    "]]><script>ran = 1</script>",
    "${ran = 1}`;ran = 1;`",
    "');ran = 1;//",
    "\\u003cscript\\u003eran = 1\\u003c/script\\u003e",
    "&lt;script&gt;ran = 1&lt;/script&gt;",
    "__proto__",
    "\u202e<gpj.exe> \u0000 \u001b[31m \ufeff",
]
HOSTILE = [*PAYLOADS, *(f"\"'>-->{text}" for text in PAYLOADS)]


def scores_for(labels, n=60):
    rng = np.random.default_rng(1)
    y = np.array(labels, dtype=object)[np.arange(n) % len(labels)]
    return y, rng.random(n) * 0.7 + 0.3 * (y == labels[-1])


def about_two_classes(name):
    """A report with a name for everything that has one."""
    y, score = scores_for(["harmless", name])
    one = {"y_true": y, "y_score": score, "groups": np.where(score > 0.5, name, "rest")}
    return {name: one, "other": (y, score**2)}, {"title": name, "pos_label": name}


def about_many_classes(name):
    y, score = scores_for(["harmless", "other", name])
    p = np.column_stack([score / 2, 1 - score, score / 2])
    one = {"y_true": y, "y_proba": p, "classes": ["harmless", "other", name]}
    return {name: one}, {"title": name}


def about_sets(name):
    y, score = scores_for(["harmless", "other", name])
    sets = [{"harmless", name} if one > 0.4 else {"other"} for one in score]
    return {name: {"y_true": y, "y_set": sets}}, {"title": name}


KINDS = {"two": about_two_classes, "many": about_many_classes, "sets": about_sets}
# What ends the script that carries it, and a class among many.
QUICK = {(PAYLOADS[1], "two"), (PAYLOADS[0], "many")}


def assert_only_text(report):
    """Nothing that a name says has become a part of the page, or has run."""
    ran, n_scripts, n_parts = report.page.evaluate(
        """() => [typeof window.ran, document.scripts.length, document.querySelectorAll(
            "img, iframe, object, embed, form[action], base, template, math, [onerror], [onload], "
            + "[href^='javascript'], meta[http-equiv=refresh], link[rel=stylesheet]").length]"""
    )
    assert (ran, n_parts) == ("undefined", 0)
    assert n_scripts == 2


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(
            name, kind, id=f"{kind}-{at}", marks=() if (name, kind) in QUICK else pytest.mark.slow
        )
        for kind in KINDS
        for at, name in enumerate(HOSTILE)
    ],
)
def test_hostile_names_are_only_text(tmp_path, open_report, name, kind):
    """However a report names its title, models, classes and groups, it shows these very words."""
    predictions, options = KINDS[kind](name)
    report = open_report(build_report(predictions, tmp_path / "r.html", **options))
    assert report.page.text_content("h1") == name
    assert name[:20].split("\u2028")[0].strip() in report.page.inner_text("body")
    assert_only_text(report)
    assert report.page.evaluate("() => document.documentElement.scrollWidth") <= 1280


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


# Each asks the host HERE for something, or does RAN, unless the policy forbids it.
PROBES = {
    "inline script": "add('script', { textContent: 'RAN' })",
    "inline module": "add('script', { type: 'module', textContent: 'RAN' })",
    "script of data": "add('script', { src: 'data:text/javascript,RAN' })",
    "script of a blob": "add('script', { src: blob('RAN') })",
    "script of a host": "add('script', { src: HERE })",
    "import of data": "import('data:text/javascript,RAN')",
    "import of a host": "import(HERE)",
    "eval": "(0, eval)('RAN')",
    "Function": "new Function('RAN')()",
    "timer of text": "setTimeout('RAN', 0)",
    "handler": "add('button', {}, { onclick: 'RAN' }).click()",
    "picture that fails": "write('<img src=data:, onerror=RAN>')",
    "drawing": "write('<svg><animate onbegin=RAN attributeName=x dur=1s></svg>')",
    "link of script": "add('a', { href: 'javascript:void(RAN)' }).click()",
    "frame of text": "add('iframe', { srcdoc: '<script>RAN</script>' })",
    "frame of script": "add('iframe', { src: 'javascript:void(RAN)' })",
    "frame of a host": "add('iframe', { src: HERE })",
    "object of a host": "add('object', { data: HERE })",
    "embedded": "add('embed', { src: HERE })",
    "picture of a host": "add('img', { src: HERE })",
    "picture in a drawing": "write(`<svg><image href='${HERE}' width=9 height=9 /></svg>`)",
    "video": "add('video', { src: HERE, preload: 'auto' })",
    "sound": "add('audio', { src: HERE, preload: 'auto' })",
    "style that asks": "add('style', { textContent: `@import '${HERE}';` })",
    "style of a host": "add('link', { rel: 'stylesheet', href: HERE })",
    "background": "add('p', {}, { style: `background: url(${HERE})` })",
    "font": "document.fonts.add(new FontFace('f', `url(${HERE})`)); document.fonts.load('9px f')",
    "fetch": "fetch(HERE, { mode: 'no-cors' })",
    "XMLHttpRequest": "(r => { r.open('GET', HERE); r.send(); })(new XMLHttpRequest())",
    "WebSocket": "new WebSocket(HERE.replace('http', 'ws'))",
    "EventSource": "new EventSource(HERE)",
    "beacon": "navigator.sendBeacon(HERE, 'x')",
    "ping": "add('a', { href: '#', ping: HERE }).click()",
    "form": "add('form', { action: HERE, method: 'post', target: '_blank' }).submit()",
    "worker of a blob": "new Worker(blob(`fetch('${HERE}', { mode: 'no-cors' })`))",
    "WebAssembly": "WebAssembly.compile(new Uint8Array([0,97,115,109,1,0,0,0])).then(() => RAN)",
    "base": "add('base', { href: `${HERE}/` }) && add('img', { src: 'relative' })",
}
TOOLS = """
    const HERE = %r;
    const add = (name, fields, attributes = {}) => {
        const node = Object.assign(document.createElement(name), fields);
        for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
        return document.body.appendChild(node);
    };
    const write = text => { add("div", {}).innerHTML = text; };
    const blob = text => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
"""


@pytest.fixture
def host():
    """A host on this machine that writes down what it is asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path.strip("/").split("/")[0])
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


def harm(page, host, seconds):
    """Try every probe in a page; give those that ran or reached the host, and how long it took."""
    address, asked = host
    asked.clear()
    page.evaluate("() => { window.ran = {}; }")
    for at, probe in enumerate(PROBES.values()):
        code = TOOLS % f"{address}/{at}" + probe.replace("RAN", f"top.ran[{at}]=1")
        # By a timer, for what a debugger calls at once may even evaluate text.
        page.evaluate(f"() => {{ setTimeout(() => {{ {code}; }}) }}")
    begun = time.monotonic()
    while True:
        signs = {*page.evaluate("() => Object.keys(window.ran)"), *asked}
        done = {name for at, name in enumerate(PROBES) if str(at) in signs}
        waited = time.monotonic() - begun
        if len(done) == len(PROBES) or waited > seconds:
            return done, waited
        page.wait_for_timeout(50)


def test_policy_lets_nothing_run_and_nothing_out(tmp_path, browser, host):
    """The probes do their harm in a page without a policy, and none in ours."""
    assert len(PROBES) > 30
    y, score = scores_for(["a", "b"])
    path = build_report({"m": (y, score)}, tmp_path / "r.html", pos_label="b")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', path.read_text("utf-8"))[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?://", policy)
    bare = tmp_path / "bare.html"
    bare.write_text("<!doctype html><title>bare</title><body></body>")
    context = browser.new_context()  # online: what is not forbidden arrives
    page = context.new_page()
    page.goto(bare.as_uri())
    done, took = harm(page, host, seconds=20)
    assert {*PROBES} - done == set()
    page.goto(path.as_uri())
    page.wait_for_selector("[data-card]")
    done, _ = harm(page, host, seconds=0.5 + took)
    context.close()
    assert done == set()


@pytest.mark.parametrize("n", [pytest.param(220, marks=pytest.mark.slow)])
def test_dropped_files_only_give_answers(tmp_path, open_report, n):
    """Whatever is dropped, the page answers or refuses; nothing runs, nothing is asked for."""
    y, score = scores_for(["a", "b"])
    report = open_report(build_report({"m": (y, score)}, tmp_path / "r.html", pos_label="b"))
    dropped = []

    def law(content, name):
        if len(dropped) % 20 == 19:  # it keeps what it was given
            report.page.reload()
            report.settle()
        report.drop(name, content)
        assert report.notice()
        assert_only_text(report)
        dropped.append(name)

    tables = {
        **PREDICTIONS,
        **{f"name {at}": _table(name) for at, name in enumerate(HOSTILE) if len(name) < 1000},
    }
    fuzz(
        law,
        (n, False),
        content=any_file(tables),
        name=st.sampled_from([*PAYLOADS[:6], "p.csv", "p.parquet", "p", ".", "p.csv.gz"]),
    )
    assert len(dropped) >= n


def _table(name):
    text = io.StringIO()
    rows = [[name if at % 2 else "ok", at / 8, name, name] for at in range(8)]
    csv.writer(text).writerows([["label", "score", "model", name], *rows])
    return text.getvalue()


def brightness(report) -> float:
    colour = report.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return float(np.mean([int(c) for c in re.findall(r"\d+", colour)[:3]]))


@pytest.mark.slow
def test_dark_and_light(three_models, open_report):
    report = open_report(three_models, color_scheme="dark")
    dark = brightness(report)
    report.page.click("#theme")
    assert brightness(report) > 200 > 60 > dark
    report.page.emulate_media(color_scheme="light")
    report.page.reload()
    report.settle()
    light = brightness(report)
    report.page.click("#theme")
    assert brightness(report) < 60 < 200 < light


@pytest.mark.slow
def test_fits_every_screen(three_models, open_report):
    report = open_report(three_models, viewport={"width": 390, "height": 844})
    for width in (390, 768, 1280, 1920):  # a phone that is turned round, a window that is drawn
        report.page.set_viewport_size({"width": width, "height": 844})
        report.settle()
        assert report.page.evaluate("() => document.documentElement.scrollWidth") <= width
        first = report.page.locator("[data-card='scores']").bounding_box()
        second = report.page.locator("[data-card='confusion']").bounding_box()
        assert (first["y"] == second["y"]) == (width > 760), width


def test_every_control_has_a_name_and_terms_explain_themselves(three_models, open_report):
    report = open_report(three_models)
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
    report.open_details()
    term = report.page.locator("button[aria-label='What is VACC?']").first
    term.focus()
    assert "mean cost" in report.page.inner_text("[role=tooltip]")
    assert term.get_attribute("aria-describedby") == "tip"
    report.page.keyboard.press("Escape")
    assert report.page.locator("[role=tooltip]").count() == 0
    term.click()
    assert report.page.is_visible("[role=tooltip]")
