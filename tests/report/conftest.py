"""A real browser with the network cut off, and pages that may neither err nor ask for anything."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from cautious.report import build_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is on the path")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        yield running
        running.close()


# What a page starts with, to begin anew with it: a test may change, add and remove what it likes.
REMEMBER = """() => {
    const { problems, costs, prior, mode, basis, budgets, thresholds, k } = cautious.app;
    const settings = JSON.stringify({ costs, prior, mode, basis, budgets, thresholds, k });
    const bare = problems.map(({ view, distinct, ...problem }) => problem);
    globalThis.beginning = { settings, problems: bare };
}"""
BEGIN_ANEW = """() => {
    if (!globalThis.beginning) return false;
    const { settings, problems } = beginning, { app } = cautious;
    history.replaceState(null, "", location.pathname);
    Object.assign(app, JSON.parse(settings), { problems: problems.map(one => ({ ...one })) });
    document.documentElement.removeAttribute("data-theme");
    document.getElementById("notices").replaceChildren();
    document.activeElement.blur();
    scrollTo(0, 0);
    app.show(0);
    return true;
}"""


NUMBERS = """keys => {
    const { app } = cautious,
        read = key => document.querySelector(`[data-key='${key}']`)?.dataset.value,
        show = basis => { app.basis = basis; app.draw(); app.finish(); },
        { basis } = app, values = keys.map(read);
    if (!values.includes(undefined)) return values;
    show("counted");
    const counted = keys.map(read);
    show(basis);
    return values.map((value, i) => value ?? counted[i]);
}"""


class Report:
    """An open report and what it did that it should not have done."""

    def __init__(self, page, path: Path) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._listeners = {
            "request": lambda request: self.requests.append(request.url),
            "console": self._heard,
            "pageerror": lambda error: self.complaints.append(str(error)),
            "dialog": self._dialog,
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)
        # Loading takes ten times as long as beginning anew in a page that is there already.
        if page.url.split("#")[0] != path.as_uri() or not page.evaluate(BEGIN_ANEW):
            page.goto(path.as_uri())
            page.wait_for_selector("[data-card]")
            page.evaluate(REMEMBER)
        self.settle()

    def leave(self) -> None:
        """Listen no longer: another report is opened in the page."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    def _heard(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _dialog(self, dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def outside(self) -> list[str]:
        """Requests to anything but the file itself and pictures made in the page."""
        return [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]

    def settle(self) -> None:
        """Wait for the next frame, and have drawn what the page would draw later, out of sight."""
        self.page.evaluate(
            """() => new Promise(done => requestAnimationFrame(() => {
                cautious.app.finish();
                done();
            }))"""
        )

    def wait_until(self, condition: str) -> None:
        """Wait for a condition; Playwright's own way evaluates text, which the page forbids."""
        for _ in range(600):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"still not so: {condition}")

    def look_at(self, card: str) -> None:
        """Scroll to a card, and wait until it stands still and nothing is thought about."""
        self.page.evaluate(
            """card => document.querySelector(`[data-card='${card}']`).scrollIntoView(
                { block: "center" })""",
            card,
        )
        self.wait_until(
            """() => !document.querySelector("[data-card='winner']")
                || cautious.app.problems[cautious.app.current].distinct?.grid"""
        )
        self.settle()
        self.settle()

    def open_details(self) -> None:
        """Unfold what is kept for experts."""
        # Not with the mouse: what is still being computed above may move it away from there.
        self.page.dispatch_event("[data-fold] > summary", "click")
        # The browser says a little later that it is open, and only then is it drawn. Out of sight a
        # card has a content but no text.
        self.wait_until("() => document.querySelector('[data-fold] .card-body')?.textContent")
        self.page.evaluate("() => document.querySelector('[data-fold]').scrollIntoView()")
        self.wait_until("() => document.querySelector('[data-fold] [data-card]').innerText.trim()")
        self.settle()

    def type(self, key: str, value: float | str) -> None:
        """Type a number into the box of a slider."""
        self.type_all({key: value})

    def type_all(self, values: dict[str, float | str]) -> None:
        """Type numbers into several boxes before anything is drawn."""
        for key, value in values.items():
            self.page.fill(f"[data-input='{key}']", str(value))
        self.settle()

    def number(self, key: str) -> float:
        """Read a shown number at full precision."""
        return self.numbers(key)[key]

    def numbers(self, *keys: str) -> dict[str, float]:
        """Read several at once; those counted on these cases stand there after the switch."""
        values = self.page.evaluate(NUMBERS, list(keys))
        missing = [key for key, value in zip(keys, values, strict=True) if value is None]
        assert not missing, f"not on the page: {missing}"
        return {key: float(value) for key, value in zip(keys, values, strict=True)}

    def select(self, index: int | str) -> None:
        self.page.select_option("[data-action='select-model']", str(index))
        self.settle()

    def drop(self, name: str, content: bytes) -> None:
        """Drop a file onto the page and wait for the verdict."""
        self.page.evaluate(
            """([name, bytes]) => {
                const file = new File([new Uint8Array(bytes)], name);
                const dataTransfer = new DataTransfer();
                dataTransfer.items.add(file);
                document.querySelector("#notices").replaceChildren();
                dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
            }""",
            [name, list(content)],
        )
        self.page.wait_for_selector("[data-notice] strong", timeout=20_000)
        self.settle()

    def notice(self) -> str:
        return self.page.inner_text("[data-notice]")


