"""Commands that are killed while they write, or have no room: the old file or the new one."""

import multiprocessing
import os
import subprocess
import time
from contextlib import suppress
from itertools import count

import numpy as np
import pytest
from tests.fuzz.fuzz_commands import error_of, run
from typer.testing import CliRunner

from cautious.cli.app import app
from cautious.decision import Rule
from cautious.evaluation import Watch

ROWS, SITES = 20_000, 100


def written_by(command, at):
    """Give arguments that write another file each time, or the same one longer."""
    rule, title = ("rule.json", "other.json")[at % 2], ("one", "other")[at % 2]
    return {
        "watch": ("watch", "log.csv", "--rule", "rule.json", "--state", "out.json", "--batch", at,
                  "--group", "site", "--max-error", 0.9, "--json"),
        "apply": ("apply", "log.csv", "--rule", rule, "-o", "out.csv"),
        "report": ("report", "log.csv", "--title", title, "-o", "out.html"),
        "tune": ("tune", "log.csv", "--max-error", 0.2 + at % 2 / 10, "-o", "out.txt"),
    }[command]  # fmt: skip


def fill(folder, rows):
    rng = np.random.default_rng(0)
    score, site = rng.random(rows), rng.integers(SITES, size=rows)
    cells = zip(score > rng.random(rows), score, site, strict=True)
    lines = ["y_true,score,site", *(f"{int(y)},{s},{g}" for y, s, g in cells), ""]
    (folder / "log.csv").write_text("\n".join(lines))
    for name, lower in (("rule", 0.2), ("other", 0.4)):
        Rule.window(lower, 0.8, classes=[0, 1]).to_json(folder / f"{name}.json")
    return folder


def write_for_ever(command, folder, first, done):
    os.chdir(folder)
    for at in count(first):
        found = CliRunner().invoke(app, list(map(str, written_by(command, at))))
        done.send(at if found.exit_code == 0 else found.output)


def left_aside(folder):
    return [path for path in folder.iterdir() if path.name.startswith(".cautious-")]


def check_written(folder, command, done, whole):
    """One of the files that the command writes, nothing more, and nothing lost; how far it is."""
    (out,) = folder.glob("out.*")
    if command != "watch":
        assert out.read_bytes() in whole
        return done
    state = Watch.from_json(out)  # which checks the sum of all it holds
    assert done + 1 <= state.n_batches <= done + 2
    assert [one.name for one in state.batches] == [
        str(at) for at in range(state.n_batches - len(state.batches), state.n_batches)
    ]
    assert state.total()["cases"] == ROWS * state.n_batches
    return state.n_batches - 1


@pytest.mark.parametrize(
    "command", ["watch", "apply", pytest.param("report", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kills", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_while_it_writes(tmp_path, command, kills):
    """Others are killed before and after; what counts is a file that was left aside, unfinished."""
    begun = multiprocessing.get_context("forkserver")  # what has to be imported is there already
    begun.set_forkserver_preload(["cautious.cli.app", "cautious.evaluation", "cautious.report"])
    folder, rng, whole = fill(tmp_path, ROWS), np.random.default_rng(1), set()
    for at in () if command == "watch" else range(2):
        run(folder, *written_by(command, at), writes=written_by(command, at)[-1])
        whole.add(next(folder.glob("out.*")).read_bytes())
    last, trials, while_writing = -1, 0, 0
    while while_writing < kills:
        trials += 1
        assert trials < 20 + 10 * kills, while_writing
        receiver, sender = begun.Pipe(duplex=False)
        child = begun.Process(target=write_for_ever, args=(command, folder, last + 1, sender))
        child.start()
        last = receiver.recv()
        while not left_aside(folder):
            assert child.is_alive()
        time.sleep(rng.choice([0, rng.random() / 500, rng.random() / 5]))
        child.kill()
        child.join()
        while receiver.poll():
            last = receiver.recv()
        left = left_aside(folder)
        while_writing += len(left)
        last = check_written(folder, command, last, whole)
        for path in left:
            os.utime(path, (0, 0))  # the next run removes what was left long ago
        assert len(left) < 2
    print(f"{trials} kills of {command}, {while_writing} of them while it wrote")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of a few pages that holds files, and room for nothing more."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("command", ["watch", "apply", "report", "tune"])
def test_a_full_disk(small_disk, command):
    folder = fill(small_disk, 300)
    first, second = written_by(command, 0), written_by(command, 1)
    out = next(str(part) for part in first if str(part).startswith("out."))
    large = command == "report"  # larger than the disk
    if large:
        (folder / out).write_text("old")
    assert large or run(folder, *first, writes=out).exit_code == 0
    with suppress(OSError), (folder / "filler").open("wb", 0) as filler:
        while True:
            filler.write(bytes(512))
    # No file is changed by that, and none is left.
    message = error_of(run(folder, *second))
    assert message == f"{out}: No space left on device; it is as it was before."
    (folder / "filler").unlink()
    assert large or run(folder, *second, writes=out).exit_code == 0
