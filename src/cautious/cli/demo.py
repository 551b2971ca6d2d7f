"""The main job on real data: where five classifiers should abstain, and what it saves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table

from cautious._files import check_output
from cautious.cli.console import make_table, screen
from cautious.cli.options import output, takes
from cautious.progress import track

if TYPE_CHECKING:  # the other commands start sooner without
    from cautious._random import Interval
    from cautious._typing import Floats, Labels
    from cautious.curves import AbstentionCostSurface
    from cautious.curves._window import Window
    from cautious.tuning import Tuning

NEGATIVE, POSITIVE = "healthy", "diabetic"
# Of a missed diabetes, a false alarm and a second opinion: those of the README.
COSTS = {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0}
LEVEL = 0.95


class Scored(NamedTuple):
    """One classifier's out-of-fold scores and what follows from them."""

    name: str
    truth: Labels
    scores: Floats
    accuracy: float
    auc: float
    surface: AbstentionCostSurface
    best: Window


def classifiers() -> dict[str, Any]:
    """Make five scikit-learn classifiers of different kinds."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic regression": LogisticRegression(solver="newton-cholesky"),
        "naive Bayes": GaussianNB(),
        "decision tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        "random forest": RandomForestClassifier(n_estimators=100, random_state=0),
        "nearest neighbours": KNeighborsClassifier(15),
    }


def score_all() -> Iterator[Scored]:
    """Cross-validate each classifier on diabetes and find its best window."""
    import numpy as np
    from sklearn.impute import SimpleImputer
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from cautious.curves import AbstentionCostSurface
    from cautious.datasets import load_dataset

    X, y = load_dataset("diabetes", return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    is_positive = np.asarray(y == "tested_positive")
    for name, classifier in classifiers().items():
        model = make_pipeline(SimpleImputer(), StandardScaler(), classifier)
        scores = cross_val_predict(model, X, is_positive, cv=folds, method="predict_proba")[:, 1]
        surface = AbstentionCostSurface.from_predictions(is_positive, scores)
        yield Scored(
            name,
            np.where(is_positive, POSITIVE, NEGATIVE),
            scores,
            accuracy=float(np.mean((scores >= 0.5) == is_positive)),
            auc=float(roc_auc_score(is_positive, scores)),
            surface=surface,
            best=surface.for_costs(COSTS),
        )


def _cost(window: Window) -> float:
    assert window.cost is not None  # windows for costs have one
    return window.cost


def tuned(results: list[Scored]) -> Tuning:
    """Say what the windows will cost on new patients, and which classifier is the cheapest."""
    from cautious.tuning import tune

    return tune(_predictions(results), costs=COSTS, pos_label=POSITIVE, confidence_level=LEVEL)


def saving(scored: Scored) -> Interval:
    """Say how much less a new patient should cost with the best window than without any.

    Both are chosen on the same parts of the patients, and compared patient by patient.
    """
    from cautious.tuning._cross_fitting import cross_fit
    from cautious.tuning._goal import Goal
    from cautious.tuning._search import search_arrays

    # So expensive that no window abstains.
    never = COSTS | {"abstain": COSTS["false_negative"]}
    forced, free = (
        cross_fit(
            search_arrays(scored.truth, Goal(costs), y_score=scored.scores, pos_label=POSITIVE)
        )
        for costs in (never, COSTS)
    )
    return forced.difference(free, "cost", LEVEL)


def _expected_cost(tuning: Tuning, name: str) -> Interval:
    cost = tuning.expected[name].cost
    assert cost is not None  # there are enough patients
    return cost


def _predictions(results: list[Scored]) -> dict[str, tuple[Labels, Floats]]:
    return {scored.name: (scored.truth, scored.scores) for scored in results}


def as_table(results: list[Scored], tuning: Tuning) -> Table:
    """Lay the results out for the terminal, the classifier of the least expected cost marked."""
    title = "diabetes: is the patient diabetic? Out-of-fold predictions, ten folds"
    headings = ["classifier", "accuracy", "AUC", "VACC", "from", "to", "abstains", "cost"]
    headings += ["95 % interval", "saved", "seen"]
    rows = []
    for scored in results:
        best, cost = scored.best, _expected_cost(tuning, scored.name)
        rows.append(
            (
                scored.name,
                f"{scored.accuracy:.3f}",
                f"{scored.auc:.3f}",
                f"{scored.surface.vacc():.4f}",
                f"{best.lower:.3f}",
                f"{best.upper:.3f}",
                f"{tuning.expected[scored.name].abstention.estimate:.1%}",
                f"{cost.estimate:.3f}",
                f"{cost.low:.3f}–{cost.high:.3f}",
                f"{saving(scored).estimate:.3f}",
                f"{_cost(best):.3f}",
            )
        )
    styles = ["bold green" if scored.name == _least(tuning) else None for scored in results]
    return make_table(headings, rows, title=title, styles=styles)


def _least(tuning: Tuning) -> str:
    """Name the classifier of the least expected cost, told apart or not."""
    frame = tuning.frame()
    return str(frame.index[int(frame["cost"].argmin())])


@takes("output report", output=output("Where to write the report.", Path("report.html")))
def demo(output: Path, report: bool) -> None:
    """Show where five classifiers should abstain on real data, and what that saves.

    [bold]Example:[/]

        cautious demo -o report.html
    """
    if report:
        check_output(output)
    results = []
    with track("cross-validating", len(classifiers())) as bar:
        for scored in score_all():
            results.append(scored)
            bar.update(len(results))
    tuning = tuned(results)
    console = screen()
    console.print(as_table(results, tuning))
    console.print()
    console.print(in_words(results, tuning))
    if report:
        path = write_report(results, output).resolve()
        console.print(f"\nPlay with the costs yourself: {path}", soft_wrap=True)


def write_report(results: list[Scored], path: Path) -> Path:
    """Write the interactive report on the classifiers."""
    from cautious.report import build_report

    return build_report(
        _predictions(results),
        path,
        title="Diabetes: when should the model abstain?",
        costs=COSTS,
        pos_label=POSITIVE,
    )


def in_words(results: list[Scored], tuning: Tuning) -> str:
    """Say which window to take, and what it saves against an answer to every patient."""
    (least,) = [scored for scored in results if scored.name == _least(tuning)]
    cost, saved = _expected_cost(tuning, least.name), saving(least)
    abstention = tuning.expected[least.name].abstention.estimate
    if saved.estimate <= 0:
        verdict = "abstaining is not expected to pay at these costs"
    elif saved.low <= 0:
        verdict = "abstaining is expected to pay, but may not"
    else:
        verdict = "abstaining pays"
    return (
        f"A missed diabetes costs {COSTS['false_negative']:g}, a false alarm "
        f"{COSTS['false_positive']:g}, a second opinion {COSTS['abstain']:g}.\n"
        f"{tuning.verdict}\n"
        f"Its window answers {NEGATIVE!r} up to a score of {least.best.lower:.3g}, {POSITIVE!r} "
        f"from {least.best.upper:.3g}, and asks for a second opinion between. On new patients it "
        f"should abstain on {abstention:.1%} and cost {_ends(cost)} per case. On the patients that "
        f"it was chosen on, the window costs {_cost(least.best):.3f} (seen).\n"
        f"Forced to answer all patients, {least.name} should cost "
        f"{cost.estimate + saved.estimate:.3f}: {verdict}. Saved per case: {_ends(saved)}.\n"
        "VACC is the mean cost over all relative costs; go by it while the costs are unknown."
    )


def _ends(interval: Interval) -> str:
    return f"{interval.estimate:.3f} ({interval.low:.3f} to {interval.high:.3f})"
