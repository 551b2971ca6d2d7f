"""Install the wheel in fresh environments, bare and with each extra alone, and use it there.

Each environment is empty but for what the wheel asks for, and the code runs in an empty folder. The
bare one must say, for every extra, what to install; each other one must do what its extra is for.

    python tools/try_release.py [extra ...]

It needs the package ``uv``, and a wheel that ``tools/build_release.py`` left in ``dist``.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parents[1]

# What every environment must do, before anything else.
CORE = r"""
import pathlib
import warnings
warnings.simplefilter("error")
import cautious
for name in cautious.__all__:
    getattr(cautious, name)
pathlib.Path("p.csv").write_text("y_true,score\n" + "0,.1\n1,.9\n0,.4\n1,.6\n" * 10)
found = cautious.evaluate("p.csv")
assert "selective risk" in str(found), found
cautious.build_report({"p": cautious.read_predictions("p.csv")}, "report.html")
assert pathlib.Path("report.html").stat().st_size > 100_000
"""

# What is said where an extra is missing, and the code that has it said.
MISSING = {
    "cli": (
        "import subprocess, sys\n"
        "asked = [sys.executable, '-m', 'cautious']\n"
        "sys.exit(subprocess.run(asked, capture_output=True, text=True).stderr)"
    ),
    "plots": (
        "from cautious.displays import RiskCoverageDisplay as D\n"
        "D.from_predictions([0, 1], [[.9, .1], [.2, .8]])"
    ),
    "parquet": "open('p.parquet', 'wb').write(b'PAR1'); cautious.read_predictions('p.parquet')",
    "conformal": (
        "from sklearn.naive_bayes import GaussianNB\n"
        "from cautious.models import ConformalClassifier\n"
        "ConformalClassifier(GaussianNB()).fit([[0.], [1.]] * 30, [0, 1] * 30)"
    ),
    "mlflow": "cautious.integrations.save_mlflow_model(rule, 'served')",
    "onnx": "cautious.integrations.to_onnx(rule)",
    "river": "cautious.integrations.river_metric(rule=rule)",
}
# Without these there is no message, because the rest works: slower, or by scikit-learn's own copy.
# Logs need pyarrow before any engine; a report of skore's cannot be had without skore.
SILENT = {"fast", "tensors", "all", "dask", "spark", "skore"}


@dataclass(frozen=True)
class Use:
    """What an extra is for: a short program, a command, and packages that others would have."""

    code: str = ""
    command: str = ""
    beside: tuple[str, ...] = ()
    program: str = ""


LOG = """
import pathlib, pyarrow as pa, pyarrow.parquet as pq
from cautious import AbstentionCostSurface, summarise
pq.write_table(pa.table({"y_true": [0, 1, 0, 1], "score": [.1, .9, .6, .4]}), "log.parquet")
def vacc(**wishes):
    return AbstentionCostSurface(summarise("log.parquet", **wishes).staircase()).vacc()
if __name__ == "__main__":
    assert vacc(engine=ENGINE) == vacc()
