"""Importing the library is light: optional dependencies stay out until they are used."""

import subprocess
import sys

import pytest

import cautious

HEAVY = ("matplotlib", "pyarrow", "numba", "dask", "typer", "rich", "mapie", "plotly")


@pytest.mark.parametrize("eager", [False, True], ids=["import cautious", "every package"])
def test_optional_dependencies_stay_out(eager):
    code = (
        "import sys, cautious\n"
        f"if {eager}:\n"
        "    [getattr(cautious, name) for name in cautious.__all__]\n"
        f"loaded = [m for m in {HEAVY!r} if m in sys.modules]\n"
        "sys.exit(f'loaded: {loaded}' if loaded else 0)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_public_names():
    assert set(cautious.__all__) <= set(dir(cautious))
    for name in cautious.__all__:
        assert getattr(cautious, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = cautious.nonsense
