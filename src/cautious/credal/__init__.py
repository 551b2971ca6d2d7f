"""Credal sets: uncertainty that is itself uncertain.

A credal set holds every class distribution that the evidence allows. Here it is given by
probability intervals, one lower and one upper bound per class and example, whatever made them:
counts under the imprecise Dirichlet model, a distribution contaminated by ε, or another library.
From the bounds come lower and upper expectations, vertices and the largest entropy, all exact and
all for a whole batch.
"""

from cautious.credal._intervals import ProbabilityIntervals, contaminate, imprecise_dirichlet

__all__ = ["ProbabilityIntervals", "contaminate", "imprecise_dirichlet"]
