"""Getting data ready for discrete models: supervised bins, and features worth keeping.

Both transformers learn from the classes, so they belong inside a pipeline, where each training fold
is prepared on its own.
"""

from cautious.preparation.discretizer import MDLDiscretizer
from cautious.preparation.selector import CorrelationFeatureSelector

__all__ = ["CorrelationFeatureSelector", "MDLDiscretizer"]
