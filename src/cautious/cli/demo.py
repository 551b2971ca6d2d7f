"""The main job on real data: where five classifiers should keep quiet, and what it saves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import typer
from rich.table import Table

from cautious._typing import Floats
from cautious.cli.console import make_table, screen
from cautious.curves import AbstentionCostSurface, Window
from cautious.datasets import load_dataset
from cautious.files import check_output
from cautious.progress import track

if TYPE_CHECKING:
    from sklearn.base import ClassifierMixin

__all__ = ["demo"]

POSITIVE = "malignant"
COSTS = {"false_negative": 20.0, "false_positive": 4.0, "abstain": 1.0}


class Scored(NamedTuple):
    """One classifier's out-of-fold scores and what follows from them."""

    name: str
    scores: Floats
    accuracy: float
    auc: float
    surface: AbstentionCostSurface
    best: Window


def classifiers() -> dict[str, ClassifierMixin]:
    """Make five scikit-learn classifiers of different kinds."""
    # Imported here, so that the other commands start sooner.
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic regression": LogisticRegression(max_iter=1000),
        "naive Bayes": GaussianNB(),
        "decision tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        "random forest": RandomForestClassifier(n_estimators=100, random_state=0),
        "nearest neighbours": KNeighborsClassifier(15),
    }


def score_all() -> Iterator[Scored]:
    """Cross-validate each classifier on breast-w and find its best window."""
    from sklearn.impute import SimpleImputer
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = load_dataset("breast-w", return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    is_positive = np.asarray(y == POSITIVE)
    for name, classifier in classifiers().items():
        model = make_pipeline(SimpleImputer(), StandardScaler(), classifier)
        scores = cross_val_predict(model, X, is_positive, cv=folds, method="predict_proba")[:, 1]
        surface = AbstentionCostSurface.from_predictions(is_positive, scores)
        yield Scored(
            name,
            scores,
            accuracy=float(np.mean((scores >= 0.5) == is_positive)),
            auc=float(roc_auc_score(is_positive, scores)),
            surface=surface,
            best=surface.for_costs(COSTS),
        )


def _cost(window: Window) -> float:
    assert window.cost is not None  # windows for costs have one
    return window.cost


def as_table(results: list[Scored]) -> Table:
    """Lay the results out for the terminal, the cheapest classifier marked."""
    cheapest = min(results, key=lambda scored: _cost(scored.best))
    title = "breast-w: is the tumour malignant? Out-of-fold predictions, ten folds"
    headings = ("classifier", "accuracy", "AUC", "VACC", "from", "to", "quiet", "cost", "forced")
    rows = []
    for scored in results:
        best = scored.best
        rows.append(
            (
                scored.name,
                f"{scored.accuracy:.3f}",
                f"{scored.auc:.3f}",
                f"{scored.surface.vacc():.4f}",
                f"{best.lower:.3f}",
                f"{best.upper:.3f}",
                f"{best.abstention:.1%}",
                f"{_cost(best):.3f}",
                f"{_forced_cost(scored):.3f}",
            )
        )
    styles = ["bold green" if scored is cheapest else None for scored in results]
    return make_table(headings, rows, title=title, styles=styles)


def _forced_cost(scored: Scored) -> float:
    """Least cost of the same scores when abstaining is not allowed."""
    never = COSTS | {"abstain": COSTS["false_negative"]}
    return _cost(scored.surface.for_costs(never))


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the report.")
    ] = Path("report.html"),
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Whether to write the report.")
    ] = True,
) -> None:
    """Show where five classifiers should keep quiet on real data, and what that saves.

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
    console = screen()
    console.print(as_table(results))
    console.print()
    console.print(_in_words(results))
    if report:
        path = write_report(results, output).resolve()
        console.print(f"\nPlay with the costs yourself: {path}", soft_wrap=True)


def write_report(results: list[Scored], path: Path) -> Path:
    """Write the interactive report on the classifiers."""
    from cautious.report import build_report

    y = load_dataset("breast-w").target
    truth = np.where(y == POSITIVE, POSITIVE, "benign")
    return build_report(
        {scored.name: (truth, scored.scores) for scored in results},
        path,
        title="Breast cancer: when should the model keep quiet?",
        costs=COSTS,
        pos_label=POSITIVE,
    )


def _in_words(results: list[Scored]) -> str:
    cheapest = min(results, key=lambda scored: _cost(scored.best))
    best, forced = cheapest.best, _forced_cost(cheapest)
    return (
        f"Missing a malignant tumour costs {COSTS['false_negative']:g}, a false alarm "
        f"{COSTS['false_positive']:g}, a second look {COSTS['abstain']:g}.\n"
        f"Cheapest is {cheapest.name}: answer 'benign' up to a score of {best.lower:.3g}, "
        f"'malignant' from {best.upper:.3g}, and ask for a second look between. "
        f"It keeps quiet on {best.abstention:.1%} of the cases and costs {_cost(best):.3f} per "
        f"case instead of {forced:.3f} if forced to answer ({1 - _cost(best) / forced:.0%} less).\n"
        "VACC is the mean cost over all relative costs; go by it while the costs are unknown."
    )
