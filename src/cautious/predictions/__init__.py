"""Predictions: the one way in.

Whatever predictions come from (a file, a frame, arrays, an estimator), this package settles which
column holds what, which classes there are and which one is positive, and checks every number and
every set. Everybody else takes its :class:`Predictions`.

:func:`read_predictions` reads everything that fits in memory. For what comes in pieces,
:mod:`cautious.logs` uses the same parts: ``guess_columns`` for the roles of columns,
``DelimitedText`` for text files in blocks, and the functions of
:mod:`cautious.predictions._cells` and :mod:`cautious.predictions._columns` for labels, numbers,
weights and sets of one record batch. Word lists and refusals are data
(``cautious._messages``), which the page gets as JSON from ``page_rules``.
"""

from cautious._cases import Cases
from cautious.predictions._data import Predictions
from cautious.predictions._reader import read_predictions

__all__ = [
    "Cases",
    "Predictions",
    "read_predictions",
]
