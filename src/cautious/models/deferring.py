"""A wrapper that asks experts where asking costs less than answering."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.errors import shown
from cautious.guarantees import Certificate, risk_p_value
from cautious.models._base import FOLDS, SHARE, Examples, parameter
from cautious.models.wrapper import (
    GivenProbabilities,
    ProbabilisticWrapper,
    out_of_fold,
    over_classes,
    set_aside,
    warn_of_twins,
)
from cautious.tuning._team import (
    ScoreDivision,
    Team,
    costs_beyond_right,
    expert_answers,
    expert_costs,
    put_together,
    share_per_expert,
    who_answers,
)

Known: TypeAlias = tuple[Ints, Floats, dict[Any, Ints]]
"""Truths as codes, probabilities, and what each expert said."""

# From asking whoever errs least to asking nobody; fixed before any label is seen.
_PRICES = np.concatenate([[0.0], np.geomspace(0.002, 2.0, 60)])


@dataclass(eq=False, repr=False)
class DeferringClassifier(ProbabilisticWrapper):
    r"""Classifier that answers itself or asks an expert, whichever costs less.

    An expert is a person or another model whose answers to some of the examples are known. What an
    expert's answer costs on average, its price included, is weighed against what the model's own
    answer is expected to cost. Where an expert is asked, ``predict_set`` abstains, ``decided_by``
    says who it is, and ``predict_team`` puts the answers together.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``. One that is already fitted goes into scikit-learn's
        ``FrozenEstimator``; the examples given to ``fit`` must then be new to it.
    costs : array-like or DataFrame of shape (K, K), optional
        Costs of wrong answers: rows are answers, columns truths. 1 each if left out.
    prices : mapping or float, default=0.1
        What asking an expert costs per case, in the same unit; one number for all, or by name.
    capacity : mapping or float, optional
        Two classes: the largest share of the cases that may go to each expert.
    max_error : float, optional
        Promise that with `confidence_level` the team answers at most this share of new cases
        wrongly. Who is asked then follows from this limit: as few as it allows.
    confidence_level : float, default=0.95
        How sure the promise is.
    calibration_size : float, default=0.5
        Share of the examples to set aside for `max_error`.
    cv : int or splitter, default=5
        Folds whose out-of-fold scores the thresholds are found on.
    n_jobs : int, optional
        Processes that fit the folds; worth it where a fit takes more than a second.
    random_state : int, RandomState or None
        Seed of the split for `max_error`.

    Attributes
    ----------
    classes_, estimator_
        Class labels, sorted; the fitted estimator.
    experts_ : list
        Names of the experts.
    team_ : Team
        Two classes, both among the examples fitted on, and experts: who answers which scores.
    choices_ : ndarray of shape (K + experts, K)
        Otherwise: mean costs of each answer and each expert (rows) for each truth.
    certificate_ : Certificate
        With `max_error`: what is promised; print it.

    See Also
    --------
    cautious.tuning.find_team : The division of the scores, with its assumptions.
    DelegatingClassifier : A cascade of classifiers that are asked one after the other.

    Notes
    -----
    With two classes the thresholds between "negative", the experts and "positive" are the best ones
    on out-of-fold scores, exactly, capacities included. With more classes, the choice of least
    expected cost under ``predict_proba`` is made, so that the probabilities should be calibrated.
    An expert's mistakes are estimated per class, as :func:`cautious.tuning.find_team` explains.

    The promise needs no such assumption. Teams that ask less and less, because the price rises,
    are fixed on one part of the examples and tested in this order on the other part, on the cases
    to which all experts' answers are known (:class:`cautious.guarantees.Certificate`); whether
    they are known must have nothing to do with whether they are right. Where nothing can be
    promised, the team that asks most is kept, and a warning says so. Few examples may leave the
    estimator a single class, which a warning says; it then answers that class and asks nobody, and
    this is what is tested.

    References
    ----------
    Madras, Pitassi & Zemel (2018), *Predict responsibly*; Mozannar & Sontag (2020), *Consistent
    estimators for learning to defer to an expert*.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import DeferringClassifier
    >>> X, y = make_classification(600, flip_y=0.2, random_state=0)
    >>> wrong = np.random.default_rng(0).random(600) < 0.05
    >>> doctor = np.where(wrong, 1 - y, y)
    >>> model = DeferringClassifier(GaussianNB(), prices=0.1).fit(X, y, answers={"doctor": doctor})
    >>> model.decided_by(X[:4]).tolist()
    ['doctor', 'model', 'model', 'doctor']
    """

    _: KW_ONLY
    costs: Any = None
    prices: Any = 0.1
    capacity: Any = None
    max_error: float | None = parameter(None, SHARE)
    confidence_level: float = parameter(0.95, SHARE)
    calibration_size: float = parameter(0.5, SHARE)
    cv: Any = parameter(5, FOLDS)
    n_jobs: int | None = None
    random_state: Any = None

    _no_weights = "thresholds and promises count"

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_proba: npt.ArrayLike,
        answers: Any,
        *,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Find out who is to answer what where probabilities are at hand, and no estimator.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True classes of cases that whoever made the probabilities has not learned from.
        y_proba : array-like of shape (n, K)
            Their probabilities.
        answers : DataFrame or mapping
            What each expert said of them, as for :meth:`fit`.
        classes : sequence of length K, optional
            Class labels in column order; by default the sorted labels.
        **params
            Parameters of the class; fitted, it takes probabilities of new cases as `X`.

        Examples
        --------
        >>> truth, p = ["elm", "elm", "elm", "oak"] * 5, [[0.9, 0.1], [0.6, 0.4]] * 10
        >>> team = DeferringClassifier.from_predictions(truth, p, {"ann": truth}, prices=0.2)
        >>> team.decided_by([[0.99, 0.01], [0.55, 0.45]]).tolist()
        ['model', 'ann']
        """
        given, asked = GivenProbabilities.of(y_true, y_proba, classes)
        return cls(given, **params).fit(asked, y_true, answers)  # type: ignore[no-any-return]

    def fit(  # type: ignore[override]  # neither thresholds nor promises take weights
        self, X: Any, y: Any, answers: Any = None, **fit_params: Any
    ) -> Any:
        """Fit the estimator, and find out who is to answer what.

        Parameters
        ----------
        X, y : array-like
            Examples and their labels, as the estimator takes them.
        answers : DataFrame or mapping, optional
            What each expert said, by name: labels, with None or NaN where an expert was not asked.
            Without it there is nobody to ask.
        **fit_params
            Anything else for the estimator's ``fit``.
        """
        weight = fit_params.pop("sample_weight", None)
        return self._fit(X, y, weight, fit_params, answers)

    def _prepare(self, examples: Examples, extra: Any) -> Any:
        n, (classes, truth) = len(examples), np.unique(examples.labels, return_inverse=True)
        said = expert_answers(extra, classes, n)
        if "model" in said:
            raise ValueError("an expert is called 'model', which is the model's own name here.")
        if self.capacity is not None and len(classes) > 2:
            raise ValueError(
                f"capacity is {shown(self.capacity)}, but there are {len(classes)} classes; it is "
                "kept with two classes only."
            )
        share_per_expert(self.prices, said, "prices")
        share_per_expert(self.capacity, said, "capacity")
        rows = calibration = np.arange(n)
        if self.max_error is not None:
            rows, calibration = set_aside(n, self.calibration_size, self.random_state)
            warn_of_twins(examples.X, rows, calibration)
        # An expert nobody has heard of can be named before the estimator is fitted.
        self._expert_costs(truth[rows], _rows_of(said, rows), classes)
        return truth, said, rows, calibration

    def _learn(self, examples: Examples, plan: Any) -> Examples:
        self._fit_part(examples, plan[2])
        return examples.take(plan[2])

    def _know_classes(self, examples: Examples) -> None:
        self.classes_ = examples.classes

    def _settle(self, examples: Examples, evidence: Examples, plan: Any) -> None:
        truth, said, rows, calibration = plan
        learned, seen = np.asarray(self.estimator_.classes_), np.unique(evidence.labels)
        if set(learned.tolist()) != set(seen.tolist()):
            raise ValueError(
                f"the estimator knows the classes {shown(learned.tolist())}, and the examples to "
                f"find the team on are of {shown(seen.tolist())}; they must be the same. Give "
                "examples of each class, more of them, or a smaller calibration_size."
            )
        self.experts_ = list(said)
        if len(self.classes_) < 2:  # a lone class leaves nothing to decide
            return
        if self._is_frozen or len(seen) < 2:
            p = np.asarray(self.estimator_.predict_proba(evidence.X), dtype=np.float64)
        else:
            p = out_of_fold(self.estimator, evidence, self.cv, self.n_jobs)
        # A class that is among the calibration cases alone has probability 0.
        known = truth[rows], over_classes(p, learned, self.classes_), _rows_of(said, rows)
        if self.max_error is None:
            (choice,) = self._choices(known, [self.prices])
        else:
            p = self.predict_proba(examples.take(calibration).X)
            choice = self._promised(known, (truth[calibration], p, _rows_of(said, calibration)))
        if isinstance(choice, Team):
            self.team_ = choice
        else:
            self.choices_ = choice

    def _choices(self, known: Known, prices: Iterable[Any]) -> Iterator[Any]:
        """Find who answers what at several prices: teams over scores, or tables of costs."""
        truth, p, said = known
        matrix = self._matrix(self.classes_)
        divided = len(self.classes_) == 2 and truth.min() != truth.max() and said
        if divided:
            division = ScoreDivision(truth, p[:, 1], said, matrix, self.classes_)
            most = share_per_expert(self.capacity, said, "capacity")
        else:
            at = self._expert_costs(truth, said, self.classes_)
        for price in prices:
            each = share_per_expert(price, said, "prices")
            if divided:
                yield division.team(each, most)
            else:
                yield np.vstack([matrix, *(at[name] + each[name] for name in said)])

    def _expert_costs(
        self, truth: Ints, said: Mapping[Any, Ints], classes: Labels
    ) -> dict[Any, Floats]:
        """Mean costs of experts by class; a class without a case has probability 0, and costs 0."""
        seen = np.unique(truth)
        found = expert_costs(truth, said, self._matrix(classes), classes, seen.tolist())
        columns = np.eye(len(classes))[seen]
        return {name: costs @ columns for name, costs in found.items()}

    def _promised(self, known: Known, test: Known) -> Any:
        """Take the team that asks least of those that provably keep the limit."""
        test_truth, test_p, test_said = test
        price = share_per_expert(self.prices, test_said, "prices")
        # What matters is the ratio of the prices; where all are free, asking itself is the price.
        scale = max(price.values(), default=0.0) or 1.0
        ratio = {name: (value or scale) / scale for name, value in price.items()}
        steps = _PRICES * float(self._matrix(self.classes_).max())
        prices = ({name: step * r for name, r in ratio.items()} for step in steps)
        complete = np.all([test_truth >= 0, *(codes >= 0 for codes in test_said.values())], axis=0)
        if not complete.any():
            raise ValueError(
                "no calibration case has an answer of every expert, so nothing can be tested; give "
                "more answers, or leave out experts."
            )
        count = _counting_mistakes(
            test_truth[complete], test_p[complete], _rows_of(test_said, complete)
        )
        n, level = int(complete.sum()), float(self.confidence_level)
        limit = float(self.max_error)  # type: ignore[arg-type]
        teams: list[Any] = []
        wrong: list[int] = []
        for team in self._choices(known, prices):
            teams.append(team)
            wrong.append(count(team))
            if risk_p_value(wrong[-1], n, limit) > 1 - level:
                break  # those that ask less are not tested any more
        last, self.certificate_ = Certificate.of_sequence(
            wrong,
            np.full(len(wrong), n),
            limit,
            confidence_level=level,
            limit="error_per_case",
        )
        if last is None:
            warnings.warn(
                f"{self.certificate_} The team that errs least is kept, without a promise.",
                stacklevel=5,
            )
        return teams[last or 0]

    def decided_by(self, X: Any) -> Labels:
        """Tell who is to answer each row.

        Returns
        -------
        ndarray of shape (n,), object
            "model", or the name of an expert.
        """
        expert = self._who(self.predict_proba(X))[1]
        names = np.empty(len(self.experts_) + 1, dtype=object)
        names[:] = [*self.experts_, "model"]
        return np.asarray(names[expert])

    def predict_team(self, X: Any, answers: Any) -> Labels:
        """Answer as a team: the model's answers, and those of the experts where they are asked.

        Parameters
        ----------
        answers : DataFrame or mapping
            What each expert says; needed only where it is asked.

        Returns
        -------
        ndarray of shape (n,)
            Class labels.
        """
        own, expert = self._who(self.predict_proba(X))
        return put_together(own, expert, self.experts_, answers, self.classes_)

    def _who(self, p: Floats) -> tuple[Ints, Ints]:
        """Tell the model's answer, and the position of the expert to ask, or -1."""
        if p.shape[1] == 1:
            return np.zeros(len(p), dtype=np.intp), np.full(len(p), -1, dtype=np.intp)
        team = self.team_ if hasattr(self, "team_") else self.choices_
        return _chosen(team, p, self.experts_)

    def _decide(self, X: Any, p: Floats) -> Mask:
        own, expert = self._who(p)
        return np.asarray((expert >= 0)[:, None] | (own[:, None] == np.arange(p.shape[1])))

    def _matrix(self, classes: Labels) -> Floats:
        return costs_beyond_right(self.costs if len(classes) > 1 else None, classes)


