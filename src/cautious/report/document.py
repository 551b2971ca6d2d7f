"""From predictions to a file that can be opened, played with and sent to a colleague.

The page is put together as one file: nothing fetched, nothing run that is not ours.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from cautious._files import check_output, jsonable, write_whole
from cautious._messages import page_rules
from cautious.costs import as_costs
from cautious.costs._forms import CostsLike
from cautious.costs._tables import AnswerCosts
from cautious.curves._staircase import check_priors, read_priors
from cautious.errors import InputError
from cautious.guarantees._limits import LIMITS
from cautious.report._page_data import COSTS, COSTS_OF_GRADES, ReportedModels
from cautious.tuning._goal import BUDGETS

PAGE_LIMITS = {
    name: {
        "words": limit.words,
        "goal": limit.argument if limit.argument in BUDGETS else None,
        "of_answers": limit.of_answers,
        "two_classes": limit.two_classes,
        "sides": limit.of_side and [limit.of_side(1.0, side, 2) for side in (0, 1)],
    }
    for name, limit in ((name, LIMITS[name]) for name in ("abstention", "error", "missed"))
}
"""What the page knows of the limits that it offers, in the order of its sliders and addresses."""


def build_report(
    predictions: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    costs: CostsLike | None = None,
    priors: float | Mapping[Any, float] | Sequence[float] | None = None,
    **said: Any,
) -> Path:
    r"""Write an interactive report on one or more models as a single HTML file.

    The page shows, for two classes, the window of scores between which to abstain, with what it
    costs and saves, and lets its reader move the costs of both mistakes, the cost of abstaining and
    the share of positives. Everything follows from the bins of each model's convex hull,

    .. math:: k(\mu, \nu) = \sum_e w_e \min\{q_e,\ \mu(1-q_e),\ \nu\},

    (:class:`cautious.curves.AbstentionCostSurface`), which is why a few hundred numbers stand for
    any number of predictions. For more classes and for prediction sets it shows which sets met
    which truths, set sizes, utility at every risk aversion, and risk against coverage. Further
    files can be dropped onto the page. It works without a server or a network.

    Parameters
    ----------
    predictions : path, frame, mapping, Predictions or LogSummary
        What :func:`cautious.predictions.read_predictions` takes: a file, a frame of any library, a
        mapping from names of models to ``(y_true, y_score)``, ``(y_true, y_proba)`` or
        ``(y_true, mask of sets)``, and so on. A mapping may also hold counts of predictions:

        - a :class:`~cautious.curves.Staircase` or
          :class:`~cautious.curves.AbstentionCostSurface`, whose counts are taken, not its priors;
        - :class:`~cautious.metrics.SetCounts`, :class:`~cautious.curves.RiskCoverageCurve`, or
          both as ``dict(counts=…, risk_coverage=…)``;
        - what :func:`cautious.logs.summarise` returns, which may also stand alone. The page then
          says at its end whether scores are rounded.

        Probabilities of more than two classes are shown with three kinds of answers: the likeliest
        class, and the sets of greatest expected utility u65 and u80.
    path : path-like
        File to write. It is replaced only once the new report is complete.
    title : str, optional
        Title of the page.
    costs : dict or other costs, optional
        Where the sliders stand at first: ``{"false_negative": 10, "false_positive": 2,
        "abstain": 1}`` unless given, of graded answers ``{"wrong": 5, "abstain": 1}``, or what
        else :func:`cautious.costs.as_costs` takes.
    priors : float, mapping or pair (negative, positive), optional
        Share of positives to assume at first instead of the sample's, or of both classes.
    **said
        What the predictions are, where it is not plain: `pos_label`, `classes`, `empty`, names of
        columns and so on, as in :func:`cautious.predictions.read_predictions`.

    Returns
    -------
    Path
        Where the report is.

    Raises
    ------
    InputError, ValueError, TypeError
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
    models = predictions
    if not isinstance(models, ReportedModels):  # the command line has read them already
        models = ReportedModels.of(predictions, **said)
    pairs = {one["kind"]: one["classes"] for one in models.problems if one["kind"] != "sets"}
    pair = next(iter(pairs.values()), None)
    names = pair or ["negative", "positive"]
    prior = None if priors is None else check_priors(read_priors(priors, names), names, (1, 1))[1]
    if costs is None:
        costs = COSTS_OF_GRADES if [*pairs] == ["graded"] else COSTS
    data: dict[str, Any] = {
        "title": "When should the model keep quiet?" if title is None else str(title),
        "costs": COSTS if costs is COSTS else _slider_costs(costs, pair),
        "prior": prior,
        "version": version("cautious"),
        # The page says beside its advice which scores are turned round.
        "notes": [note.words("page") for note in models.notes if note.key != "direction"],
        "problems": models.problems,
        "limits": PAGE_LIMITS,
        "rules": page_rules(_fixed_parts()["script"]),
    }
    return write_whole(file, render_page(data["title"], embedded_json(data)))


