from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.naive_bayes import GaussianNB

from cautious.datasets import load_dataset
from cautious.models import NaiveCredalClassifier
from cautious_reproduction import friedel, weka
from cautious_reproduction.friedel import reproduce_friedel, variations
from cautious_reproduction.friedel import scores as friedel_scores
from cautious_reproduction.friedel import tables as friedel_tables
from cautious_reproduction.friedel.conclusions import (
    _only_in_vacc,
    _unequally_visible,
    conclusions,
)
from cautious_reproduction.friedel.scores import (
    WEKA_LEARNERS,
    MixedNaiveBayes,
    learners,
    weka_scores,
    with_noise,
)
from cautious_reproduction.friedel.tables import TABLE_1
from cautious_reproduction.weka import find_weka

try:
    find_weka()
    WHY = ""
except FileNotFoundError as missing:
    WHY = str(missing)
live = pytest.mark.skipif(bool(WHY), reason=WHY)


@pytest.fixture(scope="module")
def breast_w():
    """WEKA 3.4.7, ten-fold, seed 1; 10 trees in the forest, logistic models for SMO."""
    path = Path(__file__).parents[2] / "tests" / "data" / "weka_breast_w.csv"
    # Python's own float: pandas has not always read to the last bit, and that decides ties.
    columns = ["J48", "NB", "PART", "RF10", "SMOM"]
    frame = pd.read_csv(path, converters=dict.fromkeys(columns, float))
    frame = frame.rename(columns={"actual": "truth", "RF10": "RF", "SMOM": "SVM"})
    return frame[["truth", *TABLE_1["vote"]]]


@pytest.fixture(scope="module")
def noisy():
    """Scores for all sets; the later a learner comes, the more noise in its scores."""
    rng = np.random.default_rng(0)
    noise = {"SVM": 0.3, "RF": 0.6, "NB": 1.2, "PART": 1.8, "J48": 2.4}
    scores = {}
    for name in TABLE_1:
        y = rng.integers(2, size=300)
        made = {m: y + scale * rng.normal(size=300) for m, scale in noise.items()}
        scores[name] = pd.DataFrame({"truth": y, **made})
    return scores


@pytest.fixture(scope="module")
def all_five(noisy):
    return reproduce_friedel(quick=True, scores=noisy)


class PretendedWeka:
    """Answers as if it had learned: noise about the truth, the same for each learner's name."""

    version = "9.9.9"

    def __init__(self):
        self.asked = []

    def cross_validate(self, learner, X, y, *, folds, seed):
        self.asked.append((learner, folds, seed))
        rng = np.random.default_rng(len(learner))
        truth = np.asarray(y)
        p = np.clip(0.5 + 0.3 * (truth == max(truth)) + 0.3 * rng.normal(size=len(truth)), 0, 1)
        named = {f"p_{label}": p if label == max(truth) else 1 - p for label in sorted(set(truth))}
        return pd.DataFrame({"fold": np.arange(len(truth)) % folds, "truth": truth, **named})


def test_with_weka_predictions_the_auc_column_of_breast_w_reproduces(breast_w):
    done = reproduce_friedel(quick=True, scores={"breast-w": breast_w})
    (table,) = done.tables
    assert table.name == "Table 1, breast-w"
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    for learner, auc, vacc in [
        ("J48", 0.9547, 0.0349),
        ("NB", 0.9832, 0.0179),
        ("PART", 0.9702, 0.0321),
        ("RF", 0.9885, 0.0163),
        ("SVM", 0.9943, 0.0126),
    ]:
        # One lies halfway between two last digits, where releases round differently.
        assert cells[learner, "AUC"].ours == pytest.approx(auc, abs=5.1e-5)
        assert cells[learner, "AUC"].agrees
        assert round(cells[learner, "VACC, positive 1"].ours, 4) == vacc
    # "SVMs perform best, followed by RF and NB, whereas PART and J48 lag behind."
    ranked = sorted(WEKA_LEARNERS, key=lambda m: cells[m, "VACC, positive 1"].ours)
    assert ranked == ["SVM", "RF", "NB", "PART", "J48"]


