"""The main job on real data: where five classifiers should keep quiet, and what it saves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from cautious._typing import Floats
from cautious.curves import AbstentionCostSurface, CostedWindow
from cautious.datasets import load_dataset

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
    best: CostedWindow


def classifiers() -> dict[str, ClassifierMixin]:
    """Five scikit-learn classifiers of different kinds."""
    return {
        "logistic regression": LogisticRegression(max_iter=1000),
        "naive Bayes": GaussianNB(),
        "decision tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        "random forest": RandomForestClassifier(n_estimators=100, random_state=0),
        "nearest neighbours": KNeighborsClassifier(15),
    }


def score_all() -> Iterator[Scored]:
    """Cross-validate each classifier on breast-w and find its best window."""
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
            best=surface.for_costs(**COSTS),
        )


@contextmanager
def _progress(console: Console) -> Iterator[Progress]:
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        yield bar


def as_table(results: list[Scored]) -> Table:
    """Lay the results out for the terminal, the cheapest classifier marked."""
    cheapest = min(results, key=lambda scored: scored.best.cost)
    title = "breast-w: is the tumour malignant? Out-of-fold predictions, ten folds"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0))
    table.add_column("classifier", no_wrap=True)
    for heading in ("accuracy", "AUC", "VACC", "from", "to", "quiet", "cost", "forced"):
        table.add_column(heading, justify="right", no_wrap=True)
    for scored in results:
        best = scored.best
        cells = (
            scored.name,
            f"{scored.accuracy:.3f}",
            f"{scored.auc:.3f}",
            f"{scored.surface.vacc():.4f}",
            f"{best.lower:.2g}",
            f"{best.upper:.2g}",
            f"{best.plane.abstention:.1%}",
            f"{best.cost:.3f}",
            f"{_forced_cost(scored):.3f}",
        )
        table.add_row(*cells, style="bold green" if scored is cheapest else None)
    return table


def _forced_cost(scored: Scored) -> float:
    """Least cost of the same scores when abstaining is not allowed."""
    never = COSTS | {"abstain": COSTS["false_negative"]}
    return scored.surface.for_costs(**never).cost


def demo() -> None:
    """Show where five classifiers should keep quiet on real data, and what that saves.

    [bold]Example:[/] cautious demo
    """
    with _progress(Console(stderr=True)) as bar:
        results = list(bar.track(score_all(), len(classifiers()), description="cross-validating"))
    console = Console()
    console.print(as_table(results))
    console.print(_in_words(results), highlight=False)


def _in_words(results: list[Scored]) -> str:
    cheapest = min(results, key=lambda scored: scored.best.cost)
    best, forced = cheapest.best, _forced_cost(cheapest)
    return (
        f"Missing a malignant tumour costs {COSTS['false_negative']:g}, a false alarm "
        f"{COSTS['false_positive']:g}, a second look {COSTS['abstain']:g}.\n"
        f"Cheapest is {cheapest.name}: answer 'benign' up to a score of {best.lower:.3g}, "
        f"'malignant' from {best.upper:.3g}, and ask for a second look between. "
        f"It keeps quiet on {best.plane.abstention:.1%} of the cases and costs {best.cost:.3f} a "
        f"case instead of {forced:.3f} if forced to answer ({1 - best.cost / forced:.0%} less).\n"
        "VACC is the mean cost over all relative costs; go by it while the costs are unknown."
    )
