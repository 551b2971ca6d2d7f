"""Time from a slider to the redrawn page, in a real browser: ``python tools/page_speed.py``.

The mouse drags a slider of five models, of few cases and of many, and arrow keys move it. Printed
are milliseconds, each from the time stamp that the browser gives the move of the mouse or the press
of the key, so waiting for a frame is part of it:

- drawn: from the mouse to the first task after the frame that shows the move; its layout and its
  painting are done then;
- shown: from the key to the presentation of that frame, as the browser's Event Timing reports it,
  in steps of 8 ms from 16 ms on;
- scripts: what the page's own code takes of it.

The quickest quarter is what the page needs; the rest of a busy machine's times is waiting. The load
average is printed beside them: below one the machine was quiet.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from cautious.report import build_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

LISTEN = """() => {
    const found = { drawn: [], shown: [], scripts: [] };
    globalThis.found = found;
    let moved = 0, start = 0;
    addEventListener("pointermove", (event) => { moved = event.timeStamp; }, true);
    addEventListener("input", () => {
        const from = moved, after = new MessageChannel();
        start = performance.now();
        if (from) after.port1.onmessage = () => found.drawn.push(performance.now() - from);
        requestAnimationFrame(() => after.port2.postMessage(null));
        moved = 0;
    }, true);
    addEventListener("input", () => found.scripts.push(performance.now() - start));
    new PerformanceObserver((list) => {
        for (const { name, duration } of list.getEntries())
            if (name === "keydown") found.shown.push(duration);
    }).observe({ type: "event", durationThreshold: 16 });
}"""
MOVES = 60
WARM = 10


def five_models(n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Scores of five models of different quality."""
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.35
    return {
        f"model {i}": (ill.astype(int), 1 / (1 + np.exp(-(q * (2 * ill - 1) + rng.normal(size=n)))))
        for i, q in enumerate((0.4, 0.6, 0.8, 1.0, 1.2))
    }


def move(page: Any) -> dict[str, list[float]]:
    """Drag the first slider to and fro, one move at a time, then press keys."""
    box = page.locator("[data-slider='false_negative']").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(MOVES):
        page.mouse.move(x + (20 + 2 * i if i % 2 else -20 - 2 * i) * box["width"] / 400, y)
        page.wait_for_timeout(30 + i % 7)  # not in step with the frames
    page.mouse.up()
    for i in range(MOVES):
        page.keyboard.press("ArrowRight" if i % 2 else "ArrowLeft")
        page.wait_for_timeout(30 + i % 7)
    page.wait_for_timeout(300)
    return dict(page.evaluate("() => found"))


def summary(ms: np.ndarray) -> str:
    """Give the quickest, the end of the quickest quarter, the median and the worst."""
    if not len(ms):
        return "all below 16"
    quarter, median = np.quantile(ms, [0.25, 0.5])
    return (
        f"quickest {ms.min():5.1f}, quarter {quarter:5.1f}, median {median:5.1f}, "
        f"worst {ms.max():5.1f} ms, {np.mean(ms <= 33):4.0%} at most 33 ms"
    )


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
            page.wait_for_selector("[data-card='winner'] pattern", state="attached")
            page.evaluate(LISTEN)
            found = move(page)
            print(f"{n:,} cases, load average {os.getloadavg()[0]:.1f}")
            for what, times in found.items():
                print(f"  {what:8} {summary(np.array(times[WARM:]))}")
        browser.close()


if __name__ == "__main__":
    main()