def test_a_printed_vacc_counts_once(breast_w):
    (table,) = reproduce_friedel(quick=True, scores={"breast-w": breast_w}).tables
    other = [cell for cell in table.cells if cell.column == "VACC, positive 0"]
    assert len(other) == 5
    assert all(cell.agrees is None and "not counted" in cell.remark for cell in other)
    assert table.counts()[1] == 5 * 6


def test_normalised_columns_divide_by_the_largest_of_all_five(breast_w):
    (table,) = reproduce_friedel(quick=True, scores={"breast-w": breast_w}).tables
    ours = table.frame().pivot(index="row", columns="column", values="ours").astype(float)
    for column, of in [("AUC", "AUC"), ("accuracy", "accuracy"), ("VACC", "VACC, positive 1")]:
        np.testing.assert_allclose(ours[f"normalised {column}"], ours[of] / ours[of].max())
    four = {"breast-w": breast_w.drop(columns="PART")}
    (table,) = reproduce_friedel(quick=True, scores=four).tables
    assert not any("normalised" in cell.column for cell in table.cells)


def test_the_printed_table_is_consistent():
    """Normalised columns as printed follow from the others, up to their rounding."""
    for rows in TABLE_1.values():
        printed = np.array(list(rows.values()))
        digits = np.array([0.005, 0.005, 0.0005 if printed[0, 2] < 0.1 else 0.005])
        ratio = printed[:, :3] / printed[:, :3].max(axis=0)
        slack = 2 * digits / printed[:, :3].max(axis=0) + 0.0051
        assert (np.abs(ratio - printed[:, 3:]) <= slack).all()


def test_ties_go_to_the_first_class():
    scores = pd.DataFrame({"truth": ["a", "b", "b", "a"], "NB": [0.5, 0.9, 0.9, 0.1]})
    (table,) = reproduce_friedel(quick=True, scores={"vote": scores}).tables
    assert {cell.column: cell.ours for cell in table.cells}["accuracy"] == 1


def test_scores_that_do_not_fit(breast_w):
    with pytest.raises(ValueError, match="scores is empty"):
        reproduce_friedel(scores={})
    with pytest.raises(ValueError, match=r"data set 'iris'; Table 1 has breast-w, bupa"):
        reproduce_friedel(scores={"iris": breast_w})
    for frame in (breast_w.rename(columns={"NB": "knn"}), breast_w[["NB"]], breast_w[["truth"]]):
        with pytest.raises(
            ValueError, match=r"scores\['breast-w'\] has the columns .*; give truth"
        ):
            reproduce_friedel(scores={"breast-w": frame})


def test_figure_1_is_a_plane_above_the_surface(breast_w):
    done = reproduce_friedel(quick=True, scores={"breast-w": breast_w[["truth", "NB"]]})
    frame = next(figure for figure in done.figures if figure.name == "Fig. 1").frame
    one, best = (part["cost"].to_numpy() for _, part in frame.groupby("panel"))
    assert (one >= best - 1e-12).all()
    assert (one > best + 1e-6).any()
    assert np.isclose(one, best).any()


def test_every_figure_is_there_with_all_five_learners(all_five):
    figures = {figure.name: figure for figure in all_five.figures}
    threes = [f"Fig. 3, {what}" for what in ("cost", "abstention rate", "lower threshold")]
    fours = [f"Fig. 4{letter}" for letter in "abcdefg"]
    assert list(figures) == ["Fig. 1", "Fig. 2", *threes, "Fig. 3, upper threshold", *fours]
    for figure in all_five.figures:
        drawn = figure.frame[[figure.x, figure.y, figure.value or figure.y]].to_numpy()
        assert np.isfinite(drawn).all(), figure.name
    assert set(figures["Fig. 3, cost"].frame["learner"]) == set(WEKA_LEARNERS)


