"""What a practitioner ran into, by the numbers of the list in docs/trials.md."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

import cautious
from cautious.cli.app import app
from cautious.costs import as_costs, audit
from cautious.curves import ResponseCurve
from cautious.decision import Rule
from cautious.displays import RiskCoverageDisplay
from cautious.metrics import (
    aurc_score,
    breakdown,
    coverage_score,
    make_set_scorer,
    set_cost_score,
)
from cautious.models import ConformalClassifier, DelegatingClassifier, NaiveCredalClassifier
from cautious.preparation import MDLDiscretizer

TRIALS = Path(__file__).parents[2] / "docs" / "trials.md"
COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}
THREE = pd.DataFrame(
    [[0, 1, 2], [1, 0, 2], [4, 4, 0], [0.4, 0.4, 0.4]],
    index=["a", "b", "c", "abstain"],
    columns=["a", "b", "c"],
)


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def invoke(*args, code=0):
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        assert result.exit_code == code, (result.stdout, result.stderr)
        return result

    return invoke


def scores(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, 1 / (1 + np.exp(-(2.5 * (y - 0.5) + rng.normal(size=n))))


def trees(n=300):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(3, 0.4), n)
    truth = (p.cumsum(axis=1) > rng.random((n, 1)) * 0.999).argmax(axis=1)
    frame = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"])
    return frame.assign(y_true=np.array(["a", "b", "c"])[truth])


def test_01_an_empty_set_is_a_miss(run, tmp_path):
    (tmp_path / "sets.csv").write_text("y_true,y_set\na,a\nb,\nc,c\nb,b\n")
    assert "the set is empty (1 such cell)" in run("evaluate", "sets.csv", code=2).stderr
    found = run("evaluate", "sets.csv", "--empty", "wrong", "--json").stdout
    measures = json.loads(found)["models"]["sets"]["measures"]
    assert measures["containment"]["value"] == measures["mean_set_size"]["value"] == 0.75
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    forest = RandomForestClassifier(30, random_state=0)
    model = ConformalClassifier(forest, confidence_level=0.8, random_state=0).fit(X, y)
    found = make_set_scorer(["containment", "mean_set_size"])(model, X_test, y_test)
    assert 0.75 < found["containment"] < 0.87
    assert -found["neg_mean_set_size"] < 1


def test_02_a_promise_is_kept_or_not_given(run, tmp_path):
    y, score = scores()
    pd.DataFrame({"y_true": y, "score": score}).to_csv(tmp_path / "p.csv", index=False)
    limit = ("--confidence-level", "95%")
    run("tune", "p.csv", "--max-error", "10%", *limit, "-o", "rule.json")
    certificate = Rule.from_json(tmp_path / "rule.json").certificate
    assert certificate["limits"] == {"error": 0.1}
    run("tune", "p.csv", "--max-error", "0.1%", *limit, code=3)
    # How often it is kept: tests/statistics/test_promises.py.


def test_03_the_positive_class_is_asked_for():
    y, score = scores()
    names = np.where(y == 1, "bad", "good")
    with pytest.raises(ValueError, match="say which one a high score speaks for"):
        aurc_score(names, score)
    assert aurc_score(names, score, pos_label="bad") == pytest.approx(aurc_score(y, score))
    X = score[:, None]
    model = cautious.TunedAbstainingClassifierCV(LogisticRegression(), costs=COSTS)
    with pytest.raises(ValueError, match="pos_label"):
        model.fit(X, names)
    assert model.set_params(pos_label="bad").fit(X, names).rule_.pos_label == "bad"


def test_04_a_cascade_learns_from_what_comes_down_to_it():
    X, y = make_classification(300, random_state=0)
    line = LogisticRegression(C=1e6)
    cascade = DelegatingClassifier([("line", line), ("bayes", GaussianNB())], rules=0.9)
    seen = line.fit(X, y).predict_proba(X).max(axis=1)
    assert cascade.fit(X, y).trained_on_[1] > (seen < 0.9).sum()  # out of fold it is less sure
    # On digits: tests/models/wrappers/test_delegating.py.


def test_05_a_rule_is_deployed(run, tmp_path):
    y, score = scores()
    pd.DataFrame({"y_true": y, "score": score}).to_csv(tmp_path / "p.csv", index=False)
    costs = ("--false-negative", 10, "--false-positive", 2, "--abstain", 1)
    run("tune", "p.csv", *costs, "--apparent", "-o", "rule.json")
    pd.DataFrame({"score": [0.001, None, 0.999]}).to_csv(tmp_path / "new.csv", index=False)
    run("apply", "new.csv", "--rule", "rule.json", "-o", "answers.csv")
    answers = pd.read_csv(tmp_path / "answers.csv", dtype=str)["y_set"].tolist()
    assert answers == ["0", "?", "1"]
    sets = Rule.from_json(tmp_path / "rule.json").predict_set([0.001, np.nan, 0.999])
    assert sets.tolist() == [[True, False], [True, True], [False, True]]


def test_06_what_tunes_can_score(run, tmp_path):
    y, score = scores()
    found = cautious.tune({"m": (y, score)}, costs=COSTS, honest=False)
    sets = found.rule.predict_set(score)
    cost = set_cost_score(y, sets, costs=COSTS, classes=[0, 1], pos_label=1)
    assert cost == pytest.approx(found.found["m"].cost)
    frame = trees()
    table = cautious.tune(frame, costs=THREE, honest=False)
    sets = table.rule.predict_set(frame[["p_a", "p_b", "p_c"]].to_numpy())
    apparent = table.frame()["apparent_cost"].iloc[0]
    assert set_cost_score(frame["y_true"], sets, costs=THREE) == pytest.approx(apparent)
    model = cautious.AbstainingClassifier(LogisticRegression(), rule_params={"threshold": 0.8})
    scorer = make_set_scorer("set_cost", costs=COSTS, pos_label=1)
    assert (cross_val_score(model, score[:, None], y, scoring=scorer) < 0).all()
    pd.DataFrame({"y_true": y, "score": score}).to_csv(tmp_path / "p.csv", index=False)
    costs = ("--false-negative", 10, "--false-positive", 2, "--abstain", 1)
    assert "cost per case" in run("evaluate", "p.csv", "--window", 0.2, 0.8, *costs).stdout


def test_07_pipelines_keep_their_sets():
    X, y = make_classification(200, random_state=0)
    tuned = cautious.TunedAbstainingClassifierCV(LogisticRegression(), costs=COSTS, cv=3)
    for model in (
        cautious.CautiousPipeline([("scale", StandardScaler()), ("tuned", tuned)]),
        cautious.CautiousPipeline([("bins", MDLDiscretizer()), ("bayes", NaiveCredalClassifier())]),
    ):
        assert model.fit(X, y).predict_set(X).shape == (200, 2)
    plain = make_pipeline(StandardScaler(), tuned)  # scorers look inside
    assert np.isfinite(cross_val_score(plain, X, y, cv=2, scoring=make_set_scorer("u65"))).all()


def test_08_weights_and_groups_reach_both():
    X, y = make_classification(300, flip_y=0.2, random_state=0)
    weight = np.where(np.arange(300) % 2, 3.0, 1.0)
    inside = make_pipeline(StandardScaler(), LogisticRegression())
    model = cautious.TunedAbstainingClassifierCV(inside, costs=COSTS, cv=GroupKFold(5))
    groups = np.arange(300) // 10
    one = model.fit(X, y, sample_weight=weight, groups=groups).best_thresholds_.copy()
    rows = np.repeat(np.arange(300), weight.astype(int))
    two = model.fit(X[rows], y[rows], groups=groups[rows]).best_thresholds_
    assert one == pytest.approx(two, abs=1e-6)
    other = model.fit(X, y, groups=groups).best_thresholds_
    assert one != pytest.approx(other, abs=1e-6)


def test_09_the_command_line_takes_costs_of_several_classes(run, tmp_path):
    trees().to_csv(tmp_path / "trees.csv", index=False)
    THREE.rename_axis("answer").to_csv(tmp_path / "c3.csv")
    found = run("tune", "trees.csv", "--costs", "c3.csv", "--apparent", "--json").stdout
    wanted = cautious.tune(trees(), costs=THREE, honest=False)
    cost = json.loads(found)["models"]["trees"]["cost"]
    assert cost == pytest.approx(wanted.frame()["apparent_cost"].iloc[0])


def test_10_costs_are_checked_before_anything_is_fitted():
    class Never(LogisticRegression):
        def fit(self, *_, **__):
            raise AssertionError("fitted")

    model = cautious.TunedAbstainingClassifierCV(Never(), costs={"fn": 1, "fp": 1, "abstain": 0.1})
    with pytest.raises(ValueError, match="costs has the key 'fn'; the keys are 'false_negative'"):
        model.fit(*make_classification(50, random_state=0))


def test_11_the_audit_says_for_what_and_how_to_mend_it():
    lines = audit(as_costs(COSTS, [0, 1], pos_label=1)).use_lines()
    assert lines[0].endswith("tuning thresholds: suitable.")
    assert any(line.strip().startswith("To mend it: let {0, 1} cost less than") for line in lines)


def test_12_several_columns_of_scores_are_several_models(run, tmp_path):
    y, score = scores()
    frame = pd.DataFrame({"y_true": y, "lgbm": score, "hgb": score**2})
    frame.to_csv(tmp_path / "two.csv", index=False)
    found = run("evaluate", "two.csv", "--score", "lgbm", "--score", "hgb", "--json").stdout
    assert list(json.loads(found)["models"]) == ["lgbm", "hgb"]


def test_13_another_share_of_positives_everywhere(run, tmp_path):
    y, score = scores()
    pd.DataFrame({"y_true": y, "score": score}).to_csv(tmp_path / "p.csv", index=False)
    costs = ("--false-negative", 10, "--false-positive", 2, "--abstain", 1)
    windows = [
        json.loads(run("tune", "p.csv", *costs, *prior, "--apparent", "--json").stdout)
        for prior in ((), ("--prior", "2%"))
    ]
    assert windows[0]["models"]["p"]["upper"] != windows[1]["models"]["p"]["upper"]
    found = run("evaluate", "p.csv", "--prior", "2%", "--json").stdout
    positives = json.loads(found)["models"]["p"]["measures"]["positives"]["value"]
    assert positives == pytest.approx(0.02)
    X, priors = score[:, None], {0: 0.98, 1: 0.02}
    models = [
        cautious.TunedAbstainingClassifierCV(LogisticRegression(), costs=COSTS, priors=one).fit(
            X, y
        )
        for one in (None, priors)
    ]
    assert tuple(models[0].best_thresholds_) != tuple(models[1].best_thresholds_)


def test_14_results_are_short_in_a_notebook():
    y, score = scores(5000)
    p = np.column_stack([1 - score, score])
    curve = cautious.RiskCoverageCurve.from_predictions(y, score)
    window = cautious.AbstentionCostSurface.from_predictions(y, score).for_costs(COSTS)
    for one in (curve, ResponseCurve.from_predictions(y, p), window):
        assert len(repr(one)) < 500
        assert one._repr_html_().count("<tr") < 40
    report = cautious.cautious_report(y, p > 0.4)
    assert "\\n" not in repr(report)


def test_15_two_curves_have_two_colours():
    y, score = scores()
    ax = Figure().subplots()
    for values in (score, score**3 * 0.9):
        RiskCoverageDisplay.from_predictions(y, values, ax=ax)
    assert len({to_hex(line.get_color()) for line in ax.lines}) >= 2


def test_16_messages_help(run, tmp_path):
    with pytest.raises(ValueError, match="3 confidence levels; give those of one, sets"):
        coverage_score([0, 1], np.ones((2, 2, 3), dtype=bool))
    table = breakdown([0, 1, 0], [[0], [1], [0, 1]], groups=["x", "y", "x"])
    assert table.index.tolist()[:2] == ["x", "y"]
    (tmp_path / "p.csv").write_text("id,score\n1,0.2\n2,0.9\n")
    assert run("evaluate", "p.csv", code=2).stderr.rstrip().endswith("or say which with --truth.")
    (tmp_path / "q.csv").write_text("y_true,score\n0,10\n1,90\n0,20\n1,80\n")
    said = run("evaluate", "q.csv", "--measure", "error", code=2).stderr
    assert "Are these per cent? Then divide by 100." in " ".join(said.split())
    rule = Rule.window(0.2, 0.8, model="mine")
    rule.to_json(tmp_path / "rule.json")
    (tmp_path / "r.csv").write_text("y_true,score\n0,0.1\n1,0.9\n0,0.2\n1,0.8\n")
    (tmp_path / "s.csv").write_text("y_true,score\n0,0.3\n1,0.7\n0,0.1\n1,0.6\n")
    said = run("compare", "r.csv", "s.csv", "--rule", "rule.json", "--resamples", 20).stderr
    lines = said.splitlines()
    assert len(lines) == len(set(lines))


def test_17_intervals_of_many_rows_take_seconds():
    """Counts are resampled, not rows: as many numbers, whatever the number of rows."""
    y, score = scores(20_000)
    how = {"window": (0.2, 0.8), "confidence_level": 0.9, "n_resamples": 20, "measures": ["u65"]}
    seen = []
    once = cautious.evaluate({"m": (y, score)}, progress=lambda *s: seen.append(s), **how)
    twice = cautious.evaluate({"m": (np.tile(y, 2), np.tile(score, 2))}, **how)
    assert len(once.models["m"].counts.weight) == len(twice.models["m"].counts.weight) < 10
    assert seen  # progress is shown


def test_18_one_winner_and_one_meaning_of_coverage(run, tmp_path):
    y, score = scores()
    frame = pd.DataFrame({"y_true": y, "lgbm": score, "hgb": np.roll(score, 0) ** 1.01})
    frame.to_csv(tmp_path / "two.csv", index=False)
    text = run("compare", "two.csv", "--score", "lgbm", "--score", "hgb", "--resamples", 50).stdout
    assert "the one to take" not in text
    assert "worth most" not in text
    for function in (coverage_score, cautious.metrics.MEASURES["containment"].score):
        assert "ontainment" in function.__doc__ or "get an answer" in function.__doc__


def test_19_a_report_of_a_polars_frame(tmp_path):
    polars = pytest.importorskip("polars")
    y, score = scores()
    frame = polars.DataFrame({"y_true": y, "score": score})
    page = cautious.build_report(frame, tmp_path / "report.html")
    assert page.stat().st_size > 100_000


def test_the_list_is_whole():
    """Each number of the list has a test here."""
    names = sorted(name[5:7] for name in globals() if name[5:7].isdigit())
    listed = re.findall(r"^\| (\d+) \|", TRIALS.read_text(encoding="utf-8"), re.M)
    assert names == [f"{int(number):02}" for number in listed]
    assert len(names) == 19