DEFAULTS = {"viewport": {"width": 1280, "height": 960}, "color_scheme": "light"}


def offline_page(browser, **options):
    context = browser.new_context(**DEFAULTS | options)
    context.set_offline(True)
    return context.new_page()


@pytest.fixture(scope="session")
def usual_page(browser):
    """The page that reports are opened in one after the other: a page that is warm is quicker."""
    return offline_page(browser, permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture
def open_report(browser, usual_page):
    """Open a report offline; at the end it must not have complained.

    The first report of a test is opened in the usual page if its options can be set there, any
    other in a context of its own.
    """
    reports = []

    def open_(path: Path, **options) -> Report:
        usual = not reports and options.keys() <= DEFAULTS.keys()
        if usual:
            options = DEFAULTS | options
            page = usual_page
            page.mouse.move(0, 0)
            page.set_viewport_size(options["viewport"])
            page.emulate_media(media="null", color_scheme=options["color_scheme"])
        else:
            page = offline_page(browser, **options)
        reports.append(Report(page, path))
        return reports[-1]

    yield open_
    found = [(report.complaints, report.outside()) for report in reports]
    for report in reports:
        report.leave()
        if report.page is not usual_page:
            report.page.context.close()
    assert all(found == ([], []) for found in found), found


@pytest.fixture(scope="session")
def scored():
    """Labels and scores of three models of different quality, with ties in the last."""
    rng = np.random.default_rng(3)
    y = np.where(rng.random(900) < 0.35, "ill", "well")
    ill = y == "ill"
    close = 1 / (1 + np.exp(-(2.2 * ill - 1.3 + rng.normal(size=900))))
    rough = 1 / (1 + np.exp(-(1.2 * ill - 0.8 + rng.normal(size=900))))
    return y, {"close": close, "margin": 4 * rough - 1.7, "tied": np.round(rough, 1)}


@pytest.fixture(scope="session")
def classified():
    """Truths and probabilities over five classes."""
    rng = np.random.default_rng(5)
    classes = np.array(["ash", "birch", "cedar", "elm", "fir"])
    truth = rng.integers(5, size=600)
    z = rng.normal(size=(600, 5)) * 1.1
    z[np.arange(600), truth] += 1.6
    p = np.exp(z)
    return classes[truth], p / p.sum(axis=1, keepdims=True), classes.tolist()


@pytest.fixture(scope="session")
def one_model(scored, tmp_path_factory):
    """The report that most files are dropped on."""
    y, scores = scored
    path = tmp_path_factory.mktemp("one") / "r.html"
    return build_report({"close": (y, scores["close"])}, path, pos_label="ill")


@pytest.fixture(scope="session")
def three_models(scored, tmp_path_factory):
    """The report that most tests open: one page serves them all."""
    y, scores = scored
    predictions = {name: (y, score) for name, score in scores.items()}
    path = tmp_path_factory.mktemp("three") / "r.html"
    return build_report(predictions, path, pos_label="ill", title="Ill or well?")