def test_figure_2_shows_windows_within_windows(all_five):
    frame = next(figure for figure in all_five.figures if figure.name == "Fig. 2").frame
    assert set(frame["mu"]) == {0.25, 0.5, 0.75, 1.0}
    for _, panel in frame.groupby("mu"):
        at = panel.pivot(index="nu", columns="which", values="threshold")
        assert (at["lower"] <= at["no abstention"]).all()
        assert (at["no abstention"] <= at["upper"]).all()
        assert at["lower"].is_monotonic_increasing
        assert at["upper"].is_monotonic_decreasing
        assert (at["upper"] > at["lower"]).any()


def test_figure_4d_is_what_naive_bayes_costs_more_than_part(all_five, noisy):
    figure = next(figure for figure in all_five.figures if figure.name == "Fig. 4d")
    family = friedel.Family("", noisy)
    at = (figure.frame["mu"], figure.frame["nu"])
    first, second = (family.surfaces["haberman", m].cost(*at) for m in ("NB", "PART"))
    np.testing.assert_allclose(figure.frame["difference"], first - second, atol=1e-12)


def test_scores_of_all_sets_are_put_in_words(all_five):
    words = {(cell.row, cell.column): cell for cell in all_five.tables[-1].cells}
    assert words["breast-w", "VACC, best first"].ours == "SVM RF NB PART J48"
    assert words["breast-w", "VACC, best first"].agrees
    assert words["bupa", "worst by VACC"].ours == "J48"
    assert words["bupa", "best by accuracy"].ours == "SVM"
    assert words["bupa", "worst by AUC"].ours == "J48"
    assert words["vote", "VACC order if classes were 50:50"].ours == "same"
    nested = words["all", "more expensive abstention, narrower window within the other"]
    assert (nested.ours, nested.agrees, nested.given) == ("yes", None, True)  # a theorem
    assert words["bupa", "trivial classifier cheaper than the SVM somewhere"].ours == "no"
    trivial = words["bupa", "trivial classifier cheaper than the SVM somewhere"]
    assert trivial.given  # impossible under the paper's own windows
    abstention = words["breast-w", "abstention of PART at ν = 0.1 is 10 to 15 % for most μ"]
    assert "over all μ" in abstention.remark


def test_words_about_part_need_part(noisy):
    four = {name: frame.drop(columns="PART") for name, frame in noisy.items()}
    words = friedel_tables.in_words(friedel.Family("mine", four))
    assert words.name == "Sections 3 and 4 in words, mine"
    assert not any("PART" in cell.column for cell in words.cells)
    assert words.cells[0].paper == "SVM RF NB J48"
    del four["vote"]
    assert friedel_tables.in_words(friedel.Family("mine", four)) is None


def test_another_order_under_even_classes_is_told():
    """One learner finds the frequent class, the other the rare one."""
    truth = np.repeat([0, 1], [90, 10])
    often = np.where(truth == 0, 0.0, np.tile([0, 1], 50))
    seldom = np.where(truth == 1, 1.0, np.tile([0, 0, 0, 0, 1], 20))
    scores = pd.DataFrame({"truth": truth, "J48": often, "NB": seldom})
    cell = friedel_tables._evenly(friedel.Family("", {"vote": scores}), "vote")
    assert (cell.ours, cell.paper) == ("another", "same")
    assert cell.remark == "J48 NB becomes NB J48"


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


def test_every_learner_takes_categories_numbers_and_gaps():
    X, y = load_dataset("credit-a", return_X_y=True)
    y = np.asarray(y)
    for name, model in learners().items():
        p = model.fit(X[::3], y[::3]).predict_proba(X[1::3])
        assert np.mean((p[:, 1] > 0.5) == (y[1::3] == "-")) > 0.7, name


def test_the_tree_prunes_itself_on_the_data_it_is_given():
    tree = learners()["J48"]
    X, y = load_dataset("haberman", return_X_y=True)
    noise = np.random.default_rng(0).permutation(np.asarray(y))
    for labels, leaves in [(noise, 1), (np.where(X.iloc[:, 0] > 50, "old", "young"), 2)]:
        assert tree.fit(X, labels)[-1].best_estimator_.get_n_leaves() == leaves
    whole = tree.set_params(gridsearchcv__param_grid={"ccp_alpha": [0.0]}).fit(X, noise)
    assert whole[-1].best_estimator_.get_n_leaves() > 20


