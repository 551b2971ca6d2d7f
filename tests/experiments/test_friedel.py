from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from cautious.datasets import load_dataset
from cautious.experiments import friedel
from cautious.experiments.friedel import TABLE_1, reproduce_friedel
from cautious.experiments.friedel_learners import MixedNaiveBayes, learners
from cautious.models import NaiveCredalClassifier


def test_with_weka_predictions_the_auc_column_of_breast_w_reproduces():
    """WEKA 3.4.7, ten-fold, seed 1; 10 trees in the forest, logistic models for SMO."""
    weka = pd.read_csv(Path(__file__).parent.parent / "data" / "weka_breast_w.csv")
    scores = weka.rename(columns={"actual": "truth", "RF10": "RF", "SMOM": "SVM"})
    done = reproduce_friedel(quick=True, scores={"breast-w": scores[["truth", *TABLE_1["vote"]]]})
    (table,) = done.tables
    auc = {cell.row: cell for cell in table.cells if cell.column == "AUC"}
    assert all(abs(auc[m].ours - TABLE_1["breast-w"][m][1]) < 0.0101 for m in auc)
    assert [round(auc[m].ours, 4) for m in auc] == [0.9547, 0.9832, 0.9702, 0.9885, 0.9943]
    vacc = {cell.row: cell for cell in table.cells if cell.column == "VACC, positive 1"}
    # "SVMs perform best, followed by RF and NB, whereas PART and J48 lag behind."
    assert sorted(vacc, key=lambda m: vacc[m].ours)[:3] == ["SVM", "RF", "NB"]
    assert {figure.name for figure in done.figures} >= {"Fig. 1", "Fig. 3, cost"}


def test_figure_1_is_a_plane_above_the_surface():
    weka = pd.read_csv(Path(__file__).parent.parent / "data" / "weka_breast_w.csv")
    scores = weka.rename(columns={"actual": "truth"})[["truth", "NB"]]
    done = reproduce_friedel(quick=True, scores={"breast-w": scores})
    frame = next(figure for figure in done.figures if figure.name == "Fig. 1").frame
    one, best = (part["cost"].to_numpy() for _, part in frame.groupby("panel"))
    assert (one >= best - 1e-12).all()
    assert (one > best + 1e-6).any()
    assert np.isclose(one, best).any()


def test_mixed_naive_bayes_is_each_of_its_parts():
    X, y = load_dataset("iris", return_X_y=True)
    mixed = MixedNaiveBayes().fit(X, y)
    np.testing.assert_allclose(
        mixed.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), atol=1e-12
    )
    X, y = load_dataset("vote", return_X_y=True)
    mixed = MixedNaiveBayes().fit(X, y)
    np.testing.assert_allclose(
        mixed.predict_proba(X), NaiveCredalClassifier(s=2.0).fit(X, y).predict_proba(X), atol=1e-12
    )
    assert np.mean(mixed.predict(X) == np.asarray(y)) > 0.88


def test_scores_are_kept_and_found_again(tmp_path, monkeypatch):
    two = {name: TABLE_1[name] for name in ("haberman",)}
    monkeypatch.setattr(friedel, "TABLE_1", two)
    done = reproduce_friedel(quick=True, folder=tmp_path)
    assert [table.name for table in done.tables] == ["Table 1, haberman"]

    def not_again(*_):
        raise AssertionError("computed twice")

    monkeypatch.setattr(friedel, "_out_of_fold", not_again)
    assert reproduce_friedel(quick=True, folder=tmp_path).frame().equals(done.frame())


def test_given_scores_of_all_sets_are_put_in_words():
    rng = np.random.default_rng(0)
    # The later a learner comes in this list, the more noise in its scores.
    noise = {"SVM": 0.3, "RF": 0.6, "NB": 1.2, "J48": 2.4}
    scores = {}
    for name in TABLE_1:
        y = rng.integers(2, size=300)
        made = {m: y + scale * rng.normal(size=300) for m, scale in noise.items()}
        scores[name] = pd.DataFrame({"truth": y, **made})
    done = reproduce_friedel(quick=True, scores=scores)
    words = {(cell.row, cell.column): cell for cell in done.tables[-1].cells}
    assert words["breast-w", "VACC, best first"].ours == "SVM RF NB J48"
    assert words["bupa", "largest VACC"].ours == "J48"
    assert words["bupa", "trivial classifier cheaper than the SVM somewhere"].ours == "no"
    assert {"Fig. 4e", "Fig. 4f", "Fig. 4g"} <= {figure.name for figure in done.figures}


def test_every_learner_takes_categories_numbers_and_gaps():
    X, y = load_dataset("credit-a", return_X_y=True)
    y = np.asarray(y)
    for name, model in learners().items():
        p = model.fit(X[::3], y[::3]).predict_proba(X[1::3])
        assert np.mean((p[:, 1] > 0.5) == (y[1::3] == "-")) > 0.7, name


@pytest.mark.slow
def test_the_quick_pass():
    done = reproduce_friedel(quick=True, n_jobs=2)
    agree, printed = done.counts()
    assert printed == 6 * 4 * 4 + 7
    assert agree > printed / 2
