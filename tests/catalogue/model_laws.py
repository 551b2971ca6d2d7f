"""Laws of models: every estimator of ``cautious.models`` keeps them."""

from __future__ import annotations

import inspect
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.catalogue.agreement import at_most, same, within
from tests.catalogue.law import law
from tests.catalogue.models import (
    CAUTIOUS,
    COSTED,
    COUNTING,
    CREDAL,
    DISCRETE,
    PUBLIC,
    SUBJECTS,
    WEIGHTED,
    Model,
    answers,
)
from tests.catalogue.strategies import N_VALUES, Examples, examples, renamings, seeds

from cautious.models import NaiveCredalClassifier

HELD_OUT = "examples are held out one by one, by position"
FOLDED = "the examples are cut into folds by position"
SPLIT = "features that split equally well are taken by position"
DRAWN = "decompositions are drawn by the position of classes"
FEW = {"n_examples": 4}


@law(
    "Invariance",
    "models",
    SUBJECTS,
    exempt={
        "CautiousSearchCV": FOLDED,
        "CertifiedAbstainingClassifier": HELD_OUT,
        "ConformalClassifier": HELD_OUT,
        "NoveltyRefusingClassifier": HELD_OUT,
        "TunedAbstainingClassifierCV": FOLDED,
    },
    case=examples(),
    seed=seeds,
    **FEW,
)
def order_of_examples(model: Model, case: Examples, seed: int) -> None:
    """The order of the training examples does not matter."""
    order = np.random.default_rng(seed).permutation(len(case.y))
    same(model.answers(case), model.answers(case.chosen(order)))


@law(
    "Invariance",
    "models",
    WEIGHTED,
    exempt={
        "ConformalClassifier": HELD_OUT,
        "NoveltyRefusingClassifier": HELD_OUT,
        "TunedAbstainingClassifierCV": FOLDED,
    },
    case=examples(),
    **FEW,
)
def weight_is_repetition(model: Model, case: Examples) -> None:
    """A weight counts the repetitions of an example."""
    often = np.repeat(np.arange(len(case.y)), case.weight.astype(int))
    same(model.answers(case, case.weight), model.answers(case.chosen(often)))


@law("Invariance", "models", WEIGHTED, case=examples(), **FEW)
def uniform_weights(model: Model, case: Examples) -> None:
    """Weights of one are no weights."""
    same(model.answers(case), model.answers(case, np.ones(len(case.y))))


@law("Invariance", "models", WEIGHTED, case=examples(min_rows=18), seed=seeds, **FEW)
def weight_zero_is_absence(model: Model, case: Examples, seed: int) -> None:
    """An example of weight zero might as well not be there."""
    kept = np.random.default_rng(seed).random(len(case.y)) < 0.8
    kept[:12] = True
    same(model.answers(case.chosen(kept)), model.answers(case, kept.astype(float)))


@law("Invariance", "models", SUBJECTS, case=examples(), names=renamings(fractions=False), **FEW)
def names_of_classes(model: Model, case: Examples, names: Any) -> None:
    """Names of the classes that keep their order change nothing: text, numbers, booleans."""
    labels = np.array(sorted(names(case.n_classes).tolist()))
    renamed = model.fitted(case._replace(y=labels[case.y]))
    assert renamed.classes_.tolist() == labels.tolist()
    same(model.answers(case), answers(renamed, case.rows))
    assert set(renamed.predict(case.rows).tolist()) <= set(labels.tolist())


@law(
    "Invariance",
    "models",
    SUBJECTS,
    exempt={
        "NestedDichotomyClassifier": DRAWN,
        "NestedDichotomyForestClassifier": DRAWN,
        "TunedAbstainingClassifierCV": "of windows that do as well it takes the most positive one",
    },
    case=examples(),
    **FEW,
)
def order_of_classes(model: Model, case: Examples) -> None:
    """Naming the classes in the opposite order turns the columns round, ties aside."""
    said = model.answers(case)
    turned = model.answers(case._replace(y=case.n_classes - 1 - case.y))
    clear = _without_ties(said["proba"])
    for name, array in turned.items():
        same(said[name][clear], array[clear, ::-1])


def _without_ties(p: np.ndarray) -> np.ndarray:
    """Rows in which one class is the most probable: ties go to the first, or to rounding."""
    ranked = np.sort(p, axis=1)
    return ranked[:, -1] - ranked[:, -2] > 1e-9


