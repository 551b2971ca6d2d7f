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

from cautious._checks import check_classes
from cautious._typing import Floats, as_floats
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


def normal_form(table: npt.ArrayLike | pd.DataFrame) -> NormalForm:
    """Bring the costs of two classes and of abstaining into normal form.

    Subtract the cost of the right answer from each column and divide by the cost of a false
    negative: μ is the relative cost of a false positive and ν that of abstaining
    (Friedel, Rückert & Kramer, 2006, section 2). The positive class is the one that costs
    more to miss, so that μ ≤ 1.

    Parameters
    ----------
    table : array-like or DataFrame of shape (3, 2)
        Rows are predictions: the first class, the second class, abstaining. Columns are truths:
        the first class (negative, as a rule) and the second. The rows of a frame are put in the
        order of its columns where they carry the same labels.

    Examples
    --------
    The costs in the spam experiment of Ferri & Hernández-Orallo (2004):

    >>> form = normal_form([[0, 100], [20, 0], [2, 3]])
    >>> form.mu, form.nu_negative, form.nu_positive
    (0.2, 0.02, 0.03)
    """
    values, labels = _read(table)
    right = np.array([values[0, 0], values[1, 1]])
    extra = values - right
    false_positive, false_negative = extra[1, 0], extra[0, 1]
    if min(false_positive, false_negative) < 0:
        y = 0 if false_positive < 0 else 1
        raise ValueError(
            f"table: a wrong answer costs {values[1 - y, y]:g} when {shown(labels[y])} is true, "
            f"less than the right one ({right[y]:g}). Rows are predictions and columns are truths: "
            "transpose the table, or turn rewards into costs."
        )
    if false_positive == false_negative == 0:
        raise ValueError("table: no mistake costs more than a right answer; nothing to decide.")
    if (extra[2] < 0).any():
        y = int(np.argmax(extra[2] < 0))
        raise ValueError(
            f"table: abstaining costs {values[2, y]:g} when {shown(labels[y])} is true, less than "
            f"the right answer ({right[y]:g}); the last row must be that of abstaining."
        )
    flipped = bool(false_positive > false_negative)
    n, p = (1, 0) if flipped else (0, 1)
    scale = extra[n, p]
    return NormalForm(
        mu=float(extra[p, n] / scale),
        nu_negative=float(extra[2, n] / scale),
        nu_positive=float(extra[2, p] / scale),
        scale=float(scale),
        offset_negative=float(right[n]),
        offset_positive=float(right[p]),
        negative=labels[n],
        positive=labels[p],
        flipped=flipped,
    )


def _read(table: npt.ArrayLike | pd.DataFrame) -> tuple[Floats, list[Any]]:
    """Costs with rows first class, second class, ⊥, and the labels of the two classes."""
    labels: list[Any] = [0, 1]
    if isinstance(table, pd.DataFrame):
        labels = check_classes(table.columns, name="table.columns").tolist()
        rows = table.index.tolist()
        if not table.index.is_unique:
            raise ValueError(
                f"table has the rows {shown(rows)}; give each its own name, abstaining one that is "
                "no class's."
            )
        if len(labels) == 2 and len(rows) == 3:
            names = [row for row in rows if row in labels]
            if len(names) == 2:
                abstain = next(k for k, row in enumerate(rows) if row not in labels)
                table = table.iloc[[rows.index(labels[0]), rows.index(labels[1]), abstain]]
    # Unlike cost matrices, these may be negative: only differences from right answers matter.
    values = as_floats(table, "table", "costs")
    if values.shape != (3, 2):
        raise ValueError(
            f"table has shape {values.shape}; give 3 rows (predict the first class, predict the "
            "second, abstain) and 2 columns (truths)."
        )
    if not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"table[{i}, {j}] is {values[i, j]}; costs must be finite.")
    return values, labels
