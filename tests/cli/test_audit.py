"""``cautious audit``: the ten properties of a table in a file."""

import io

import pandas as pd
import pytest

from cautious.costs import SetCosts, abellan_masegosa, audit, discounted, p_discounted

MATRIX = "cost,h,b,n\nn,4,4,0\nh,0,1,2\nb,1,0,2\n"  # rows in another order than columns
COSTS = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]


@pytest.mark.parametrize(
    ("options", "costs"),
    [
        ((), discounted(COSTS, classes=list("hbn"))),
        (("--extension", "cautious"), p_discounted(COSTS, r=0.5, classes=list("hbn"))),
        (
            ("--extension", "averse", "--r", 0.9),
            p_discounted(COSTS, r=0.9, attitude="averse", classes=list("hbn")),
        ),
        (("--extension", "abellan-masegosa"), abellan_masegosa(COSTS, classes=list("hbn"))),
    ],
)
def test_single_classes_are_extended(run_json, options, costs):
    document = run_json("audit", "-", *options, "--json", stdin=MATRIX)
    expected = audit(costs)
    found = [document["properties"][str(number)]["verdict"] for number in expected.index]
    assert found == expected["verdict"].tolist()
    assert document["verdict"]["filtering"]["verdict"] in (
        "suitable", "acceptable", "unsuitable"
    )  # fmt: skip


def test_sets_are_taken_as_they_are(run_json):
    text = MATRIX + 'h|b,.2,.2,2\n"{h, b, n}",1,1,1\n'
    document = run_json("audit", "-", "--json", stdin=text)
    rows = ["h", "b", "n", "{h, b}", "{h, b, n}"]
    values = [[0, 1, 2], [1, 0, 2], [4, 4, 0], [0.2, 0.2, 2], [1, 1, 1]]
    expected = audit(SetCosts.from_table(pd.DataFrame(values, index=rows, columns=list("hbn"))))
    found = [document["properties"][str(number)]["verdict"] for number in expected.index]
    assert found == expected["verdict"].tolist()
    assert document["costs"] == "the sets of the table"


def test_table_and_csv(run):
    text = run("audit", "-", stdin=MATRIX).stdout
    for words in ("possibility", "upper bound", "For filtering they are", "For choice they are"):
        assert words in text
    text = run("audit", "-", "--extension", "cautious", stdin=MATRIX).stdout
    assert "{h, b} at (0.5, 0.5, 0)" in text
    frame = pd.read_csv(io.StringIO(run("audit", "-", "--csv", stdin=MATRIX).stdout))
    assert len(frame) == 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("cost,a\na,0\n", "1 columns of costs"),
        ("cost,a,b\na,0,1\nb,x,0\n", "'x' in line 3"),
        ("cost,a,b\na,0,1\nb,-1,0\n", "-1"),
        ("cost,a,b\na,0,1\nc,1,0\n", "'c'"),
        ("cost,a,b\na,0,1\n,1,0\n", "empty in line 3"),
        ('cost,a,b\na,0,1\nb,1,0\n"{a, b}",1,1\na|b,1,1\n', "twice"),
    ],
)
def test_bad_tables(fails, text, words):
    assert words in fails("audit", "-", stdin=text)


def test_json_or_csv(fails):
    assert "both given" in fails("audit", "-", "--json", "--csv", stdin=MATRIX)


def test_hostile_class_names(run):
    text = "cost,[red]a[/],<b>\n[red]a[/],0,1\n<b>,1,0\n"
    assert "[red]a[/]" in run("audit", "-", stdin=text).stdout
