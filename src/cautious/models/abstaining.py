"""Wrappers that decide by a rule on what another classifier says: its probabilities or its sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._checks import as_codes, check_mask, few_labels
from cautious._typing import Floats, Labels, Mask
from cautious.costs import as_costs
from cautious.decision import (
    Rule,
    bias_window_rule,
    chow_rule,
    class_threshold_rule,
    gamma_maximin,
    optimal_sets,
    ratio_rule,
    threshold_rule,
)
from cautious.errors import shown
from cautious.models.base import OneOf, parameter
from cautious.models.wrapper import ProbabilisticWrapper
from cautious.utility._forms import UtilityLike, as_utility


def _reject(p: Floats, t: float) -> Mask:
    return threshold_rule(p, t)


_RULES: dict[str, Callable[..., Mask]] = {
    "threshold": threshold_rule,
    "class_threshold": class_threshold_rule,
    "ratio": ratio_rule,
    "bias_window": bias_window_rule,
    "chow": chow_rule,
    "reject": _reject,
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
        # A rule knows best which parameters it takes; a function of the user's is not asked.
        doubtful = np.full((1, len(classes)), 1 / len(classes))
        if isinstance(self.rule, Rule):
            self.rule.predict_set(doubtful, classes=classes.tolist())
        elif isinstance(self.rule, str):
            _RULES[self.rule](doubtful, **self._params_of_rule(classes))

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