@law(
    "Invariance",
    "models",
    SUBJECTS,
    exempt={
        "CautiousForestClassifier": SPLIT,
        "CredalTreeClassifier": "features that gain the same are split on in their order",
    },
    case=examples(),
    **FEW,
)
def order_of_features(model: Model, case: Examples) -> None:
    """The order of features does not matter, ties aside; what only rounding parts is made equal."""
    said = model.answers(case)
    turned = model.answers(case._replace(X=case.X[:, ::-1], rows=case.rows[:, ::-1]))
    clear = _without_ties(said["proba"])
    for name, array in turned.items():
        same(said[name][clear], array[clear])


@law("Invariance", "models", DISCRETE, case=examples(), seed=seeds, **FEW)
def names_of_values(model: Model, case: Examples, seed: int) -> None:
    """What the values of a discrete feature are called does not matter."""
    names = np.random.default_rng(seed).permutation(["much", "some", "none"]).astype(object)
    assert len(names) == N_VALUES
    renamed = case._replace(X=names[case.X.astype(int)], rows=names[case.rows.astype(int)])
    same(model.answers(case), model.answers(renamed))


@law(
    "Invariance",
    "models",
    COUNTING,
    case=examples(),
    seed=seeds,
    **FEW,
)
def split_and_merge(model: Model, case: Examples, seed: int) -> None:
    """A model that learns by counting learns the same from parts, one by one or merged."""
    part = np.random.default_rng(seed).integers(2, size=len(case.y))
    part[:2] = [0, 1]
    parts = [case.chosen(part == i) for i in range(2)]
    bit_by_bit = model.make()
    for piece in parts:
        bit_by_bit.partial_fit(piece.X, piece.y, classes=np.unique(case.y))
    merged = model.fitted(parts[0]).merge(model.fitted(parts[1]))
    for learned in (bit_by_bit, merged):
        same(model.answers(case), answers(learned, case.rows))


def costs_for(model: Model, k: int, seed: int) -> np.ndarray:
    """A random table of costs, with a row for abstaining where the model asks for one."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(1, 9, size=(k, k)) * (1.0 - np.eye(k))
    if model in (SUBJECTS["HierarchicalClassifier"], SUBJECTS["TunedAbstainingClassifierCV"]):
        return np.vstack([costs, rng.integers(1, 4, size=k)])
    return costs


@law("Invariance", "models", COSTED, case=examples(), seed=seeds, **FEW)
def scale_of_costs(model: Model, case: Examples, seed: int) -> None:
    """Multiplying all costs by a positive number changes no answer."""
    costs = costs_for(model, case.n_classes, seed)
    for by in (0.25, 1000.0):
        same(
            model.answers(case, costs=costs)["sets"], model.answers(case, costs=by * costs)["sets"]
        )


@law(
    "Invariance",
    "models",
    COSTED,
    exempt={
        "NestedDichotomyClassifier": "its tree is chosen by p-discounted costs, which are no means"
    },
    case=examples(),
    seed=seeds,
    **FEW,
)
def constants_per_truth(model: Model, case: Examples, seed: int) -> None:
    """Adding a number to all costs under one truth changes no answer."""
    costs = costs_for(model, case.n_classes, seed)
    more = costs + np.random.default_rng(seed).integers(0, 5, size=costs.shape[1])
    same(model.answers(case, costs=costs)["sets"], model.answers(case, costs=more)["sets"])


@law(
    "Monotonicity",
    "models",
    CAUTIOUS,
    exempt={
        "CredalTreeClassifier": "a larger s also stops the tree earlier, at larger leaves",
        "DelegatingClassifier": "a case handed on meets another model, which may be sure",
        "LazyNaiveCredalClassifier": "doubt enlarges the neighbourhood, which may end it",
        "NestedDichotomyClassifier": "with other sets another tree may be the best",
        "TunedAbstainingClassifierCV": "windows of larger budgets need not hold each other",
    },
    case=examples(),
    n_examples=6,
)
def more_caution(model: Model, case: Examples) -> None:
    """More of the parameter that stands for caution gives larger sets and wider bounds."""
    assert model.caution is not None
    name, levels = model.caution
    said = [model.answers(case, **{name: level}) for level in levels]
    for bold, careful in pairwise(said):
        within(bold["sets"], careful["sets"])
        if "lower" in bold:
            at_most(careful["lower"], bold["lower"])
            at_most(bold["upper"], careful["upper"])


@law("Duality", "models", CREDAL, case=examples(), **FEW)
def lower_and_upper(model: Model, case: Examples) -> None:
    """Bounds hold the probabilities; of two classes, each lower one is 1 less the other's upper."""
    said = model.answers(case)
    at_most(said["lower"], said["proba"])
    at_most(said["proba"], said["upper"])
    if case.n_classes == 2:
        same(said["lower"], 1 - said["upper"][:, ::-1])


