"""How long the page keeps its reader waiting, in a real browser: ``python tools/page_speed.py``.

**A slider.** The mouse drags a slider of five models, of few cases and of many, and arrow keys move
it. Printed are milliseconds, each from the time stamp that the browser gives the move of the mouse
or the press of the key, so waiting for a frame is part of it:

- drawn: from the mouse to the first task after the frame that shows the move; its layout and its
  painting are done then;
- shown: from the key to the presentation of that frame, as the browser's Event Timing reports it,
  in steps of 8 ms from 16 ms on;
- scripts: what the page's own code takes of it.

The quickest quarter is what the page needs; the rest of a busy machine's times is waiting. The load
average is printed beside them: below one the machine was quiet.

**A dropped file** (``--drop``, with ``--profile`` to see where the time goes). Files of a million
rows are dropped onto a fresh page, several times each. Printed are milliseconds from the drop:

- drawn: the first task after the frame that shows the result;
- alone: processor time of the page's thread for all of it; a busy machine adds little to it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

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

# Drop the file of an input that was put into the page, and wait until its result is on the screen.
DROP = """() => new Promise((done) => {
    const dataTransfer = new DataTransfer(), after = new MessageChannel();
    dataTransfer.items.add(document.getElementById("dropped").files[0]);
    const start = performance.now();
    after.port1.onmessage = () => done({ drawn: performance.now() - start });
    new MutationObserver((_, observer) => {
        if (!document.querySelector("[data-notice] strong")) return;
        observer.disconnect();
        requestAnimationFrame(() => after.port2.postMessage(null));
    }).observe(document.getElementById("notices"), { childList: true, subtree: true });
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
})"""
ROWS = 1_000_000
DROPS = 3


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


def million_rows(folder: Path) -> list[Path]:
    """Write the files that are dropped: scores as programs write them, short and long."""
    rng = np.random.default_rng(0)
    ill = rng.random(ROWS) < 0.35
    score = 1 / (1 + np.exp(-(2 * ill - 1 + rng.normal(size=ROWS))))
    whole = pd.DataFrame({"y_true": ill.astype(int), "y_score": score})
    named = whole.assign(y_true=np.where(ill, "yes", "no"))
    whole.to_csv(folder / "six-digits.csv", index=False, float_format="%.6f")
    whole.to_csv(folder / "all-digits.csv", index=False)
    named.to_csv(folder / "names.csv", index=False)
    return sorted(folder.glob("*.csv"))


def busy(session: Any) -> float:
    """Seconds of processor time that the page's thread has taken."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def drop(
    browser: Any, report: Path, file: Path, profiled: bool
) -> tuple[dict[str, float], Counter[str]]:
    """Drop a file onto a fresh page: when each stage was done, and what each function took."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(report.as_uri())
    page.wait_for_function("() => document.documentElement.dataset.settled === 'true'")
    page.evaluate(
        """() => document.body.append(
            Object.assign(document.createElement("input"), { type: "file", id: "dropped" }))"""
    )
    page.set_input_files("#dropped", file)
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    if profiled:
        session.send("Profiler.enable")
        session.send("Profiler.start")
    before = busy(session)
    found = dict(page.evaluate(DROP))
    found["alone"] = 1000 * (busy(session) - before)
    spent: Counter[str] = Counter()
    if profiled:
        seen = session.send("Profiler.stop")["profile"]
        names = {one["id"]: one["callFrame"]["functionName"] for one in seen["nodes"]}
        for node, microseconds in zip(seen["samples"], seen["timeDeltas"], strict=True):
            spent[names[node] or "(no name)"] += microseconds
    if page.locator(".notice.error").count():
        raise RuntimeError(page.inner_text("[data-notice]"))
    context.close()
    return found, spent


def drops(browser: Any, folder: Path, *, profiled: bool) -> None:
    """Print how long each file keeps its reader waiting."""
    report = build_report({"known": five_models(900)["model 3"]}, folder / "report.html")
    for file in million_rows(folder):
        print(f"{file.name}, {ROWS:,} rows, {file.stat().st_size / 1e6:.0f} MB", end=", ")
        times, spent = zip(
            *(drop(browser, report, file, profiled) for _ in range(DROPS)), strict=True
        )
        print(f"load average {os.getloadavg()[0]:.1f}")
        for stage in times[0]:
            ms = np.array([one[stage] for one in times])
            print(f"  {stage:8} quickest {ms.min():5.0f}, median {np.median(ms):5.0f} ms")
        for name, microseconds in sum(spent, Counter[str]()).most_common(25):
            print(f"    {microseconds / 1000 / DROPS:6.1f} ms  {name}")


def slides(browser: Any, folder: Path) -> None:
    """Print how long the page takes to follow a slider."""
    for n in (900, 1500, 100_000):
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(build_report(five_models(n), folder / f"{n}.html").as_uri())
        page.wait_for_function("() => cautious.app.problems[0].distinct?.grid")
        page.evaluate(LISTEN)
        found = move(page)
        print(f"{n:,} cases, load average {os.getloadavg()[0]:.1f}")
        for what, times in found.items():
            print(f"  {what:8} {summary(np.array(times[WARM:]))}")


def main() -> None:
    """Start a browser and take the times that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--drop", action="store_true", help="drop files in place of the slider")
    parser.add_argument("--profile", action="store_true", help="say where the time of a drop goes")
    wanted = parser.parse_args()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("the package playwright is missing; `pip install playwright` gives it.")
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        if wanted.drop:
            drops(browser, Path(folder), profiled=wanted.profile)
        else:
            slides(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
