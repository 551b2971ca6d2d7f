"""Evaluation of a stream, one case at a time, on the counts that all measures are formulas over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from cautious._cases import Cases
from cautious._checks import check_classes
from cautious._typing import Mask
from cautious.decision import Rule
from cautious.errors import check_installed, check_kind, shown
from cautious.metrics import SetCounts, make_set_scorer
from cautious.metrics._registry import Measure, get_measure
from cautious.sets import as_mask


class RunningScore:
    """A measure of a stream of answers, kept up to date case by case.

    It keeps how often each answer met each truth, nothing else: an update takes the same time
    however many cases have passed, and the value is that of the same measure over all of them.

    Parameters
    ----------
    measure : str or measure function, default="u65"
        A measure of answers, such as "coverage", "selective_accuracy" or "set_cost".
    classes : sequence of labels, optional
        The classes; those of the rule by default.
    rule : Rule, optional
        How a score or probabilities become an answer, where `update` gets these.
    empty : {"error", "abstain", "wrong"}, default="error"
        What an empty set means.
    **params
        Parameters of the measure.

    See Also
    --------
    river_metric : the same as a metric of river's.

    Examples
    --------
    >>> coverage = RunningScore("coverage", classes=["no", "yes"])
    >>> for truth, answer in [("no", "no"), ("yes", {"no", "yes"}), ("no", None), ("yes", "no")]:
    ...     coverage.update(truth, answer)
    >>> coverage.get()
    0.5
    >>> by_rule = RunningScore("error", rule=Rule.window(0.2, 0.8))
    >>> by_rule.update(1, 0.1)
    >>> by_rule.update(1, 0.5)
    >>> by_rule
    RunningScore('error'): 0.5 of 2 cases
    """

    def __init__(
        self,
        measure: str | Callable[..., Any] = "u65",
        *,
        classes: Sequence[Any] | None = None,
        rule: Rule | None = None,
        empty: str = "error",
        **params: Any,
    ) -> None:
        if classes is None and rule is None:
            raise TypeError("neither classes nor a rule is given; give the classes of the answers.")
        self.measure: Measure = get_measure(measure)
        if self.measure.counts is not SetCounts or "y_pred" in self.measure.needs:
            raise ValueError(
                f"measure is {shown(self.measure.name)}, which needs more than answers and truths; "
                "choose a measure of answers, such as 'coverage' or 'u65'."
            )
        if rule is not None:
            check_kind(rule, Rule, "rule", "a Rule")
            classes = rule.classes if classes is None else classes
        self.measure.check_params(params)
        if missing := sorted(self.measure.missing_params() - set(params)):
            raise TypeError(
                f"measure {shown(self.measure.name)} needs {missing[0]}; give it by name."
            )
        self._labels = check_classes(classes)  # type: ignore[arg-type]
        self.classes: list[Any] = self._labels.tolist()
        self.rule = rule
        self.empty = empty
        self.params = params
        self._place = {label: at for at, label in enumerate(self.classes)}
        self._weight: dict[tuple[int, bytes], float] = {}

    def update(self, y_true: Any, answer: Any, w: float = 1.0) -> None:
        """Count one case.

        Parameters
        ----------
        y_true : label
            The true class.
        answer : label, set of labels or None; with a rule: number or mapping
            The answer, None if it is abstained; or what the rule decides on: the score of the
            positive class, or probabilities by class (a class that is left out has none; if all
            are, the rule abstains).
        w : float, default=1.0
            How often the case counts.

        Examples
        --------
        >>> error = RunningScore("error", classes=["no", "yes"])
        >>> error.update("no", "yes")
        >>> error.update("yes", "yes", w=3)
        >>> error.get()
        0.25
        """
        if y_true not in self._place:
            raise ValueError(f"y_true is {shown(y_true)}; the classes are {shown(self.classes)}.")
        cell = self._place[y_true], self._mask(answer).tobytes()
        found = self._weight.get(cell, 0.0) + float(w)
        if found < 0:
            raise ValueError(
                f"y_true={shown(y_true)} with answer={shown(answer)} was not counted so often; "
                "only what was counted can be taken back."
            )
        self._weight[cell] = found
        if not found:
            del self._weight[cell]

    def revert(self, y_true: Any, answer: Any, w: float = 1.0) -> None:
        """Take one case back that was counted before, for windows over time.

        Examples
        --------
        >>> error = RunningScore("error", classes=["no", "yes"])
        >>> error.update("no", "yes")
        >>> error.update("no", "no")
        >>> error.revert("no", "yes")
        >>> error
        RunningScore('error'): 0 of 1 cases
        """
        self.update(y_true, answer, -w)

    def get(self) -> float:
        """Give the value of the measure over all cases so far; nan before it is defined.

        Examples
        --------
        >>> RunningScore("coverage", classes=["no", "yes"]).get()
        nan
        """
        return float(self.measure(self.counts, **self.params))

    @property
    def counts(self) -> SetCounts:
        """The counts, for any other measure: they add up with ``+``."""
        cells = list(self._weight)
        masks = np.frombuffer(b"".join(mask for _, mask in cells), dtype=np.bool_)
        cases = Cases.of_codes(
            self._labels,
            np.array([code for code, _ in cells], dtype=np.intp),
            y_set=masks.reshape(len(cells), len(self.classes)),
            sample_weight=np.array(list(self._weight.values())),
            empty=self.empty,
        )
        return SetCounts.of(cases)

    def __repr__(self) -> str:
        n = f"{sum(self._weight.values()):,g}"
        return f"RunningScore({self.measure.name!r}): {self.get():.4g} of {n} cases"

    def _mask(self, answer: Any) -> Mask:
        """Make a row of a mask of one answer."""
        everything = np.ones(len(self.classes), dtype=np.bool_)
        if answer is None:
            return everything
        is_given = isinstance(answer, Mapping | Real) and not isinstance(answer, bool)
        if self.rule is not None and is_given:
            scores = _row(answer, self.rule)
            if scores is None:
                return everything
            (sets,) = self.rule.predict_set(scores, classes=self.rule.classes)
            return np.asarray(sets[[self.rule.classes.index(label) for label in self.classes]])
        if isinstance(answer, Iterable) and not isinstance(answer, str | bytes):
            return np.asarray(as_mask([list(answer)], self.classes, empty=self.empty)[0])
        return np.asarray(as_mask([[answer]], self.classes)[0])


def _row(answer: Any, rule: Rule) -> Any:
    """Make one row of scores; None if there is nothing to go by."""
    if not isinstance(answer, Mapping):
        return [float(answer)]
    if unknown := [label for label in answer if label not in rule.classes]:
        raise ValueError(
            f"there is a probability of {shown(unknown[0])}; {shown(list(rule.classes))} exist."
        )
    row = np.array([[float(answer.get(label, 0.0)) for label in rule.classes]])
    total = row.sum()
    return row / total if total > 0 else None


def river_metric(
    measure: str | Callable[..., Any] = "u65",
    *,
    rule: Rule,
    empty: str = "error",
    **params: Any,
) -> Any:
    """Make a metric for river: any of its classifiers is scored as if it abstained by a rule.

    Parameters
    ----------
    measure : str or measure function, default="u65"
        A measure of answers, as for :class:`RunningScore`.
    rule : Rule
        What turns the probabilities that a river classifier gives into an answer.
    empty, **params
        As for :class:`RunningScore`.

    Returns
    -------
    river.metrics.base.Metric
        For ``river.evaluate.progressive_val_score`` and the like; it needs the extra ``river``.

    Examples
    --------
    >>> from cautious.decision import Rule
    >>> from cautious.integrations import river_metric
    >>> rule = Rule.confidence(0.9, classes=[False, True])
    >>> river_metric("coverage", rule=rule)  # doctest: +SKIP
    coverage: nan
    """
    check_installed("river_metric", "river", "river")
    from river.metrics.base import ClassificationMetric

    class CautiousMetric(ClassificationMetric):  # type: ignore[misc]
        """A measure of cautious answers, one case at a time."""

        _fmt = ".4g"

        def __init__(self) -> None:
            self.running = RunningScore(measure, rule=rule, empty=empty, **params)

        def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
            self.running.update(y_true, y_pred, w)

        def revert(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
            self.running.revert(y_true, y_pred, w)

        def get(self) -> float:
            return self.running.get()

        @property
        def bigger_is_better(self) -> bool:
            return self.running.measure.greater_is_better

        @property
        def requires_labels(self) -> bool:
            return False  # the rule wants probabilities

        def clone(self, *args: Any, **named: Any) -> Any:
            return type(self)()

        def __repr__(self) -> str:
            return f"{self.running.measure.name}: {self.get():{self._fmt}}"

    return CautiousMetric()


def add_skore_measures(
    report: Any,
    measures: Iterable[str] = ("coverage", "selective_accuracy", "abstention", "u65"),
    *,
    empty: str = "error",
) -> Any:
    """Add measures of cautious answers to a report of skore.

    They are computed from ``predict_set``, so the estimator of the report must have it, also inside
    a pipeline or a search. Measures for which less is better, such as "abstention" and "error", are
    shown as they are, not with a minus.

    Parameters
    ----------
    report : skore.EstimatorReport, CrossValidationReport or ComparisonReport
        The report; it is changed.
    measures : iterable of str
        Names of measures.
    empty : {"error", "abstain", "wrong"}, default="error"
        What an empty set means; see :func:`cautious.metrics.make_set_scorer`.

    Returns
    -------
    report
        The same report, whose ``metrics.summarize()`` lists the measures.

    Examples
    --------
    >>> import skore  # doctest: +SKIP
    >>> report = skore.evaluate(cautious_model, X, y)  # doctest: +SKIP
    >>> add_skore_measures(report).metrics.summarize().frame()  # doctest: +SKIP
    """
    if not hasattr(report, "metrics"):
        raise TypeError(f"report is a {type(report).__name__}; give a report of skore's.")
    wanted = [get_measure(name) for name in measures]  # names the nearest ones, before any is added
    for entry in wanted:
        report.metrics.add(
            make_set_scorer(entry.name, greater_is_better=True, empty=empty),
            name=entry.name,
            verbose_name=entry.name.replace("_", " ").capitalize(),
            greater_is_better=entry.greater_is_better,
            position="last",
        )
    return report
