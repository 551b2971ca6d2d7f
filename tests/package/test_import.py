"""Importing the library is light: optional dependencies stay out until they are used."""

import subprocess
import sys

import pytest

import cautious

HEAVY = (
    *("matplotlib", "plotly", "pyarrow", "pyarrow.parquet", "numba", "mapie", "typer", "rich"),
    *("dask", "distributed", "pyspark"),
)


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
    core, ours = loaded_by(
        "import numpy, scipy, sklearn.model_selection, pandas, joblib",
        "import cautious; [getattr(cautious, name) for name in cautious.__all__]",
    )
    assert ours <= core


def test_public_names():
    assert set(cautious.__all__) <= set(dir(cautious))
    for name in cautious.__all__:
        assert getattr(cautious, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = cautious.nonsense
