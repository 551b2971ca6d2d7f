"""Predictions: the one way in.

Whatever predictions come from (a file, a frame, arrays, an estimator), this package settles which
column holds what, which classes there are and which one is positive, and checks every number and
every set. Everybody else takes its :class:`Predictions`.

:func:`read_predictions` reads everything that fits in memory; :mod:`cautious.logs` reads the same
batch by batch. Both use ``read_rows``, which reads and checks rows, and ``settle``, which finds the
classes (:mod:`cautious.predictions._rows`). Word lists and refusals are data
(``_messages.py``), which the page gets as JSON from ``page_rules``.
"""

from cautious._cases import Cases
from cautious.predictions._reader import Predictions, read_predictions
from cautious.predictions.votes import majority_vote

__all__ = ["Cases", "Predictions", "majority_vote", "read_predictions"]
