"""CautiousPipeline: sets and bounds of the last step, at home in everything made for pipelines."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.datasets import load_dataset
from cautious.metrics import make_set_scorer, utility_score
from cautious.models import (
    AbstainingClassifier,
    CautiousPipeline,
    NaiveCredalClassifier,
    cross_val_predict_set,
)
from cautious.preparation import CorrelationFeatureSelector, MDLDiscretizer

IRIS = load_dataset("iris", return_X_y=True)


def credal():
    return CautiousPipeline.from_steps(MDLDiscretizer(), NaiveCredalClassifier())


def test_answers_are_those_of_the_last_step_on_prepared_rows():
    X, y = IRIS
    pipeline = credal().fit(X, y)
    prepared = MDLDiscretizer().fit(X, y).transform(X)
    alone = NaiveCredalClassifier().fit(prepared, y)
    assert np.array_equal(pipeline.predict_set(X), alone.predict_set(prepared))
    for ours, theirs in zip(
        pipeline.predict_proba_bounds(X), alone.predict_proba_bounds(prepared), strict=True
    ):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(pipeline.predict(X), alone.predict(prepared))
    assert pipeline.classes_.tolist() == alone.classes_.tolist()
    assert pipeline.n_features_in_ == 4


def test_has_what_its_last_step_has():
    careful = CautiousPipeline.from_steps(StandardScaler(), AbstainingClassifier(GaussianNB()))
    assert hasattr(careful, "predict_set")
    assert not hasattr(careful, "predict_proba_bounds")
    assert hasattr(credal(), "predict_proba_bounds")
    bold = CautiousPipeline.from_steps(StandardScaler(), GaussianNB())
    assert not hasattr(bold, "predict_set")
    with pytest.raises(AttributeError, match="predict_set"):
        bold.predict_set(IRIS[0])
    with pytest.raises(NotFittedError):
        credal().predict_set(IRIS[0])


def test_preparation_is_learned_on_the_training_folds():
    X, y = IRIS
    sets = cross_val_predict_set(credal(), X, y, cv=5)
    scores = cross_val_score(credal(), X, y, cv=5, scoring=make_set_scorer("u65"))
    assert np.isclose(utility_score(y, sets, utility="u65"), scores.mean())


def test_frames_flow_through_the_steps(tmp_path):
    X, y = IRIS
    steps = CorrelationFeatureSelector(), MDLDiscretizer(), NaiveCredalClassifier()
    pipeline = CautiousPipeline.from_steps(*steps, memory=str(tmp_path))
    pipeline.set_output(transform="pandas").fit(X, y)
    assert pipeline[-1].feature_names_in_.tolist() == ["petallength", "petalwidth"]
    assert isinstance(pipeline[:-1].transform(X), pd.DataFrame)
    assert pipeline.predict_set(X).dtype == np.bool_


def test_scorers_see_through_plain_pipelines_and_searches():
    X, y = IRIS
    scorer = make_set_scorer("u80")
    ours = cross_val_score(credal(), X, y, scoring=scorer)
    plain = make_pipeline(MDLDiscretizer(), NaiveCredalClassifier())
    assert np.array_equal(cross_val_score(plain, X, y, scoring=scorer), ours)
    search = GridSearchCV(plain, {"naivecredalclassifier__s": [1.0]}, scoring=scorer)
    assert np.array_equal(cross_val_score(search, X, y, scoring=scorer), ours)
    sets = cross_val_predict_set(credal(), X, y)
    assert np.array_equal(cross_val_predict_set(plain, X, y), sets)
    assert np.array_equal(cross_val_predict_set(search, X, y), sets)
    with pytest.raises(TypeError, match="has no predict_set; wrap it"):
        cross_val_predict_set(make_pipeline(StandardScaler(), GaussianNB()), X, y)
