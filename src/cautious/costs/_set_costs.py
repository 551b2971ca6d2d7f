"""What a prediction set costs: the interface that decisions and measures rely on."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_count, check_classes, check_mask, few_labels
from cautious._labels import answer_index
from cautious._random import as_generator
from cautious._typing import Floats, Mask, RandomState, as_floats
from cautious.costs.matrices import Classes, positions, resolve_classes
from cautious.errors import shown
from cautious.sets import set_names

# What is made of costs imports this module, so methods import it when they are called.
if TYPE_CHECKING:
    from cautious.costs._audit import Possibility
    from cautious.costs._tables import NormalForm

MOST_CLASSES = 20
"""The most classes for which all sets are ever listed: 2^20 rows."""
_MANY_CLASSES = 15


class SetCosts(ABC):
    r"""Costs :math:`c_{\hat Y}(y)` of answering with the set :math:`\hat Y` when :math:`y` is true.

    Rows are predictions, columns are truths. Only the sets asked for are ever costed; a table of
    all :math:`2^K - 1` sets is made by :meth:`table` and by nothing else. A subclass says how many
    classes there are and what checked sets cost (``n_classes`` and ``_costs``).

    Attributes
    ----------
    n_classes : int
        Number of classes K.
    classes : tuple or None
        Their labels in column order, if they were given.
    per_case : bool
        Whether every case has costs of its own.
    n_cases : int or None
        How many cases have costs of their own; None if all cases share them.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.costs import discounted
    >>> costs = discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], classes=["h", "b", "n"])
    >>> costs.of(np.array([[True, True, False]]))
    array([[0.5, 0.5, 2. ]])
    """

    n_classes: int
    classes: tuple[Any, ...] | None = None
    per_case: ClassVar[bool] = False
    n_cases: ClassVar[int | None] = None

    @abstractmethod
    def _costs(self, mask: Mask) -> Floats:
        """Costs of checked sets, shape (n_sets, K)."""

    def of(self, mask: npt.ArrayLike, truth: npt.ArrayLike | None = None) -> Floats:
        """Cost the given sets, against every truth or against one truth each.

        Parameters
        ----------
        mask : array-like of shape (n_sets, K), bool
            Prediction sets; none may be empty. Where costs differ per case, one set per case.
        truth : array-like of shape (n_sets,), int, optional
            The true class of each set, by its position among the classes.

        Returns
        -------
        ndarray of shape (n_sets, K), or (n_sets,) if `truth` is given

        Examples
        --------
        >>> from cautious.costs import discounted
        >>> costs = discounted([[0, 1], [4, 0]], classes=["ill", "well"])
        >>> costs.of([[True, False], [True, True]])
        array([[0. , 1. ],
               [2. , 0.5]])
        """
        costs = self._costs(check_mask(mask, n_classes=self.n_classes))
        if truth is None:
            return costs
        codes = np.asarray(truth)
        if codes.shape != (len(costs),) or not np.issubdtype(codes.dtype, np.integer):
            raise ValueError(
                f"truth has shape {codes.shape} and type {codes.dtype}; give one whole number per "
                f"set, {len(costs)} in all: the position of its true class."
            )
        last = self.n_classes - 1
        words = f"the positions of {self.n_classes} classes are 0 to {last}"
        as_floats(codes, "truth", "positions", high=last, words=words)
        return np.asarray(costs[np.arange(len(costs)), codes])

    def take(self, rows: npt.ArrayLike) -> SetCosts:
        """Keep the costs of some cases; costs that all cases share stay as they are.

        Examples
        --------
        >>> from cautious.costs import discounted, zero_one
        >>> costs = discounted(zero_one(2))  # the same for all cases
        >>> costs.take([0]) is costs
        True
        """
        return self

    @property
    def answers(self) -> pd.DataFrame:
        """Frame (K + 1, K) of the costs of single classes and, last (⊥), of abstaining."""
        return self._labelled(self.answer_values(), answer_index(self.labels))

    def answer_values(self) -> Floats:
        """Costs of single classes and, in the last row, of abstaining, shape (K + 1, K).

        Examples
        --------
        >>> from cautious.costs import discounted, zero_one
        >>> discounted(zero_one(2)).answer_values()
        array([[0. , 1. ],
               [1. , 0. ],
               [0.5, 0.5]])
        """
        return self._costs(answer_sets(self.n_classes))

    def in_order(self, classes: Sequence[Any] | npt.NDArray[Any]) -> SetCosts:
        """Put the classes in another order, such as a classifier's ``classes_``.

        A label that is not found is looked for by its text. Costs without labels take these.

        Examples
        --------
        >>> from cautious.costs import discounted
        >>> costs = discounted([[0, 1], [4, 0]], classes=["ill", "well"])
        >>> costs.in_order(["well", "ill"]).singletons()
        array([[0., 4.],
               [1., 0.]])
        """
        labels = tuple(check_classes(classes).tolist())
        if len(labels) != self.n_classes:
            raise ValueError(
                f"costs is about {self.n_classes} classes and there are {len(labels)}: "
                f"{few_labels(check_classes(classes))}; give costs for all classes and no others."
            )
        if self.classes is None:
            order = list(range(self.n_classes))
        else:
            order = positions(list(self.classes), list(labels), "costs")
            if order == list(range(self.n_classes)) and labels == self.classes:
                return self
        return self._in_order(order, labels)

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> SetCosts:
        """Costs whose class k is class ``order[k]`` of these; a subclass may not offer this."""
        if order == list(range(self.n_classes)):
            return self
        raise ValueError(
            f"costs has the classes {shown(list(self.labels))} in another order than "
            f"{shown(list(classes))}; make the costs with the classes in that order."
        )

    def singletons(self) -> Floats:
        """Costs of answering with one class: the K×K matrix these costs agree with.

        Examples
        --------
        >>> from cautious.costs import discounted
        >>> discounted([[0, 1], [4, 0]]).singletons()
        array([[0., 1.],
               [4., 0.]])
        """
        return self._costs(np.eye(self.n_classes, dtype=np.bool_))

    def frame(self) -> pd.DataFrame:
        """Frame (K, K) of the costs of answering with one class.

        Examples
        --------
        >>> from cautious.costs import discounted
        >>> discounted([[0, 2], [4, 0]], classes=["h", "n"]).frame()
        truth         h    n
        prediction
        h           0.0  2.0
        n           4.0  0.0
        """
        return self._labelled(self.singletons(), check_classes(self.labels))

    def normal_form(self) -> NormalForm:
        """Bring the costs of two classes and of abstaining into normal form.

        Subtract the cost of the right answer from each column and divide by the cost of a false
        negative: μ is the relative cost of a false positive and ν that of abstaining
        (Friedel, Rückert & Kramer, 2006, section 2). The positive class is the one that costs
        more to miss, so that μ ≤ 1.

        Examples
        --------
        The costs in the spam experiment of Ferri & Hernández-Orallo (2004):

        >>> from cautious.costs import as_costs
        >>> form = as_costs([[0, 100], [20, 0], [2, 3]]).normal_form()
        >>> form.mu, form.nu_negative, form.nu_positive
        (0.2, 0.02, 0.03)
        """
        from cautious.costs._tables import NormalForm

        return NormalForm.of(self.answer_values(), self.labels)

    def possibility(
        self,
        prediction: npt.ArrayLike,
        matrix: npt.ArrayLike | pd.DataFrame | None = None,
        *,
        against: Literal["members", "sets"] = "members",
        tolerance: float = 1e-9,
    ) -> Possibility:
        r"""Find the probability under which a set is worth its cost, or a proof of its absence.

        .. math::

            \max_p \min_{\hat y \in \hat Y} \mathbb{E}_p[c_{\hat y}] - \mathbb{E}_p[c_{\hat Y}]

        A set is possible if this is positive (Yang, Destercke & Masson, 2017, Definition 4). The
        linear programme's dual is a mixture of the rivals that, where it is not, never costs more
        than the set; the uniform mixture is the paper's Proposition 1.

        Parameters
        ----------
        prediction : array-like of shape (K,), bool
            The set in question.
        matrix : array-like of shape (K, K), optional
            Costs of single classes; by default those of these costs.
        against : {"members", "sets"}
            Compare with the classes of the set, as the paper does, or with all other sets, of up
            to 20 classes: only then is the set the cheapest answer of all.
        tolerance : float, default=1e-9
            Gains up to this share of the largest cost count as none.

        Examples
        --------
        >>> from cautious.costs import p_discounted
        >>> costs = p_discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], r=0.5)
        >>> found = costs.possibility([True, True, False])
        >>> found.possible, round(found.gain, 6), found.probability.round(3)
        (True, 0.25, array([0.5, 0.5, 0. ]))
        """
        from cautious.costs._audit import possibility

        return possibility(self, prediction, matrix, against, tolerance)

    def table(self) -> pd.DataFrame:
        """Frame of the costs of all non-empty sets, smaller ones first, for up to 20 classes.

        Examples
        --------
        >>> from cautious.costs import ordinal, p_discounted
        >>> p_discounted(ordinal(3), r=0.5).table().round(2)
        truth          0     1     2
        prediction
        {0}         0.00  1.00  2.00
        {1}         1.00  0.00  1.00
        {2}         2.00  1.00  0.00
        {0, 1}      0.25  0.25  1.46
        {0, 2}      0.50  1.00  0.50
        {1, 2}      1.46  0.25  0.25
        {0, 1, 2}   0.65  0.44  0.65
        """
        k = self.n_classes
        mask = all_sets(k)
        if k > _MANY_CLASSES:
            warnings.warn(
                f"table() of {k} classes has {len(mask)} rows; cost only the sets you need "
                "with of(mask).",
                stacklevel=2,
            )
        return self._labelled(self._costs(mask), set_names(mask, self.labels))

    def _labelled(self, costs: Floats, rows: Any) -> pd.DataFrame:
        """Label costs for people."""
        columns = pd.Index(check_classes(self.labels), name="truth")
        return pd.DataFrame(costs, pd.Index(rows, name="prediction"), columns)

    def _freeze(self, n_classes: int, **values: Any) -> None:
        """Set checked fields for good, arrays read-only, and check the class labels."""
        for value in values.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        labels = resolve_classes(self.classes, n_classes)
        vars(self).update(values, n_classes=n_classes, classes=labels)

    @property
    def labels(self) -> tuple[Any, ...]:
        """Class labels in column order, or their positions when none were given."""
        return tuple(range(self.n_classes)) if self.classes is None else self.classes

    @staticmethod
    def from_table(frame: pd.DataFrame, classes: Sequence[Any] | None = None) -> SetCosts:
        """Take the costs from an expert's table.

        Parameters
        ----------
        frame : DataFrame
            Columns are classes (truths). The row index names prediction sets: ``"{a, b}"``, a
            tuple, list, set or frozenset of labels, a single label, or ``"abstain"`` (also
            ``"reject"``, ``"⊥"`` and ``"?"``), which is the set of all classes unless a class is
            called so. Asking for the cost of a set that is not there is an error.
        classes : sequence of length K, optional
            The order of the classes wanted; by default that of the columns.

        Examples
        --------
        Table VI of Yang, Destercke & Masson (2017):

        >>> import pandas as pd
        >>> table = pd.DataFrame([[0, 2], [4, 0], [0.5, 0.5]],
        ...                      index=["{h}", "{n}", "{h, n}"], columns=["h", "n"])
        >>> SetCosts.from_table(table).of([[True, True]])
        array([[0.5, 0.5]])
        """
        from cautious.costs._tables import table_costs

        return table_costs(frame, classes)

    @staticmethod
    def from_positions(
        positions: int | npt.ArrayLike, width: float, *, classes: Classes = None
    ) -> SetCosts:
        r"""Cost a set of ordered classes by how far it misses the truth and by how wide it is.

        .. math:: c_{\hat Y}(y) = \min_{i \in \hat Y} |x_i - x_y| + w (\max_{i \in \hat Y} x_i -
                  \min_{i \in \hat Y} x_i)

        A set that holds the truth costs its width only. Filling the gaps of a set never costs more,
        so that the best of *all* sets is one of neighbours; it runs from the w-quantile to the
        (1 − w)-quantile, and is the median from w = ½ on. Gneiting & Raftery (2007), *Strictly
        proper scoring rules*, section 6.2, for intervals of numbers.

        Parameters
        ----------
        positions : int or array-like of shape (K,)
            The number of classes, which then lie one step apart; or where they lie, rising.
        width : float
            What a step of width costs, where a step away from the truth costs 1. Sets of less
            probability than 1 − 2·width are never the best.
        classes : sequence of length K, optional
            Class labels, from the lowest to the highest.

        Examples
        --------
        >>> from cautious.costs import SetCosts
        >>> SetCosts.from_positions(3, 0.25).of([[True, False, False], [True, True, False]])
        array([[0.  , 1.  , 2.  ],
               [0.25, 0.25, 1.25]])
        """
        from cautious.costs._extensions import IntervalCosts

        if isinstance(positions, Real):
            positions = np.arange(float(as_count(positions, "positions", least=2)))
        return IntervalCosts(positions, width, classes)  # type: ignore[arg-type]  # checked there


def answer_sets(n_classes: int) -> Mask:
    """List the single classes, and abstaining: all classes."""
    singles = np.eye(n_classes, dtype=np.bool_)
    return np.concatenate([singles, np.ones((1, n_classes), dtype=np.bool_)])


def all_sets(n_classes: int) -> Mask:
    """List all non-empty sets of classes: smaller sets first, then by their first classes."""
    if not 1 <= as_count(n_classes, "n_classes", least=0) <= MOST_CLASSES:
        raise ValueError(
            f"n_classes is {n_classes}; all sets are listed for 1 to {MOST_CLASSES} classes only, "
            f"because K classes have 2^K - 1 sets. Cost the sets you need with SetCosts.of(mask)."
        )
    codes = np.arange(1, 1 << n_classes)
    # The first class is the highest bit, so that descending codes put first classes first.
    bits = np.arange(n_classes - 1, -1, -1)
    mask = (codes[:, None] >> bits) & 1 == 1
    order = np.lexsort((-codes, mask.sum(axis=1)))
    return np.ascontiguousarray(mask[order])


def sample_sets(n_classes: int, n_sets: int, random_state: RandomState = 0) -> Mask:
    """Draw distinct sets: the extreme ones always, the others with sizes spread evenly."""
    rng = as_generator(random_state)
    singles = np.eye(n_classes, dtype=np.bool_)
    always = [answer_sets(n_classes)]
    room = n_sets // 2 - n_classes - 1
    if room >= n_classes:
        always.append(~singles)
    if room - n_classes >= n_classes * (n_classes - 1) // 2:
        first, second = np.triu_indices(n_classes, k=1)
        always.append(singles[first] | singles[second])
    drawn = max(0, n_sets - sum(map(len, always)))
    sizes = rng.integers(1, n_classes + 1, size=drawn)
    ranks = rng.random((drawn, n_classes)).argsort(axis=1).argsort(axis=1)
    mask = np.concatenate([*always, ranks < sizes[:, None]])
    mask = mask[mask.any(axis=1)]
    twice = pd.Index([row.tobytes() for row in np.packbits(mask, axis=1)]).duplicated()
    mask = mask[~twice]
    smaller_first = np.argsort(mask.sum(axis=1), kind="stable")
    return np.asarray(mask[smaller_first])
