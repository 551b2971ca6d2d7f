"""Laws of set costs and of utilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.catalogue.agreement import at_most, same
from tests.catalogue.law import law
from tests.catalogue.strategies import Batch, Situation, batches, seeds, situations

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    as_costs,
    class_selective,
    discounted,
    f_beta_costs,
    owa,
    p_discounted,
    utility_costs,
    zero_one,
)
from cautious.costs._set_costs import all_sets
from cautious.metrics import (
    MEASURES,
    discounted_accuracy_score,
    mean_set_size,
    set_cost_score,
    utility_score,
)
from cautious.utility import Utility, exponential, f_beta, logarithmic, quadratic, u65, u80


def _kinds(kind: type) -> set[str]:
    own = {kind.__name__} if kind.__module__.startswith("cautious.") else set()
    return own.union(*map(_kinds, kind.__subclasses__()))


PUBLIC_COSTS = {name for name in _kinds(SetCosts) if not name.startswith("_")} - {
    "SetCosts",
    "MatrixCosts",
}  # the second is only a base
"""The kinds of set costs there are; each must be made by an entry below."""

Extension = Callable[[np.ndarray], SetCosts]


def as_table(matrix: np.ndarray) -> SetCosts:
    return SetCosts.from_table(discounted(matrix).table())


def with_abstaining(matrix: np.ndarray) -> SetCosts:
    return as_costs(np.vstack([matrix, matrix.mean(axis=0)]))


EXTENSIONS: dict[str, Extension] = {
    "abellan_masegosa": abellan_masegosa,
    "as_costs, abstaining at the mean": with_abstaining,
    "discounted": discounted,
    "owa": lambda matrix: owa(matrix, 0.7),
    "p_discounted, averse": lambda matrix: p_discounted(matrix, 0.4, "averse"),
    "p_discounted, cautious": lambda matrix: p_discounted(matrix, 0.4),
    "table": as_table,
}
"""What turns a cost matrix into costs of sets."""
BY_SIZE: dict[str, Callable[[int], SetCosts]] = {
    "class_selective": lambda k: class_selective(np.ones(k), 0.2),
    "f_beta_costs": lambda k: f_beta_costs(k, 2.0),
    "SetCosts.from_positions": lambda k: SetCosts.from_positions(k, 0.2),
    "utility_costs": lambda k: utility_costs(k, u65),
}
"""What costs sets by their size and by whether they are right, or by how near they are."""


@law(
    "Reduction",
    "set costs",
    EXTENSIONS,
    exempt={"abellan_masegosa": "its costs are logarithms, those of wrong single classes too"},
    case=situations(),
)
def single_classes(extend: Extension, case: Situation) -> None:
    """A set of one class costs what the matrix says."""
    k = len(case.costs)
    same(extend(case.costs).of(np.eye(k, dtype=bool)), case.costs)


@law("Invariance", "set costs", EXTENSIONS, case=situations(), seed=seeds)
def order_of_classes(extend: Extension, case: Situation, seed: int) -> None:
    """The order of the classes, and so of rows and columns, does not matter."""
    k = len(case.costs)
    order = np.random.default_rng(seed).permutation(k)
    sets = all_sets(k)
    turned = extend(case.costs[np.ix_(order, order)])
    same(turned.of(sets[:, order]), extend(case.costs).of(sets)[:, order])


@law(
    "Invariance",
    "set costs",
    EXTENSIONS,
    exempt={"abellan_masegosa": "the logarithm of the size is added to whatever the costs are"},
    case=situations(),
    by=st.sampled_from([1e-12, 0.125, 3.0, 1e9]),
)
def scale_of_costs(extend: Extension, case: Situation, by: float) -> None:
    """Sets cost so many times more if single classes do."""
    sets = all_sets(len(case.costs))
    same(extend(by * case.costs).of(sets) / by, extend(case.costs).of(sets))


@law(
    "Monotonicity",
    "set costs",
    EXTENSIONS,
    exempt={
        "abellan_masegosa": "it costs a right set by its size alone",
        "as_costs, abstaining at the mean": "a partial set costs what abstaining costs",
    },
    case=situations(),
    seed=seeds,
)
def higher_costs_of_classes(extend: Extension, case: Situation, seed: int) -> None:
    """Where single classes cost more, no set costs less; all lie between their members' costs."""
    more = case.costs + np.random.default_rng(seed).random(case.costs.shape)
    sets = all_sets(len(more))
    costs = extend(more).of(sets)
    at_most(extend(case.costs).of(sets), costs)
    members = [more[row] for row in sets]
    at_most(np.array([rows.min(axis=0) for rows in members]), costs)
    at_most(costs, np.array([rows.max(axis=0) for rows in members]))


ATTITUDES = {"cautious": "cautious", "averse": "averse"}


