"""Every story of the gallery runs as it stands, without a warning, and draws its pictures.

What an example says in prose it asserts in code, so running it checks the prose as well.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cautious

EXAMPLES = Path(__file__).parents[2] / "examples"
if not EXAMPLES.is_dir():
    pytest.skip("the gallery is not part of an installed package", allow_module_level=True)
STORIES = sorted(EXAMPLES.glob("*/*.py"))

stories = pytest.mark.parametrize("story", STORIES, ids=lambda path: path.stem)

# Runs a story with warnings as errors, and counts the pictures that are left open.
RUN = """
import runpy, sys, warnings
import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
warnings.simplefilter("error")
runpy.run_path(sys.argv[1], run_name="__main__")
pictures = [pyplot.figure(number) for number in pyplot.get_fignums()]
for picture in pictures:
    picture.canvas.draw()
print("pictures", sum(bool(picture.axes) for picture in pictures))
"""


def imported(story):
    """Modules that a story imports outside ``try``, where it does without them."""
    for node in ast.parse(story.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@stories
@pytest.mark.slow
def test_runs(story, tmp_path):
    for module in ("matplotlib", *imported(story)):
        pytest.importorskip(module)
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(story)],
        cwd=tmp_path,
        env=kept | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert 1 <= int(run.stdout.split()[-1]) <= 3
    left = [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")]
    assert left == []


@pytest.mark.slow
def test_crepes_is_optional(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("mapie")
    (tmp_path / "crepes.py").write_text("raise ImportError('not here')")
    story = EXAMPLES / "sets_of_classes" / "conformal_sets.py"
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(story)],
        env=os.environ | {"PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "crepes is not installed" in run.stdout


def test_there_are_enough():
    assert len(STORIES) >= 12
    assert len({story.stem for story in STORIES}) == len(STORIES)
    assert all((folder / "README.rst").is_file() for folder in {EXAMPLES, *map(_folder, STORIES)})


@stories
def test_uses_public_names_only(story):
    public = {"cautious", *(f"cautious.{package}" for package in cautious.__all__)}
    ours = [module for module in imported(story) if module.split(".")[0] == "cautious"]
    assert ours
    assert set(ours) <= public
    assert not re.search(r"\._(?!_)\w", story.read_text(encoding="utf-8"))


@stories
def test_says_what_was_learned_and_where_to_read_on(story):
    text = story.read_text(encoding="utf-8")
    assert "# What we learned\n" in text
    assert re.search(r":doc:`/papers/\w+`", text)
    assert re.search(r":(class|func):`cautious\.\w+\.\w+`", text)


@stories
def test_references_exist(story):
    text = story.read_text(encoding="utf-8")
    for name in re.findall(r":(?:class|func):`cautious\.([\w.]+)`", text):
        package, _, member = name.partition(".")
        assert hasattr(getattr(cautious, package), member), name
    for page in re.findall(r":doc:`/([\w/]+)`", text):
        assert (EXAMPLES.parent / "docs" / f"{page}.md").is_file(), page
    for neighbour in re.findall(r":doc:`([a-z_]+)`", text):
        assert story.with_name(f"{neighbour}.py").is_file(), neighbour


def _folder(story):
    return story.parent
