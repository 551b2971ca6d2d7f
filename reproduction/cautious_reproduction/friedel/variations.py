"""Friedel, Rückert & Kramer (2006), the end of section 4: parameters of learners, and noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from cautious_reproduction.claims import Claim
from cautious_reproduction.friedel.scores import POSITIVE, Run, surface_of, weka_runs
from cautious_reproduction.printed_tables import Cell, Figure, Table
from cautious_reproduction.weka import Weka

__all__ = [
    "Variations",
    "run_variations",
    "variation_claims",
    "variation_figures",
    "variation_table",
]

# WEKA's defaults are among them: .25 and 1.
CONFIDENCES = (0.05, 0.1, 0.25, 0.4, 0.5)
PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0)
NOISES = (0.0, 0.1, 0.2, 0.3)
SEEDS = range(1, 4)
PLAIN = {"J48": "trees.J48", "SVM": "functions.SMO -M"}
# What is the default is asked for as in Table 1, whose runs are then shared.
SCHEMES = {
    "J48": {c: f"trees.J48 -C {c:g}" for c in CONFIDENCES} | {0.25: PLAIN["J48"]},
    "SVM": {c: f"functions.SMO -M -C {c:g}" for c in PENALTIES} | {1.0: PLAIN["SVM"]},
}
# A step of VACC that is called abrupt, as a share of it.
ABRUPT = 0.15
PARAMETERS = {"J48": "confidence for pruning", "SVM": "C"}


@dataclass(frozen=True)
class Variations:
    """VACC of J48 and the SVM, seed by seed.

    Attributes
    ----------
    parameters, noise : DataFrame
        Columns ``dataset``, ``learner``, ``at`` (the parameter, or the share of labels turned
        over), ``seed``, ``VACC``.
    """

    parameters: pd.DataFrame
    noise: pd.DataFrame

    @property
    def shifts(self) -> pd.DataFrame:
        """Mean VACC over seeds by data set and learner (rows) and step of the parameter."""
        rows = self.parameters.copy()
        rows["step"] = rows.groupby("learner")["at"].rank(method="dense").astype(int)
        return rows.pivot_table(index=["dataset", "learner"], columns="step", values="VACC")

    @property
    def spread(self) -> float:
        """Standard deviation of one run's VACC over seeds, relative, in the mean over settings."""
        each = self.parameters.groupby(["dataset", "learner", "at"])["VACC"]
        return float((each.std() / each.mean()).mean())


