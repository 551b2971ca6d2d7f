"""What README and docs show is what happens: blocks and commands run, names and links exist."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import re
import runpy
import shlex
import tomllib
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from types import CodeType, ModuleType

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from typer.testing import CliRunner

import cautious
from cautious.cli.app import app
from cautious_reproduction.__main__ import parser as reproduction_parser

ROOT = Path(__file__).parents[2]
MADE_BY_SPHINX = {"_build", "generated", "gallery"}
# Pages that are added later are found here by themselves.
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(
        path
        for path in (ROOT / "docs").rglob("*.md")
        if not MADE_BY_SPHINX & set(path.relative_to(ROOT).parts)
    ),
]
# Commands that take too long to be run here; their options are checked all the same.
TOO_LONG = {
    "make": "needs its own environment",
    "pip install": "needs a package index",
    "python -m benchmarks": "minutes",
    "python -m cautious_reproduction": "minutes to hours",
}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    language: str
    code: str
    line: int
    end: int


def tokens_of(page: Path):
    return MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8"))


def blocks_of(page: Path) -> list[Block]:
    return [
        Block(token.info.strip().split(" ")[0], token.content, *token.map)
        for token in tokens_of(page)
        if token.type in ("fence", "code_block")
    ]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


every_page = pytest.mark.parametrize("page", PAGES, ids=name_of)


# --- blocks and commands -----------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the small files that pages take for granted."""
    rng = np.random.default_rng(0)
    ill = rng.random(300) < 0.4
    for name, skill in (("first", 2.0), ("second", 1.0)):
        score = 1 / (1 + np.exp(-skill * (ill - 0.5) - rng.normal(size=300)))
        label = np.where(ill, "malignant", "benign")
        frame = pd.DataFrame({"id": range(300), "label": label, "score": score.round(3)})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    frame = pd.read_csv(tmp_path / "first.csv")
    frame["label"] = (frame["label"] == "malignant").astype(int)
    for name, cases in (("predictions", frame[:150]), ("new", frame[150:])):
        cases.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "costs.csv").write_text("answer,h,b,n\nh,0,1,2\nb,1,0,2\nn,4,4,0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return tmp_path


@every_page
def test_blocks_do_what_they_show(page, folder):
    """Blocks of a page run in their order and share their names, as a reader would type them."""
    needed = re.search(r"<!-- needs: (.*) -->", page.read_text(encoding="utf-8"))
    for library in needed[1].split(", ") if needed else ():
        pytest.importorskip(library)
    names = {"__name__": "__main__"}
    blocks = blocks_of(page)
    for block, after in zip_longest(blocks, blocks[1:]):
        where = f"{name_of(page)}, line {block.line + 1}"
        if block.language == "python":
            printed = run_python(block, names, where)
            if after is not None and shows_output(page, block, after):
                check_output(after.code, printed, where)
        elif block.language == "pycon":
            run_doctest(block, names, where)
        elif block.language in ("console", "bash", "") and is_session(block):
            run_session(block, where)
        elif block.language == "{eval-rst}" and ".. autosummary::" in block.code:
            for name in re.findall(r"^ +(cautious[\w.]*)$", block.code, re.MULTILINE):
                find_name(name)
        elif block.language == "{eval-rst}":
            drawings_of(block, where)  # drawn below
        else:
            # What is not run must be of a kind that cannot be: output, or a directive of Sphinx.
            known = block.language in ("", "text") or block.language.startswith("{")
            assert known, f"{where}: a block of {block.language!r} is neither run nor known"
            hidden = re.search(r"^\s*(>>> |[`~:]{3})", block.code, re.MULTILINE)
            assert not hidden, f"{where}: code inside {block.language} would not be run"


def shows_output(page: Path, block: Block, after: Block) -> bool:
    """Whether nothing but blank lines stands between code and what it prints."""
    between = page.read_text(encoding="utf-8").splitlines()[block.end : after.line]
    return after.language in ("", "text") and not "".join(between).strip()


def check_output(expected: str, printed: str, where: str) -> None:
    checker = doctest.OutputChecker()
    same = checker.check_output(expected.rstrip() + "\n", printed.rstrip() + "\n", FLAGS)
    same = same or nearly_same(expected, printed, close=locked())
    assert same, f"{where} shows\n{expected}\nbut printed\n{printed}"


def locked() -> bool:
    """Whether the numbers come from the versions that the pages were written with."""
    text = (ROOT / "constraints" / "development.txt").read_text(encoding="utf-8")
    # The versions for the oldest Python stand first, and make the pages.
    first = dict(reversed(re.findall(r"^([\w-]+)==(\S+)", text, re.MULTILINE)))
    return all(first[name] == version(name) for name in ("numpy", "scipy", "scikit-learn"))


def nearly_same(expected: str, printed: str, close: bool = False) -> bool:
    """Whether two texts differ little in their numbers, as fitted models do.

    Other versions fit other models. The same versions on another processor stop a little earlier or
    later: whole numbers are equal then, and others are `close`.
    """
    number = re.compile(r"\d+\.\d+" if close else r"\d+(?:\.\d+)?")
    words = [number.sub("#", text).split() for text in (expected, printed)]
    ours, theirs = (np.array(number.findall(text), dtype=float) for text in (expected, printed))
    bounds = {"rtol": 2e-3, "atol": 2e-4} if close else {"rtol": 0.02, "atol": 0.01}
    return words[0] == words[1] and np.allclose(ours, theirs, **bounds)


def test_texts_that_differ_in_last_digits() -> None:
    assert nearly_same("cost 0.7874 (0.68 to 0.89)", "cost  0.7875 (0.68 to 0.89)")
    assert not nearly_same("cost 0.7874", "cost 0.8274")
    assert not nearly_same("cost 0.7874", "costs 0.7874")
    assert nearly_same("from 0.514016 in 307 cases", "from 0.513981 in 307 cases", close=True)
    assert not nearly_same("from 0.5140 in 307 cases", "from 0.5140 in 308 cases", close=True)
    assert not nearly_same("cost 0.7874", "cost 0.7904", close=True)


def run_python(block: Block, names: dict, where: str) -> str:
    code = compile("\n" * (block.line + 1) + block.code, where, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return printed.getvalue()


def run_doctest(block: Block, names: dict, where: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.code, {}, where, where, block.line + 1)
    test.globs = names  # get_doctest copies
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    runner.run(test, out=told.append, clear_globs=False)
    assert test.examples, f"{where}: there is nothing to run in this block"
    assert not told, "".join(told)


def drawings_of(block: Block, where: str) -> list[CodeType]:
    """Give what Sphinx's plot directive draws; each drawing stands alone."""
    pieces = re.split(r"^\.\. plot::\n", block.code, flags=re.MULTILINE)[1:]
    assert pieces, f"{where}: only plots and lists of names are expected of reStructuredText"
    codes = [re.sub(r"^ +:[\w-]+:.*\n", "", piece, flags=re.MULTILINE) for piece in pieces]
    return [compile(inspect.cleandoc(code), where, "exec") for code in codes]


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if ".. plot::" in page.read_text("utf-8")], ids=name_of
)
def test_drawings_are_drawn(page, folder):
    """`make docs` draws them, too."""
    import matplotlib.pyplot as plt

    for block in blocks_of(page):
        if block.language == "{eval-rst}" and ".. plot::" in block.code:
            where = f"{name_of(page)}, line {block.line + 1}"
            for drawing in drawings_of(block, where):
                exec(drawing, {})
                assert plt.get_fignums(), f"{where}: nothing was drawn"
                plt.close("all")


