"""What docs/security.md promises, as far as source and behaviour can show it."""

from __future__ import annotations

import ast
import io
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.package.source import tree_of
from typer.testing import CliRunner

import cautious
import cautious_reproduction
from cautious.cli.app import app
from cautious.datasets import load_dataset
from cautious.logs import LogSummary, summarise

SOURCE = Path(cautious.__file__).parent
REPRODUCTION = Path(cautious_reproduction.__file__).parent
FILES = sorted([*SOURCE.rglob("*.py"), *REPRODUCTION.rglob("*.py")])
PAGE = sorted((SOURCE / "report" / "page").glob("*.js"))

# Calls that run what they read, or hand it to a shell.
RUNS_CODE = re.compile(
    r"(eval|exec|compile|__import__|os\.system|os\.popen|tempfile\.mktemp|torch\.load|"
    r"([\w.]+\.)?(pickle|cloudpickle|dill|marshal)\.(load|loads|Unpickler)|shelve\.open|joblib\.load|"
    r"(yaml|ruamel\.yaml)\.(load|unsafe_load|full_load)|pandas\.read_pickle)"
)
ALLOWED = {
    ("models/checks.py", "pickle.loads"): "what the same line has pickled",
    ("experiments/_folds.py", "joblib.externals.cloudpickle.loads"): "what the process that "
    "started this one has pickled",
}
# In the temporary folder of the study.
ASIDE = {"experiments/_folds.py": ["start: shared.write_bytes"]}
NETWORK = {
    *("socket", "socketserver", "ssl", "http", "urllib", "ftplib", "smtplib", "telnetlib"),
    *("xmlrpc", "asyncio", "requests", "httpx", "aiohttp", "tornado", "flask", "webbrowser"),
}
STARTS_PROGRAMS = {"cautious_reproduction/weka.py"}


def name_of(path: Path) -> str:
    within = SOURCE if path.is_relative_to(SOURCE) else REPRODUCTION.parent
    return path.relative_to(within).as_posix()