def test_stand_ins_are_kept_and_found_again(tmp_path, monkeypatch):
    monkeypatch.setattr(friedel, "TABLE_1", {"haberman": TABLE_1["haberman"]})
    monkeypatch.setattr(friedel_scores, "FOLDS", 2)
    done = reproduce_friedel(quick=True, folder=tmp_path, weka=False)
    assert [table.name for table in done.tables] == ["Table 1, haberman, scikit-learn"]
    assert "WEKA's own learners were not asked for." in done.remarks

    def not_again(*_):
        raise AssertionError("computed twice")

    monkeypatch.setattr(friedel_scores, "_out_of_fold", not_again)
    again = reproduce_friedel(quick=True, folder=tmp_path, weka=False)
    assert again.frame().equals(done.frame())
    assert again.seconds == pytest.approx(done.seconds, abs=0.01)  # of the first run
    assert done.seconds > 0.01
    files = [path.name for path in (tmp_path / "friedel-scores").iterdir()]
    assert len(files) == 4
    assert all(name.startswith(f"friedel-scikit-learn-{sklearn.__version__}-") for name in files)
    # A learner of the same name that is another one is not taken for it.
    other = {**learners(), "NB": GaussianNB()}
    monkeypatch.setattr(friedel_scores, "learners", lambda: other)
    with pytest.raises(AssertionError, match="computed twice"):
        reproduce_friedel(quick=True, folder=tmp_path, weka=False)


def test_weka_comes_first_and_is_counted_apart(tmp_path, monkeypatch, noisy):
    pretended = PretendedWeka()
    monkeypatch.setattr(friedel, "weka_where_wanted", lambda *_: (pretended, ""))
    vote = {"vote": noisy["vote"]}
    monkeypatch.setattr(friedel, "stand_in_scores", lambda *_, **__: (vote, 1000.0))
    done = reproduce_friedel(quick=True, folder=tmp_path)
    assert set(pretended.asked) == {(which, 10, 1) for which in WEKA_LEARNERS.values()}
    assert len(pretended.asked) == 5 * 6
    assert [table.counted for table in done.tables[-2:]] == [True, False]
    names = [table.name for table in done.tables]
    assert names[:2] == ["Table 1, breast-w, WEKA", "Table 1, bupa, WEKA"]
    assert names[-2:] == ["Sections 3 and 4 in words, WEKA", "Table 1, vote, scikit-learn"]
    assert any("WEKA 9.9.9" in remark for remark in done.remarks)
    assert "Cells of Table 1 that agree with WEKA: accuracy " in done.remarks[-1]
    assert "AUC 1 of 5" in done.remarks[-2]
    assert all(", WEKA" in figure.title for figure in done.figures)
    assert all("Drawn for WEKA only" in figure.remark for figure in done.figures)
    assert done.seconds >= 1000
    weka_scores(pretended, TABLE_1, tmp_path)
    assert len(pretended.asked) == 5 * 6  # found again


def test_what_weka_predicted_is_used_where_weka_is_not(tmp_path, monkeypatch, noisy):
    def not_here():
        raise FileNotFoundError("there is no java.")

    monkeypatch.setattr(friedel, "TABLE_1", {"vote": TABLE_1["vote"]})
    for name, nothing in (("figures", []), ("conclusions", []), ("in_words", None)):
        monkeypatch.setattr(friedel, name, lambda *_, nothing=nothing: nothing)
    vote = {"vote": noisy["vote"]}
    monkeypatch.setattr(friedel, "stand_in_scores", lambda *_, **__: (vote, 1000.0))
    weka_scores(PretendedWeka(), ["vote"], tmp_path)
    monkeypatch.setattr("cautious_reproduction.weka.find_weka", not_here)
    done = reproduce_friedel(quick=True, folder=tmp_path)
    assert done.tables[0].name == "Table 1, vote, WEKA"
    assert any("What WEKA 9.9.9 predicted before is in the folder" in r for r in done.remarks)
    # Where one prediction is missing, all of WEKA's are left out, and that is said.
    next((tmp_path / "friedel-scores").glob("friedel-weka-9.9.9-vote-PART-*")).unlink()
    done = reproduce_friedel(quick=True, folder=tmp_path)
    assert done.tables[0].name == "Table 1, vote, scikit-learn"
    assert any(
        "WEKA's own learners are left out: 'rules.PART' must be run anew" in r for r in done.remarks
    )
    with pytest.raises(FileNotFoundError, match="there is no java"):
        reproduce_friedel(quick=True, folder=tmp_path, weka=True)


