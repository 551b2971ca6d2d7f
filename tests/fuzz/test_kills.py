"""A command that is killed on the way: the old file or the new one, and every input as it was."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.fuzz.fuzz_commands import contents

COMMAND = [sys.executable, "-m", "cautious", "report", "p.csv", "-o", "r.html"]


def folder_with_predictions(folder):
    rng = np.random.default_rng(0)
    rows = [f"{int(score > rng.random())},{score}" for score in rng.random(20_000)]
    (folder / "p.csv").write_text("\n".join(["y_true,score", *rows, ""]))
    return folder


def is_writing(folder):
    return any(path.name.startswith(".cautious-") for path in folder.iterdir())


@pytest.mark.slow
def test_a_killed_report_is_the_old_one_or_the_new_one(tmp_path):
    """Half of them are killed at any time, half of them while they write."""
    n, folder = 30, folder_with_predictions(tmp_path)
    begun = time.monotonic()
    subprocess.run(COMMAND, cwd=folder, check=True, capture_output=True)
    takes, new = time.monotonic() - begun, (folder / "r.html").read_bytes()
    given = (folder / "p.csv").read_bytes()
    rng = np.random.default_rng(1)
    found = {"old": 0, "new": 0, "writing": 0}
    for trial in range(n):
        (folder / "r.html").write_bytes(b"old")
        until = time.monotonic() + (rng.random() * takes if trial % 2 else 60)
        with subprocess.Popen(COMMAND, cwd=folder, stdout=-3, stderr=-3) as running:
            while running.poll() is None and time.monotonic() < until:
                if trial % 2 == 0 and is_writing(folder):
                    break
                time.sleep(0.0005)
            running.send_signal(signal.SIGKILL)
        found["writing"] += is_writing(folder)
        left = contents(folder)
        assert left.pop("p.csv") == given
        page = left.pop("r.html")
        found["old" if page == b"old" else "new"] += 1
        assert page in (b"old", new), len(page)
        assert all(name.startswith(".cautious-") for name in left)  # which readers pass by
        for name in left:
            (folder / name).unlink()
    assert found["writing"] >= n // 4, found
