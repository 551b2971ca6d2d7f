"""What displays of curves share: several classifiers side by side, from wherever they come."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy.typing as npt
import pandas as pd

from cautious.displays.display import Display

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

__all__ = ["NamedCurvesDisplay"]

Curve = TypeVar("Curve")

UNNAMED = "classifier"
"""What a single curve is called that was given no name."""


class NamedCurvesDisplay(Display, ABC, Generic[Curve]):
    """Display of the curves of one or several classifiers.

    A subclass names the class of its curves and the keywords of its own constructor, says what
    predictions its curves are made of (``from_predictions``), and draws.
    """

    curve_class: ClassVar[Any]
    own_options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, curves: Curve | Mapping[Any, Curve]) -> None:
        self.curves: dict[Any, Curve] = named(curves)
        if not self.curves:
            raise ValueError("curves is empty; give at least one curve to draw.")

    @abstractmethod
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the curves of fitted classifiers.

        Parameters
        ----------
        estimator : fitted classifier, or mapping of name to fitted classifier
            One classifier or several.
        X, y : array-like
            Examples and their true labels.
        ax, curve_kwargs
            As in :meth:`plot`.
        name : str, optional
            What to call a single classifier; by default its class.
        **options
            Keywords of the display itself, and of the curve's ``from_estimator``.

        Returns
        -------
        display
            Drawn already.
        """
        if name is None and not isinstance(estimator, Mapping):
            name = type(estimator).__name__
        return cls._made("from_estimator", named(estimator, name), ax, curve_kwargs, options, X, y)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[Any, Any],
        X: Any,
        y: Sequence[Any] | npt.ArrayLike,
        *,
        ax: Axes | None = None,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the curves of pooled out-of-fold predictions.

        Parameters
        ----------
        cv_results : dict, or mapping of name to dict
            From ``cross_validate(..., return_estimator=True, return_indices=True)``, for one
            classifier or several.
        X, y : array-like
            The data that were cross-validated.
        ax, curve_kwargs
            As in :meth:`plot`.
        name : str, optional
            What to call a single classifier; by default its class.
        **options
            Keywords of the display itself, and of the curve's ``from_cv_results``.

        Returns
        -------
        display
            Drawn already.
        """
        results = named_cv_results(cv_results, name)
        return cls._made("from_cv_results", results, ax, curve_kwargs, options, X, y)

    @classmethod
    def _made(
        cls,
        method: str,
        sources: Mapping[Any, Any],
        ax: Axes | None,
        curve_kwargs: Mapping[str, Any] | None,
        options: dict[str, Any],
        *data: Any,
    ) -> Self:
        """Compute and draw the curves of several sources by the curve's own constructor."""
        own = {key: options.pop(key) for key in cls.own_options if key in options}
        make = getattr(cls.curve_class, method)
        if method == "from_predictions":  # truths come first there, and what is predicted second
            curves = {name: make(*data, source, **options) for name, source in sources.items()}
        else:
            curves = {name: make(source, *data, **options) for name, source in sources.items()}
        return cls._with(curves, **own).plot(ax, curve_kwargs=curve_kwargs)

    @classmethod
    def _with(cls, curves: dict[Any, Curve], **own: Any) -> Self:
        """Make the display of curves that were computed."""
        return cls(curves, **own)

    def _only_one(self, words: str) -> None:
        """Refuse several classifiers where only one can be drawn."""
        if len(self.curves) > 1:
            raise ValueError(f"there are {len(self.curves)} classifiers; {words} of one.")

    def _renamed(self, name: str | None) -> dict[Any, Curve]:
        """Curves by name; a single one may be given a new name when it is drawn."""
        if name is None:
            return self.curves
        if len(self.curves) > 1:
            raise ValueError(
                f"name is {name!r}, but there are {len(self.curves)} curves; name them by the keys "
                "of the mapping instead."
            )
        return dict(zip([name], self.curves.values(), strict=True))

    def frame(self) -> pd.DataFrame:
        """Numbers that are drawn, one curve after the other, with the name of its classifier."""
        return pd.concat(
            [self._frame(curve).assign(classifier=name) for name, curve in self.curves.items()],
            ignore_index=True,
        ).pipe(lambda table: table[["classifier", *table.columns.drop("classifier")]])

    @abstractmethod
    def _frame(self, curve: Curve) -> pd.DataFrame:
        """Numbers that are drawn of one curve."""


def named(given: Any, name: str | None = None) -> dict[Any, Any]:
    """Read one thing, or several by name."""
    if not isinstance(given, Mapping):
        return {UNNAMED if name is None else name: given}
    if name is not None:
        raise ValueError(
            f"name is {name!r}, but several were given by name already; leave name= out."
        )
    return dict(given)


def named_cv_results(cv_results: Mapping[Any, Any], name: str | None = None) -> dict[Any, Any]:
    """Read the results of one cross-validation, or of several by name."""
    if cv_results and all(isinstance(result, Mapping) for result in cv_results.values()):
        return named(cv_results, name)
    if name is None:
        fitted = cv_results.get("estimator")
        name = UNNAMED if fitted is None else type(fitted[0]).__name__
    return {name: cv_results}
