"""Time from a slider to the redrawn page, in a real browser: ``python tools/page_speed.py``.

Prints milliseconds for five models, of few cases and of many: the quickest, the median and the
worst of the moves of a slider. Each begins just after a frame, so up to 17 ms of it are spent
waiting for the next one. Run it while the machine has nothing else to do.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from cautious.report import build_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Every move waits until the page is drawn. The browser's own layout and painting are part of it.
MOVES = """async () => {
    const slider = document.querySelector("[data-slider='false_negative']"),
        frame = () => new Promise((done) => requestAnimationFrame(done)),
        painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))),
        times = [], scripts = [];
    for (let i = 0; i < 40; i++) {
        await frame();
        const start = performance.now();
        slider.value = 200 + 3 * i;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await painted();
        times.push(performance.now() - start);
        scripts.push(Number(document.documentElement.dataset.drawn));
    }
    return { times: times.slice(5), scripts: scripts.slice(5) };
}"""


def five_models(n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Scores of five models of different quality."""
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.35
    return {
        f"model {i}": (ill.astype(int), 1 / (1 + np.exp(-(q * (2 * ill - 1) + rng.normal(size=n)))))
        for i, q in enumerate((0.4, 0.6, 0.8, 1.0, 1.2))
    }


def main() -> None:
    """Open a report of each size, move a slider, and print how long it took."""
    from playwright.sync_api import sync_playwright

    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        for n in (900, 1500, 100_000):
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(build_report(five_models(n), Path(folder) / f"{n}.html").as_uri())
            page.wait_for_function("() => document.documentElement.dataset.settled === 'true'")
            page.wait_for_timeout(1500)
            found = page.evaluate(MOVES)
            for what, key in (("to the redrawn page", "times"), ("of that in scripts", "scripts")):
                ms = np.array(found[key])
                words = f"quickest {ms.min():.1f}, median {np.median(ms):.1f}, worst {ms.max():.1f}"
                print(f"{n:>7,} cases, slider {what:<20} {words} ms")
        browser.close()


if __name__ == "__main__":
    main()