@law("Monotonicity", "models", CREDAL, case=examples(), n_examples=6)
def bounds_that_part_classes(model: Model, case: Examples) -> None:
    """A class whose upper probability is below another's lower one is left out."""
    said = model.answers(case)
    beaten = (said["lower"].max(axis=1, keepdims=True) > said["upper"] + 1e-9) & said["sets"]
    assert not beaten.any()


@law("Reduction", "models", CREDAL, case=examples(classes=(2, 2)), n_examples=6)
def two_classes_are_decided_by_the_bounds(model: Model, case: Examples) -> None:
    """With two classes a class is left out exactly if its upper probability is below one half."""
    said = model.answers(case)
    clear = np.abs(said["upper"] - 0.5) > 1e-6  # ties aside
    same(said["sets"][clear], said["upper"][clear] > 0.5)


PRECISE = {
    f"NaiveCredalClassifier(idm={idm!r}, {how})": (idm, params)
    for idm in ("global", "local")
    for how, params in {"s → 0": {"s": 1e-9}, "epsilon=1": {"epsilon": 1.0}}.items()
}


@law("Reduction", "models", PRECISE, case=examples(min_rows=30), n_examples=6)
def no_prior_is_naive_bayes(model: tuple[str, dict[str, Any]], case: Examples) -> None:
    """Without imprecision the naive credal classifier answers as naive Bayes."""
    idm, params = model
    # A copy of each value with each class leaves no zero counts, for which ignorance never ends.
    k, m = case.n_classes, case.X.shape[1]
    grid = np.repeat(np.arange(N_VALUES), k)
    X = np.vstack([case.X, np.tile(grid[:, None], (1, m))])
    y = np.append(case.y, np.tile(np.arange(k), N_VALUES))
    model = NaiveCredalClassifier(idm=idm, **params).fit(X, y)
    p = model.predict_proba(case.rows)
    ranked = np.sort(p, axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 1e-6
    sets = model.predict_set(case.rows)
    same(sets[clear], np.eye(k, dtype=bool)[p.argmax(axis=1)][clear])
    lower, upper = model.predict_proba_bounds(case.rows)
    same(lower, upper, tolerance=1e-6)


def parameters() -> dict[str, tuple[type, str, bool]]:
    """Parameters that are numbers or one of a few words, found by their annotations."""
    found = {}
    for name, kind in PUBLIC.items():
        for parameter in inspect.signature(kind).parameters.values():
            told = str(parameter.annotation)
            number = bool(re.search(r"\b(float|int)\b", told)) and parameter.name != "n_jobs"
            if number or told.startswith("Literal"):
                found[f"{name}.{parameter.name}"] = (SUBJECTS[name], parameter.name, "None" in told)
    return found


NONSENSE = ["text", "0.5", "", {"a": 1}, object(), [[1.0, "b"]], np.nan, -3.5, None, lambda x: x]


@law("Manners", "parameters", parameters(), nonsense=st.sampled_from(NONSENSE), seed=seeds)
def refuses_nonsense(subject: tuple[Any, str, bool], nonsense: Any, seed: int) -> None:
    """Text or worse where a number or one of a few words is due is refused by the name of it."""
    model, name, may_be_none = subject
    if nonsense is None and may_be_none:
        return
    rng = np.random.default_rng(seed)
    y = np.arange(12) % 2
    X = rng.integers(N_VALUES, size=(12, 2)).astype(float)
    estimator = model.make()
    if "max_abstention" in estimator.get_params() and name == "max_error":  # one goal at a time
        estimator.set_params(max_abstention=None)
    with pytest.raises((ValueError, TypeError)) as refusal:
        estimator.set_params(**{name: nonsense}).fit(X, y)
    assert re.search(rf"\b{name}\b", str(refusal.value)), str(refusal.value)
