"""Every property against its definition, the paper's verdicts, and what the audit says of them."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    audit,
    class_selective,
    discounted,
    f_beta_costs,
    ordinal,
    owa,
    p_discounted,
    utility_costs,
    zero_one,
)
from cautious.costs._audit import DESIRABILITY, Audit, _uses
from cautious.costs._extensions import SizeCosts
from cautious.costs._set_costs import all_sets

TABLE_I = discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], classes=["h", "b", "n"]).frame()


def u65(x):
    return -0.6 * x**2 + 1.6 * x


def met(audited):
    frame = audited.frame() if isinstance(audited, Audit) else audited
    assert frame.index.tolist() == list(range(1, 11))
    assert frame["verdict"].isin(["holds", "fails"]).all()
    return set(frame.index[frame["verdict"] == "holds"])


def with_pair(h, b, n):
    """Table II with the costs of {h, b} filled in, as in Examples 5 and 6."""
    return SetCosts.from_table(
        pd.concat([TABLE_I, pd.DataFrame([[h, b, n]], ["{h, b}"], ["h", "b", "n"])])
    )


def two_classes(h, n):
    rows = {"{h}": [0, 2], "{n}": [4, 0], "{h, n}": [h, n]}
    return SetCosts.from_table(pd.DataFrame.from_dict(rows, orient="index", columns=["h", "n"]))


DISCOUNTED = discounted(TABLE_I)
ALL = set(range(1, 11))


@pytest.mark.parametrize(
    ("costs", "properties"),
    [
        # Section V-a: "absolutely all our proposed properties (apart from Property 9 ...)".
        pytest.param(utility_costs(3, u65), ALL - {9}, id="utility-discounted accuracy"),
        pytest.param(f_beta_costs(5, 1), ALL - {9}, id="F1, a utility too"),
        # Section V-b: 2, 3, 4, 5, 6 and 8, not 10; missing the truth costs more than the mean,
        # so not 7, and right sets cost the same whatever the truth, so not 9.
        pytest.param(class_selective([1, 2, 4], 0.3), {1, 2, 3, 4, 5, 6, 8}, id="Ha"),
        # Section V-c: 4, 5, 6, 8 and 10 for sure.
        pytest.param(abellan_masegosa(ordinal(8)), ALL - {7, 9}, id="Abellan-Masegosa"),
        pytest.param(abellan_masegosa(ordinal(3)), ALL - {3, 7, 9}, id="... without 3"),
        pytest.param(
            abellan_masegosa(zero_one(2)), ALL - {1, 2, 3, 9}, id="... without 1, 2 and 3"
        ),
        # Section IV-A, Proposition 1: discounted costs never make a set possible.
        pytest.param(discounted(TABLE_I), {4, 5, 6, 7, 9, 10}, id="discounted"),
        # Section VI: 2, 3, 4, 5, 9, 10 and one of 6 and 7.
        pytest.param(p_discounted(TABLE_I, 0.5), ALL - {6, 8}, id="cautiousness seeking"),
        pytest.param(p_discounted(TABLE_I, 0.5, "averse"), ALL - {7, 8}, id="mistake averse"),
        pytest.param(p_discounted(ordinal(5), 0.9), ALL - {6, 8}, id="seeking, ordinal"),
        pytest.param(p_discounted(ordinal(5), 0.1, "averse"), ALL - {7, 8}, id="averse, ordinal"),
        # The rival extension of Ma and Denoeux is cautiousness seeking in these words.
        pytest.param(owa(TABLE_I, 0.8), ALL - {6, 8}, id="OWA"),
        # Example 7: "satisfies properties 2, 3 and 8", "follows properties 2, 3 and 9".
        pytest.param(two_classes(0.5, 0.5), ALL - {9}, id="Table VI"),
        pytest.param(two_classes(0.25, 0.75), ALL - {8}, id="Table VII"),
        # Example 5: the first costs forbid {h, b}, the second allow it.
        pytest.param(with_pair(1, 1, 2), {4, 5, 6, 7, 8, 10}, id="Example 5, dear"),
        pytest.param(with_pair(0.25, 0.25, 2), ALL - {9}, id="Example 5, cheap"),
        # Example 6: "all previous properties as well as Property 6".
        pytest.param(with_pair(0.25, 0.25, 3), {1, 2, 3, 4, 5, 6, 8}, id="Example 6"),
    ],
)
def test_what_the_paper_says_of_each_proposal(costs, properties):
    assert met(audit(costs)) == properties


def test_ha_s_condition_does_not_ensure_properties_2_and_3():
    """Section V-b says delta < eta / 2 does; for three classes it takes delta < eta / 3."""
    assert {2, 3} <= met(audit(class_selective([1, 1, 1], 0.33)))
    frame = audit(class_selective([1, 1, 1], 0.4)).frame()
    assert not {2, 3} & met(frame)
    assert frame.loc[2, "witness_set"] == frame.loc[3, "witness_set"] == "{0, 1, 2}"
    assert frame.loc[3, "detail"] == "costs 0.8; the mean of its classes is 0.6667"


def test_mistake_averse_costs_can_break_permutation_invariance():
    """Section VI says they meet Property 5; a free mistake makes right and wrong truths alike."""
    matrix = [[0, 1, 1], [1, 0, 0], [1, 1, 0]]
    assert 5 in met(audit(p_discounted(matrix, 0.5)))
    frame = audit(p_discounted(matrix, 0.5, "averse")).frame()
    assert frame.loc[5, ["verdict", "witness_set"]].tolist() == ["fails", "{0, 1}"]
    assert 2 in frame.loc[5, "witness_truth"]


def test_witnesses_can_be_looked_up_in_the_table():
    costs = p_discounted(TABLE_I, 0.5, "averse")
    frame, table, mean = audit(costs).frame(), costs.table(), discounted(TABLE_I).table()
    seeking = frame.loc[7]
    (y,) = seeking["witness_truth"]
    assert y not in seeking["witness_set"]
    assert table.loc[seeking["witness_set"], y] > mean.loc[seeking["witness_set"], y]
    for number in (8, 9):
        row = frame.loc[number]
        y, z = row["witness_truth"]
        assert table.loc[row["witness_set"], y] != table.loc[row["witness_set"], z]
    holds = frame.loc[4]
    assert holds[["witness_set", "witness_truth", "witness_probability"]].tolist() == ["", (), ()]


def test_possible_but_never_the_best_answer():
    """{0, 1} beats both its classes at even odds, yet class 2 is free and beats everything."""
    table = pd.DataFrame(
        [[0, 1, 1], [1, 0, 1], [0, 0, 0], [0.2, 0.2, 1]],
        index=["{0}", "{1}", "{2}", "{0, 1}"],
        columns=[0, 1, 2],
    )
    row = audit(SetCosts.from_table(table)).frame().loc[1]
    assert (row["verdict"], row["witness_set"]) == ("holds", "{0, 1}")
    assert "though another set is cheaper still" in row["detail"]


@pytest.mark.parametrize(
    ("full", "pair"), [([1, 9, 5], {0, 2}), ([1, 9, 2], {1, 2}), ([1, 9, 9], {0, 2})]
)
def test_sensitivity_when_the_cheapest_and_the_dearest_truth_are_alike(full, pair):
    """Truths 0 and 1 share a cost vector; only truth 2 can show Property 9."""
    table = discounted([[0, 1, 2], [1, 0, 2], [1, 1, 0]], classes=[0, 1, 2]).frame()
    table.loc["{0, 1, 2}"] = full
    row = audit(SetCosts.from_table(table)).frame().loc[9]
    assert row["verdict"] == "holds"
    assert set(row["witness_truth"]) == pair


# --- against the definitions -----------------------------------------------------------------
#
# The ten properties written out one by one, as in section IV. `c` maps each set to its costs by
# truth, `single` each class to its own. All numbers are fractions, so nothing is rounded.


def mean(single, members, y):
    return sum(single[i][y] for i in members) / Fraction(len(members))


def is_possible(own, rivals):
    """Definition 4, by the other side: no mixture of the rivals is nowhere dearer."""
    rivals = np.array(rivals, dtype=float)
    found = linprog(
        np.zeros(len(rivals)),
        A_ub=rivals.T,
        b_ub=np.array(own, dtype=float) + 1e-7,
        A_eq=np.ones((1, len(rivals))),
        b_eq=[1],
        method="highs",
    )
    return found.status == 2


def judge(c, single):
    truths = range(len(single))
    sets = list(c)
    larger = [s for s in sets if len(s) > 1]

    def vector(s, y):
        return sorted(single[i][y] for i in s)

    return {
        1: any(is_possible(c[s], [single[i] for i in s]) for s in larger),
        2: all(any(c[s][y] < mean(single, s, y) for y in truths) for s in larger),
        3: all(c[s][y] < mean(single, s, y) for s in larger for y in s),
        4: all(c[s][y] >= min(single[i][y] for i in s) for s in sets for y in truths),
        5: all(
            c[s][y] == c[s][z]
            for s in sets
            for y, z in combinations(truths, 2)
            if vector(s, y) == vector(s, z)
        ),
        6: all(c[s][y] >= mean(single, s, y) for s in sets for y in truths if y not in s),
        7: all(c[s][y] <= mean(single, s, y) for s in sets for y in truths if y not in s),
        8: all(c[s][y] == c[s][z] for s in sets for y in s for z in s),
        9: any(
            vector(s, y) != vector(s, z) and c[s][y] != c[s][z] for s in sets for y in s for z in s
        ),
        10: all(c[s][y] <= max(single[i][y] for i in s) for s in sets for y in truths),
    }


@st.composite
def cost_tables(draw):
    k = draw(st.integers(3, 4))
    small = st.integers(0, 3).map(Fraction)
    single = [[draw(small) for _ in range(k)] for _ in range(k)]
    if draw(st.booleans()):
        for i in range(k):
            single[i][i] = Fraction(0)
    c = {frozenset([i]): single[i] for i in range(k)}
    how = draw(st.sampled_from(["free", "between", "mean", "low", "shifted"]))
    for size in range(2, k + 1):
        for members in combinations(range(k), size):
            row = []
            for y in range(k):
                costs = [single[i][y] for i in members]
                average = mean(single, members, y)
                if how == "free":
                    row.append(draw(small) / 2)
                elif how == "between":
                    row.append(draw(st.sampled_from([min(costs), average, max(costs)])))
                elif how == "mean":
                    row.append(average + draw(st.sampled_from([0, 0, 0, Fraction(1, 4)])))
                elif how == "low":
                    row.append((min(costs) + 3 * average) / 4)
                else:
                    better = Fraction(draw(st.sampled_from([0, 1, 1])), 5)
                    row.append(
                        max(Fraction(0), average - better if y in members else average + better)
                    )
            c[frozenset(members)] = row
    return c, single


@given(cost_tables())
def test_against_the_definitions(problem):
    c, single = problem
    frame = pd.DataFrame(
        [[float(x) for x in row] for row in c.values()],
        index=pd.Index([tuple(s) for s in c], tupleize_cols=False),
        columns=range(len(single)),
    )
    found = audit(SetCosts.from_table(frame)).frame()
    truth = judge(c, single)
    assert (found["verdict"] == "holds").to_dict() == truth
    if found.loc[1, "verdict"] == "holds":
        p = np.array(found.loc[1, "witness_probability"])
        table = SetCosts.from_table(frame).table()
        row = table.loc[found.loc[1, "witness_set"]]
        members = [i for i in range(len(single)) if str(i) in found.loc[1, "witness_set"]]
        assert row @ p < min(table.loc[f"{{{i}}}"] @ p for i in members)


# --- which sets are examined -----------------------------------------------------------------


def test_twelve_classes_in_full_thirteen_by_sample():
    full = audit(p_discounted(ordinal(12), 0.5)).frame()
    assert (full["sets"] == "all 4095 sets").all()
    assert met(full) == ALL - {6, 8}
    sampled = audit(p_discounted(ordinal(13), 0.5)).frame()
    assert sampled["sets"].iloc[0].startswith("a sample of ")
    assert "of the 2^13 - 1 sets" in sampled["sets"].iloc[0]
    expected = {n: "fails" if n in (6, 8) else "not refuted" for n in ALL} | dict.fromkeys(
        (1, 9), "holds"
    )
    assert sampled["verdict"].to_dict() == expected


def test_a_sample_cannot_refute_what_asks_for_one_set():
    frame = audit(discounted(zero_one(20)), n_sets=100).frame()
    assert frame.loc[[1, 9], "verdict"].tolist() == ["not shown"] * 2
    assert frame.loc[[2, 3], "verdict"].tolist() == ["fails"] * 2
    again = audit(discounted(zero_one(20)), n_sets=100).frame()
    pd.testing.assert_frame_equal(frame, again)


def test_a_full_table_of_many_classes_is_examined_in_full():
    costs = SetCosts.from_table(f_beta_costs(13).table())
    assert audit(costs).frame()["sets"].iloc[0] == "all 8191 sets"


def test_part_of_a_table():
    frame = audit(with_pair(0.25, 0.25, 3)).frame()
    assert (frame["sets"] == "the 4 sets of the table").all()
    only_singles = SetCosts.from_table(pd.DataFrame(zero_one(2), list("ab"), list("ab")))
    frame = audit(only_singles).frame()
    assert frame.loc[1, ["verdict", "detail"]].tolist() == [
        "fails",
        "there is no set of two or more classes",
    ]


def test_table_without_single_classes_needs_a_matrix():
    table = pd.DataFrame([[0.2, 0.2]], index=["{a, b}"], columns=["a", "b"])
    costs = SetCosts.from_table(table)
    with pytest.raises(ValueError, match=r"matrix is None and .*\{a\}.*as matrix"):
        audit(costs)
    assert met(audit(costs, zero_one(2))) == ALL - {9}


# --- the matrix judged against ---------------------------------------------------------------


def test_other_single_costs_are_warned_of():
    with pytest.warns(UserWarning, match=r"give \{0\} a cost of 1.648 when 1 .*matrix says 1;"):
        frame = audit(abellan_masegosa(zero_one(3)), zero_one(3)).frame()
    assert frame.loc[10, "verdict"] == "fails"


def test_rounding_breaks_no_property():
    rng = np.random.default_rng(0)
    for scale in (1e-12, 1.0, 1e12):
        matrix = (0.1 + rng.integers(1, 9, (6, 6)) / 10) * scale
        for r in (0.25, 0.5, 1.0):
            assert {4, 5, 7, 10} <= met(audit(p_discounted(matrix, r)))
            assert 6 in met(audit(p_discounted(matrix, r, "averse")))


def test_a_difference_beyond_the_tolerance_counts():
    hit = np.array([0, 0.5])
    assert met(audit(SizeCosts(hit, [1, 1]))) == ALL - {1, 2, 3, 9}
    assert met(audit(SizeCosts(hit - [0, 1e-6], [1, 1]))) == ALL - {9}
    assert 3 not in met(audit(SizeCosts(hit - [0, 1e-6], [1, 1]), tolerance=1e-5))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((object(),), TypeError, "costs holds a object"),
        ((discounted(zero_one(3)), zero_one(4)), ValueError, "for 4 classes, costs are for 3"),
        ((discounted(zero_one(3)), [[0, 1]]), ValueError, "square"),
        (
            (discounted(TABLE_I), discounted(zero_one(3), classes=list("abc")).frame()),
            ValueError,
            "no class 'h'",
        ),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        audit(*arguments)
    with pytest.raises(ValueError, match="n_sets is 0"):
        audit(discounted(zero_one(13)), n_sets=0)


def test_all_costs_zero():
    frame = audit(discounted(np.zeros((2, 2)))).frame()
    assert met(frame) == ALL - {1, 2, 3, 9}
    assert len(all_sets(2)) == 3


def test_table_viii():
    """Yang, Destercke & Masson (2017), Table VIII."""
    rows = {
        setting: "".join(w[0] for w in words.values()) for setting, words in DESIRABILITY.items()
    }
    assert rows["filtering"].upper() == "NDNNDNUDUA"
    assert rows["choice"].upper() == "NDNNDAAUDN"


@pytest.mark.parametrize(
    ("costs", "filtering", "choice"),
    [
        # Section VI: "this proposal is more adapted to a choice setting".
        (p_discounted(TABLE_I, 0.5), "unsuitable", "suitable"),
        (p_discounted(TABLE_I, 0.5, "averse"), "acceptable", "suitable"),
        # Section V-b: "better fitted to the filtering than to the choice setting".
        (class_selective([1, 1, 1], 0.2), "suitable", "unsuitable"),
        # Section V-c: "seems to indicate that it is more fitted to a filtering setting".
        (abellan_masegosa(ordinal(8)), "suitable", "acceptable"),
        (DISCOUNTED, "unsuitable", "unsuitable"),
        (utility_costs(3, lambda x: 1.6 * x - 0.6 * x**2), "acceptable", "acceptable"),
    ],
)
def test_settings_the_paper_recommends(costs, filtering, choice):
    assert audit(costs).uses["verdict"].to_dict() == {
        "deciding": "unsuitable" if costs is DISCOUNTED else "suitable",
        "filtering": filtering,
        "choice": choice,
    }


def test_reasons():
    table = audit(p_discounted(TABLE_I, 0.5)).uses
    assert table.loc["filtering"].to_dict() == {
        "verdict": "unsuitable",
        "necessary_unmet": (6,),
        "desirable_unmet": (8,),
        "undesirable_met": (7, 9),
        "undecided": (),
        "provisional": False,
        "remedy": "let {h, n} cost at least 2.5 when b is true (now 2.25)",
    }
    assert table.loc["choice", "remedy"] == table.loc["deciding", "remedy"] == ""


def frame_of(**changes):
    """An audit in which everything holds but for the changes."""
    frame = pd.DataFrame(DESIRABILITY)
    frame["verdict"] = "holds"
    frame["property"], frame["sets"], frame["detail"] = "p", "a sample", ""
    frame["witness_set"] = frame["remedy"] = ""
    frame["witness_truth"] = frame["witness_probability"] = [()] * 10
    for number, word in changes.items():
        frame.loc[int(number[1:]), "verdict"] = word
    return frame


def test_logic():
    suits = {"_7": "fails", "_9": "fails"}
    assert _uses(frame_of(**suits)).loc["filtering", "verdict"] == "suitable"
    assert _uses(frame_of(**suits, _10="fails")).loc["filtering", "verdict"] == "suitable"
    assert _uses(frame_of(**suits, _2="fails")).loc["filtering", "verdict"] == "acceptable"
    assert _uses(frame_of(_9="fails")).loc["filtering", "verdict"] == "acceptable"
    for n in (1, 3, 4, 6):
        changed = _uses(frame_of(**suits, **{f"_{n}": "fails"})).loc["filtering"]
        assert (changed["verdict"], changed["necessary_unmet"]) == ("unsuitable", (n,))
    for n in (1, 3, 4, 10):
        assert _uses(frame_of(**{f"_{n}": "fails"})).loc["choice", "verdict"] == "unsuitable"


def test_what_a_sample_leaves_open():
    table = _uses(frame_of(_1="not shown", _3="not refuted"))
    assert table["verdict"].tolist() == ["undecided"] * 3
    assert table.loc["choice", "undecided"] == (1,)
    assert table["provisional"].all()
    sensitive = _uses(frame_of(_8="fails", _9="not shown"))
    assert sensitive.loc["choice", "verdict"] == "acceptable"
    assert sensitive.loc["choice", "undecided"] == (9,)
    # Nothing is known of an undesirable property that a sample did not show.
    assert _uses(frame_of(_7="fails", _9="not shown")).loc["filtering", "verdict"] == "suitable"


def test_costs_of_two_classes_say_their_scope_and_remedy():
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    found = audit(costs, classes=["no", "yes"])
    assert found.uses["verdict"].tolist() == ["suitable", "unsuitable", "unsuitable"]
    remedy = "let {no, yes} cost less than 1 when no is true (now 1)"
    assert found.uses.loc["choice", "remedy"] == remedy
    assert remedy in str(found)
    assert repr(found) == (
        "Audit(8 of 10 properties; deciding suitable, filtering unsuitable, choice unsuitable)"
    )
    assert remedy in found._repr_html_()
    # The remedy works.
    mended = audit(costs | {"abstain_negative": 0.9}, classes=["no", "yes"])
    assert "unsuitable" not in mended.uses["verdict"].tolist()


def test_how_much_cheaper_abstaining_must_be():
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 3}
    found = audit(costs).uses.loc["deciding"]
    assert found["verdict"] == "unsuitable"
    # It pays below 10 * 2 / (10 + 2) = 1.667.
    assert "if it costs more than 1.333 less at every truth" in found["remedy"]
    for abstain, word in ((1.66, "suitable"), (1.67, "unsuitable")):
        again = audit(costs | {"abstain": abstain}).uses
        assert again.loc["deciding", "verdict"] == word


def test_answers_of_several_classes():
    table = np.vstack([ordinal(3), [0.5, 0.5, 0.5]])
    found = audit(table, classes=list("abc"))
    assert found.frame()["sets"].iloc[0] == "the 3 classes and abstaining"
    listed = pd.DataFrame(table, [*"abc", "{a, b, c}"], list("abc"))
    same = audit(SetCosts.from_table(listed)).frame().drop(columns="sets")
    pd.testing.assert_frame_equal(found.frame().drop(columns="sets"), same)
    with pytest.raises(ValueError, match="per case"):
        audit(np.stack([table, table]))


def test_text_of_a_sample():
    text = str(audit(discounted(zero_one(20)), n_sets=50))
    assert "not shown by the sample: 1" in text
    assert "as far as the sample shows" in text
    assert "not refuted" in text
