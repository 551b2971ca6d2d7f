"""Sets of the smallest expected cost, found in the shortest exact way that suits the costs.

`solver` chooses the way: nodes of a tree (`tree_sets`), a formula where there is one, one sort
where only the size of a set matters (`by_size`), a table of all sets for few classes
(`candidates`), branch and bound otherwise (`branch_and_bound`, with the bounds of `families`). All
of them share one tie rule (`candidates`).
"""

from cautious.decision.optimal._solver import optimal_sets
from cautious.decision.optimal._tree_sets import best_nodes
from cautious.decision.optimal.branch_and_bound import problem_of
from cautious.decision.optimal.by_size import sets_by_size
from cautious.decision.optimal.families import Problem

__all__ = ["Problem", "best_nodes", "optimal_sets", "problem_of", "sets_by_size"]
