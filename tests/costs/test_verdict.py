import pandas as pd
import pytest

from cautious.costs import (
    abellan_masegosa,
    audit,
    audit_text,
    class_selective,
    discounted,
    labelled,
    ordinal,
    p_discounted,
    utility_costs,
    verdict,
    zero_one,
)
from cautious.costs.verdict import DESIRABILITY

TABLE_I = labelled([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])


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
        (discounted(TABLE_I), "unsuitable", "unsuitable"),
        (utility_costs(3, lambda x: 1.6 * x - 0.6 * x**2), "acceptable", "acceptable"),
    ],
)
def test_settings_the_paper_recommends(costs, filtering, choice):
    assert verdict(audit(costs))["verdict"].to_dict() == {"filtering": filtering, "choice": choice}


def test_reasons():
    table = verdict(audit(p_discounted(TABLE_I, 0.5)))
    assert table.loc["filtering"].to_dict() == {
        "verdict": "unsuitable",
        "necessary_unmet": (6,),
        "desirable_unmet": (8,),
        "undesirable_met": (7, 9),
        "undecided": (),
        "provisional": False,
    }


def frame_of(**changes):
    """An audit in which everything holds but for the changes."""
    frame = pd.DataFrame(DESIRABILITY)
    frame["verdict"] = "holds"
    frame["property"], frame["sets"], frame["detail"] = "p", "a sample", ""
    frame["witness_set"] = ""
    frame["witness_truth"] = frame["witness_probability"] = [()] * 10
    for number, word in changes.items():
        frame.loc[int(number[1:]), "verdict"] = word
    return frame


def test_logic():
    suits = {"_7": "fails", "_9": "fails"}
    assert verdict(frame_of(**suits)).loc["filtering", "verdict"] == "suitable"
    assert verdict(frame_of(**suits, _10="fails")).loc["filtering", "verdict"] == "suitable"
    assert verdict(frame_of(**suits, _2="fails")).loc["filtering", "verdict"] == "acceptable"
    assert verdict(frame_of(_9="fails")).loc["filtering", "verdict"] == "acceptable"
    for n in (1, 3, 4, 6):
        changed = verdict(frame_of(**suits, **{f"_{n}": "fails"})).loc["filtering"]
        assert (changed["verdict"], changed["necessary_unmet"]) == ("unsuitable", (n,))
    for n in (1, 3, 4, 10):
        assert verdict(frame_of(**{f"_{n}": "fails"})).loc["choice", "verdict"] == "unsuitable"


def test_what_a_sample_leaves_open():
    table = verdict(frame_of(_1="not shown", _3="not refuted"))
    assert table["verdict"].tolist() == ["undecided", "undecided"]
    assert table.loc["choice", "undecided"] == (1,)
    assert table["provisional"].all()
    sensitive = verdict(frame_of(_8="fails", _9="not shown"))
    assert sensitive.loc["choice", "verdict"] == "acceptable"
    assert sensitive.loc["choice", "undecided"] == (9,)
    # Nothing is known of an undesirable property that a sample did not show.
    assert verdict(frame_of(_7="fails", _9="not shown")).loc["filtering", "verdict"] == "suitable"


def test_text():
    text = audit_text(audit(p_discounted(TABLE_I, 0.5)))
    lines = text.splitlines()
    assert lines[0] == "Ten properties of set costs, over all 7 sets"
    assert len(lines) == 13
    assert "1 possibility" in lines[1]
    assert " at (" in lines[1]
    assert lines[6].endswith("{h, n} when b: costs 2.25; the mean of its classes is 2.5")
    assert " or " in lines[8]
    assert lines[11].startswith(
        "For filtering: unsuitable (necessary but unmet: 6 mistake averse; "
    )
    assert lines[12] == "For choice: suitable"


def test_text_of_a_sample():
    text = audit_text(audit(discounted(zero_one(20)), n_sets=50))
    assert "not shown by the sample: 1" in text
    assert "as far as the sample shows" in text
    assert "not refuted" in text
