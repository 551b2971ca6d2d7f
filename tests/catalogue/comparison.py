"""Laws of comparison: tests between classifiers over data sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import assume
from hypothesis import strategies as st
from tests.catalogue.agreement import at_most, same
from tests.catalogue.law import law
from tests.catalogue.strategies import generator, seeds

from cautious.comparison import (
    compare_results,
    friedman_nemenyi,
    objective_winner,
    wilcoxon,
)
from cautious.comparison._significance import critical_difference, holm, paired_t, similar_groups


@st.composite
def results(draw: st.DrawFn) -> pd.DataFrame:
    """Results of three or four classifiers on several data sets, with ties."""
    n, k = draw(st.integers(5, 7)), draw(st.integers(3, 4))
    table = generator(draw).integers(0, 12, size=(n, k)) / 16  # sixteenths: sums are exact
    table[0] = np.arange(k) / 16
    return pd.DataFrame(table, columns=list("abcd"[:k]))


Numbers = Callable[[pd.DataFrame, bool], dict[str, Any]]


def by_compare(test: str) -> Numbers:
    def numbers(frame: pd.DataFrame, up: bool) -> dict[str, Any]:
        table = compare_results(frame, test=test, greater_is_better=up, alpha=0.99)
        return {
            f"{name} {'-'.join(sorted(pair))}": value
            for name in ("p_value", "p_adjusted")
            for pair, value in table[name].items()
        }

    return numbers


SUBJECTS: dict[str, Numbers] = {
    "compare_results(test='nemenyi')": by_compare("nemenyi"),
    "compare_results(test='t')": by_compare("t"),
    "compare_results(test='wilcoxon')": by_compare("wilcoxon"),
    "friedman_nemenyi": lambda frame, up: (
        lambda test: {
            "statistic": test.statistic,
            "p": test.p_value,
            **test.mean_ranks.sort_index().to_dict(),
        }
    )(friedman_nemenyi(frame, greater_is_better=up)),
}


@law("Invariance", "comparison", SUBJECTS, frame=results(), n_examples=3, seed=seeds)
def order_of_datasets_and_classifiers(numbers: Numbers, frame: pd.DataFrame, seed: int) -> None:
    """The order of data sets and of classifiers does not matter."""
    rng = np.random.default_rng(seed)
    turned = frame.iloc[rng.permutation(len(frame)), rng.permutation(frame.shape[1])]
    theirs = numbers(turned, True)
    same(numbers(frame, True), {name: theirs[name] for name in numbers(frame, True)})


@law("Duality", "comparison", SUBJECTS, frame=results(), n_examples=3)
def which_way_is_up(numbers: Numbers, frame: pd.DataFrame) -> None:
    """Losses compared with low as good are gains compared with high as good."""
    same(numbers(frame, True), numbers(-frame, False))


@law("Invariance", "comparison", SUBJECTS, frame=results(), n_examples=3, seed=seeds)
def level_of_a_dataset(numbers: Numbers, frame: pd.DataFrame, seed: int) -> None:
    """Adding a number to all results on a data set changes no comparison."""
    level = np.random.default_rng(seed).integers(0, 8, size=len(frame)) / 4
    same(numbers(frame, True), numbers(frame.add(level, axis=0), True))


PAIRED = {"paired_t": paired_t, "wilcoxon": wilcoxon}


@law("Duality", "comparison", PAIRED, frame=results(), n_examples=3)
def sides_of_a_pair(test: Callable[..., Any], frame: pd.DataFrame) -> None:
    """Swapping the two classifiers leaves the p-value."""
    same(test(frame["a"], frame["b"]).p_value, test(frame["b"], frame["a"]).p_value)


@law("Duality", "comparison", {"compare_results": None}, frame=results())
def wins_are_losses(_: None, frame: pd.DataFrame) -> None:
    """The wins of one are the losses of the other."""
    counts = ["wins", "ties", "losses"]
    ours = compare_results(frame, alpha=0.99)[counts]
    theirs = compare_results(frame, alpha=0.99, greater_is_better=False)[counts]
    same(ours["wins"].to_numpy(), theirs["losses"].to_numpy())
    same(ours.sum(axis=1).to_numpy(), np.full(len(ours), len(frame)))


@law(
    "Monotonicity",
    "comparison",
    {"holm": None},
    p=st.lists(st.floats(0, 1), min_size=1, max_size=9),
)
def holms_correction(_: None, p: list[float]) -> None:
    """Adjusted p-values keep their order, lie between the plain ones and Bonferroni's."""
    adjusted = holm(p)
    at_most(p, adjusted)
    at_most(adjusted, np.minimum(1, len(p) * np.array(p)))
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@law("Monotonicity", "comparison", {"critical_difference": None}, n_examples=3, k=st.integers(2, 9),
     n=st.integers(2, 50))  # fmt: skip
def more_datasets_less_difference(_: None, k: int, n: int) -> None:
    """More data sets tell smaller differences; more classifiers or stricter levels, larger ones."""
    at_most(critical_difference(k, n + 1, 0.05), critical_difference(k, n, 0.05))
    at_most(critical_difference(k, n, 0.05), critical_difference(k + 1, n, 0.05))
    at_most(critical_difference(k, n, 0.1), critical_difference(k, n, 0.05))


@law("Reduction", "comparison", {"similar_groups": None}, frame=results(), wide=st.floats(0, 4))
def groups_are_what_does_not_differ(_: None, frame: pd.DataFrame, wide: float) -> None:
    """Two classifiers share a group exactly if their mean ranks differ by no more than allowed."""
    ranks = friedman_nemenyi(frame).mean_ranks
    groups = similar_groups(ranks, wide)
    for a in ranks.index:
        for b in ranks.index:
            if a != b and abs(abs(ranks[a] - ranks[b]) - wide) > 1e-9:
                together = any(a in group and b in group for group in groups)
                assert together == (abs(ranks[a] - ranks[b]) < wide)


@law("Monotonicity", "comparison", {"objective_winner": None}, mean=st.floats(0, 1),
     spread=st.lists(st.floats(0, 0.25), min_size=2, max_size=2))  # fmt: skip
def the_steadier_wins(_: None, mean: float, spread: list[float]) -> None:
    """Of two equal means the one of smaller variance wins, if they differ beyond rounding."""
    assume(abs(spread[0] - spread[1]) > 1e-9)
    won = objective_winner(dict.fromkeys("ab", mean), dict(zip("ab", spread, strict=True))).winner
    assert won == "ab"[int(np.argmin(spread))]
