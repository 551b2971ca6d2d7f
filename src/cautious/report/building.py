"""From predictions to a file that can be opened, played with and sent to a colleague."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from cautious._typing import as_floats
from cautious.files import check_output, write_whole
from cautious.report.assembly import render_page
from cautious.report.binary_summary import summarise_binary
from cautious.report.readings import BinaryModel, Model, read_predictions
from cautious.report.set_summary import summarise_sets

__all__ = ["build_report"]

_COSTS = {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0}


def build_report(
    predictions: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    costs: Mapping[str, float] | None = None,
    prior: float | None = None,
    pos_label: Any = None,
) -> Path:
    r"""Write an interactive report on one or more models as a single HTML file.

    The page shows, for two classes, the window of scores between which to keep quiet, with what it
    costs and saves, and lets its reader move the costs of both mistakes, the cost of abstaining and
    the share of positives. Everything follows from the bins of each model's convex hull,

    .. math:: k(\mu, \nu) = \sum_e w_e \min\{q_e,\ \mu(1-q_e),\ \nu\},

    (:class:`cautious.curves.AbstentionCostSurface`), which is why a few hundred numbers stand for
    any number of predictions. For more classes and for prediction sets it shows which sets met
    which truths, set sizes, utility at every risk aversion, and risk against coverage. Further
    files can be dropped onto the page. It works without a server or a network.

    Parameters
    ----------
    predictions : mapping or DataFrame
        From the name of each model to one of

        - a pair ``(y_true, y_score)``, ``(y_true, y_proba)`` or ``(y_true, mask of sets)``;
        - a mapping with ``y_true``, one or more of ``y_score``, ``y_proba`` and ``y_set``, and
          maybe ``classes``, ``pos_label`` and ``sample_weight``;
        - a table whose columns are guessed by :func:`cautious.logs.guess_columns`;
        - a :class:`~cautious.curves.Staircase` or
          :class:`~cautious.curves.AbstentionCostSurface`, whose counts are taken, not its priors;
        - :class:`~cautious.metrics.SetCounts`, :class:`~cautious.curves.RiskCoverageCurve`, or
          both as ``dict(counts=…, risk_coverage=…)``.

        A table alone is one model, or several if it has a column ``model``. Probabilities of more
        than two classes are shown with three kinds of answers: the likeliest class, and the sets
        of greatest expected utility u65 and u80.
    path : path-like
        File to write. It is replaced only once the new report is complete.
    title : str, optional
        Title of the page.
    costs : mapping, optional
        Where the sliders stand at first: ``false_negative``, ``false_positive`` and ``abstain``,
        10, 2 and 1 unless given.
    prior : float, optional
        Share of positives to assume at first instead of the sample's.
    pos_label : label, optional
        The positive class of two, where the labels do not say (0 and 1 do).

    Returns
    -------
    Path
        Where the report is.

    Raises
    ------
    ValueError, TypeError
        If predictions cannot be read; the message names the model.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = build_report({"mine": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])}, folder + "/report.html")
    >>> path.name, path.stat().st_size < 6_000_000
    ('report.html', True)
    """
    file = Path(path)
    check_output(file)
    data = {
        "costs": _check_costs(costs),
        "prior": _check_prior(prior),
        "version": version("cautious"),
        "problems": _problems(read_predictions(predictions, pos_label=pos_label)),
    }
    heading = "When should the model keep quiet?" if title is None else str(title)
    write_whole(file, render_page(data | {"title": heading}, heading))
    return file


def _problems(models: list[Model]) -> list[dict[str, Any]]:
    """Group models that answer the same question, so that they can be compared."""
    problems: dict[tuple[str, ...], dict[str, Any]] = {}
    for model in models:
        if isinstance(model, BinaryModel):
            kind, summary = "binary", summarise_binary(model.staircase)
            key = (kind, *model.classes)
        else:
            kind, summary = "sets", summarise_sets(model.counts, model.risk)
            key = (kind, *sorted(model.classes))
        empty = {"kind": kind, "classes": model.classes, "models": []}
        problem = problems.setdefault(key, empty)
        if problem["classes"] != model.classes:
            raise ValueError(
                f"predictions[{model.name[:80]!r}] has its classes in another order than the "
                "models before it; give all models the same classes=."
            )
        if any(other["name"] == model.name for other in problem["models"]):
            raise ValueError(f"two models are called {model.name[:80]!r}; give each its own name.")
        problem["models"].append({"name": model.name, **summary})
    return list(problems.values())


def _check_costs(costs: Mapping[str, float] | None) -> dict[str, float]:
    """Check the costs the sliders start with."""
    given = _COSTS if costs is None else costs
    if not isinstance(given, Mapping) or set(given) != set(_COSTS):
        raise ValueError(f"costs is {given!r}; give a mapping with {', '.join(_COSTS)}.")
    checked = {name: float(as_floats(given[name], f"costs[{name!r}]", "costs")) for name in _COSTS}
    for name, value in checked.items():
        if not 0 <= value < np.inf:
            raise ValueError(f"costs[{name!r}] is {value}; costs are finite and not negative.")
    if not checked["false_negative"] > 0 or not checked["false_positive"] > 0:
        raise ValueError(f"costs is {dict(given)!r}; both mistakes must cost something.")
    return checked


def _check_prior(prior: float | None) -> float | None:
    if prior is None:
        return None
    share = as_floats(prior, "prior", "shares")
    if share.ndim or not 0 < share < 1:
        raise ValueError(f"prior is {prior}; a share of positives lies strictly between 0 and 1.")
    return float(share)
