"""A real browser with the network cut off, and pages that may neither err nor ask for anything."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

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


class Report:
    """An open report and what it did that it should not have done."""

    def __init__(self, context, path: Path) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("[data-card]")
        self.settle()

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
        """Wait until the next drawing is done, out of sight too."""
        self.page.evaluate("() => new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)))")
        self.page.wait_for_function("() => document.documentElement.dataset.settled === 'true'")

    def open_details(self) -> None:
        """Unfold what is kept for experts."""
        self.page.click("[data-fold] > summary")
        self.settle()

    def type(self, key: str, value: float | str) -> None:
        """Type a number into the box of a slider."""
        self.page.fill(f"[data-input='{key}']", str(value))
        self.settle()

    def number(self, key: str) -> float:
        """Read a shown number at full precision."""
        return float(self.page.get_attribute(f"[data-key='{key}'] >> nth=0", "data-value"))

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


@pytest.fixture
def open_report(browser):
    """Open a report in a fresh, offline context; at the end it must not have complained."""
    contexts, reports = [], []

    def open_(path: Path, **options) -> Report:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 960}} | options)
        context.set_offline(True)
        contexts.append(context)
        reports.append(Report(context, path))
        return reports[-1]

    yield open_
    found = [(report.complaints, report.outside()) for report in reports]
    for context in contexts:
        context.close()
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
