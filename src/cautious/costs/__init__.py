"""Costs of answers: of single classes, of sets of classes, and what to demand of them.

Cost matrices have predictions as rows and truths as columns. An extension turns a K×K matrix into
:class:`SetCosts`, which cost any prediction set against any truth; :func:`audit` judges them by the
ten properties of Yang, Destercke & Masson (2017), and :func:`normal_form` gives the two numbers
(μ, ν) on which abstention between two classes depends.
"""

from cautious.costs.abellan_masegosa import AbellanMasegosaCosts, abellan_masegosa
from cautious.costs.answers import AnswerCosts
from cautious.costs.audit import audit
from cautious.costs.class_selective import ClassSelectiveCosts, class_selective
from cautious.costs.cost_frames import cost_matrix_from_frame, labelled, read_cost_matrix
from cautious.costs.expert_table import TableCosts
from cautious.costs.forms import CostsLike, as_costs, costs_from_data, costs_to_data
from cautious.costs.matrices import check_cost_matrix, ordinal, zero_one
from cautious.costs.normal_form import NormalForm, normal_form
from cautious.costs.owa import OWACosts, owa, owa_weights
from cautious.costs.possibility import Possibility, possibility
from cautious.costs.power_mean import PowerMeanCosts, discounted, p_discounted
from cautious.costs.set_costs import SetCosts
from cautious.costs.size_costs import SizeCosts, f_beta_costs, utility_costs
from cautious.costs.subsets import all_sets
from cautious.costs.verdict import audit_text, verdict
from cautious.costs.weighted import class_weighted, imbalance

__all__ = [
    "AbellanMasegosaCosts",
    "AnswerCosts",
    "ClassSelectiveCosts",
    "CostsLike",
    "NormalForm",
    "OWACosts",
    "Possibility",
    "PowerMeanCosts",
    "SetCosts",
    "SizeCosts",
    "TableCosts",
    "abellan_masegosa",
    "all_sets",
    "as_costs",
    "audit",
    "audit_text",
    "check_cost_matrix",
    "class_selective",
    "class_weighted",
    "cost_matrix_from_frame",
    "costs_from_data",
    "costs_to_data",
    "discounted",
    "f_beta_costs",
    "imbalance",
    "labelled",
    "normal_form",
    "ordinal",
    "owa",
    "owa_weights",
    "p_discounted",
    "possibility",
    "read_cost_matrix",
    "utility_costs",
    "verdict",
    "zero_one",
]