"""
RULE = """
import cautious
from cautious.decision import Rule
rule = Rule.window(.2, .8, classes=["no", "yes"])
"""
MODEL = """
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from cautious.models import AbstainingClassifier, CautiousPipeline
X, y = load_breast_cancer(return_X_y=True)
model = CautiousPipeline.from_steps(
    StandardScaler(), AbstainingClassifier(LogisticRegression(), rule_params={"threshold": .9})
)
"""
USES = {
    "plots": Use(
        "import matplotlib; matplotlib.use('agg')\n"
        "from cautious.displays import CostSurfaceDisplay\n"
        "from cautious import AbstentionCostSurface\n"
        "s = AbstentionCostSurface.from_predictions([0, 1, 0, 1], [.1, .9, .6, .4])\n"
        "CostSurfaceDisplay(s).plot().figure_.savefig('a.png')"
    ),
    "cli": Use(
        RULE + "open('new.csv', 'w').write('score\\n.1\\n.9\\n')\n"
        "assert cautious.apply('new.csv', rule, 'answers.csv').n == 2",
        command="cautious demo",
    ),
    "parquet": Use(LOG.replace("ENGINE", "'local'")),
    "fast": Use(
        "import numba, numpy as np\n"
        "from cautious import optimal_sets\n"
        "p = np.random.default_rng(0).dirichlet(np.ones(5), 3000)\n"
        "assert optimal_sets(p, utility='u65').any(axis=1).all()"
    ),
    "tensors": Use(
        "import array_api_compat, array_api_strict as xp\n"
        "from cautious.metrics import coverage_score\n"
        "sets = xp.asarray([[True, False], [True, True]])\n"
        "assert float(coverage_score(xp.asarray([0, 1]), sets, classes=[0, 1])) == 0.5",
        beside=("array-api-strict",),
    ),
    "conformal": Use(
        "from sklearn.datasets import load_iris\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "from cautious.models import ConformalClassifier\n"
        "X, y = load_iris(return_X_y=True)\n"
        "sets = ConformalClassifier(GaussianNB(), random_state=0).fit(X, y).predict_set(X)\n"
        "assert sets.shape == (150, 3)"
    ),
    "dask": Use(LOG.replace("ENGINE", "'dask'")),
    "spark": Use(LOG.replace("ENGINE", "'spark'"), program="java"),
    "mlflow": Use(
        RULE + "import mlflow, pandas as pd\n"
        "from cautious.integrations import save_mlflow_model\n"
        "save_mlflow_model(rule, 'served')\n"
        "answers = mlflow.pyfunc.load_model('served').predict(pd.DataFrame({'score': [.5, .9]}))\n"
        "assert answers['y_set'].tolist() == ['?', 'yes']"
    ),
    "skore": Use(
        MODEL + "import skore\n"
        "from cautious.integrations import add_skore_measures\n"
        "report = skore.EstimatorReport(model, X_train=X, y_train=y, X_test=X, y_test=y,"
        " pos_label=1)\n"
        "assert 0 < add_skore_measures(report).metrics.coverage() < 1"
    ),
    "onnx": Use(
        RULE + "from cautious.integrations import to_onnx\n"
        "assert [one.name for one in to_onnx(rule).graph.output] == ['sets']"
    ),
    "river": Use(
        RULE + "from cautious.integrations import river_metric\n"
        "assert 'coverage' in str(river_metric('coverage', rule=rule))"
    ),
    "all": Use(LOG.replace("ENGINE", "'local'"), command="cautious demo"),
}


def extras(wheel: Path) -> list[str]:
    """List the extras that a wheel declares."""
    with zipfile.ZipFile(wheel) as opened:
        (about,) = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
        text = opened.read(about).decode()
    return Parser().parsestr(text).get_all("Provides-Extra", [])


def missing_code(extra: str) -> str:
    """Write the code that must end by telling to install an extra."""
    return (
        f"{RULE}import cautious, cautious.integrations\ntry:\n"
        + "".join(f"    {line}\n" for line in MISSING[extra].split("\n"))
        + "except (Exception, SystemExit) as error:\n"
        f"    assert 'cautious[{extra}]' in str(error), repr(error)\n"
        "else:\n    raise AssertionError('nothing was said')\n"
    )


class Environment:
    """A fresh environment with the wheel, in a folder of its own."""

    def __init__(self, place: Path, wheel: Path, extra: str, beside: tuple[str, ...] = ()) -> None:
        self.folder = place / (extra or "bare")
        self.folder.mkdir()
        self.bin = self.folder / "env" / "bin"
        named = f"cautious[{extra}] @ {wheel.as_uri()}" if extra else f"cautious @ {wheel.as_uri()}"
        uv = [sys.executable, "-m", "uv", "--quiet"]
        self._run([*uv, "venv", "--python", sys.executable, "env"])
        self._run([*uv, "pip", "install", "--python", str(self.bin / "python"), named, *beside])

    def packages(self) -> int:
        """Count the packages."""
        return len(list((self.folder / "env" / "lib").glob("*/site-packages/*.dist-info")))

    def python(self, code: str) -> None:
        """Run a program; it is a file, because workers of some engines import it again."""
        (self.folder / "use.py").write_text(code)
        self._run([str(self.bin / "python"), "use.py"])

    def command(self, line: str) -> None:
        """Run a program that the wheel installs."""
        program, *arguments = line.split()
        self._run([str(self.bin / program), *arguments])

    def _run(self, command: list[str]) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(
            command, cwd=self.folder, env=kept, capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = re.sub(r"\n{2,}", "\n", done.stdout[-2000:] + done.stderr[-3000:])
            sys.exit(f"{self.folder.name}: {' '.join(command)} ended with {said}")


def main() -> None:
    """Try the wheel bare and with every extra, or with those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help="by default bare and each extra")
    named = parser.parse_args().extras
    wheel = next((ROOT / "dist").glob("*.whl"), None)
    if wheel is None or importlib.util.find_spec("uv") is None:
        sys.exit("needed are a wheel in dist, from tools/build_release.py, and the package uv.")
    declared = extras(wheel)
    if unknown := set(declared) ^ set(USES) | set(declared) ^ (set(MISSING) | SILENT):
        sys.exit(f"no use, or no word where it is missing, is known of {', '.join(unknown)}.")
    with tempfile.TemporaryDirectory(prefix="cautious-release-") as name:
        place = Path(name)
        for extra in named or ["", *declared]:
            use = USES[extra] if extra else Use()
            if use.program and shutil.which(use.program) is None:
                print(f"{extra:<10} left out: there is no {use.program} here")
                continue
            made = Environment(place, wheel, extra, use.beside)
            made.python(CORE)
            if not extra:
                for one in MISSING:
                    made.python(missing_code(one))
            if use.code:
                made.python(use.code)
            if use.command:
                made.command(use.command)
            print(f"{extra or 'bare':<10} works, {made.packages()} packages", flush=True)
            shutil.rmtree(made.folder)


if __name__ == "__main__":
    main()
