"""Importing the library is light: optional dependencies stay out until they are used."""

import subprocess
import sys

import pytest

import cautious

HEAVY = (
    *("matplotlib", "plotly", "pyarrow", "pyarrow.parquet", "numba", "mapie", "typer", "rich"),
    *("dask", "distributed", "pyspark", "array_api_compat", "torch", "jax"),
)
# Measures of numpy arrays need no arrays of others, and a small log needs no compiler.
AT_WORK = """
import pandas as pd
cautious.metrics.coverage_score([0, 1], [[True, False], [True, True]])
cautious.logs.summarise(pd.DataFrame({"y": [0, 1], "score": [0.2, 0.7]}))
"""


def loaded_by(*steps):
    """Which heavy modules a fresh interpreter holds after each piece of code."""
    shown = f"\nimport sys\nprint(*[m for m in {HEAVY!r} if m in sys.modules])\n"
    code = "".join(step + shown for step in steps)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [set(line.split()) for line in run.stdout.splitlines()]


def test_import_is_light():
    assert loaded_by("import cautious") == [set()]


def test_every_package_is_light():
    # pandas and scikit-learn bring pyarrow and rich in where these are installed; we add nothing.
    core, ours, at_work = loaded_by(
        "import numpy, scipy, sklearn.model_selection, pandas, joblib",
        "import cautious; [getattr(cautious, name) for name in cautious.__all__]",
        AT_WORK,
    )
    assert ours <= core
    assert at_work - core <= {"pyarrow", "pyarrow.parquet"}


def test_public_names():
    assert set(cautious.__all__) <= set(dir(cautious))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = cautious.nonsense


SLOW = ("numpy", "pandas", "pyarrow", "scipy.special", "scipy.stats", "sklearn", "matplotlib")


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        ("--version", ()),
        ("--help", ()),
        ("tune --help", ()),
        ("evaluate p.csv --window 0.2 0.8", ("numpy", "pandas", "pyarrow", "scipy.special")),
        ("tune p.csv --mistake 5 --abstain 1", ("numpy", "pandas", "pyarrow", "scipy.special")),
        ("apply p.csv --rule rule.json", ("numpy", "pandas", "pyarrow", "scipy.special")),
        ("report p.csv", ("numpy", "pandas", "pyarrow", "scipy.special")),
    ],
)
def test_a_command_loads_what_it_needs(tmp_path, arguments, needed):
    rows = "".join(f"{at % 2},{at / 40}\n" for at in range(1, 40))
    (tmp_path / "p.csv").write_text("y_true,score\n" + rows)
    cautious.Rule.window(0.2, 0.8).to_json(tmp_path / "rule.json")
    code = (
        "import sys; from cautious.cli.app import main\ntry: main(sys.argv[1:])\nexcept SystemExit "
        f"as end: assert not end.code\nprint(*[name for name in {SLOW} if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, *arguments.split()]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(run.stdout.splitlines()[-1].split()) <= set(needed)
