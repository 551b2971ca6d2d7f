"""Scores that are normal within each class, and cross-fitting of arrays."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from cautious._cases import cases_of_proba, cases_of_scores
from cautious.tuning._cross_fitting import CrossFit, cross_fit
from cautious.tuning._goal import Goal
from cautious.tuning._search import search_cases

POSITIVES = 0.35
COSTS = (
    {"false_negative": 20.0, "false_positive": 4.0, "abstain": 1.0},
    {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0},
)


def draw(rng, n, distance):
    """Draw classes and scores whose means lie so far apart."""
    y = (rng.random(n) < POSITIVES).astype(int)
    return y, rng.normal(size=n) + distance * y


def search_of(y_true, goal, *, y_proba=None, pos_label=None, groups=None, **about):
    """Get ready to search scores or probabilities."""
    if y_proba is None:
        cases = cases_of_scores(y_true, pos_label=pos_label, **about)
    else:
        cases = cases_of_proba(y_true, y_proba, **about)
    return search_cases(replace(cases, groups=groups), goal, pos_label=pos_label)


def cross_fit_of(y_true, *, n_repeats=None, random_state=0, folds=None, **given):
    """Cross-fit arrays; what is given is a goal, or what ``search_of`` takes."""
    names = [each.name for each in fields(Goal) if each.name in given]
    goal = Goal(**{name: given.pop(name) for name in names})
    search = search_of(y_true, goal, **given)
    if folds is None:
        return cross_fit(search, n_repeats=n_repeats, random_state=random_state)
    held_out = np.array([search.held_out(fold) for fold in folds])
    return CrossFit(search, None, folds, search.answer, held_out, search.losses)


def cross_fitted(y_true, confidence_level=0.95, **given):
    """What the rule that is found in arrays is expected to do on new cases."""
    return cross_fit_of(y_true, **given).expected(confidence_level)
