"""Cost tables: what is written comes back, and what is not one is refused by name."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from tests.fuzz.fuzz_commands import run
from tests.fuzz.fuzz_damage import COSTS, PREDICTIONS, any_file, damaged
from tests.fuzz.fuzz_effort import attempt, effort, fuzz

from cautious.costs import SetCosts, as_costs, p_discounted, zero_one
from cautious.costs._forms import as_cost_matrix
from cautious.costs._set_costs import all_sets
from cautious.curves import AbstentionCostSurface

# Names that a table might take for something else.
ODD = st.sampled_from(
    ["a", "b", "a, b", "b, a", "a,b", "{a}", "{a, b}", "a|b", "⊥", "⊥′", "abstain", "?", "", " a"]
)
NAME = ODD | st.text(max_size=6) | st.integers(-3, 3) | st.booleans() | st.floats(0, 2)


@effort(80, 6000)
def test_any_bytes_are_a_cost_matrix_or_refused(examples, tmp_path):
    path = tmp_path / "costs.csv"

    def law(content):
        path.write_bytes(content)
        matrix, refusal = attempt(lambda: as_cost_matrix(path))
        assert path.read_bytes() == content
        if refusal is not None:
            assert "costs" in refusal or "classes" in refusal
            return
        assert matrix.shape[0] == matrix.shape[1] >= 2
        assert np.isfinite(matrix).all()

    texts = st.sampled_from(sorted(COSTS.values()))
    text = texts.flatmap(lambda table: damaged(table.encode()).map(_as_utf8))
    fuzz(law, examples, content=text | any_file(COSTS))


def _as_utf8(content):
    """Any bytes as text that can be read, so that more than the encoding is refused."""
    return content.decode("latin-1").encode()


@effort(25, 1500)
def test_commands_that_read_costs(examples, tmp_path):
    (tmp_path / "scores.csv").write_text(PREDICTIONS["scores"])

    def law(content, command):
        (tmp_path / "costs.csv").write_bytes(content)
        run(tmp_path, *command)

    fuzz(
        law,
        examples,
        content=any_file(COSTS),
        command=st.sampled_from(
            [
                ("audit", "costs.csv"),
                ("audit", "costs.csv", "--json"),
                ("audit", "costs.csv", "--extension", "cautious"),
                ("tune", "scores.csv", "--costs", "costs.csv"),
            ]
        ),
    )


@effort(60, 5000)
def test_a_table_of_sets_comes_back_or_is_ambiguous(examples):
    """Whatever the classes are called, no set is taken for another."""

    def law(classes):
        matrix = zero_one(len(classes)) * np.arange(1, len(classes) + 1)
        costs = p_discounted(matrix, 0.5, classes=classes)
        again, refusal = attempt(lambda: SetCosts.from_table(costs.table()))
        if refusal is not None:
            words = ("two ways", "twice", "is an empty set", "which is no class")
            words += ("label is missing", "a quotation ends")
            assert any(word in refusal for word in words)
            assert _names_are_odd(classes), refusal
            return
        assert again.classes == costs.classes
        np.testing.assert_array_equal(again.mask, all_sets(len(classes)))
        np.testing.assert_array_equal(again.costs, costs.of(all_sets(len(classes))))

    fuzz(law, examples, classes=st.lists(NAME, min_size=2, max_size=3, unique_by=repr).map(_valid))


def _valid(classes):
    """Labels that are different to pandas as well."""
    assume(len(pd.Index(classes, dtype=object).unique()) == len(classes))
    assume(len(set(classes)) == len(classes))
    return classes


def _names_are_odd(classes):
    texts = [str(label).strip() for label in classes]
    plain = all(text and not set(text) & set(",{}[]()|'\"") for text in texts)
    return not (plain and len(set(texts)) == len(texts))


@pytest.mark.parametrize(
    ("classes", "row", "members"),
    [
        (["x, y", "z"], "{x, y}", [1, 0]),
        (["x, y", "z"], '{"x, y", z}', [1, 1]),
        (["x, y", "z"], "x, y", [1, 0]),
        (["x, y", "y", "w"], "y|x, y", [1, 1, 0]),
        (["a|b", "c"], "{a|b, c}", [1, 1]),
    ],
)
def test_commas_in_the_names_of_classes(classes, row, members):
    frame = pd.DataFrame([np.arange(len(classes))], index=[row], columns=classes)
    assert SetCosts.from_table(frame).mask.astype(int).tolist() == [members]


@pytest.mark.parametrize("classes", [["⊥", "a"], ["a", "⊥"], ["⊥", "⊥′"], ["abstain", "⊥"]])
def test_a_class_may_be_called_like_abstaining(classes, tmp_path):
    table = pd.DataFrame([[0, 100], [20, 0], [2, 3]], [*classes, "quiet"], classes)
    form = as_costs(table).normal_form()
    frame = form.table()
    assert frame.index.is_unique
    assert frame.index[2] not in classes
    again = as_costs(frame).normal_form()
    assert (again.mu, again.nu_negative, again.nu_positive) == (0.2, 0.02, 0.03)
    assert (again.negative, again.positive) == (form.negative, form.positive)
    (tmp_path / "costs.csv").write_text(table.to_csv())
    scores = f"y_true,score\n{classes[0]},0.1\n{classes[1]},0.9\n{classes[0]},0.4\n"
    (tmp_path / "scores.csv").write_text(scores)
    options = ("--costs", "costs.csv", "--positive", classes[1])
    result = run(tmp_path, "tune", "scores.csv", *options, "--json")
    assert result.exit_code == 0, result.stderr
    surface = AbstentionCostSurface.from_predictions(
        [classes[0], classes[1], classes[0]], [0.1, 0.9, 0.4], pos_label=classes[1]
    )
    assert f'"cost": {surface.for_costs(form.table()).cost}' in result.stdout
