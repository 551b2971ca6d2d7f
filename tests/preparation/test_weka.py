"""WEKA 3.9.7's answers: fixed ones, always compared, and live ones where Java and WEKA are.

The live tests need ``java`` and weka.jar, which ships inside the package python-weka-wrapper3; the
environment variable CAUTIOUS_WEKA_JAR may name the jar instead.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cautious.datasets import list_datasets, load_dataset
from cautious.preparation import CorrelationFeatureSelector, MDLDiscretizer

HERE = Path(__file__).parent
CUT_POINTS = pd.read_csv(HERE / "weka_cut_points.csv", keep_default_na=False)
SELECTIONS = pd.read_csv(HERE / "weka_selections.csv", keep_default_na=False)


@pytest.mark.parametrize("encoding", ["examples", "values"])
@pytest.mark.parametrize("name", CUT_POINTS.name.unique())
def test_cut_points(name, encoding):
    """``weka.filters.supervised.attribute.Discretize``, with ``-E`` or not: the same floats."""
    X, y = load_dataset(name, return_X_y=True)
    ours = MDLDiscretizer(encoding=encoding).fit(X, y).cut_points_
    theirs = CUT_POINTS[(CUT_POINTS.name == name) & (CUT_POINTS.encoding == encoding)]
    assert [i for i, cuts in enumerate(ours) if cuts is not None] == theirs.feature.tolist()
    for feature, cuts in zip(theirs.feature, theirs.cuts, strict=True):
        assert ours[feature].tolist() == [float(cut) for cut in cuts.split()]


CELLS = list_datasets().eval("rows * features")
LONG = {"audiology", *CELLS.index[CELLS > 10_000]}


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(answer, marks=pytest.mark.slow if answer.name in LONG else ())
        for answer in SELECTIONS.itertuples()
    ],
    ids=lambda a: f"{a.name}-{a.locally_predictive}-{a.missing}",
)
def test_selected_features(answer):
    """``CfsSubsetEval`` (with ``-L``, ``-M`` or neither) and ``BestFirst``, on all bundled sets."""
    X, y = load_dataset(answer.name, return_X_y=True)
    selector = CorrelationFeatureSelector(
        locally_predictive=answer.locally_predictive,
        missing=answer.missing,
        independent_as_redundant=True,
    ).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [int(i) for i in answer.features.split()]
    assert selector.merit_ == pytest.approx(answer.merit, abs=2e-6)


# --- live ----------------------------------------------------------------------------------------


def weka_jar():
    named = os.environ.get("CAUTIOUS_WEKA_JAR")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("weka")
    places = (spec.submodule_search_locations or []) if spec else []
    return next((Path(p) / "lib" / "weka.jar" for p in places), Path("weka.jar"))


JAR = weka_jar()
live = pytest.mark.skipif(
    shutil.which("java") is None or not JAR.is_file(),
    reason="needs java and WEKA (install python-weka-wrapper3 or set CAUTIOUS_WEKA_JAR)",
)


def weka(*arguments):
    done = subprocess.run(
        ["java", "-cp", str(JAR), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout


def write_arff(path, X, y):
    """Write a frame for WEKA, with plain names so that nothing needs quoting twice."""
    lines = ["@relation r"]
    cells = pd.DataFrame(index=X.index)
    for position, name in enumerate([*X.columns, None]):
        column = y if name is None else X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes
            kind = "{" + ",".join(f"v{i}" for i in range(len(column.cat.categories))) + "}"
            cells[position] = ("v" + codes.astype(str)).where(codes >= 0, "?")
        else:
            kind = "numeric"
            cells[position] = [("?" if np.isnan(v) else repr(float(v))) for v in column]
        lines.append(f"@attribute a{position} {kind}")
    lines += ["@data", *cells.agg(",".join, axis=1)]
    path.write_text("\n".join(lines) + "\n")


NUMBER = r"-?\d+(?:\.\d+)?(?:E-?\d+)?"


@live
@pytest.mark.parametrize("name", ["sonar", "segment", "credit-a", "colic"])
@pytest.mark.parametrize("encoding", ["examples", "values"])
def test_cut_points_live(tmp_path, name, encoding):
    X, y = load_dataset(name, return_X_y=True)
    write_arff(tmp_path / "data.arff", X, y)
    options = ["-E"] if encoding == "values" else []
    out = weka(
        "weka.filters.supervised.attribute.Discretize",
        *options,
        *["-precision", 12, "-c", "last", "-i", tmp_path / "data.arff"],
    )
    declared = re.findall(r"^@attribute a(\d+) (.*)$", out, re.MULTILINE)
    ours = MDLDiscretizer(encoding=encoding).fit(X, y).cut_points_
    compared = 0
    for position, kind in declared[:-1]:
        cuts = ours[int(position)]
        if cuts is None:
            continue
        # '(-inf-2.5]','(2.5-inf)': the upper ends of all bins but the last
        theirs = [float(n) for n in re.findall(rf"-({NUMBER})\]", kind)]
        np.testing.assert_allclose(cuts, theirs, rtol=0, atol=1e-11)
        compared += 1
    assert compared == X.select_dtypes("number").shape[1]


@live
@pytest.mark.parametrize("name", ["sonar", "soybean", "credit-a", "colic", "car"])
@pytest.mark.parametrize("options", [[], ["-L"], ["-M"]])
def test_selected_features_live(tmp_path, name, options):
    X, y = load_dataset(name, return_X_y=True)
    write_arff(tmp_path / "data.arff", X, y)
    out = weka(
        "weka.attributeSelection.CfsSubsetEval",
        *options,
        *["-s", "weka.attributeSelection.BestFirst", "-i", tmp_path / "data.arff"],
    )
    (theirs,) = re.findall(r"Selected attributes: ([\d,]+)", out)
    selector = CorrelationFeatureSelector(
        locally_predictive="-L" not in options,
        missing="value" if "-M" in options else "spread",
        independent_as_redundant=True,
    ).fit(X, y)
    assert (selector.get_support(indices=True) + 1).tolist() == [int(i) for i in theirs.split(",")]
