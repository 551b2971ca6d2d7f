"""Ferri & Hernández-Orallo (2004), *Cautious classifiers*, again."""

from __future__ import annotations

from pathlib import Path

from cautious_reproduction.claims import Reproduction
from cautious_reproduction.ferri.conclusions import conclusions
from cautious_reproduction.ferri.examples import example_figures, example_tables, sketched_figures
from cautious_reproduction.ferri.results import (
    KEPT,
    Curves,
    result_figures,
    result_tables,
    stand_in_curves,
    weka_curves,
)
from cautious_reproduction.weka import weka_where_wanted

__all__ = ["reproduce_ferri"]

TITLE = "Ferri & Hernández-Orallo (2004), Cautious classifiers"
# Repeats of five-fold cross-validation.
QUICK, FULL = 2, 20
SKETCHES = (
    "Figs 3 and 8 to 10 are sketches without data in the paper, drawn here from Example 2. Of all "
    "figures only the text about them was at hand, so each is drawn beside what the text says; "
    "what Figs 4 and 5 show is not in it."
)
OF_WEKA = (
    "The paper uses WEKA's J4.8, unpruned and with Laplace correction, and names no version. Here "
    "WEKA {version} runs J48 -U -A, J48 -A for the pruned tree, NaiveBayes and Logistic in its own "
    "folds, with seeds from 1 on. Tic-tac-toe is run with all nine squares and without the bottom "
    "right one: with nine no printed number comes out, with eight all are near. A corner was "
    "looked for with the printed numbers in view; edges and the centre do not fit."
)
OF_STAND_INS = (
    "The stand-ins: on spam scikit-learn's tree with Laplace-corrected leaves. On tic-tac-toe two "
    "trees: one with a branch for each category (information gain, not J4.8's gain ratio; for the "
    "pruned one, growth that stops where the imprecise gain does), and scikit-learn's over one-hot "
    "features (the pruned one by cost-complexity, chosen in each training fold by "
    "cross-validation)."
)


# What the paper names without a result of its own, so that there is nothing to compare.
NAMED = (
    "Named without a result, so nothing to compare: data with a class unknown of their own, one "
    "cautious classifier out of several, degrees of freedom of a cautious cost matrix, trade-offs "
    "between test cost and coverage (section 8). Delegating is DelegatingClassifier."
)


def reproduce_ferri(
    *,
    quick: bool = False,
    folder: Path | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    weka: bool | None = None,
) -> Reproduction:
    """Do the paper again, with WEKA's own learners where they are and with stand-ins.

    Parameters
    ----------
    quick : bool, default=False
        Two repeats of cross-validation instead of twenty.
    folder : path, optional
        Where the stores of the studies and WEKA's predictions are kept, to go on from.
    n_jobs, progress
        As for :meth:`Study.run`.
    weka : bool, optional
        Whether to run WEKA's J48, NaiveBayes and Logistic; None where Java and WEKA are found (see
        ``weka.find_weka``), or all that they would predict is in the folder.

    Returns
    -------
    Reproduction
        Tables of each family of learners under names of their own, and figures with a panel each.

    Raises
    ------
    FileNotFoundError
        If `weka` is True and Java or WEKA is missing.
    """
    repeats = QUICK if quick else FULL
    families: dict[str, Curves] = {}
    remarks = [SKETCHES, NAMED]
    seconds = 0.0
    found, missing = weka_where_wanted(weka, folder and folder / KEPT)
    if found is not None:
        try:
            families["WEKA"], seconds = weka_curves(
                found, repeats, folder, n_jobs=n_jobs, progress=progress
            )
            remarks.append(OF_WEKA.format(version=found.version))
        except FileNotFoundError as absent:  # what is kept is not all
            if not missing:
                raise
            missing = f"WEKA's own learners are left out: {absent}"
    remarks += filter(None, [missing])
    families["stand-ins"], more = stand_in_curves(repeats, folder, n_jobs=n_jobs, progress=progress)
    seconds += more
    remarks.append(OF_STAND_INS)
    tables = [
        table
        for whose, curves in families.items()
        for table in result_tables(whose, curves, counted=whose == "WEKA")
    ]
    figures = [*example_figures(), *sketched_figures(), *result_figures(families)]
    figures.sort(key=lambda figure: int(figure.name.removeprefix("Fig. ")))
    every = [*example_tables(), *tables]
    claims = conclusions(families.get("WEKA"))
    return Reproduction("ferri", TITLE, every, figures, remarks, quick, seconds, claims)
