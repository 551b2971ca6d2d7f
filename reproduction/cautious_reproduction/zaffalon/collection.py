"""Zaffalon's collection of UCI data sets: the study of section 9, and how far chance goes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline

from cautious.datasets import list_datasets
from cautious.experiments import Study
from cautious.metrics import make_set_scorer
from cautious.models import (
    CredalModelAveragingClassifier,
    CredalTreeClassifier,
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
    NondeterministicClassifier,
)
from cautious.preparation import CorrelationFeatureSelector, MDLDiscretizer
from cautious.utility import u65, u80
from cautious_reproduction.arrays import Floats, Ints, Labels
from cautious_reproduction.claims import failures_in_words
from cautious_reproduction.printed_tables import Cell, Table

__all__ = [
    "QUICK_SETS",
    "SETS",
    "UTILITIES",
    "Collection",
    "LaplaceBayesClassifier",
    "collection_study",
    "collection_table",
    "drawn_sets",
    "share_spread",
    "spread",
    "variant_study",
]

SD = 2.0
"""How many standard deviations over data sets a number may be off: the sets are not the same."""


def spread(values: npt.ArrayLike, statistic: Callable[..., Floats] = np.median) -> float:
    """Two standard deviations of a statistic over data sets drawn anew, by the bootstrap.

    Examples
    --------
    >>> round(spread(np.arange(60) / 60), 2)
    0.12
    """
    sample = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(0).integers(len(sample), size=(999, len(sample)))
    return SD * float(np.std(statistic(sample[draws], axis=1)))


def share_spread(share: float, n: int) -> float:
    """Two standard deviations of a share of n data sets."""
    return SD * float(np.sqrt(max(share * (1 - share), 0.25 / n) / n))


DRAWS = 200
SETS = 55
"""Data sets that section 9.1.3 counts and does not name."""


def drawn_sets(n: int) -> list[Ints]:
    """Draw as many data sets as the paper has from n of ours, again and again; all, if too few.

    Examples
    --------
    >>> len(drawn_sets(62)), len(drawn_sets(62)[0]), len(drawn_sets(14))
    (200, 55, 1)
    """
    if n <= SETS:
        return [np.arange(n)]
    rng = np.random.default_rng(0)
    return [np.sort(rng.permutation(n)[:SETS]) for _ in range(DRAWS)]


UTILITIES = {"u50": "discounted_accuracy", "u65": "u65", "u80": "u80"}
"""Measure of each of the paper's utilities."""

# What section 9.1.3 says of the data sets that it does not name.
LEAST_ROWS = 24
RANGES = {"features": (2, 36), "classes": (2, 26)}

# Of cross-validation, in a full pass.
REPEATS, FOLDS = 10, 10
# Small sets of many kinds, for a quick pass.
QUICK_SETS = [
    *("contact-lenses", "glass", "grub-damage", "haberman", "heart-c", "hepatitis", "iris"),
    *("labor", "lymph", "postoperative-patient-data", "spect", "tae", "wine", "zoo"),
]


def collection_measures(estimator: Any, X: Any, y: Any) -> dict[str, float]:
    """Score a fold by every utility, and the NCC also where it is indeterminate.

    The single answer of the NCC is naive Bayes', so that ``unsure_nbc`` is the accuracy of NBC on
    the cases on which NCC suspends its judgement (the end of section 9.1.3).
    """
    found = cast(dict[str, float], _scorer()(estimator, X, y))
    inner = getattr(estimator, "classifier_", estimator)
    if type(inner) is NaiveCredalClassifier and inner.epsilon == 0:
        mask = estimator.predict_set(X)
        size = mask.sum(axis=1)
        truth = np.asarray(y)[:, None] == estimator.classes_[None, :]
        x = ((mask & truth).any(axis=1) / size)[size > 1]
        bold = (estimator.predict(X) == np.asarray(y))[size > 1]
        found["unsure"] = float(len(x))
        scores = {"unsure_u65": u65(x), "unsure_u80": u80(x), "unsure_nbc": bold}
        found |= {name: float(v.mean()) if len(v) else np.nan for name, v in scores.items()}
    return found


@cache
def _scorer() -> Any:
    # To make it takes as long as to score a small fold.
    return make_set_scorer([*UTILITIES.values(), "f1", "determinacy"], greater_is_better=True)


class Collection:
    """Results over the collection, as tables of data sets × classifiers."""

    def __init__(self, study: Study, results: pd.DataFrame) -> None:
        self.study = study
        self.results = results
        self._tables: dict[str, pd.DataFrame] = {}

    def table(self, measure: str) -> pd.DataFrame:
        """Give the mean of a measure by data set and classifier, complete rows only."""
        if measure not in self._tables:
            found = self.study.table(self.results, measure).dropna()
            if found.empty:
                raise ValueError(
                    f"no data set has the {measure} of every classifier. "
                    + failures_in_words(self.results)
                )
            self._tables[measure] = found
        return self._tables[measure]

    def folds(self, measure: str, models: list[str]) -> pd.DataFrame:
        """Give a measure fold by fold, the data set as first index level."""
        wide = self.results.pivot(
            index=["dataset", "repeat", "fold"], columns="model", values=measure
        )
        return wide[models].dropna()


class LaplaceBayesClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes over categories with one added to every count, as WEKA's and many others.

    Missing values are skipped; a value never seen is, too.

    Examples
    --------
    >>> nbc = LaplaceBayesClassifier().fit(pd.DataFrame({"x": [*"uuv"]}), ["a", "a", "b"])
    >>> nbc.predict_proba(pd.DataFrame({"x": ["u"]})).round(3)
    array([[0.771, 0.229]])
    """

    def fit(self, X: Any, y: Any) -> Any:
        """Count."""
        self.classes_: Labels
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        counts = np.bincount(codes, minlength=len(self.classes_)) + 1.0
        self.log_prior_: Floats = np.log(counts / counts.sum())
        self.log_tables_: list[Any] = []
        for name in X.columns:
            nominal = X[name].astype("category")
            table = np.ones((len(nominal.cat.categories), len(self.classes_)))
            known = nominal.cat.codes.to_numpy() >= 0
            np.add.at(table, (nominal.cat.codes.to_numpy()[known], codes[known]), 1.0)
            self.log_tables_.append(
                pd.DataFrame(np.log(table / table.sum(axis=0)), nominal.cat.categories)
            )
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""
        log_joint = np.tile(self.log_prior_, (len(X), 1))
        for table, name in zip(self.log_tables_, X.columns, strict=True):
            at = table.index.get_indexer(pd.Index(X[name]))
            log_joint[at >= 0] += table.to_numpy()[at[at >= 0]]
        joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def collection_study(*, quick: bool, selection: bool) -> Study:
    """Set up the study of section 9, with or without feature selection.

    Some variants that the paper does not speak of run beside its classifiers, in the same folds;
    :func:`variant_table` shows what they change.
    """
    models = {
        "NBC": _bayes(),
        "NCC": NaiveCredalClassifier(),
        "LNCC": LazyNaiveCredalClassifier(),
        "CMA": CredalModelAveragingClassifier(),
        "CDT": CredalTreeClassifier(empty_branch="vacuous"),  # as the authors' own program
        "CDT, counts of the node": CredalTreeClassifier(),
        "NDC": NondeterministicClassifier(_bayes(), utility="f1"),
    }
    if not selection:
        models |= {
            "NBC, Laplace": LaplaceBayesClassifier(),
            "NDC, Laplace": NondeterministicClassifier(LaplaceBayesClassifier(), utility="f1"),
            "NDC, s = 2": NondeterministicClassifier(_bayes(2.0), utility="f1"),
            "NDC, s = 10": NondeterministicClassifier(_bayes(10.0), utility="f1"),
        }
    return _study(models, quick=quick, selection=selection, repeats=1 if quick else REPEATS)


def variant_study(*, quick: bool) -> Study:
    """Set up more variants of NDC, in the folds of the first repeat of the study without selection.

    One repeat tells whether a variant comes nearer to Table 8; its results go to the same store.
    """
    models = {
        "NDC, s = 0.001": NondeterministicClassifier(_bayes(0.001), utility="f1"),
        "NDC, F2 inside": NondeterministicClassifier(_bayes(), utility="f2"),
        "NDC, u80 inside": NondeterministicClassifier(_bayes(), utility="u80"),
        "NDC, Laplace, F2 inside": NondeterministicClassifier(
            LaplaceBayesClassifier(), utility="f2"
        ),
    }
    return _study(models, quick=quick, selection=False, repeats=1)


def _bayes(s: float = 1.0) -> Any:
    return NaiveCredalClassifier(s=s, epsilon=1.0)


def _study(models: dict[str, Any], *, quick: bool, selection: bool, repeats: int) -> Study:
    facts = list_datasets()
    inside = facts["zaffalon"] & (facts["rows"] >= LEAST_ROWS)
    for fact, (least, most) in RANGES.items():
        inside &= facts[fact].between(least, most)
    preparation: Any = MDLDiscretizer()
    if selection:
        chosen = CorrelationFeatureSelector(independent_as_redundant=True)
        preparation = make_pipeline(preparation, chosen)
    return Study(
        models,
        QUICK_SETS if quick else facts.index[inside].tolist(),
        repeats=repeats,
        folds=FOLDS,
        measures=collection_measures,
        preparation=preparation,
    )


def collection_table(study: Study) -> Table:
    """Compare the data sets with what section 9.1.3 says of those it does not name."""
    facts = list_datasets().loc[list(study.datasets)]
    chosen = "the paper names none of its data sets; these are the bundled candidates"
    cells = [Cell("data sets", "number", float(len(facts)), 55.0, 0.5, chosen)]
    for fact, (least, most) in RANGES.items():
        for end, ours, said in (
            ("least", min(facts[fact]), least),
            ("most", max(facts[fact]), most),
        ):
            cells.append(Cell(fact, end, float(ours), float(said), 0.5, given=True))
    rows = facts["rows"]
    fewest = float(rows.min())
    cells.append(Cell("instances", "least", fewest, float(LEAST_ROWS), 0.5, given=True))
    many = "yes" if rows.max() > 10_000 else "no"
    cells.append(
        Cell("instances", "most is over 10000", many, "yes", remark=f"{rows.max()} instances")
    )
    left_out = list_datasets().query("zaffalon").index.difference(facts.index).tolist()
    return Table(
        "Section 9.1.3, the data sets",
        "How many there are, and how large",
        cells,
        "the ranges chose the data sets, so their ends are given. Candidates outside the ranges, "
        "or left out of a quick pass: "
        f"{', '.join(left_out)}.",
        "re-run",
    )
