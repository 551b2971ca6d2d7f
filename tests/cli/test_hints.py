"""Errors that say what the user may have meant."""

import numpy as np
import pandas as pd
import pytest

MANY = "".join(f"{0.01 * k:.2f},{k % 2}\n" for k in range(40))
LABELLED = "".join(f"{0.01 * k:.2f},{'ab'[k % 2]}\n" for k in range(40))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,0.2\n1,0.8\n", "does the file lack a heading?"),
        ("benign,0.2\nmalignant,0.8\n", "does the file lack a heading?"),
        ("y_true,y_pred\n0,1\n1,1\n", "--sets y_pred"),
        ("y_true,y_pred,confidence\n0,1,.9\n1,1,.8\n", "--sets y_pred"),
        ("y_true;score\n0;0,2\n1;0,8\n", "Write 0.2, with a decimal point."),
        ('y_true,score\n0,"1,000"\n1,2\n', "nothing between thousands"),
        ("y_true,score\n0,20%\n1,80 %\n", "Write 0.2 for 20%."),
        ("y_true,p_a,p_b,p_c\na,33,33,34\nb,20,70,10\n", "per cent? Then divide by 100"),
        ("y_true,p_1\n0,33\n1,20\n", "per cent? Then divide by 100"),
        ("y_true,p_a,p_b\nA,.4,.6\nb,.5,.5\n", "Did you mean 'a'?"),
        ("y_true,p_a,p_b\na ,.4,.6\nb,.5,.5\n", "Did you mean 'a'?"),
        ("y_true,score\nno,.4\nyes,.5\nYes,.5\n", "'Yes' and 'yes' differ by spaces or capitals"),
        (f"y_true,score\n{MANY}", "40 different truths; are 'y_true' and 'score' swapped?"),
        (f"y_true,score\n{LABELLED}", "are 'y_true' and 'score' swapped?"),
    ],
)
def test_tables(fails, text, words):
    assert words in fails("evaluate", "-", stdin=text)


def test_the_positive_class(fails):
    text = "y_true,score\nbenign,.4\nmalignant,.5\n"
    message = fails("evaluate", "-", "--positive", "Benign", stdin=text)
    assert "Did you mean 'benign'?" in message
    text = "y_true,p_benign,p_malignant\nbenign,.4,.6\n"
    message = fails("evaluate", "-", "--positive", "malignent", stdin=text)
    assert "Did you mean 'malignant'?" in message


def test_scores_that_may_be_per_cent(run):
    text = "y_true,score\n0,20\n1,90\n"
    assert "per cent? Then divide by 100" in run("evaluate", "-", stdin=text).stdout
    text = "y_true,score\n0,-20\n1,90\n"
    assert "per cent" not in run("evaluate", "-", stdin=text).stdout


@pytest.mark.parametrize("name", ["y_prob", "Y_Proba", "y_pred_proba", "prob", "confidence"])
def test_more_names_of_scores(run, name):
    result = run("evaluate", "-", stdin=f"y_true,{name}\n0,.2\n1,.8\n")
    assert f"score '{name}' for '1'" in result.stderr


def test_one_class_of_many_may_be_scored(run):
    labels = [f"c{k}" for k in range(30)]
    text = "y_true,score\n" + "".join(f"{label},{label == 'c3':d}\n" for label in labels)
    assert "for 'c3'" in run("evaluate", "-", "--positive", "c3", stdin=text).stderr


class TestWholeNumbersWithAPoint:
    TEXT = "y_true,score\n0.0,.2\n1.0,.8\n0.0,.1\n"

    @pytest.mark.parametrize("options", [(), ("--positive", "1"), ("--positive", "1.0")])
    def test_they_are_classes_like_others(self, run_json, options):
        found = run_json("evaluate", "-", "--json", *options, stdin=self.TEXT)
        assert found["models"]["standard input"]["classes"] == ["0", "1"]

    def test_they_match_the_columns_however_these_are_called(self, run_json):
        for heading in ("p_0,p_1", "p_0.0,p_1.0"):
            text = f"y_true,{heading}\n0.0,.8,.2\n1.0,.2,.8\n"
            found = run_json("evaluate", "-", "--json", stdin=text)["models"]["standard input"]
            assert found["measures"]["auc"]["value"] == 1

    def test_other_numbers_stay_as_they_are(self, run_json):
        text = "y_true,p_1.5,p_2.0\n1.5,.8,.2\n2.0,.2,.8\n"
        found = run_json("evaluate", "-", "--json", stdin=text)["models"]["standard input"]
        assert found["classes"] == ["1.5", "2.0"]


def test_what_was_taken_is_said_before_an_error(run):
    text = "y_true,score\n0,.1\n1,high\n"
    lines = run("evaluate", "-", stdin=text, code=2).stderr.splitlines()
    assert lines[0] == "standard input: truth 'y_true', score 'score'"


def test_parquet_of_percentages(fails, tmp_path):
    frame = pd.DataFrame({"y": ["a", "b"], "p_a": np.array([70.0, 20.5]), "p_b": [30.0, 79.5]})
    frame.to_parquet(tmp_path / "a.parquet")
    assert "per cent? Then divide by 100" in fails("evaluate", "a.parquet")