@law(
    "Monotonicity", "attitudes", ATTITUDES, case=situations(), r=st.floats(0, 1), to=st.floats(0, 1)
)
def larger_r(attitude: str, case: Situation, r: float, to: float) -> None:
    """A larger r makes right sets cheaper; wrong ones too, or more expensive to the averse."""
    sets = all_sets(len(case.costs))
    low = p_discounted(case.costs, min(r, to), attitude).of(sets)
    high = p_discounted(case.costs, max(r, to), attitude).of(sets)
    at_most(high[sets], low[sets])
    wrong = (low[~sets], high[~sets]) if attitude == "averse" else (high[~sets], low[~sets])
    at_most(*wrong)


@law("Reduction", "set costs", {"0/1 costs": None}, batch=batches(), r=st.floats(0.0, 0.9))
def zero_one_costs(_: None, batch: Batch, r: float) -> None:
    """With 0/1 costs: discounted is 1 − discounted accuracy, r = 1 is 1 − containment, and any r
    costs a right set ((k − 1)/k)^(1/(1 − r))."""
    k = batch.n_classes
    case = {"classes": range(k), "sample_weight": batch.weight}

    def cost(costs: SetCosts) -> float:
        return set_cost_score(batch.truth, batch.mask, costs=costs, **case)

    accuracy = discounted_accuracy_score(batch.truth, batch.mask, **case)
    containment = MEASURES["containment"].score(batch.truth, batch.mask, **case)
    for extended in (discounted(zero_one(k)), p_discounted(zero_one(k), 0), owa(zero_one(k), 0.5)):
        same(cost(extended), 1 - accuracy)
    same(cost(p_discounted(zero_one(k), 1)), 1 - containment)
    sizes = batch.mask.sum(axis=1)
    hit = batch.mask[np.arange(len(sizes)), batch.truth]
    each = np.where(hit, ((sizes - 1) / sizes) ** (1 / (1 - r)), 1.0)
    same(cost(p_discounted(zero_one(k), r)), np.average(each, weights=batch.weight))
    too_many = mean_set_size(batch.truth, batch.mask, **case) - 1
    same(cost(class_selective(np.ones(k), 0.3)), 1 - containment + 0.3 * too_many)


UTILITIES: dict[str, Any] = {
    "a function": lambda x: 3 * np.sqrt(x),
    "exponential": exponential(2.0),
    "f_beta": f_beta(1.5),
    "logarithmic": logarithmic,
    "quadratic": quadratic(0.7),
    "u65": u65,
    "u80": u80,
}
OWN = {name: u for name, u in UTILITIES.items() if isinstance(u, Utility)}
unit = st.floats(0, 1)


@law("Reduction", "utilities", UTILITIES, batch=batches())
def costs_are_one_less(utility: Any, batch: Batch) -> None:
    """The score of a utility is one less the cost made of it, whatever its unit."""
    k = batch.n_classes
    case = {"classes": range(k), "sample_weight": batch.weight}
    worth = utility_score(batch.truth, batch.mask, utility=utility, **case)
    cost = set_cost_score(batch.truth, batch.mask, costs=utility_costs(k, utility), **case)
    same(worth, 1 - cost)


@law("Monotonicity", "utilities", OWN, x=unit, y=unit, n_examples=30)
def concave_and_normed(utility: Utility, x: float, y: float) -> None:
    """A utility on its own scale goes from 0 to 1, is concave and never below its chord."""
    u = utility.normalised
    same(u([0.0, 1.0]), [0.0, 1.0])
    at_most((u(x) + u(y)) / 2, u((x + y) / 2))
    at_most(x, u(x))


@law("Duality", "utilities", OWN, x=unit, n_examples=30)
def inverse(utility: Utility, x: float) -> None:
    """The inverse gives the smallest accuracy of that utility back."""
    back = utility.inverse(utility(x))
    same(utility(back), utility(x))
    at_most(back, x, slack=1e-7)


@law("Reduction", "utilities", {"u50": None, "F_0": None}, batch=batches())
def linear_utilities(_: None, batch: Batch) -> None:
    """u50 and F_0 are discounted accuracy itself."""
    case = {"classes": range(batch.n_classes), "sample_weight": batch.weight}
    plain = discounted_accuracy_score(batch.truth, batch.mask, **case)
    for utility in ("u50", "F0", f_beta(0)):
        same(utility_score(batch.truth, batch.mask, utility=utility, **case), plain)


@law("Invariance", "cost tables", {"normal_form": None}, seed=seeds, by=st.floats(0.01, 100))
def normal_form_forgets_units(_: None, seed: int, by: float) -> None:
    """Scaling a 3×2 cost table, or adding a number to a column, leaves its normal form."""
    rng = np.random.default_rng(seed)
    table = np.array([[0, rng.integers(5, 9)], [rng.integers(1, 5), 0], [1, 1]], dtype=float)
    form, other = (
        as_costs(table).normal_form(),
        as_costs(by * table + rng.integers(0, 5, size=2)).normal_form(),
    )
    same([form.mu, form.nu_positive, form.nu_negative], [other.mu, other.nu_positive,
                                                         other.nu_negative])  # fmt: skip
