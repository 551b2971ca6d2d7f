"""Reports of skore list measures of cautious answers."""

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from cautious.integrations import add_skore_measures
from cautious.metrics import MEASURES, SetCounts
from cautious.models import AbstainingClassifier, CautiousPipeline


@pytest.fixture(scope="module")
def skore():
    return pytest.importorskip("skore")


def model():
    careful = AbstainingClassifier(LogisticRegression(), rule_params={"threshold": 0.9})
    return CautiousPipeline.from_steps(StandardScaler(), careful)


def test_a_report_lists_what_the_library_says(skore):
    X, y = load_breast_cancer(return_X_y=True)
    report = skore.EstimatorReport(
        model(), X_train=X[:400], y_train=y[:400], X_test=X[400:], y_test=y[400:], pos_label=1
    )
    names = ["coverage", "selective_accuracy", "error"]
    assert add_skore_measures(report, names) is report
    assert set(names) <= set(report.metrics.available())
    sets = report.estimator_.predict_set(X[400:])
    counts = SetCounts.from_predictions(y[400:], sets, classes=[0, 1])
    shown = report.metrics.summarize(metric=names)
    text = str(shown.frame())
    for name in names:
        assert getattr(report.metrics, name)() == pytest.approx(MEASURES[name].score(counts))
        assert name.split("_")[0].lower() in text.lower()
    with pytest.raises(ValueError, match="coverage"):
        add_skore_measures(report, ["u65", "coverrage"])
    assert "u65" not in report.metrics.available()


def test_folds_are_measured_each(skore):
    X, y = load_breast_cancer(return_X_y=True)
    report = skore.CrossValidationReport(model(), X, y, splitter=3, pos_label=1)
    add_skore_measures(report, ["coverage"])
    folds = [
        MEASURES["coverage"].score(
            SetCounts.from_predictions(one.y_test, one.estimator_.predict_set(one.X_test))
        )
        for one in report.reports_
    ]
    frame = report.metrics.coverage(aggregate=None)
    assert sorted(frame.to_numpy().ravel().tolist()) == pytest.approx(sorted(folds))
