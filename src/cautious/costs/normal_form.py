r"""Friedel's normal form: costs of two classes and of abstaining, in two numbers.

Which abstention window is best does not change when a constant is added to the costs of one truth,
nor when all costs are multiplied by one factor. Without the costs of right answers and in units of
the more expensive mistake, a 3×2 table is left with two numbers: the cost μ of the cheaper mistake
and the cost ν of abstaining.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.errors import shown
from cautious.sets._written import abstain_name


@dataclass(frozen=True)
class NormalForm:
    r"""Costs of two classes and of abstaining in normal form, and the way back.

    .. math::

        C = \begin{pmatrix} o_N & o_P + s \\ o_N + s \mu & o_P \\
        o_N + s \nu_N & o_P + s \nu_P \end{pmatrix}

    with rows n, p, ⊥ and columns N, P. The positive class P is the one that costs more to miss; if
    that is the table's first class, the form is `flipped`.

    Attributes
    ----------
    mu : float
        Cost of a false positive, relative to that of a false negative; within [0, 1].
    nu_negative, nu_positive : float
        Cost of abstaining on each class, relative to that of a false negative.
    scale : float
        Cost s of a false negative beyond that of a right answer, in the table's units.
    offset_negative, offset_positive : float
        Costs of right answers, in the table's units.
    negative, positive : object
        Labels of the classes; 0 and 1 if the table carried none.
    """

    mu: float
    nu_negative: float
    nu_positive: float
    scale: float
    offset_negative: float
    offset_positive: float
    negative: Any = 0
    positive: Any = 1
    flipped: bool = False

    @classmethod
    def of(cls, values: Floats, labels: tuple[Any, ...]) -> NormalForm:
        """Bring a table into normal form: rows first class, second class, ⊥, columns truths."""
        if len(labels) != 2:
            raise ValueError(
                f"these are costs of {len(labels)} classes; the normal form is that of two."
            )
        right = values[:2].diagonal()
        extra = values - right
        false_positive, false_negative = extra[1, 0], extra[0, 1]
        if min(false_positive, false_negative) < 0:
            y = 0 if false_positive < 0 else 1
            raise ValueError(
                f"costs: a wrong answer costs {values[1 - y, y]:g} when {shown(labels[y])} is "
                f"true, less than the right one ({right[y]:g}). Rows are predictions and columns "
                "are truths: transpose the table, or turn rewards into costs."
            )
        if false_positive == false_negative == 0:
            raise ValueError("costs: no mistake costs more than a right answer; nothing to decide.")
        if (extra[2] < 0).any():
            y = int(np.argmax(extra[2] < 0))
            raise ValueError(
                f"costs: abstaining costs {values[2, y]:g} when {shown(labels[y])} is true, less "
                f"than the right answer ({right[y]:g}); the last row must be that of abstaining."
            )
        flipped = bool(false_positive > false_negative)
        n, p = (1, 0) if flipped else (0, 1)
        scale = extra[n, p]
        mu, nu_negative, nu_positive = (extra[[p, 2, 2], [n, n, p]] / scale).tolist()
        offsets = float(right[n]), float(right[p])
        return cls(
            *(mu, nu_negative, nu_positive, float(scale), *offsets),
            *(labels[n], labels[p], flipped),
        )

    @property
    def nu(self) -> float:
        """Relative cost of abstaining, where it is the same for both classes."""
        if not np.isclose(self.nu_negative, self.nu_positive, rtol=1e-12, atol=1e-15):
            raise ValueError(
                f"abstaining costs {self.nu_negative:g} on negatives and {self.nu_positive:g} on "
                "positives, beyond a right answer; use nu_negative and nu_positive."
            )
        return self.nu_positive

    def table(self) -> pd.DataFrame:
        """Costs in the table's own units: rows both classes and ⊥, columns truths."""
        s, n, p = self.scale, self.offset_negative, self.offset_positive
        frame = s * self.normalised_table() + [n, p]
        order = [1, 0] if self.flipped else [0, 1]
        return frame.iloc[[*order, 2], order]

    def normalised_table(self) -> pd.DataFrame:
        """Costs in normal form: rows n, p, ⊥, columns N, P, right answers free."""
        labels = [self.negative, self.positive]
        return pd.DataFrame(
            [[0.0, 1.0], [self.mu, 0.0], [self.nu_negative, self.nu_positive]],
            index=pd.Index([*labels, abstain_name(labels)], name="prediction"),
            columns=pd.Index(labels, name="truth"),
        )

    def cost(self, normalised: npt.ArrayLike, prior_positive: float) -> Floats:
        """Turn a normalised expected cost into the table's units."""
        return np.asarray(self.scale * np.asarray(normalised) + self._offset(prior_positive))

    def normalised(self, cost: npt.ArrayLike, prior_positive: float) -> Floats:
        """Turn an expected cost in the table's units into a normalised one."""
        return np.asarray((np.asarray(cost) - self._offset(prior_positive)) / self.scale)

    def _offset(self, prior_positive: float) -> float:
        if not -1e-9 <= prior_positive <= 1 + 1e-9:
            raise ValueError(f"prior_positive is {prior_positive}; a share lies within [0, 1].")
        share = min(max(prior_positive, 0.0), 1.0)  # a sum of weights may miss an end by rounding
        return (1 - share) * self.offset_negative + share * self.offset_positive