def is_session(block: Block) -> bool:
    commands = ("$ ", "cautious ", "make ", "pip ", "python ")
    return bool(block.language) or block.code.startswith(commands)


def commands_of(block: Block) -> list[tuple[list[str], str]]:
    """Commands with the output they show; without prompts, every line is a command."""
    code = block.code.replace("\\\n", " ")
    if not code.startswith("$ "):
        return [(shlex.split(line, comments=True), "") for line in code.splitlines() if line]
    found = []
    for piece in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        command, _, output = piece.partition("\n")
        found.append((shlex.split(command, comments=True), output))
    return found


def run_session(block: Block, where: str) -> None:
    for command, shown in commands_of(block):
        if any(" ".join(command).startswith(start) for start in TOO_LONG):
            check_unrun(command, where)
            continue
        assert command[0] == "cautious", f"{where}: {command[0]!r} is no command known here"
        done = CliRunner().invoke(app, command[1:])
        assert done.exit_code == 0, f"{where}: {done.output}\n{done.exception}"
        if shown.strip():
            check_output(shown, done.output, where)


def check_unrun(command: list[str], where: str) -> None:
    """Check what can be checked without running: targets, extras, modules and options."""
    if command[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert set(command[1:]) <= set(targets), f"{where}: make has no target {command[1:]}"
    elif command[0] == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        wanted = re.findall(r"[\w-]+", "".join(re.findall(r"\[(.*?)\]", " ".join(command))))
        assert set(wanted) <= set(extras["optional-dependencies"]), f"{where}: extras {wanted}"
    elif command[0] == "python":
        assert find_spec(command[2]) or (ROOT / command[2]).is_dir(), f"{where}: {command[2]}"
        if command[2] == "cautious_reproduction":
            reproduction_parser().parse_args(command[3:])


def test_nothing_is_excused_in_vain():
    """Commands are excused from being run only as long as a page shows them."""
    shown = [
        " ".join(command)
        for page in PAGES
        for block in blocks_of(page)
        if block.language in ("console", "bash", "") and is_session(block)
        for command, _ in commands_of(block)
    ]
    for start in TOO_LONG:
        assert any(command.startswith(start) for command in shown), start


# --- names and links ---------------------------------------------------------------------------

ROLE = re.compile(r"\{(?:py:)?(func|class|mod|meth|attr|data|exc)\}`(?:[^`<]*<)?~?([\w.]+)>?`")
KINDS = {
    "func": lambda thing: callable(thing) and not inspect.isclass(thing),
    "class": inspect.isclass,
    "exc": inspect.isclass,
    "mod": inspect.ismodule,
    "meth": callable,
    "attr": lambda thing: True,
    "data": lambda thing: not callable(thing),
}


def find_name(name: str):
    """Find a public name, as a user would: a package, what it offers, and attributes of that."""
    top, *rest = name.split(".")
    assert top == "cautious", f"{name} is not ours"
    if not rest:
        return import_module("cautious")
    whole = import_module("cautious")
    offered = rest[0] in whole.__all__
    thing = getattr(whole, rest[0]) if offered else import_module(f"cautious.{rest[0]}")
    if isinstance(thing, ModuleType):
        assert not rest[1:] or rest[1] in getattr(thing, "__all__", ()), f"{name} is not public"
    for part in rest[1:]:
        thing = getattr(thing, part)
    return thing


@every_page
def test_names_exist(page):
    text = page.read_text(encoding="utf-8")
    for kind, name in ROLE.findall(text):
        assert KINDS[kind](find_name(name)), f"{name} is no {kind}"
    for token in tokens_of(page):
        for inline in token.children or []:
            if inline.type == "code_inline" and re.fullmatch(r"cautious(\.\w+)+", inline.content):
                find_name(inline.content)


@every_page
def test_links_lead_somewhere(page):
    for token in tokens_of(page):
        for inline in token.children or []:
            target = inline.attrGet("href") or inline.attrGet("src") or ""
            path = re.sub(r"#.*", "", target)
            if not path or re.match(r"[a-z]+:", path):
                continue  # on this page, or elsewhere
            place = source_of(page.parent / path)
            assert place.exists(), f"{name_of(page)} links to {target}"


def source_of(path: Path) -> Path:
    """Where a page comes from that Sphinx makes; those of the API come from the library."""
    parts = list(path.resolve().relative_to(ROOT).parts)
    if parts[:2] == ["docs", "gallery"]:
        story = ROOT.joinpath("examples", *parts[2:])
        return story.with_name("README.rst") if story.stem == "index" else story.with_suffix(".py")
    return ROOT / "docs" / "conf.py" if parts[:2] == ["docs", "generated"] else path


def test_every_source_is_listed():
    """Whatever a docstring cites as "Name (year)" has its line among the references."""
    listed = (ROOT / "docs" / "references.md").read_text(encoding="utf-8").splitlines()
    cited = {
        found
        for path in (ROOT / "src").rglob("*.py")
        for found in re.findall(
            r"([A-Z][\w'-]+)(?: et al\.)?\s\(((?:19|20)\d\d)\)", path.read_text(encoding="utf-8")
        )
    }
    assert ("Chow", "1970") in cited
    missing = [
        f"{name} ({year})"
        for name, year in sorted(cited)
        if not any(name in line and f"({year})" in line for line in listed)
    ]
    assert not missing, f"enter in docs/references.md: {', '.join(missing)}"


def test_every_model_is_in_the_table():
    models = import_module("cautious.models")
    estimators = {name for name in models.__all__ if name.endswith(("Classifier", "CV"))}
    page = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    assert estimators == set(re.findall(r"^\| \{py:class\}`~cautious\.models\.(\w+)`", page, re.M))


def test_every_display_has_its_picture():
    """The page of a display begins with what a function of its name draws; the API lists it."""
    for file, how in (("pictures.py", r"^def (\w+Display)\("), ("api.md", r"displays\.(\w+)$")):
        text = (ROOT / "docs" / file).read_text(encoding="utf-8")
        shown = set(re.findall(how, text, re.MULTILINE))
        assert shown == set(import_module("cautious.displays").__all__), file


def test_every_public_name_has_an_example():
    """A docstring shows its thing at work; the doctests run what it shows."""
    names = import_module("cautious").__all__
    packages = [thing for name in names if inspect.ismodule(thing := getattr(cautious, name))]
    bare = {
        name
        for package in packages
        for name in package.__all__
        if inspect.isclass(thing := getattr(package, name)) or inspect.isroutine(thing)
        if ">>> " not in (thing.__doc__ or "")
    }
    assert not bare


@pytest.mark.slow
def test_pictures_are_drawn():
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    pictures = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    for name in import_module("cautious.displays").__all__:
        pictures[name]()
        assert len(plt.get_fignums()) == 1, f"{name} draws no figure, or several"
        plt.gcf().canvas.draw()
        plt.close("all")


@every_page
def test_files_named_exist(page):
    folders = "benchmarks|docs|examples|src|tests|tools"
    for token in tokens_of(page):
        for inline in token.children or []:
            if inline.type == "code_inline" and re.fullmatch(
                rf"({folders})/[\w./-]+", inline.content
            ):
                assert (ROOT / inline.content).exists(), f"{name_of(page)}: {inline.content}"


def test_dead_links_are_found(tmp_path):
    """`make docs` looks through the built site by this."""
    dead_links = runpy.run_path(str(ROOT / "docs" / "links.py"))["dead_links"]
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top"></h1><a href="#top"><a href="sub/page.html#a%20b"><a href="sub/">'
        '<a href="https://elsewhere.test/x"><a href="mailto:a@b.test">'
    )
    (tmp_path / "sub" / "index.html").write_text('<a href="../index.html#top">')
    (tmp_path / "sub" / "page.html").write_text('<p id="a b"><img src="page.html">')
    assert dead_links(tmp_path) == []
    (tmp_path / "sub" / "page.html").write_text('<img srcset="gone.png 2x"><a href="../gone.html">')
    assert dead_links(tmp_path) == [
        "index.html: sub/page.html#a%20b",
        "sub/page.html: ../gone.html",
        "sub/page.html: gone.png",
    ]


def test_names_lead_back_to_the_pages_about_them(tmp_path):
    pages_about = runpy.run_path(str(ROOT / "docs" / "links.py"))["pages_about"]
    for page in ("howto/b.md", "howto/a.md", "papers/c.md", "d.md"):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text("{py:func}`~cautious.tuning.tune`")
    text = "{py:meth}`vacc <cautious.curves.AbstentionCostSurface.vacc>`, {py:mod}`cautious.costs`"
    (tmp_path / "howto" / "e.md").write_text(text)
    assert pages_about(tmp_path) == {
        "cautious.tuning.tune": ["/howto/a", "/howto/b", "/papers/c"],
        "cautious.curves.AbstentionCostSurface": ["/howto/e"],
    }
    real = pages_about(ROOT / "docs")
    assert all(find_name(name) for name in real)
