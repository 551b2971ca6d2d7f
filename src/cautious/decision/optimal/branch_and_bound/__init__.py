r"""Exact optimal sets under power means and ordered averages, for any number of classes.

For a fixed size k the expected cost, as a function of :math:`z = 1_{\hat Y} / k`, extends to the
polytope :math:`0 \le z_i \le 1/k, \sum z_i = 1`, where modular functions that lie below it are at
hand. Their minima bound the cost of all sets of that size; their slopes (reduced costs) decide
about most classes at once; what stays open is branched on.
"""

from cautious.decision.optimal.branch_and_bound.families import Problem
from cautious.decision.optimal.branch_and_bound.problem import problem_of
from cautious.decision.optimal.branch_and_bound.search import branch_and_bound

__all__ = ["Problem", "branch_and_bound", "problem_of"]