@pytest.fixture(scope="module")
def four_runs(noisy):
    """Four runs that differ by chance alone."""
    rng = np.random.default_rng(1)
    runs = []
    for _ in range(4):
        run = {}
        for name, frame in noisy.items():
            jitter = frame.drop(columns="truth") + 0.2 * rng.normal(size=(len(frame), 5))
            label = {0: "democrat", 1: "republican"} if name == "vote" else {0: "1", 1: "2"}
            run[name] = pd.DataFrame({"truth": frame["truth"].map(label), **jitter})
        runs.append(run)
    return friedel.Family("WEKA", runs[0], tuple(runs))


def test_cells_of_repeats_are_judged_by_what_seeds_do(four_runs):
    table = friedel_tables.table_1(four_runs, "bupa")
    over = four_runs.over_seeds("bupa")["AUC"].unstack("learner")["NB"]
    cell = next(c for c in table.cells if (c.row, c.column) == ("NB", "AUC"))
    assert cell.ours == pytest.approx(over.mean())
    assert cell.within == pytest.approx(0.005 + 2 * over.std())
    assert (cell.printed, table.kind) == ("0.64", "re-run")
    cell = next(c for c in table.cells if (c.row, c.column) == ("J48", "accuracy"))
    # As it is printed, in per cent on both sides.
    assert cell.words()[:2] == (f"{100 * cell.ours:.4g}%", "65%")
    assert cell.remark == f"two SD over seeds {100 * (cell.within - 0.005):.2g}%"


def test_the_positive_class_is_stated_and_the_other_one_shown(four_runs):
    columns = {c.column for c in friedel_tables.table_1(four_runs, "vote").cells}
    assert {"VACC, positive democrat", "VACC, positive republican"} <= columns
    assert four_runs.positive("vote") == "democrat"
    assert four_runs.positive("bupa") == "2"
    flipped = friedel_scores.surface_of(four_runs.scores["vote"], "NB", "democrat").vacc()
    assert four_runs.surfaces["vote", "NB"].vacc() == pytest.approx(flipped)
    assert flipped != four_runs.surfaces["vote", "NB"].flipped().vacc()


def test_every_conclusion_has_a_verdict(four_runs):
    claims = {claim.says: claim for claim in conclusions(four_runs)}
    assert len(claims) >= 25
    assert all(claim.ours and claim.paper for claim in claims.values())
    # Theorems hold whatever the scores are.
    theory = [c for c in claims.values() if c.kind == "arithmetic"]
    assert len(theory) == 8
    assert {c.verdict for c in theory} == {"holds"}
    # SVM < RF < NB < PART < J48 by construction: bupa's best learner is not RF.
    assert claims["bupa: NB is worst and RF best by all measures"].verdict == "fails"
    order = claims["breast-w: a clear order of VACC: SVM, then RF, then NB"]
    assert order.verdict == "holds"
    assert order.ours.endswith("true in 4 of 4 runs")


class AsPrinted:
    """A family whose every run is Table 1, the normalised columns in the places of the measures."""

    def __init__(self, **changed):
        self.changed = changed

    def over_seeds(self, dataset):
        rows = {m: printed[3:] for m, printed in TABLE_1[dataset].items()}
        run = pd.DataFrame.from_dict(rows, orient="index", columns=list(friedel_scores.MEASURES))
        return pd.concat({i: run.assign(**self.changed) for i in range(3)}, names=["seed", ""])


