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
    expected = audit(costs).frame()
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
    table = pd.DataFrame(values, index=rows, columns=list("hbn"))
    expected = audit(SetCosts.from_table(table)).frame()
    found = [document["properties"][str(number)]["verdict"] for number in expected.index]
    assert found == expected["verdict"].tolist()
    assert document["costs"] == "the sets of the table"


def test_table_and_csv(run):
    text = run("audit", "-", stdin=MATRIX).stdout
    for words in (
        "possibility",
        "upper bound",
        "For deciding, ",
        "For filtering, ",
        "For choice, ",
    ):
        assert words in text
    text = run("audit", "-", "--extension", "cautious", stdin=MATRIX).stdout
    assert "{h, b} at (0.5, 0.5, 0)" in text
    frame = pd.read_csv(io.StringIO(run("audit", "-", "--csv", stdin=MATRIX).stdout))
    assert len(frame) == 10


def test_hostile_class_names(run):
    text = "cost,[red]a[/],<b>\n[red]a[/],0,1\n<b>,1,0\n"
    assert "[red]a[/]" in run("audit", "-", stdin=text).stdout


def test_rewards_are_noticed(run):
    notes = run("audit", "-", stdin="cost,a,b\na,5,1\nb,1,5\n").stderr
    assert "when 'b' is true, the answer 'a' costs 1, less than the right one (5)" in notes
    assert "turn rewards into costs" in notes
    assert run("audit", "-", stdin=MATRIX).stderr == ""


def test_the_plain_mean_can_never_pass(run):
    words = "No table passes with the plain mean: try --extension cautious."
    assert words in run("audit", "-", stdin=MATRIX).stdout
    assert words not in run("audit", "-", "--extension", "cautious", stdin=MATRIX).stdout
    text = "cost,a,b\na,0,1\nb,1,0\na|b,.5,.5\n"
    assert words not in run("audit", "-", stdin=text).stdout


def test_strict_properties_say_so(run):
    text = run("audit", "-", stdin=MATRIX).stdout
    assert "costs 0.5; must be less than 0.5, the mean of its classes" in text


def test_options_that_are_not_used_are_named(run):
    text = "cost,a,b\na,0,1\nb,1,0\na|b,.2,.2\n"
    options = ("--extension", "cautious", "--r", 0.3)
    assert "lists sets itself: --extension, --r" in run("audit", "-", *options, stdin=text).stderr
    assert "not used" not in run("audit", "-", stdin=text).stderr
    assert "--r is not used" in run("audit", "-", "--r", 0.3, stdin=MATRIX).stderr
    assert "not used" not in run("audit", "-", *options, stdin=MATRIX).stderr


def test_a_row_may_be_called_abstain(run):
    plain = run("audit", "-", "--json", stdin="cost,a,b\na,0,1\nb,1,0\na|b,.2,.3\n").stdout
    named = run("audit", "-", "--json", stdin="cost,a,b\na,0,1\nb,1,0\nabstain,.2,.3\n").stdout
    assert named == plain


def test_a_transposed_table_is_refused(fails):
    text = "truth,a,b,a|b\na,0,1,.2\nb,1,0,.2\n"
    assert "answers are rows, truths are columns" in fails("audit", "-", stdin=text)


def test_verdicts_name_the_properties(run):
    text = run("audit", "-", stdin=MATRIX).stdout
    assert "necessary but unmet: 1 possibility, 3 reward of rightful caution" in text
