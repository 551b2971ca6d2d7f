"""Sets of the smallest expected cost, found in the shortest exact way that suits the costs.

`solver` chooses the way: a formula where there is one, one sort where only the size of a set
matters (`by_size`), a table of all sets for few classes (`candidates`), branch and bound otherwise
(`branch_and_bound`, with the bounds of `families`). All of them share one tie rule (`candidates`).
"""

from cautious.decision.optimal._candidates import (
    answer_costs,
    cheapest,
    compiled,
    contiguous_candidates,
    first_of_equals,
    have_numba,
    slack,
)
from cautious.decision.optimal._solver import (
    optimal_sets,
    parts_of_costs,
    preferred_answers,
    rounded,
    utility_as_costs,
)
from cautious.decision.optimal.by_size import not_negative, sets_by_size

__all__ = [
    "answer_costs",
    "cheapest",
    "compiled",
    "contiguous_candidates",
    "first_of_equals",
    "have_numba",
    "not_negative",
    "optimal_sets",
    "parts_of_costs",
    "preferred_answers",
    "rounded",
    "sets_by_size",
    "slack",
    "utility_as_costs",
]
