"""The collection of data sets of Zaffalon, Corani & Mauá (2012), section 9."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from cautious.datasets import list_datasets
from cautious.experiments.study import Study
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

__all__ = ["UTILITIES", "Collection", "collection_study"]

UTILITIES = {"u50": "discounted_accuracy", "u65": "u65", "u80": "u80"}
"""Measure of each of the paper's utilities."""

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
        return self.study.table(self.results, measure).dropna()

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
    all_sets = facts.index[facts["zaffalon"] & facts["features"].between(2, 36)].tolist()
    preparation: Any = MDLDiscretizer()
    if selection:
        chosen = CorrelationFeatureSelector(independent_as_redundant=True)
        preparation = make_pipeline(preparation, chosen)
    return Study(
        models,
        QUICK_SETS if quick else all_sets,
        repeats=1 if quick else 10,
        folds=10,
        measures=collection_measures,
        preparation=preparation,
    )
