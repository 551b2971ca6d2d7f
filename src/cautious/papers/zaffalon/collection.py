"""The collection of data sets of Zaffalon, Corani & Mauá (2012), section 9."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd
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
from cautious.papers.claims import Cell, Table, failures_in_words
from cautious.preparation import CorrelationFeatureSelector, MDLDiscretizer
from cautious.utility import u65, u80

__all__ = [
    "CLOSE",
    "CLOSE_SHARE",
    "UTILITIES",
    "Collection",
    "collection_study",
    "collection_table",
]

CLOSE, CLOSE_SHARE = 0.02, 0.1
"""How near medians, and shares of data sets, have to be: the data sets are not all the same."""


UTILITIES = {"u50": "discounted_accuracy", "u65": "u65", "u80": "u80"}
"""Measure of each of the paper's utilities."""

# What section 9.1.3 says of the data sets that it does not name.
LEAST_ROWS = 24
RANGES = {"features": (2, 36), "classes": (2, 26)}

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
    scorer = make_set_scorer([*UTILITIES.values(), "f1", "determinacy"], greater_is_better=True)
    found = cast(dict[str, float], scorer(estimator, X, y))
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


class Collection:
    """Results over the collection, as tables of data sets × classifiers."""

    def __init__(self, study: Study, results: pd.DataFrame) -> None:
        self.study, self.results = study, results

    def table(self, measure: str) -> pd.DataFrame:
        """Give the mean of a measure by data set and classifier, complete rows only."""
        found = self.study.table(self.results, measure).dropna()
        if found.empty:
            raise ValueError(
                f"no data set has the {measure} of every classifier. "
                + failures_in_words(self.results)
            )
        return found

    def folds(self, measure: str, models: list[str]) -> pd.DataFrame:
        """Give a measure fold by fold, the data set as first index level."""
        wide = self.results.pivot(
            index=["dataset", "repeat", "fold"], columns="model", values=measure
        )
        return wide[models].dropna()


def collection_study(*, quick: bool, selection: bool) -> Study:
    """Set up the study of section 9, with or without feature selection."""
    models = {
        "NBC": NaiveCredalClassifier(epsilon=1.0),
        "NCC": NaiveCredalClassifier(),
        "LNCC": LazyNaiveCredalClassifier(),
        "CMA": CredalModelAveragingClassifier(),
        "CDT": CredalTreeClassifier(),
        "NDC": NondeterministicClassifier(NaiveCredalClassifier(epsilon=1.0), utility="f1"),
    }
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
        repeats=1 if quick else 10,
        folds=10,
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
    )