def _slider_costs(costs: CostsLike, pair: list[str] | None) -> dict[str, float]:
    """Read costs of two classes as what a mistake and abstaining cost beyond the right answer."""
    if pair is None:
        raise InputError(
            "costs are given, but the sliders of costs are for scores of two classes, and there "
            "are none; leave the costs out, and set them on the page, under 'Costs'."
        )
    read = as_costs(
        costs,
        None if isinstance(costs, Mapping) and "wrong" not in costs else pair,
        needs_abstention=True,
    )
    if not isinstance(read, AnswerCosts) or read.per_case or read.n_classes != 2:
        raise InputError(
            "{=costs} cannot be shown by sliders; give one number each for the two mistakes and "
            "for abstaining."
        )
    table = read.answer_values()
    if isinstance(costs, Mapping) and "wrong" in costs:
        # The page never takes an answer for a wrong one, so what that costs is not looked at.
        table = np.vstack([table[1, ::-1], table[1:]])
    (_, missed), (alarm, _), (negative, positive) = table - table[[0, 1], [0, 1]]
    found = {"false_negative": missed, "false_positive": alarm, "abstain": positive}
    if negative != positive or not min(missed, alarm) > 0 or not positive >= 0:
        raise InputError(
            "the costs are {costs}; both mistakes must cost something, and abstaining costs the "
            "same whatever the truth, not less than nothing.",
            costs=", ".join(f"{name} {value:g}" for name, value in found.items()).replace("_", " "),
        )
    return {name: float(value) for name, value in found.items()}


def render_page(title: str, data: str) -> str:
    """Write the page as text, around its data as JSON."""
    parts = _fixed_parts() | {"title": html.escape(title), "data": data}
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], parts["template"])
    return page.encode("utf-8", "replace").decode("utf-8")  # no file holds half a surrogate pair


def embedded_json(data: Any) -> str:
    """Write JSON that is safe inside a script element, whatever text it holds."""
    plain = jsonable(data, nan="NaN", short=True)
    text = json.dumps(plain, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for unsafe in "<>&\u2028\u2029":
        text = text.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return text


@cache
def _fixed_parts() -> dict[str, str]:
    """Template, style and script of every page, and the policy that allows these and no others."""
    modules = "\n".join(map(_in_one_scope, page_modules().values()))
    script = f'"use strict";\n(() => {{\n{modules}\n}})();\n'
    style = _thin_style(_read("page/style.css"))
    policy = (
        f"default-src 'none'; connect-src 'none'; script-src {_hash(script)}; "
        f"style-src {_hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    template = _read("page/index.html")
    return {"template": template, "style": style, "script": script, "policy": policy}


def page_modules() -> dict[str, str]:
    """Read the page's modules by path, each after those it imports."""
    sources: dict[str, str] = {}
    open_: list[str] = []

    def add(path: str) -> None:
        if path in open_:
            raise ValueError(f"{' imports '.join([*open_, path])}; break the circle.")
        if path not in sources:
            open_.append(path)
            source = _read(f"page/{path}")
            for used in re.findall(r'^import [^;]* from "([^"]+)";', source, re.MULTILINE):
                add(posixpath.normpath(posixpath.join(posixpath.dirname(path), used)))
            sources[open_.pop()] = source

    add("main.js")
    return sources


def _in_one_scope(module: str) -> str:
    """Drop imports, exports, comments on lines of their own, and indents of a module."""
    without = re.sub(r"^import [^;]*;\n", "", module, flags=re.MULTILINE)
    without = re.sub(r"^\s*(//.*|/\*\*.*\*/|/\*\*(\n\s*\*.*)*)\n", "", without, flags=re.MULTILINE)
    return re.sub(r"^(export |\s+)", "", without, flags=re.MULTILINE)


def _thin_style(style: str) -> str:
    """Drop comments and needless blanks of a style sheet."""
    without = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    return re.sub(r"\s*([{};])\s*|(?<=[:,])[ \n]+", r"\1", without)


def _read(path: str) -> str:
    return files("cautious.report").joinpath(path).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    digest = hashlib.sha256(source.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