def imports_of(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(a.asname or a.name).split(".")[0]: a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return found


def called(node: ast.Call, imports: dict[str, str]) -> str:
    """Write out what is called, whatever it was imported as."""
    text = dotted(node.func)
    first, _, rest = text.partition(".")
    return ".".join(part for part in (imports.get(first, first), rest) if part)


def dotted(node: ast.expr) -> str:
    """Write out an expression; of names and their attributes in a tenth of the time."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ast.unparse(node)


def calls_of(tree: ast.AST, imports: dict[str, str]) -> list[tuple[str, ast.Call]]:
    return [(called(n, imports), n) for n in ast.walk(tree) if isinstance(n, ast.Call)]


def dangers(tree: ast.Module) -> list[str]:
    found = []
    for name, node in calls_of(tree, imports_of(tree)):
        telling = [k for k in node.keywords if k.arg in ("allow_pickle", "shell")]
        given = {k.arg: ast.unparse(k.value) for k in telling}
        unpickles = name == "numpy.load" and given.get("allow_pickle") != "False"
        if unpickles or RUNS_CODE.fullmatch(name) or given.get("shell", "False") != "False":
            found.append(name)
    return found


@pytest.mark.parametrize(
    "code",
    [
        "eval(text)",
        "import pickle as p; p.loads(x)",
        "from pickle import load as read; read(f)",
        "import numpy as np; np.load(f)",
        "import subprocess; subprocess.run(command, shell=True)",
        "from joblib import load; load(f)",
        "from joblib.externals import cloudpickle as c; c.load(f)",
        "import pandas as pd; pd.read_pickle(f)",
    ],
)
def test_the_scan_sees_danger(code):
    assert dangers(ast.parse(code))


def test_nothing_runs_what_it_reads():
    found = {(name_of(path), call) for path in FILES for call in dangers(tree_of(path))}
    assert found == set(ALLOWED)


def test_no_networking_and_no_programs():
    modules = {
        name_of(path): {
            name.split(".")[0]
            for name in imports_of(tree_of(path)).values()
            if not name.startswith("urllib.parse")  # reads addresses, and opens none
        }
        for path in FILES
    }
    assert not {name: used & NETWORK for name, used in modules.items() if used & NETWORK}
    assert {name for name, used in modules.items() if "subprocess" in used} == STARTS_PROGRAMS


def test_files_are_written_aside():
    """A function that writes a file renames it into place, or writes to a folder of its own."""
    found = {name_of(path): bare_writes(tree_of(path)) for path in FILES}
    assert {name: functions for name, functions in found.items() if functions} == ASIDE


@pytest.mark.parametrize(
    "line",
    ["path.write_text(text)", "open(path, 'w')", "frame.to_csv(path)", "path.open(mode='ab')"],
)
def test_the_scan_sees_bare_writes(line):
    assert bare_writes(ast.parse(f"def write():\n    {line}"))
    assert not bare_writes(ast.parse(f"def write():\n    {line}\n    os.replace(aside, path)"))


def bare_writes(tree: ast.Module) -> list[str]:
    """Name the functions that write a file under its own name."""
    imports = imports_of(tree)
    found = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        calls = calls_of(function, imports)
        safe = any(
            name in ("os.replace", "tempfile.TemporaryDirectory")
            or (name.endswith(".replace") and len(node.args) == 1)
            for name, node in calls
        )
        written = [name for name, node in calls if writes(name, node)]
        if written and not safe:
            found.append(f"{function.name}: {', '.join(written)}")
    return found


def writes(name: str, node: ast.Call) -> bool:
    last = name.rpartition(".")[2]
    if last in ("write_text", "write_bytes", "to_parquet", "to_pickle", "savez", "tofile"):
        # Into memory is no file.
        return not (node.args and ast.unparse(node.args[0]) == "buffer")
    if last in ("to_csv", "to_json", "to_html"):
        return bool(node.args) or any(k.arg == "path_or_buf" for k in node.keywords)
    if last in ("open", "fdopen"):
        modes = [ast.unparse(a) for a in node.args] + [ast.unparse(k.value) for k in node.keywords]
        return any(re.fullmatch(r"'[rbt]*[wax+][bt+]*'", mode) for mode in modes)
    return False


WATCHED = """
import sys
seen = []
WATCH = ("socket.", "subprocess.", "os.system", "os.posix_spawn", "pickle.find_class", "urllib.")
sys.addaudithook(lambda event, args: seen.append(event) if event.startswith(WATCH) else None)
import cautious
[getattr(cautious, name) for name in cautious.__all__]
from typer.testing import CliRunner
from cautious.cli.app import app
for command in (
    ["report", "p.csv", "-o", "r.html"],
    ["evaluate", "p.csv", "--json"],
    ["tune", "p.csv", "--mistake", "1", "--abstain", "0.2"],
    ["report", "p.csv", "--engine", "local", "-o", "r.html"],
    ["audit", "costs.csv"],
):
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, (command, done.output, done.exception)
print("seen:", *sorted(set(seen)))
"""


def test_no_socket_no_program_no_pickle_while_at_work(tmp_path):
    """An audit hook sees every socket, every program started and everything unpickled."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    pd.DataFrame({"y": y, "score": rng.random(60)}).to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "costs.csv").write_text("answer,a,b\na,0,1\nb,2,0\n")
    code = [sys.executable, "-c", WATCHED]
    run = subprocess.run(code, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "seen:"


class Trap:
    """What it is unpickled to would show that it was."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


def test_a_summary_cannot_carry_code():
    data = summarise(pd.DataFrame({"y": [0, 1], "score": [0.3, 0.8]})).to_bytes()
    buffer = io.BytesIO()
    np.save(buffer, np.array([Trap()], dtype=object))
    for given in (pickle.dumps(Trap()), buffer.getvalue(), data + pickle.dumps(Trap())):
        with pytest.raises(ValueError, match="no summary"):
            LogSummary.from_bytes(given)
    assert not Trap.sprung


@pytest.mark.parametrize("name", ["../facts", "/etc/passwd", "iris/../iris", "iris.csv"])
def test_data_sets_are_names_not_paths(name):
    with pytest.raises(ValueError, match="there is no such data set"):
        load_dataset(name)


@pytest.mark.parametrize("path", PAGE, ids=lambda path: path.name)
def test_the_page_neither_parses_text_as_code_nor_asks_anybody(path):
    unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|"
    unsafe += r"\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\("
    assert not re.findall(unsafe, path.read_text(encoding="utf-8"))


def test_formulas_in_cells_come_out_as_they_went_in(tmp_path):
    """CSV is data: a label that a spreadsheet would take for a formula is not changed."""
    costs = tmp_path / "costs.csv"
    costs.write_text("answer,=1+1,@b\n=1+1,0,1\n@b,2,0\n")
    done = CliRunner().invoke(app, ["audit", str(costs), "--csv", "--extension", "cautious"])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(io.StringIO(done.stdout))
    assert "{=1+1, @b}" in set(table["witness_set"])


@pytest.mark.slow
def test_dask_started_by_us_listens_to_this_machine_only():
    """Dask needs ports between its workers; nobody else may reach them."""
    pytest.importorskip("distributed")
    code = """
import psutil
from cautious.logs.engines import _client
if __name__ == "__main__":
    with _client("dask"):
        here = psutil.Process()
        found = [c for p in (here, *here.children(recursive=True)) for c in p.net_connections()]
        print(*sorted({c.laddr.ip for c in found if c.status == "LISTEN"}))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert set(run.stdout.split()) <= {"127.0.0.1", "::1"}, run.stderr
    assert run.stdout.strip(), run.stderr


def test_the_development_environment_is_locked():
    """Whatever tests and documentation ask for is listed, with an exact version and digests."""
    root = SOURCE.parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    asked = [*groups["dev"], *groups["docs"], *project["project"]["dependencies"]]
    names = {re.match(r"[\w.-]+", line).group().lower() for line in asked} - {"cautious"}
    locked = (root / "constraints" / "development.txt").read_text()
    entries = dict(re.findall(r"^([\w.-]+)==\S+(.*(?:\n    --hash=\S+.*)*)", locked, re.MULTILINE))
    missing = sorted(names - entries.keys())
    assert not missing, f"run tools/lock_environment.py: {missing} are not locked"
    assert all("--hash=sha256:" in rest for rest in entries.values())
