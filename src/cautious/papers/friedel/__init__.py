"""Friedel, Rückert & Kramer (2006), *Cost curves for abstaining classifiers*, again."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from cautious.papers.claims import Reproduction
from cautious.papers.friedel.scores import Family, Scores, stand_in_scores, weka_scores
from cautious.papers.friedel.tables import (
    CLOSE,
    CLOSE_VACC,
    TABLE_1,
    figures,
    in_words,
    reproduced_counts,
    table_1,
)
from cautious.papers.weka import weka_where_wanted

__all__ = ["reproduce_friedel"]

TITLE = "Friedel, Rückert & Kramer (2006), Cost curves for abstaining classifiers"
AGREEMENT = (
    "The paper does not say which class is positive. The last of the sorted labels is held against "
    "the printed VACC; VACC with the other class as positive is shown and not counted. Agreement "
    f"means within {CLOSE:g} for accuracy and AUC, over the pooled folds, and within "
    f"{CLOSE_VACC:.0%} for VACC, because the folds are other ones; the same for the normalised "
    "columns, which need all five learners."
)
OF_WEKA = (
    "The learners of WEKA {version} are run by WEKA itself, ten-fold with seed 1, with default "
    "options but for ten trees in the forest (the default of the paper's day) and logistic models "
    "on SMO (-M). The paper names no version; WEKA's forest has changed since."
)
OF_STAND_INS = (
    "scikit-learn's learners are stand-ins: nothing in it is like PART, whose rows are missing, "
    "and its tree is not pruned as J48 is. How strongly to prune is chosen in each training fold "
    "by cross-validation over a fixed grid. Two fixed strengths of cost-complexity had been tried "
    "before with Table 1 in view, when VACC was counted for both classes: 0.005 agreed in 50 of "
    "96 cells and 0.01 in 54."
)


def reproduce_friedel(
    *,
    quick: bool = False,
    folder: Path | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    weka: bool | None = None,
    scores: Scores | None = None,
) -> Reproduction:
    """Do the paper again, with WEKA's own learners where they are and with scikit-learn's.

    Parameters
    ----------
    quick : bool, default=False
        Surfaces on a 21 × 21 grid instead of 101 × 101; the numbers are the same.
    folder : path, optional
        Where the out-of-fold scores are kept; those found there are not computed again.
    n_jobs, progress
        As for :meth:`Study.run`.
    weka : bool, optional
        Whether to run WEKA's J48, NB, PART, RF and SMO; None where Java and WEKA are found (see
        :func:`cautious.papers.weka.find_weka`).
    scores : mapping of data set to DataFrame, optional
        Out-of-fold scores of learners of your own, instead of all these: a column ``truth`` with
        the labels, and one column per learner of Table 1 with the score of the positive class,
        which is the last of the sorted labels.

    Returns
    -------
    Reproduction
        Tables of each family of learners under names of their own; figures of the first.

    Raises
    ------
    FileNotFoundError
        If `weka` is True and Java or WEKA is missing.
    ValueError
        If `scores` has other data sets or columns than these.
    """
    families = []
    remarks = [AGREEMENT]
    seconds = math.nan if scores is not None else 0.0
    if scores is not None:
        families.append(Family("", _checked(scores)))
    else:
        found, missing = weka_where_wanted(weka)
        if found is not None:
            theirs, seconds = weka_scores(found, TABLE_1, folder, n_jobs=n_jobs, progress=progress)
            families.append(Family("WEKA", theirs))
            remarks.append(OF_WEKA.format(version=found.version))
        else:
            remarks.append(missing)
        near, more = stand_in_scores(TABLE_1, folder, n_jobs=n_jobs, progress=progress)
        seconds += more
        families.append(Family("scikit-learn", near))
        remarks.append(OF_STAND_INS)
    tables = []
    for family in families:
        own = [table_1(family, name) for name in family.scores]
        tables += [*own, *filter(None, [in_words(family)])]
        remarks.append(reproduced_counts(family, own))
    drawn = figures(families[0], 21 if quick else 101)
    if len(families) > 1:
        only = f"Drawn for {families[0].name} only; the tables have the other learners, too."
        drawn = [replace(each, remark=f"{only} {each.remark}".strip()) for each in drawn]
    return Reproduction("friedel", TITLE, tables, drawn, remarks, quick, seconds)


def _checked(scores: Scores) -> Scores:
    if not scores:
        raise ValueError("scores is empty; give a frame of scores for at least one data set.")
    for name, frame in scores.items():
        if name not in TABLE_1:
            known = ", ".join(TABLE_1)
            raise ValueError(f"scores has the data set {name!r}; Table 1 has {known}.")
        learners = [*TABLE_1[name]]
        unknown = [column for column in frame.columns if column not in ["truth", *learners]]
        if unknown or "truth" not in frame or len(frame.columns) < 2:
            raise ValueError(
                f"scores[{name!r}] has the columns {', '.join(map(str, frame.columns))}; give "
                f"truth and one or more of {', '.join(learners)}."
            )
    return scores
