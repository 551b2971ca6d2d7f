"""The main job on real data: where five classifiers should abstain, and what it saves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cautious._files import check_output
from cautious.cli.console import make_table, screen
from cautious.cli.options import output, takes
from cautious.progress import track

if TYPE_CHECKING:  # the other commands start sooner without
    import pandas as pd

    from cautious._random import Interval
    from cautious._typing import Floats, Labels

NEGATIVE, POSITIVE = "healthy", "diabetic"
# Of a missed diabetes, a false alarm and a second opinion: those of the README.
COSTS = {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0}
LEVEL = 0.95
_TITLE = "diabetes: is the patient diabetic? Out-of-fold predictions, ten folds"
_CELLS = {
    "accuracy": "{accuracy:.3f}",
    "AUC": "{auc:.3f}",
    "VACC": "{vacc:.4f}",
    "from": "{lower:.3f}",
    "to": "{upper:.3f}",
    "abstains": "{per_cent:.1f} %",
    "cost": "{cost:.3f}",
    "95 % interval": "{cost_low:.3f}–{cost_high:.3f}",
    "saved": "{saved:.3f}",
    "seen": "{apparent_cost:.3f}",
}
_WORDS = """\
A missed diabetes costs {false_negative:g}, a false alarm {false_positive:g}, a second opinion \
{abstain:g}.
{verdict}
Its window answers {negative!r} up to a score of {lower:.3g}, {positive!r} from {upper:.3g}, and \
asks for a second opinion between. On new patients it should abstain on {per_cent:.1f} % and cost \
{cost:.3f} ({cost_low:.3f} to {cost_high:.3f}) per case. On the patients that it was chosen on, \
the window costs {apparent_cost:.3f} (seen).
Forced to answer all patients, {name} should cost {forced:.3f}: {pays}. Saved per case: \
{saved:.3f} ({saved_low:.3f} to {saved_high:.3f}).
VACC is the mean cost over all relative costs; go by it while the costs are unknown."""


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


Scored = dict[str, "tuple[Labels, Floats]"]


def score_all(progress: Callable[[int], object] = lambda done: None) -> Scored:
    """Cross-validate each classifier on diabetes: truths, and scores out of fold."""
    import numpy as np
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from cautious.datasets import load_dataset

    X, y = load_dataset("diabetes", return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    truth = np.where(y == "tested_positive", POSITIVE, NEGATIVE)
    predictions = {}
    for name, classifier in classifiers().items():
        model = make_pipeline(SimpleImputer(), StandardScaler(), classifier)
        proba = cross_val_predict(model, X, truth == POSITIVE, cv=folds, method="predict_proba")
        predictions[name] = (truth, proba[:, 1])
        progress(len(predictions))
    return predictions


def judge(predictions: Scored) -> tuple[pd.DataFrame, str]:
    """Say what each classifier should cost and save with its window, and which is the cheapest."""
    import pandas as pd

    from cautious.curves import AbstentionCostSurface, Staircase
    from cautious.tuning import tune

    tuning = tune(predictions, costs=COSTS, pos_label=POSITIVE, confidence_level=LEVEL)
    rows = []
    for truth, scores in predictions.values():
        stairs = Staircase.from_predictions(truth, scores, pos_label=POSITIVE)
        saved = saving(truth, scores)
        accuracy = ((scores >= 0.5) == (truth == POSITIVE)).mean()
        vacc = AbstentionCostSurface(stairs).vacc()
        rows.append((accuracy, stairs.auc(), vacc, saved.estimate, saved.low, saved.high))
    names = ["accuracy", "auc", "vacc", "saved", "saved_low", "saved_high"]
    found = tuning.frame().join(pd.DataFrame(rows, list(predictions), names))
    return found.assign(per_cent=100 * found["abstention"]), tuning.verdict


def saving(truth: Labels, scores: Floats) -> Interval:
    """Say how much less a new patient should cost with the best window than without any.

    Both are chosen on the same parts of the patients, and compared patient by patient.
    """
    from cautious._cases import cases_of_scores
    from cautious.tuning._cross_fitting import cross_fit
    from cautious.tuning._goal import Goal
    from cautious.tuning._search import search_cases

    cases = cases_of_scores(truth, scores, pos_label=POSITIVE)
    # So expensive that no window abstains.
    never = COSTS | {"abstain": COSTS["false_negative"]}
    forced, free = (cross_fit(search_cases(cases, Goal(costs))) for costs in (never, COSTS))
    return forced.difference(free, "cost", LEVEL)


@takes("output report", output=output("Where to write the report.", Path("report.html")))
def demo(output: Path, report: bool) -> None:
    """Show where five classifiers should abstain on real data, and what that saves.

    [bold]Example:[/]

        cautious demo -o report.html
    """
    from cautious.report import build_report

    if report:
        check_output(output)
    with track("cross-validating", len(classifiers())) as bar:
        predictions = score_all(bar.update)
    results, verdict = judge(predictions)
    # One classifier per column: eleven columns of numbers would not fit in a terminal.
    rows = [
        (heading, *(cell.format_map(row) for _, row in results.iterrows()))
        for heading, cell in _CELLS.items()
    ]
    console = screen()
    console.print(make_table(["", *map(str, results.index)], rows, title=_TITLE))
    console.print()
    console.print(in_words(results, verdict))
    if report:
        title = "Diabetes: when should the model abstain?"
        path = build_report(predictions, output, title=title, costs=COSTS, pos_label=POSITIVE)
        console.print(f"\nPlay with the costs yourself: {path.resolve()}", soft_wrap=True)


def in_words(results: pd.DataFrame, verdict: str) -> str:
    """Say which window to take, and what it saves against an answer to every patient."""
    name = str(results["cost"].idxmin())
    row: dict[str, Any] = {str(key): value for key, value in results.loc[name].items()}
    if row["saved"] <= 0:
        pays = "abstaining is not expected to pay at these costs"
    elif row["saved_low"] <= 0:
        pays = "abstaining is expected to pay, but may not"
    else:
        pays = "abstaining pays"
    told = {"name": name, "verdict": verdict, "pays": pays, "forced": row["cost"] + row["saved"]}
    return _WORDS.format(**COSTS, **row, **told, negative=NEGATIVE, positive=POSITIVE)
