"""Costs of answers: of single classes, of abstaining, of sets, and what to demand of them.

:func:`as_costs` reads costs in any form and gives :class:`SetCosts`, one object that decides,
tunes, scores and is audited. Tables have predictions as rows and truths as columns. An extension
such as :func:`p_discounted` makes costs of sets from a K×K matrix; :func:`audit` judges them by the
ten properties of Yang, Destercke & Masson (2017), and ``SetCosts.normal_form`` gives the two
numbers (μ, ν) on which abstention between two classes depends.
"""

from cautious.costs._audit import audit
from cautious.costs._extensions import (
    abellan_masegosa,
    class_selective,
    discounted,
    f_beta_costs,
    owa,
    p_discounted,
    utility_costs,
)
from cautious.costs._forms import as_costs
from cautious.costs._set_costs import SetCosts
from cautious.costs.matrices import ordinal, zero_one

__all__ = [
    "SetCosts",
    "abellan_masegosa",
    "as_costs",
    "audit",
    "class_selective",
    "discounted",
    "f_beta_costs",
    "ordinal",
    "owa",
    "p_discounted",
    "utility_costs",
    "zero_one",
]