def _rows_of(said: Mapping[Any, Ints], rows: Ints | Mask) -> dict[Any, Ints]:
    return {name: codes[rows] for name, codes in said.items()}


def _counting_mistakes(
    truth: Ints, p: Floats, said: Mapping[Any, Ints]
) -> Callable[[Team | Floats], int]:
    """Make a count of a team's wrong answers, on cases to which all experts' answers are known."""
    rows, order = np.arange(len(truth)), np.argsort(p[:, 1], kind="stable")
    each = truth != 0, truth != 1, *(codes != truth for codes in said.values())
    negative, positive, *asked = (np.append(0, np.cumsum(wrong[order])) for wrong in each)
    expert, scores = dict(zip(said, asked, strict=True)), p[order, 1]

    def count(team: Team | Floats) -> int:
        if not isinstance(team, Team):
            own, at = _chosen(team, p, list(said))
            return int((np.vstack([*said.values(), own])[at, rows] != truth).sum())
        # Along rising scores each choice has a stretch; its mistakes are a difference of sums.
        sums = [negative, *(expert[name] for name in team.choices[1:-1]), positive]
        ends = [0, *np.searchsorted(scores, team.thresholds), len(scores)]
        stretches = zip(sums, pairwise(ends), strict=True)
        return int(sum(until[end] - until[begin] for until, (begin, end) in stretches))

    return count


def _chosen(team: Team | Floats, p: Floats, experts: list[Any]) -> tuple[Ints, Ints]:
    """Tell the model's answer, and the position of the expert to ask, or -1."""
    if isinstance(team, Team):
        own, asked = who_answers(team, p[:, 1])
        return own, np.array([*map(experts.index, team.choices[1:-1]), -1])[asked]
    k = p.shape[1]
    # A matrix product would round differently in batches of other sizes.
    expected = (p[:, None, :] * team).sum(axis=2)
    # Of costs that are equal up to rounding the first: the unit of costs must not decide.
    choice, own = (
        (some <= some.min(axis=1, keepdims=True) + 1e-12 * team.max()).argmax(axis=1)
        for some in (expected, expected[:, :k])
    )
    return own, np.where(choice >= k, choice - k, -1)