def test_what_shows_in_vacc_alone_depends_on_the_reading():
    claim = _only_in_vacc(AsPrinted())
    assert claim.verdict == "cannot tell"
    assert claim.ours.endswith(
        "true in 3 of 3 runs if size is meant, in 0 of 3 runs if order is meant"
    )
    assert "in accuracy in 0 of 3 runs, in AUC in 3 of 3 runs" in claim.ours
    assert _only_in_vacc(AsPrinted(AUC=0.97)).verdict == "holds"
    # One of the two is first, so that the other one is last says nothing.
    assert _only_in_vacc(AsPrinted(AUC=[0.95, 0.96, 0.99, 0.97, 0.98])).verdict == "holds"
    assert _only_in_vacc(AsPrinted(VACC=0.5)).verdict == "fails"


def test_what_is_unequally_visible_is_so_as_printed():
    claim = _unequally_visible(AsPrinted())
    assert claim.verdict == "holds"
    assert claim.ours.endswith("read as: both are so; true in 3 of 3 runs")
    assert claim.paper.endswith("accuracy -0.118, AUC -0.044, VACC +0.031")
    # NB and PART are then as visible in VACC as RF and SVM.
    worse = _unequally_visible(AsPrinted(VACC=[0.93, 1.2, 0.97, 0.84, 0.96]))
    assert worse.verdict == "fails"
    assert "most visible in VACC in 3 of 3 runs; NB over PART" in worse.ours
    assert "least visible in VACC in 0 of 3 runs" in worse.ours


def test_noise_turns_labels_over_and_nests():
    y = load_dataset("bupa", return_X_y=True)[1]
    little, much = (np.asarray(with_noise(y, share, 1) != y) for share in (0.1, 0.3))
    assert (little.sum(), much.sum()) == (round(0.1 * len(y)), round(0.3 * len(y)))
    assert (much >= little).all()
    assert with_noise(y, 0.1, 1).cat.categories.tolist() == y.cat.categories.tolist()


def test_other_parameters_share_the_runs_of_table_1(tmp_path):
    pretended = PretendedWeka()
    weka_scores(pretended, ["bupa"], tmp_path, seeds=range(1, 4))
    assert len(pretended.asked) == 15
    found, _ = variations.run_variations(pretended, ["bupa"], tmp_path)
    # Four other values of two parameters and three levels of noise for two learners, three seeds.
    assert len(pretended.asked) == 15 + 3 * (2 * 4 + 2 * 3)
    assert found.shifts.shape == (2, 5)
    claims = variations.variation_claims(found)
    assert [claim.kind for claim in claims] == ["words"] * 4
    assert len(variations.variation_table(found).cells) == 4
    assert len(variations.variation_figures(found)) == 3


def test_without_weka_the_reason_is_told(monkeypatch, noisy):
    def nothing(*_):
        raise FileNotFoundError("there is no weka.jar")

    monkeypatch.setattr(weka, "find_weka", nothing)
    vote = {"vote": noisy["vote"]}
    monkeypatch.setattr(friedel, "stand_in_scores", lambda *_, **__: (vote, 1000.0))
    done = reproduce_friedel(quick=True)
    assert "WEKA's own learners were not run: there is no weka.jar" in done.remarks
    with pytest.raises(FileNotFoundError):
        reproduce_friedel(quick=True, weka=True)


@live
def test_weka_on_bupa():
    (found,), _ = weka_scores(find_weka(), ["bupa"], None)
    measures = friedel.Family("WEKA", found).measures("bupa")
    # As WEKA 3.9.7 prints them in its summaries.
    right = {"J48": 237, "NB": 191, "PART": 220, "SVM": 228}
    assert {m: round(measures.loc[m, "accuracy"] * 345) for m in right} == right
    auc = measures["AUC"].round(4).to_dict()
    assert [auc[m] for m in ("J48", "NB", "PART", "SVM")] == [0.6650, 0.6401, 0.6711, 0.6978]


@pytest.mark.slow
def test_the_quick_pass():
    done = reproduce_friedel(quick=True, n_jobs=2, weka=False)
    assert done.counts() == (0, 0)  # stand-ins are shown, not counted
    shown = [table.counts() for table in done.tables]
    assert sum(printed for _, printed in shown) == 6 * 4 * 3 + 16
    assert sum(agree for agree, _ in shown) > 44
    assert done.claims == []
