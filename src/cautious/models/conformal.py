"""Conformal prediction sets from MAPIE, as a scikit-learn estimator."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import Options
from sklearn.utils.validation import _num_samples, check_is_fitted

from cautious._checks import as_codes, check_mask
from cautious._typing import Floats, Ints, Labels, Mask, RandomState
from cautious.errors import how_to_install, shown
from cautious.models._base import FOLDS, POSITIVE, SHARE, Examples, OneOf, parameter
from cautious.models.score_calibration import at_temperature, check_unless_logits
from cautious.models.wrapper import (
    GivenProbabilities,
    ProbabilisticWrapper,
    over_classes,
    set_aside,
)


@dataclass(eq=False, repr=False)
class ConformalClassifier(ProbabilisticWrapper):
    r"""Classifier with conformal prediction sets, made by MAPIE.

    A conformal set holds the true class with at least the given probability, whatever the
    estimator, if examples are exchangeable. MAPIE (Cordier et al. 2023) does the work; this class
    makes it a scikit-learn estimator that can be cloned, tuned and scored like any other here. It
    needs MAPIE installed: ``pip install ".[conformal]"``.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``. One that is already fitted, inside scikit-learn's
        ``FrozenEstimator``, is kept, and all examples given to ``fit`` conformalise it.
    confidence_level : float, default=0.9
        How often the set is to hold the true class. It is read as the decimal number it is written
        as, so that 0.9 is nine tenths.
    method : {"split", "cross"}, default="split"
        Conformalise on a held-out part of the examples (``SplitConformalClassifier``), or on all
        of them by cross-validation (``CrossConformalClassifier``).
    conformity_score : str or conformity score of MAPIE, default="lac"
        "lac", "aps", and for "split" also "raps" and "top_k".
    calibration_size : float, default=0.25
        For "split": share of the examples held out.
    cv : int or splitter, default=5
        For "cross": the folds.
    class_conditional : bool, default=False
        For "split": conformalise every class on its own examples, so that the promise holds within
        each true class, not only on average over them.
    groups : str, int or callable, optional
        For "split": conformalise every group of rows on its own examples, so that the promise holds
        within each. The name or position of a column of X, or a function from X to one group per
        row. With `class_conditional`, every class of every group has its own examples.
    logits : bool, default=False
        Whether the estimator gives logits, not probabilities: its ``decision_function`` or, where
        it has none, its ``predict_proba``. They become probabilities by a softmax.
    temperature : float, default=1
        What logits, or logarithms of probabilities, are divided by before the softmax: above 1 for
        an estimator that is too sure of itself. Choose it without the examples held out.
    empty : {"wrong", "abstain", "best"}, default="wrong"
        Conformal sets can be empty where no class conforms. "wrong" leaves such a set empty: it
        does not hold the truth, and the promise counts it as a miss. Otherwise it becomes the set
        of all classes, or of the most probable one, and sets are larger than the promise needs.
        Scorers made by :func:`cautious.metrics.make_set_scorer` see what is meant; give measures
        ``empty="wrong"``.
    n_jobs : int, optional
        Passed to MAPIE.
    random_state : int, RandomState or None
        Seed of the held-out part and of MAPIE.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    estimator_ : classifier
        What ``predict_proba`` asks: fitted on the examples not held out, or for "cross" on all.
    mapie_ : SplitConformalClassifier or CrossConformalClassifier, dict or None
        MAPIE's own object; None if there were too few examples to conformalise. With
        `class_conditional` or `groups` a dict from pairs of a class and a group (None for all) to
        such objects.

    Notes
    -----
    With n examples to conformalise on, no confidence above :math:`1 - 1/(n + 1)` can be had: every
    set must then hold all classes. This is what is answered, with a warning. Otherwise a class is
    in the set if its score is at most the k-th smallest of the n scores,
    :math:`k = \lceil (n + 1) \cdot \text{level} \rceil`, in exact arithmetic.

    The part held out is drawn at random whatever the labels, as new cases come. A rare class may be
    in it alone: it then has probability 0, and its cases have the largest score there is, as new
    cases of classes that nobody has seen will. It is in no set but that of all classes. No set
    holds a class that `fit` was not shown; where such classes come, the promise is that the set
    holds the truth or is that of all classes, which abstains.

    Conditional calibration (Mondrian) does the same within every class or group. A class with too
    few examples is then in every set, rows of a group with too few get the set of all classes, and
    so do rows of a group that was not seen.

    References
    ----------
    Vovk, Gammerman & Shafer (2005), *Algorithmic learning in a random world*; Sadinle, Lei &
    Wasserman (2019) for "lac"; Romano, Sesia & Candès (2020) for "aps"; Cordier et al. (2023),
    *Flexible and systematic uncertainty estimation with conformal prediction via the MAPIE
    library*.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(GaussianNB(), confidence_level=0.95, random_state=0).fit(X, y)
    >>> model.predict_set(X[[0, 77, 120]])
    array([[ True, False, False],
           [False,  True,  True],
           [False, False,  True]])
    """

    _: KW_ONLY
    confidence_level: float = parameter(0.9, SHARE)
    method: Literal["split", "cross"] = parameter("split", OneOf("split", "cross"))
    conformity_score: Any = "lac"
    calibration_size: float = parameter(0.25, SHARE)
    cv: Any = parameter(5, FOLDS, Options(Integral, {-1}))
    class_conditional: bool = parameter(False, "boolean")
    groups: str | int | Callable[[Any], Any] | None = None
    logits: bool = parameter(False, "boolean")
    temperature: float = parameter(1.0, POSITIVE)
    empty: Literal["wrong", "abstain", "best"] = parameter(
        "wrong", OneOf("wrong", "abstain", "best")
    )
    n_jobs: int | None = None
    random_state: RandomState = None

    _calibrates = True
    _only_that_count = True  # conformity scores know no weights

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_proba: npt.ArrayLike,
        *,
        classes: Sequence[Any] | npt.ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Conformalise probabilities where no estimator is at hand.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True classes of cases that whoever made the probabilities has not learned from.
        y_proba : array-like of shape (n, K)
            Their probabilities or, with ``logits=True``, their logits.
        classes : sequence of length K, optional
            Class labels in column order; by default the sorted labels.
        **params
            Parameters of the class; fitted, it takes probabilities of new cases, or logits, as `X`.

        Examples
        --------
        >>> truth = ["elm", "oak"] * 10
        >>> p = [[0.8, 0.2], [0.3, 0.7]] * 10
        >>> model = ConformalClassifier.from_predictions(truth, p, confidence_level=0.9)
        >>> model.predict_set([[0.9, 0.1], [0.5, 0.5]])
        array([[ True, False],
               [False, False]])
        """
        given, asked = GivenProbabilities.of(y_true, y_proba, classes)
        return cls(given, **params).fit(asked, y_true)  # type: ignore[no-any-return]

    def _check_estimator(self) -> None:
        if not (self.logits is True and hasattr(self.estimator, "decision_function")):
            super()._check_estimator()

    def _check_parameters(self) -> None:
        if self.method == "cross":
            self._check_cross()
        # MAPIE itself knows best which conformity scores it takes.
        self._conformal(GivenProbabilities() if self.method == "split" else clone(self.estimator))

    def _check_cross(self) -> None:
        """Refuse what goes with a part held out only."""
        if self._is_frozen:
            raise ValueError(
                "method is 'cross', which fits the estimator on every fold, but the estimator is "
                "frozen; choose 'split'."
            )
        only_split = {
            "class_conditional": self.class_conditional,
            "groups": self.groups is not None,
            "logits": self.logits,
            "temperature": self.temperature != 1,
            "conformity_score='raps'": self._raps_share() is not None,
        }
        given = [name for name, is_given in only_split.items() if is_given]
        if given:
            raise ValueError(
                f"{given[0]} is given, which method='split' takes and 'cross' does not; leave it "
                "out, or choose method='split'."
            )

    def _raps_share(self) -> float | None:
        """Share of the rows that "raps" chooses its penalty on; None for other scores."""
        if isinstance(self.conformity_score, str):
            return 0.2 if self.conformity_score == "raps" else None
        return getattr(self.conformity_score, "size_raps", None)

    def _prepare(self, examples: Examples, extra: Any) -> None:
        if self.method == "cross" and sparse.issparse(examples.X):
            raise TypeError(
                "X is a sparse matrix, which MAPIE's cross-conformal classifier does not take; "
                "pass X.toarray(), or choose method='split'."
            )
        if not callable(self.groups):
            self._groups_of(examples.X)

    def _parts(self, examples: Examples) -> tuple[Ints, Ints]:
        everything = np.arange(len(examples))
        if self.method == "cross" or self._is_frozen:
            return everything, everything
        return set_aside(len(examples), self.calibration_size, self.random_state)

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        self.mapie_: Any = None
        held = examples.take(evidence[1])
        if len(self.classes_) == 1:
            return
        if self.method == "split":
            self._conformalise_cells(held)
        elif (level := _level_for_mapie(self.confidence_level, len(held))) is not None:
            self.mapie_ = self._conformal(clone(self.estimator), level)
            self.mapie_.fit_conformalize(held.X, held.labels, fit_params=dict(held.params))
        if self.mapie_ is None:
            warnings.warn(
                f"there are {len(held)} examples to conformalise on{self._unseen(held.labels)}, "
                f"too few for confidence_level {self.confidence_level}; every set holds all "
                "classes. Give more examples or a lower level.",
                stacklevel=4,
            )

    def _conformal(self, estimator: Any, level: float | None = None) -> Any:
        """Make MAPIE's own object."""
        try:
            from mapie import classification
        except ImportError as error:
            raise ImportError(
                "ConformalClassifier needs MAPIE, which is not installed; "
                f"{how_to_install('conformal')}."
            ) from error
        settings = {"conformity_score": deepcopy(self.conformity_score)}  # it learns, too
        if level is not None:
            seed = self.random_state
            if isinstance(seed, np.random.Generator):
                seed = int(seed.integers(2**31))
            settings |= {"confidence_level": level, "n_jobs": self.n_jobs, "random_state": seed}
        if self.method == "cross":
            return classification.CrossConformalClassifier(estimator, cv=self.cv, **settings)
        return classification.SplitConformalClassifier(estimator, prefit=True, **settings)

    def _conformalise_cells(self, held: Examples) -> None:
        """Conformalise all rows, every class, every group, or every class of every group."""
        p, group = self.predict_proba(held.X), self._groups_of(held.X)
        cells: dict[tuple[Any, Any], Any] = {}
        few = []
        for name in [None] if group is None else dict.fromkeys(group.tolist()):
            for label in self.classes_.tolist() if self.class_conditional else [None]:
                own = np.ones(len(p), dtype=np.bool_) if group is None else group == name
                if label is not None:
                    own &= held.labels == label
                made = cells[label, name] = self._conformalised(p[own], held.labels[own])
                if made is None:
                    named = (("class", label), ("group", name))
                    cell = " of ".join(f"{what} {of!r}" for what, of in named if of is not None)
                    few.append(f"{cell} has {own.sum()}{self._unseen(held.labels[own])}")
        if not (self.class_conditional or self.groups is not None):
            self.mapie_ = cells[None, None]
            return
        self.mapie_ = cells
        if few:
            listed = "; ".join(few[:3]) + ("; …" if len(few) > 3 else "")
            warnings.warn(
                f"too few examples for confidence_level {self.confidence_level}: {listed}. There, "
                "nothing is left out of a set. Give more examples or a lower level.",
                stacklevel=5,
            )

    def _conformalised(self, p: Floats, labels: Labels) -> Any:
        """Let MAPIE work on probabilities of rows held out; None if they are too few."""
        own = np.asarray(self.estimator_.classes_)
        seen = pd.Index(labels).isin(own)
        n, unseen = int(seen.sum()), int((~seen).sum())
        level = _level_for_mapie(self.confidence_level, n, unseen)
        if level is None or len(own) < 2:
            return None
        share = self._raps_share()
        if share is not None:  # of the rows it takes for its penalty none is unseen
            rest = n - math.ceil(n * share)
            level = float(self.confidence_level) * (1 + unseen / (rest + 1))
            if level >= 1:
                return None
        p, labels = p[seen][:, self._learned()], labels[seen]
        made = self._conformal(GivenProbabilities().fit(p, own), level)
        with warnings.catch_warnings():
            # Rare classes may not be held out, or be held out once; a cell may hold one class only.
            warnings.filterwarnings("ignore", ".*conformalization dataset has less labels")
            warnings.filterwarnings("ignore", "The number of unique classes is greater")
            made.conformalize(p, labels)
        if share is not None:
            try:
                made.predict_set(p[:1])
            except ValueError:  # too few rows in that part
                return None
        return made

    def _unseen(self, labels: Labels) -> str:
        """Say how many examples count as the largest scores, since nobody learned their class."""
        n = int((~pd.Index(labels).isin(self.estimator_.classes_)).sum())
        return f", {n} of them of a class that the estimator was not shown" if n else ""

    def _learned(self) -> Ints:
        """Columns of the classes that the estimator was shown."""
        return as_codes(np.asarray(self.estimator_.classes_), self.classes_, name="classes_")

    def _groups_of(self, X: Any) -> Labels | None:
        """Say the group of each row, where there are groups."""
        if self.groups is None:
            return None
        n = _num_samples(X)
        if callable(self.groups):
            given = self.groups(X)
        else:
            try:
                given = _safe_indexing(X, self.groups, axis=1)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise ValueError(
                    f"groups is {shown(self.groups)}, which is no column of X ({error}); give the "
                    "name or position of a column, or a function from X to groups."
                ) from None
        found = np.asarray(given, dtype=object)
        if found.shape != (n,):
            raise ValueError(
                f"groups gave an array of shape {found.shape} for {n} rows; give one group per row."
            )
        return found

    def _decide(self, X: Any, p: Floats) -> Mask:
        if self.mapie_ is None:
            return np.ones(p.shape, dtype=np.bool_)
        sets = _ask(self.mapie_, X) if self.method == "cross" else self._sets_of_cells(X, p)
        if self.empty == "best":
            nothing = np.flatnonzero(~sets.any(axis=1))
            sets[nothing, p[nothing].argmax(axis=1)] = True
        return check_mask(sets, empty=self.empty if self.empty == "abstain" else "wrong")

    def _sets_of_cells(self, X: Any, p: Floats) -> Mask:
        """Let MAPIE decide among the classes that the estimator was shown; the others are out."""
        sets, group, learned = np.ones(p.shape, dtype=np.bool_), self._groups_of(X), self._learned()
        cells = self.mapie_ if isinstance(self.mapie_, dict) else {(None, None): self.mapie_}
        for (label, name), made in cells.items():
            rows = np.arange(len(p)) if group is None else np.flatnonzero(group == name)
            if made is None or not len(rows):
                continue
            found = np.zeros((len(rows), p.shape[1]), dtype=np.bool_)
            found[:, learned] = _ask(made, p[rows][:, learned])
            column: Any = slice(None) if label is None else self.classes_.tolist().index(label)
            sets[rows, column] = found[:, column]
        return sets

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities with the fitted estimator, at the temperature given."""
        check_is_fitted(self)
        own = self.estimator_.classes_
        if not self.logits:
            p = self.estimator_.predict_proba(X)
            p = check_unless_logits(p, "predict_proba(X)", len(own))
            p = p if self.temperature == 1 else at_temperature(p, self.temperature)
            return over_classes(p, own, self.classes_)
        ask = getattr(self.estimator_, "decision_function", None) or self.estimator_.predict_proba
        p = at_temperature(ask(X), self.temperature, logits=True)
        if p.shape[1] != len(own):
            raise ValueError(
                f"the estimator gives logits of {p.shape[1]} classes, but has learned "
                f"{len(own)}; give one finite logit per case and class."
            )
        return over_classes(p, own, self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse &= self.method == "split"
        return tags


def _level_for_mapie(level: float, n: int, larger: int = 0) -> float | None:
    """Find a level at which MAPIE takes the right one of n scores; None if there is none."""
    k = math.ceil((n + larger + 1) * Fraction(str(float(level))))
    k = max(k, 2)  # MAPIE never takes the smallest
    return (k - 0.5) / (n + 1) if k <= n else None


def _ask(made: Any, asked: Any) -> Mask:
    return np.array(made.predict_set(asked)[1][:, :, 0], dtype=np.bool_)
