"""Yang, Destercke & Masson (2017), *The costs of indeterminacy: how to determine them?*, again."""

from __future__ import annotations

from pathlib import Path

from cautious_reproduction.claims import Reproduction, failures_in_words
from cautious_reproduction.yang.conclusions import conclusions
from cautious_reproduction.yang.experiment import (
    experiment_figures,
    experiment_tables,
    run_experiment,
)
from cautious_reproduction.yang.theory import cost_figures, cost_tables

__all__ = ["reproduce_yang"]

TITLE = "Yang, Destercke & Masson (2017), The costs of indeterminacy"
LEVELS = (
    "The paper does not say whether the five levels of equal frequency were found on all data or "
    "on each training fold; here on each training fold."
)


# What the paper names without a result of its own, so that there is nothing to compare.
NAMED = (
    "Named without a result, so nothing to compare: interval dominance and E-admissibility, other "
    "norms than the first, contiguous sets only, decisions without probabilities (Remark 1), and "
    "the credal C4.5, conformal and evidential classifiers of the introduction."
)


def reproduce_yang(
    *,
    quick: bool = False,
    folder: Path | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Reproduction:
    """Do the paper again.

    Parameters
    ----------
    quick : bool, default=False
        Seven values of s instead of 25, and 10 nested dichotomies instead of 50.
    folder : path, optional
        Where the stores of the three studies are kept, to go on from.
    n_jobs, progress
        As for :meth:`Study.run`.

    Returns
    -------
    Reproduction
    """
    results = run_experiment(quick=quick, folder=folder, n_jobs=n_jobs, progress=progress)
    tables = [*cost_tables(), *experiment_tables(results)]
    return Reproduction(
        "yang",
        TITLE,
        tables,
        [*cost_figures(), *experiment_figures(results)],
        [LEVELS, NAMED, failures_in_words(results)],
        quick,
        float(results["seconds"].sum()),
        conclusions(tables, results),
    )
