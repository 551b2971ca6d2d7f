"""Wrappers that decide by a rule: on probabilities, in a tree of classes, or in their order."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._checks import as_codes, check_classes, check_mask, few_labels, likeliest
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.costs import SetCosts, as_costs
from cautious.costs._forms import as_cost_matrix
from cautious.decision import (
    Rule,
    bias_window_rule,
    chow_rule,
    class_threshold_rule,
    gamma_maximin,
    optimal_sets,
    ordinal_sets,
    ratio_rule,
    threshold_rule,
)
from cautious.decision._class_tree import TreeLike, as_tree, least_probability
from cautious.decision._ordinal import OrdinalCriterion
from cautious.errors import shown
from cautious.guarantees import Certificate
from cautious.models._base import (
    COUNT,
    NOT_NEGATIVE,
    PROBABILITY,
    SHARE,
    Examples,
    OneOf,
    one_given,
    parameter,
)
from cautious.models.wrapper import ProbabilisticWrapper
from cautious.utility._forms import UtilityLike, as_utility

_RULES: dict[str, Callable[..., Mask]] = {
    "threshold": threshold_rule,
    "class_threshold": class_threshold_rule,
    "ratio": ratio_rule,
    "bias_window": bias_window_rule,
    "chow": chow_rule,
    "reject": lambda p, t: threshold_rule(p, t),
    "optimal_sets": optimal_sets,
}


@dataclass(eq=False, repr=False)
class AbstainingClassifier(ProbabilisticWrapper):
    """Classifier that abstains, or answers with a set, by a rule on the class probabilities.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``. One that is already fitted is kept as it is inside
        scikit-learn's ``FrozenEstimator``.
    rule : str, Rule or callable, default="threshold"
        Name of a rule of :mod:`cautious.decision`: "threshold", "class_threshold", "ratio",
        "bias_window", "chow", "reject" or "optimal_sets"; a :class:`cautious.decision.Rule`, such
        as tuning gives; or a function that takes probabilities (n, K) and the parameters, and gives
        sets (n, K).
    rule_params : mapping, optional
        Parameters of the rule by name. A parameter that has a value for each class may be an array
        in ``classes_`` order, or a mapping from class labels. None is ``{"threshold": 0.75}`` for
        the rule "threshold", and nothing for others. Costs of "optimal_sets" may have any form of
        :func:`cautious.costs.as_costs`.

    Attributes
    ----------
    classes_, estimator_
        Class labels, sorted; the fitted estimator.

    See Also
    --------
    TunedAbstainingClassifierCV : Chooses thresholds by cross-validation.
    NondeterministicClassifier : Answers with the sets of the largest expected utility.

    Notes
    -----
    With the rule "reject" and an estimator that bounds its probabilities, it is the largest *lower*
    probability that must reach the threshold, and what the estimator answers with is otherwise
    kept (Zaffalon, Corani & Mauá 2012, section 9.4).

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 4; Chow (1970).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import AbstainingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AbstainingClassifier(GaussianNB(), rule_params={"threshold": 0.9}).fit(X, y)
    >>> model.predict_set(X[[0, 83]])
    array([[ True, False, False],
           [ True,  True,  True]])
    >>> bold = AbstainingClassifier(GaussianNB(), "chow", {"reject_cost": 0.4}).fit(X, y)
    >>> bold.predict_set(X[[0, 83]])
    array([[ True, False, False],
           [False,  True, False]])
    """

    rule: str | Rule | Callable[..., npt.ArrayLike] = parameter(
        "threshold", OneOf(*_RULES), Rule, callable
    )
    rule_params: Mapping[str, Any] | None = parameter(None, Mapping)

    def _check_parameters(self) -> None:
        if isinstance(self.rule, Rule) and self.rule_params:
            raise ValueError(
                f"rule_params is {shown(self.rule_params)}, but a Rule has its thresholds itself; "
                "leave rule_params out."
            )

    def _check_decision(self, classes: Labels) -> None:
        # Asked about no rows, a rule checks its parameters; a function of the user's is not asked.
        none = np.empty((0, len(classes)))
        if isinstance(self.rule, Rule):
            self.rule.predict_set(none, classes=classes.tolist())
        elif isinstance(self.rule, str):
            _RULES[self.rule](none, **self._params_of_rule(classes))

    def _decide(self, X: Any, p: Floats) -> Mask:
        if isinstance(self.rule, Rule):
            return self.rule.predict_set(p, classes=self.classes_.tolist())
        params = self._params_of_rule(self.classes_)
        if self.rule == "reject" and hasattr(self.estimator_, "predict_proba_bounds"):
            bounds = self.estimator_.predict_proba_bounds(X)
            return threshold_rule(bounds, params["t"], sets=self.estimator_.predict_set(X))
        rule = _RULES[self.rule] if isinstance(self.rule, str) else self.rule
        sets = check_mask(rule(p, **params), n_classes=p.shape[1], name="the rule's answer")
        if len(sets) != len(p):
            raise ValueError(
                f"rule gave {len(sets)} sets for {len(p)} rows; it must give one for each."
            )
        return sets

    def _params_of_rule(self, classes: Labels) -> dict[str, Any]:
        """Parameters of the rule, values given for class labels in the order of the classes."""
        params = dict(self.rule_params or {})
        if self.rule_params is None and self.rule == "threshold":
            params["threshold"] = 0.75
        if self.rule == "optimal_sets" and params.get("costs") is not None:
            params["costs"] = as_costs(params["costs"], classes)
        return {name: _by_class(value, classes, name) for name, value in params.items()}


def _by_class(value: Any, classes: Labels, name: str) -> Any:
    """Put values given for class labels in the order of the classes; leave others as they are."""
    if not isinstance(value, Mapping):
        return value
    if len(value) != len(classes):
        raise ValueError(
            f"{name} has values for {sorted(map(str, value))}; give one for each of the classes "
            f"{few_labels(classes)}."
        )
    ordered = np.empty(len(classes))
    ordered[as_codes(np.array(list(value)), classes, name=name)] = list(value.values())
    return ordered


@dataclass(eq=False, repr=False)
class NondeterministicClassifier(ProbabilisticWrapper):
    r"""Classifier that answers with the set of the largest expected utility.

    A right set of k classes is worth :math:`u(1/k)`, a wrong one nothing, so that of all sets of
    size k the k most probable classes are best and

    .. math:: \hat Y = \{\text{top } k\}, \quad
              k = \arg\max_k\; u(1/k) \sum_{i \le k} p_{(i)}.

    With the F-measure :math:`F_\beta = (1 + \beta^2)/(\beta^2 + k)` this is the nondeterministic
    classifier of Del Coz & Bahamonde (2009); the same machinery serves any utility of discounted
    accuracy (Zaffalon, Corani & Mauá 2012, section 9.3).

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``. One that is already fitted is kept as it is inside
        scikit-learn's ``FrozenEstimator``.
    utility : str, Utility or callable, default="f1"
        "f1", "f2", … for F-measures; "u65", "u80" or any two digits for quadratic utilities;
        "log"; one of :mod:`cautious.utility`; or a function of discounted accuracy.
    lower : bool, default=False
        Whether sets are judged by their lower probability, so that the answer is worth most at
        worst: the credal extension that section 9.4 of the paper asks for. The estimator must bound
        its probabilities.

    Attributes
    ----------
    classes_, estimator_
        Class labels, sorted; the fitted estimator.

    See Also
    --------
    cautious.decision.optimal_sets : The decision itself, also for costs that differ by class.
    cautious.decision.gamma_maximin : The decision by lower probabilities.

    References
    ----------
    Del Coz & Bahamonde (2009), *Learning nondeterministic classifiers*; Zaffalon, Corani & Mauá
    (2012), sections 9.3 and 9.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import NondeterministicClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NondeterministicClassifier(GaussianNB()).fit(X, y)
    >>> model.predict_proba(X[[0, 83]]).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.61, 0.39]])
    >>> model.predict_set(X[[0, 83]])
    array([[ True, False, False],
           [False,  True,  True]])
    """

    utility: UtilityLike = "f1"
    _: KW_ONLY
    lower: bool = parameter(False, "boolean")

    def _check_parameters(self) -> None:
        as_utility(self.utility)
        if self.lower and not hasattr(self.estimator, "predict_proba_bounds"):
            raise TypeError(
                f"estimator is a {type(self.estimator).__name__}, which has no "
                "predict_proba_bounds; choose a credal one, for example NaiveCredalClassifier, or "
                "lower=False."
            )

    def _decide(self, X: Any, p: Floats) -> Mask:
        if self.lower:
            return gamma_maximin(self.estimator_.predict_proba_bounds(X), utility=self.utility)
        return optimal_sets(p, utility=self.utility)


# Fixed before any label is seen, from strict to loose: even steps of log odds.
_CANDIDATES = np.concatenate([[1.0], 1 / (1 + np.exp(-np.linspace(9, -4.5, 180))), [0.0]])


@dataclass(eq=False, repr=False)
class HierarchicalClassifier(ProbabilisticWrapper):
    r"""Classifier that answers with a node of a tree of classes.

    Where it cannot tell an owl from a hawk it says "bird of prey", and where it cannot tell that it
    says "bird". Which node is answered follows from a utility, from costs of sets, from a threshold
    on the probability of the node, or from a limit on the share of sets that miss the truth, which
    is then promised of new cases.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``. One that is already fitted is kept as it is inside
        scikit-learn's ``FrozenEstimator``.
    tree : ClassTree, mapping, str or None, default=None
        The tree; nested dictionaries, as :meth:`cautious.decision.ClassTree.from_dict` takes them;
        or the separator of class names that are paths. It must hold all classes of the examples;
        those that it holds besides are left out. None has no levels: answer, or abstain.
    utility : str, Utility or callable, optional
        Answer with the node of the largest expected utility. "u65" if nothing else is said.
    costs : SetCosts or array-like, optional
        Answer with the node of the smallest expected cost; any form of
        :func:`cautious.costs.as_costs`.
    threshold : float, optional
        Start at the likeliest class and climb until the node is that probable.
    max_error : float, optional
        Climb, with a threshold found on a part of the examples that is set aside: with
        `confidence_level`, at most this share of the sets misses the truth on new cases. Where
        this cannot be promised, the model abstains always, and a warning says what it would take.
    n_nodes : int, default=1
        Of how many nodes an answer may be the union; with a utility only.
    confidence_level : float, default=0.95
        How sure the promise is.
    calibration_size : float, default=0.5
        Share of the examples to set aside for `max_error`.
    random_state : int, RandomState or None
        Seed of that split.

    Attributes
    ----------
    classes_, estimator_
        Class labels, sorted; the fitted estimator.
    tree_ : ClassTree
        The tree over ``classes_``.
    threshold_ : float
        Where the rule climbs: its threshold; infinite where nothing can be promised.
    certificate_ : Certificate
        With `max_error`: what is promised; print it.

    See Also
    --------
    cautious.decision.optimal_sets, cautious.decision.threshold_rule
    cautious.decision.ClassTree.risk_coverage : How risk falls as the nodes grow.

    Notes
    -----
    The promise is exact: thresholds that were fixed beforehand are tested on the calibration cases
    from strict to loose (:class:`cautious.guarantees.Certificate`). It is about the share of all
    cases, and about cases drawn as the calibration cases were: these are drawn at random
    whatever their labels. A class that is among them alone has probability 0; the nodes of the tree
    above it hold it.

    References
    ----------
    Mortier, Hüllermeier, Dembczyński & Waegeman (2022); Goren, Galil & El-Yaniv (2024).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import HierarchicalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = {"small": [0], "large": [1, 2]}
    >>> model = HierarchicalClassifier(GaussianNB(), tree, threshold=0.9).fit(X, y)
    >>> model.predict_nodes(X[[0, 60, 83]])
    [0, 1, 'large']
    """

    tree: TreeLike = None
    _: KW_ONLY
    utility: UtilityLike | None = None
    costs: Any = None
    threshold: float | None = parameter(None, PROBABILITY)
    max_error: float | None = parameter(None, SHARE)
    n_nodes: int = parameter(1, COUNT)
    confidence_level: float = parameter(0.95, SHARE)
    calibration_size: float = parameter(0.5, SHARE)
    random_state: Any = None

    @property
    def _calibrates(self) -> bool:  # type: ignore[override]
        return self.max_error is not None

    @property
    def _no_weights(self) -> str | None:  # type: ignore[override]
        return "an exact promise counts" if self._calibrates else None

    def _check_parameters(self) -> None:
        decision = one_given(self, ("utility", "costs", "threshold", "max_error"))
        if self.utility is not None:
            as_utility(self.utility)
        if self.n_nodes > 1 and decision not in (None, "utility"):
            raise ValueError(
                f"n_nodes is {self.n_nodes}, but {decision} decides; unions of nodes need a "
                "utility."
            )

    def _check_decision(self, classes: Labels) -> None:
        tree = as_tree(self.tree, classes)
        if self.costs is not None:
            none = np.empty((0, len(classes)))
            optimal_sets(none, as_costs(self.costs, classes), tree=tree)

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        self.tree_ = as_tree(self.tree, self.classes_)
        if self.threshold is not None:
            self.threshold_ = float(self.threshold)
        elif self._calibrates and len(self.classes_) < 2:  # leaves nothing to decide
            self.threshold_ = 0.0
        elif self._calibrates:
            held = examples.take(evidence[1])
            self._certify(self.predict_proba(held.X), held.labels)

    def _certify(self, p: Floats, labels: Labels) -> None:
        """Find the loosest threshold whose sets provably hold the truth often enough."""
        truth = as_codes(labels, self.classes_, name="y")
        doubtful = np.flatnonzero(likeliest(p)[0] != truth)  # elsewhere no node misses the truth
        nodes, reached = self.tree_.path_probabilities(p[doubtful])
        missed = ~self.tree_.masks[nodes, truth[doubtful, None]]
        # A set misses the truth up to the probability of the last node on the way that does.
        until = np.sort(np.where(missed, reached, -np.inf).max(axis=1, initial=-np.inf))
        wrong = len(until) - np.searchsorted(until, least_probability(_CANDIDATES), side="left")
        at, self.certificate_ = Certificate.of_sequence(
            wrong,
            np.full(len(_CANDIDATES), len(truth)),
            float(self.max_error),  # type: ignore[arg-type]
            confidence_level=self.confidence_level,
            limit="set_error",
        )
        self.threshold_ = np.inf if at is None else float(_CANDIDATES[at])
        if at is None:
            warnings.warn(f"{self.certificate_} The model abstains always.", stacklevel=5)

    def predict_nodes(self, X: Any) -> list[Any]:
        """Name the node of the tree that each row is answered with.

        Returns
        -------
        list
            Class labels and names of inner nodes; of a union, the smallest node above it.
        """
        return self.tree_.names(self.predict_set(X))

    def _decide(self, X: Any, p: Floats) -> Mask:
        if hasattr(self, "threshold_"):
            return threshold_rule(p, self.threshold_, tree=self.tree_)
        if self.costs is not None:
            return optimal_sets(p, as_costs(self.costs, self.classes_), tree=self.tree_)
        utility = "u65" if self.utility is None else self.utility
        return optimal_sets(p, utility, tree=self.tree_, n_nodes=self.n_nodes)


@dataclass(eq=False, repr=False)
class OrdinalClassifier(ProbabilisticWrapper):
    r"""Classifier of ordered classes that answers with neighbouring ones.

    "Between 3 and 4" is an answer that people understand; "2 or 4" is not. Any classifier will do.
    Where it bounds its probabilities, as credal classifiers do, the bounds decide.

    Parameters
    ----------
    estimator : classifier
        Anything with ``predict_proba``; with ``predict_proba_bounds`` these are used. One that is
        already fitted is kept as it is inside scikit-learn's ``FrozenEstimator``.
    order : sequence, optional
        The classes from the lowest to the highest, all that occur; by default sorted.
    width : float, default=0.1
        Without `costs`: what a step of width costs, where a step between the set and the truth
        costs 1. Of precise probabilities the answer then runs from the quantile `width` to the
        quantile 1 − `width`.
    costs : array-like of shape (K, K) or SetCosts, optional
        In place of `width`: costs of single classes or of sets, as
        :func:`cautious.decision.ordinal_sets` takes them, in the given order or labelled.
    criterion : str, optional
        How to decide with bounds of probabilities; see :func:`cautious.decision.ordinal_sets`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted; columns of sets and probabilities are in this order.
    estimator_ : classifier
        The fitted estimator.
    ranks_ : ndarray of shape (K,)
        For each rank, from the lowest on, the position of its class in ``classes_``.

    See Also
    --------
    cautious.decision.ordinal_sets : The decision.
    cautious.costs.SetCosts.from_positions : The costs behind `width`.

    References
    ----------
    Destercke & Yang (2014), *Cautious ordinal classification by binary decomposition*.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from cautious.models import OrdinalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OrdinalClassifier(GaussianNB()).fit(X, y)
    >>> model.predict_set(X[[0, 83]])
    array([[ True, False, False],
           [False,  True,  True]])
    """

    order: Sequence[Any] | None = None
    _: KW_ONLY
    width: float = parameter(0.1, NOT_NEGATIVE)
    costs: Any = None
    criterion: OrdinalCriterion | None = None

    def _check_decision(self, classes: Labels) -> None:
        none, costs = np.empty((0, len(classes))), self._costs(classes[self._ranks(classes)])
        ordinal_sets(none, costs, criterion=self.criterion)

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        self.ranks_ = self._ranks(self.classes_)

    def _decide(self, X: Any, p: Floats) -> Mask:
        if hasattr(self.estimator_, "predict_proba_bounds"):
            lower, upper = self.estimator_.predict_proba_bounds(X)
            found: Any = (lower[:, self.ranks_], upper[:, self.ranks_])
        else:
            found = p[:, self.ranks_]
        sets, costs = np.empty(p.shape, dtype=np.bool_), self._costs(self.classes_[self.ranks_])
        sets[:, self.ranks_] = ordinal_sets(found, costs, criterion=self.criterion)
        return sets

    def _costs(self, labels: Labels) -> Any:
        """Costs of the classes in their order."""
        if self.costs is None:
            return SetCosts.from_positions(len(labels), self.width)
        if isinstance(self.costs, SetCosts):
            return self.costs if self.costs.classes is None else self.costs.in_order(labels)
        return as_cost_matrix(self.costs, labels, right_is_least=False)

    def _ranks(self, classes: Labels) -> Ints:
        """Find, for each rank, the position of its class."""
        if self.order is None:
            return np.arange(len(classes))
        order = check_classes(self.order, name="order")
        missing = [name for name in classes.tolist() if name not in order.tolist()]
        if missing:
            raise ValueError(
                f"order does not hold the class {shown(missing[0])}; name all classes, from the "
                "lowest to the highest."
            )
        return as_codes(order[np.isin(order, classes)], classes, name="order")