def run_variations(
    weka: Weka,
    datasets: Iterable[str],
    folder: Path | None,
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> tuple[Variations, float]:
    """Run WEKA with other parameters and on noisier labels, what the folder does not hold yet."""
    names = list(datasets)
    varied = {
        (name, learner, at, seed): Run(name, which, seed)
        for name in names
        for learner, settings in SCHEMES.items()
        for at, which in settings.items()
        for seed in SEEDS
    }
    noisy = {
        (name, learner, at, seed): Run(name, which, seed, at)
        for name in names
        for learner, which in PLAIN.items()
        for at in NOISES
        for seed in SEEDS
    }
    runs = {*varied.values(), *noisy.values()}
    made, seconds = weka_runs(
        weka, sorted(runs, key=repr), folder, n_jobs=n_jobs, progress=progress
    )
    return Variations(_volumes(varied, made), _volumes(noisy, made)), seconds


def _volumes(
    runs: Mapping[tuple[str, str, float, int], Run], made: Mapping[Run, pd.DataFrame]
) -> pd.DataFrame:
    rows = []
    for (name, learner, at, seed), run in runs.items():
        found = made[run]
        positive = POSITIVE.get(name, max(found["truth"]))
        rows.append((name, learner, at, seed, surface_of(found, "score", positive).vacc()))
    return pd.DataFrame(rows, columns=["dataset", "learner", "at", "seed", "VACC"])


def variation_figures(found: Variations) -> list[Figure]:
    """Draw VACC against the parameters and against noise; the paper shows neither."""
    unseen = "Described in the text, not drawn."
    figures = []
    for learner, what in PARAMETERS.items():
        rows = found.parameters[found.parameters["learner"] == learner]
        means = rows.rename(columns={"at": what}).groupby(["dataset", what])["VACC"].mean()
        figures.append(
            Figure(
                f"Section 4, {learner}",
                f"VACC against the {what} of {learner}",
                means.reset_index(),
                *(what, "VACC", "dataset"),
                log_x=True,
                remark=unseen,
            )
        )
    noisy = found.noise.rename(columns={"at": "noise"})
    figures.append(
        Figure(
            *("Section 4, noise", "VACC against the share of labels turned over"),
            noisy.groupby(["dataset", "learner", "noise"])["VACC"].mean().reset_index(),
            *("noise", "VACC", "dataset"),
            panels="learner",
            remark=unseen,
        )
    )
    return figures


def variation_table(found: Variations) -> Table:
    """Show the largest step of VACC on each data set, and how it moves with noise."""
    cells = []
    shifts = found.shifts
    for (name, learner), values in zip(shifts.index.tolist(), shifts.to_numpy(), strict=True):
        cells.append(
            Cell(
                name,
                f"largest step of VACC, {learner}",
                float(np.abs(np.diff(values)).max()),
                remark=" ".join(f"{v:.4f}" for v in values),
            )
        )
    noisy = found.noise.pivot_table(index=["dataset", "learner"], columns="at", values="VACC")
    for (name, learner), means in zip(noisy.index.tolist(), noisy.to_numpy(), strict=True):
        rises = "rises" if (np.diff(means) > 0).all() else "does not always rise"
        shown = " ".join(f"{v:.4f}" for v in means)
        cells.append(Cell(name, f"VACC with noise, {learner}", rises, "rises", remark=shown))
    levels = ", ".join(f"{n:.0%}" for n in NOISES)
    return Table(
        "Section 4, parameters and noise",
        f"VACC of J48 and the SVM, {found.noise['seed'].nunique()} seeds",
        cells,
        f"J48 -C {', '.join(f'{c:g}' for c in CONFIDENCES)}; SMO -C "
        f"{', '.join(f'{c:g}' for c in PENALTIES)}; labels turned over: {levels}. The paper prints "
        "no number; its noise is that of the data.",
        "words",
    )


def variation_claims(found: Variations) -> list[Claim]:
    """Judge what the paper says of its preliminary experiments."""
    relative = found.shifts.div(found.shifts.mean(axis=1), axis=0)
    steps = relative.diff(axis=1).abs().max(axis=1)
    whole = (relative.max(axis=1) - relative.min(axis=1)).sort_values()
    chance = 2 * np.sqrt(2) * found.spread / np.sqrt(found.noise["seed"].nunique())
    worst, most = steps.index.tolist()[int(steps.to_numpy().argmax())], float(steps.max())
    wide = {m: float(whole.xs(m, level="learner").median()) for m in SCHEMES}
    means = found.noise.groupby(["dataset", "learner", "at"])["VACC"].mean().unstack("at")
    rising = int((means.diff(axis=1).iloc[:, 1:] > 0).all(axis=1).sum())
    place = "Section 4, last paragraph"
    return [
        Claim.judged(
            *(place, "Other parameters of J48 and the SVM shift VACC only a little"),
            *("words", None),
            paper="only small shifts, over all datasets",
            ours=f"median shift over the whole range {whole.median():.1%} of VACC, largest "
            f"{whole.max():.1%}; chance alone makes {chance:.1%}",
            cause="the paper says neither what is small nor which values it took",
        ),
        Claim.judged(
            *(place, "No abrupt changes occur", "words", None),
            paper="gradual; clear that no abrupt changes occur",
            ours=f"largest step {most:.1%} of VACC, {worst[1]} on {worst[0]}; of "
            f"{len(steps)} learners and sets {int((steps < ABRUPT).sum())} stay below {ABRUPT:.0%} "
            "per step",
            cause="the paper says neither what is abrupt nor which values it took",
        ),
        Claim.judged(
            *(place, "The shifts are consistent for both learning schemes"),
            *("words", None),
            paper="changes consistent for both",
            ours=", ".join(f"median shift {v:.1%} for {m}" for m, v in wide.items()),
            cause="the paper does not say in what they are consistent",
        ),
        Claim.judged(
            *(place, "VACC depends to some extent on the noise level"),
            *("words", rising == len(means)),
            paper="it seems so",
            ours=f"VACC rises at every step of added noise in {rising} of {len(means)} cases",
            cause="noise is added here, by turning labels over",
        ),
    ]
