"""A saved rule meets new cases: answers in files of every kind, whole or not at all."""

import codecs
import gzip
import io
import json
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cautious
from cautious.decision import Rule
from cautious.decision._rule_json import rules_to_json
from cautious.errors import InputError
from cautious.logs import _source as source

TREES = ["ash", "elm", "oak"]
WINDOW = Rule.window(0.25, 0.75, classes=["no", "yes"], model="mine")


def cases(n=500, seed=0):
    """Cases with a truth, a score, and text that has to be quoted."""
    rng = np.random.default_rng(seed)
    score = rng.random(n).round(3)
    truth = np.where(rng.random(n) < score, "yes", "no")
    words = np.array(["plain", "a,b", 'say "hi"', "two\nlines", "", "é"])
    return pd.DataFrame(
        {"id": np.arange(n), "y_true": truth, "score": score, "words": words[np.arange(n) % 6]}
    )


def trees(n=300, seed=1):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), n)
    truth = (p.cumsum(axis=1) > rng.random((n, 1)) * 0.999).argmax(axis=1)
    frame = pd.DataFrame(p, columns=[f"p_{label}" for label in TREES])
    frame.insert(0, "y_true", np.array(TREES)[truth])
    return frame


def read(path):
    name = str(path)
    if name.endswith(".parquet"):
        return pd.read_parquet(path)
    if name.endswith(".arrow"):
        return pd.read_feather(path)
    mark = "\t" if ".tsv" in name else ","
    return pd.read_csv(path, sep=mark, keep_default_na=False, dtype=str)


def written(frame, path):
    if str(path).endswith(".parquet"):
        frame.to_parquet(path, index=False)
    elif str(path).endswith(".arrow"):
        frame.to_feather(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in str(path) else ",")
    return path


@pytest.mark.parametrize("came", ["in.csv", "in.tsv.gz", "in.parquet", "in.arrow"])
@pytest.mark.parametrize("goes", ["out.csv", "out.csv.gz", "out.tsv", "out.parquet", "out.arrow"])
def test_all_columns_are_kept_and_the_answer_added(came, goes, tmp_path):
    frame = cases()
    path = written(frame, tmp_path / came)
    found = cautious.apply(path, WINDOW, tmp_path / goes)
    back = read(tmp_path / goes)
    assert list(back.columns) == [*frame.columns, "y_set"]
    for name in ("id", "y_true", "words"):
        assert back[name].astype(str).tolist() == frame[name].astype(str).tolist(), name
    assert back["score"].astype(float).tolist() == frame["score"].tolist()
    score = frame["score"]
    wanted = np.where(score <= 0.25, "no", np.where(score >= 0.75, "yes", "?"))
    assert back["y_set"].tolist() == wanted.tolist()
    counted = found.counts["mine"]
    assert dict(zip(counted.classes, counted.single, strict=True)) == {
        "no": (wanted == "no").sum(),
        "yes": (wanted == "yes").sum(),
    }
    assert (counted.n, counted.abstained, counted.missing) == (500, (wanted == "?").sum(), 0)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("frame", "rule"),
    [
        (cases(), WINDOW),
        (trees(), Rule.confidence(0.6, classes=TREES)),
        (trees(), Rule.class_thresholds([0.4, 0.6, 0.9], classes=TREES)),
        (trees(), Rule.utility("u80", classes=TREES)),
        (trees(), Rule.class_thresholds([0, 0, 0], classes=TREES, costs=[[0, 1, 2], [1, 0, 3],
                                                                         [4, 1, 0], [1, 1, 1]])),
    ],
    ids=["window", "confidence", "class_thresholds", "utility", "costs"],
)  # fmt: skip
def test_evaluate_reads_the_answers_back(frame, rule, ending, tmp_path):
    path = written(frame, tmp_path / f"in.{ending}")
    cautious.apply(path, rule, tmp_path / f"out.{ending}")
    classes = {"classes": list(rule.classes)}
    told = cautious.evaluate(tmp_path / f"out.{ending}", costs=rule.costs, **classes).frame()
    asked = cautious.evaluate(path, rule=rule, **classes).frame()
    numbers = [one.select_dtypes("number").to_numpy() for one in (told, asked)]
    assert numbers[0].size > 5
    np.testing.assert_allclose(numbers[0], numbers[1], rtol=1e-12)


@pytest.mark.parametrize("classes", [["Gen|too", "?"], ["a, b", "[x]"], [0, 1], [False, True]])
def test_labels_that_could_be_misread_come_back(classes, tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    labels = np.array(classes, dtype=object)[truth]
    frame = pd.DataFrame({"y_true": [str(one) for one in labels], "score": rng.random(60).round(2)})
    rule = Rule.window(0.3, 0.7, classes=classes)
    path = written(frame, tmp_path / "in.csv")
    cautious.apply(path, rule, tmp_path / "out.csv")
    back = cautious.read_predictions(tmp_path / "out.csv", classes=[str(one) for one in classes])
    (one,) = back.values()
    np.testing.assert_array_equal(one.y_set, rule.predict_set(frame["score"]))


def test_missing_scores_abstain_and_are_counted(tmp_path):
    (tmp_path / "in.csv").write_text("id,score\n1,0.9\n2,\n3,NaN\n4,null\n5,0.5\n")
    found = cautious.apply(tmp_path / "in.csv", WINDOW, tmp_path / "out.csv")
    assert read(tmp_path / "out.csv")["y_set"].tolist() == ["yes", "?", "?", "?", "?"]
    assert (found.counts["mine"].abstained, found.counts["mine"].missing) == (4, 3)
    assert "3 of 5 cases have no score" in str(found)
    frame = trees(5)
    frame.loc[1, "p_elm"] = np.nan
    counts = cautious.apply(frame, Rule.confidence(0, classes=TREES)).counts[""]
    assert (counts.abstained, counts.missing) == (1, 1)


def test_a_cell_without_a_value_is_a_case_also_in_a_file_of_one_column(tmp_path):
    (tmp_path / "one.csv").write_text('score\n0.1\n""\n\n0.9\n')
    found = cautious.apply(tmp_path / "one.csv", WINDOW, tmp_path / "out.csv")
    assert (found.n, found.counts["mine"].missing) == (3, 1)
    assert pd.read_csv(tmp_path / "out.csv")["y_set"].tolist() == ["no", "?", "yes"]


def test_folders_patterns_and_several_files_are_one_table(tmp_path):
    frame = cases(90)
    folder = tmp_path / "log"
    folder.mkdir()
    for at in range(3):
        written(frame[30 * at : 30 * at + 30], folder / f"part-{at}.parquet")
    every = sorted(folder.iterdir())
    for at, given in enumerate([folder, str(folder / "*.parquet"), every]):
        cautious.apply(given, WINDOW, tmp_path / f"{at}.parquet")
        assert read(tmp_path / f"{at}.parquet")["id"].tolist() == frame["id"].tolist()


def test_columns_of_later_files_are_not_lost(tmp_path):
    written(cases(5), tmp_path / "0.csv")
    written(cases(5).assign(extra=1), tmp_path / "1.csv")
    with pytest.raises(InputError, match=r"1\.csv: column 'extra' is not in .*0\.csv"):
        cautious.apply(tmp_path, WINDOW)


def test_frames_and_batches_need_no_file():
    frame = cases(50)
    wanted = WINDOW.predict_set(frame["score"]).all(axis=1).sum()
    polars = pytest.importorskip("polars")
    for given in (
        frame,
        pa.table(frame),
        iter(pa.table(frame).to_batches(7)),
        polars.from_pandas(frame),
    ):
        assert cautious.apply(given, WINDOW).counts["mine"].abstained == wanted


def test_a_frame_comes_back_as_what_it_was(tmp_path):
    polars = pytest.importorskip("polars")
    frame = cases(50)
    frame = frame.set_axis(np.arange(50)[::-1], axis=0)
    cautious.apply(frame, WINDOW, tmp_path / "answers.csv")
    wanted = pd.read_csv(tmp_path / "answers.csv")["y_set"].tolist()
    found = cautious.apply(frame, WINDOW).cases
    assert "y_set" not in frame
    assert found.index.equals(frame.index)
    pd.testing.assert_frame_equal(found.drop(columns="y_set"), frame)
    plain = frame.reset_index(drop=True)
    kinds = [plain, polars.from_pandas(plain), polars.from_pandas(plain).lazy(), pa.table(plain)]
    for given in kinds:
        answered = cautious.apply(given, WINDOW).cases
        kind = polars.DataFrame if isinstance(given, polars.LazyFrame) else type(given)
        assert type(answered) is kind
        texts = answered["y_set"].to_pylist() if kind is pa.Table else list(answered["y_set"])
        assert texts == wanted
    several = {"mine": WINDOW, "theirs": Rule.window(0.4, 0.6, classes=WINDOW.classes)}
    two = polars.DataFrame({"mine": [0.5, 0.1], "theirs": [0.5, 0.7]})
    both = cautious.apply(two, several).cases
    assert both.columns[:2] == ["mine", "theirs"]
    assert both.width == 4
    # Files are not kept in memory.
    assert cautious.apply(tmp_path / "answers.csv", WINDOW, answer="again").cases is None
    assert cautious.apply(frame, WINDOW, tmp_path / "b.csv").cases is None


def test_polars_everywhere():
    polars = pytest.importorskip("polars")
    frame = cases(200).assign(y_true=np.where(np.arange(200) % 3 == 0, "yes", "no"))
    other = polars.from_pandas(frame)
    how = {"pos_label": "yes", "truth": "y_true", "score": "score"}
    one = cautious.evaluate(frame, window=(0.3, 0.7), missing="abstain", **how)
    two = cautious.evaluate(other, window=(0.3, 0.7), missing="abstain", **how)
    pd.testing.assert_frame_equal(one.frame(), two.frame())
    rules = [
        cautious.tune(f, max_abstention=0.3, honest=False, missing="abstain", **how).rule
        for f in (frame, other)
    ]
    assert (rules[0].lower, rules[0].upper) == (rules[1].lower, rules[1].upper)
    watched = [cautious.watch(f, WINDOW, max_error=0.5) for f in (frame, other)]
    assert watched[0].totals == watched[1].totals


def test_one_column_of_a_class_is_its_score(tmp_path):
    frame = pd.DataFrame({"p_yes": [0.1, 0.5, 0.9]})
    assert cautious.apply(frame, WINDOW).counts["mine"].single == (1, 1)
    both = frame.assign(p_no=1 - frame["p_yes"])
    assert cautious.apply(both, WINDOW).counts["mine"].single == (1, 1)
    with pytest.raises(
        InputError, match="probabilities of 'no', but the rule is about 'no', 'yes'"
    ):
        cautious.apply(both[["p_no"]], WINDOW)


# --- several rules ------------------------------------------------------------------------------


@pytest.fixture
def two(tmp_path):
    rules = {
        "tree": Rule.window(0.4, 0.6, classes=["no", "yes"]),
        "bayes": Rule.window(0.1, 0.9, classes=["no", "yes"]),
    }
    rules_to_json(rules, tmp_path / "rules.json")
    return tmp_path / "rules.json"


def test_several_rules_read_the_columns_of_their_models(two, tmp_path):
    frame = pd.DataFrame({"tree": [0.3, 0.5], "bayes": [0.3, 0.95]})
    found = cautious.apply(frame, two, tmp_path / "out.csv")
    back = read(tmp_path / "out.csv")
    assert back["y_set_tree"].tolist() == ["no", "?"]
    assert back["y_set_bayes"].tolist() == ["?", "yes"]
    assert found.n == 2
    prefixed = frame.add_prefix("score_")
    assert cautious.apply(prefixed, two).counts == found.counts


def test_several_rules_take_turns_by_the_column_of_models(two, tmp_path):
    frame = pd.DataFrame({"model": ["bayes", "tree", "tree"], "score": [0.3, 0.3, 0.5]})
    found = cautious.apply(frame, two, tmp_path / "out.csv")
    assert read(tmp_path / "out.csv")["y_set"].tolist() == ["?", "no", "?"]
    assert (found.n, found.counts["tree"].n) == (3, 2)
    with pytest.raises(InputError, match=r"column 'model', row 0: .* there is none for 'forest'"):
        cautious.apply(frame.assign(model="forest"), two)


def test_one_of_several_rules_can_be_chosen(two):
    frame = pd.DataFrame({"score": [0.3, 0.3]})
    with pytest.raises(InputError, match="choose one rule with only"):
        cautious.apply(frame, two)
    assert cautious.apply(frame, two, only="tree").counts["tree"].single == (2, 0)
    with pytest.raises(InputError, match="only is 'forest', but rule is about 'tree', 'bayes'"):
        cautious.apply(frame, two, only="forest")


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["plain", "marked"])
def test_semicolons_and_the_mark_of_a_spreadsheet_stay(tmp_path, mark):
    path = tmp_path / "in.csv"
    path.write_bytes(mark + 'name;score\nß, é;0.9\n"a;b";0.5\n'.encode())
    cautious.apply(path, WINDOW, tmp_path / "out.csv")
    wanted = 'name;score;y_set\nß, é;0.9;yes\n"a;b";0.5;?\n'.encode()
    assert (tmp_path / "out.csv").read_bytes() == mark + wanted
    cautious.apply(path, WINDOW, tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_bytes() == mark + wanted.replace(b";", b"\t").replace(
        b'"a\tb"', b"a;b"
    )
    cautious.apply(path, WINDOW, tmp_path / "out.csv.gz")
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == mark + wanted
    # Tabs are for .tsv; and files that differ give plain CSV.
    other = tmp_path / "other.tsv"
    other.write_bytes(b"name\tscore\nc\t0.1\n")
    cautious.apply(other, WINDOW, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b"name,score,y_set\nc,0.1,no\n"
    cautious.apply([path, other], WINDOW, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().startswith(b"name,score,y_set\n")


@pytest.mark.parametrize("came", ["csv", "parquet"])
@pytest.mark.parametrize("goes", ["csv", "tsv.gz", "parquet", "arrow"])
def test_an_empty_day_has_an_answer_file_without_rows(came, goes, tmp_path):
    found = {}
    for n in (0, 5):
        path = written(cases(5)[:n], tmp_path / f"{n}.{came}")
        found[n] = cautious.apply(path, WINDOW, tmp_path / f"out{n}.{goes}")
    empty, other = (read(tmp_path / f"out{n}.{goes}") for n in (0, 5))
    assert len(empty) == 0
    assert empty.columns.tolist() == other.columns.tolist()
    if came == goes == "parquet":
        schemas = [pq.read_schema(tmp_path / f"out{n}.parquet").remove_metadata() for n in (0, 5)]
        assert schemas[0].names == schemas[1].names
        assert schemas[0].field("score") == schemas[1].field("score")
    assert (found[0].n, found[0].path) == (0, tmp_path / f"out0.{goes}")
    assert "There are no cases." in str(found[0])


def test_an_empty_frame_has_no_answers():
    done = cautious.apply(cases(5).iloc[:0], WINDOW)
    assert done.cases["y_set"].tolist() == []
    assert done.frame().iloc[0]["cases"] == 0
    named = cases(5).iloc[:0].assign(model="logreg")
    assert cautious.apply(named, WINDOW, only="logreg").n == 0
    with pytest.raises(InputError, match="no column"):
        cautious.apply(named[["model"]], WINDOW)


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"id": [1]}, "no column holds predictions"),
        ({"y_set": ["a|b"]}, "no column of scores"),
        ({"score": [0.5]}, "one score each, but the rule is about 3 classes"),
        ({f"p_{c}": [0.25] for c in (*TREES, "fir")}, "of 'ash', 'elm', 'oak', 'fir'"),
        ({f"p_{c}": [0.5] for c in TREES}, "add up to 1.5"),
        ({"p_ash": [0.5], "p_elm": [0.5]}, "probabilities of 'ash', 'elm'"),
        ({"p_ash": ["x"], "p_elm": ["0"], "p_oak": ["1"]}, "'x' is not a number"),
        ({"p_ash": [1.0], "p_elm": [0.0], "p_oak": [0.0], "y_set": ["a"]}, "'y_set' already"),
    ],
)  # fmt: skip
def test_cases_that_do_not_fit_the_rule(frame, words):
    with pytest.raises(InputError, match=words):
        cautious.apply(pd.DataFrame(frame), Rule.confidence(0.6, classes=TREES))


def test_scores_that_are_no_probabilities_need_a_window():
    frame = pd.DataFrame({"score": [0.5, 3.0]})
    assert cautious.apply(frame, Rule.window(0, 2)).counts[""].single == (0, 1)
    with pytest.raises(InputError, match="column 'score', row 1"):
        cautious.apply(frame, Rule.confidence(0.6, classes=[0, 1]))


def test_the_output_is_no_input_and_has_a_known_ending(tmp_path):
    path = written(cases(5), tmp_path / "in.csv")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="which is read"):
        cautious.apply(path, WINDOW, path)
    with pytest.raises(ValueError, match="which is read"):
        cautious.apply(tmp_path, WINDOW, tmp_path / "out.csv")
    assert path.read_bytes() == before
    with pytest.raises(InputError, match="its name must end in"):
        cautious.apply(path, WINDOW, tmp_path / "out.json")
    with pytest.raises(InputError, match="an address"):
        cautious.apply(path, WINDOW, "s3://bucket/out.csv")
    nested = pa.table({"score": [0.5], "list": [[1, 2]]})
    with pytest.raises(InputError, match=r"column 'list' holds .* write a Parquet file"):
        cautious.apply(nested, WINDOW, tmp_path / "out.csv")
    cautious.apply(nested, WINDOW, tmp_path / "out.parquet")
    assert {one.name for one in tmp_path.iterdir()} == {"in.csv", "out.parquet"}


def test_damage_found_on_the_way_leaves_the_old_file(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_FEW_ROWS", 1)
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"score": ["0.5"] * 400 + ["oops"]}), path, row_group_size=100)
    out = tmp_path / "out.parquet"
    out.write_bytes(b"old")
    with pytest.raises(InputError, match=r"in.parquet: column 'score', row 400: 'oops'"):
        cautious.apply(path, WINDOW, out)
    assert out.read_bytes() == b"old"
    assert {one.name for one in tmp_path.iterdir()} == {"in.parquet", "out.parquet"}


def test_the_result_prints_and_travels(tmp_path):
    frame = pd.DataFrame({"score": [0.1, 0.5, 0.9, np.nan]})
    found = cautious.apply(frame, WINDOW, tmp_path / "out.csv")
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.to_dict()["models"]["mine"]["answers"] == {"no": 1, "yes": 1}
    row = found.frame().loc["mine"]
    assert (row["cases"], row["abstained"], row["missing"], row["yes"]) == (4, 2, 1, 1)
    assert "4 cases with their answers were written to" in str(found)
    assert "<table>" in found._repr_html_()
    assert repr(found) == "<Application to 4 cases>"
    several = cautious.apply(trees(50), Rule.utility("u80", classes=TREES))
    assert several.counts[""].several > 0
    assert several.frame()["several"].item() == several.counts[""].several
    assert "several classes" in str(several)


def test_classes_that_are_called_like_grades_are_classes():
    rule = Rule.window(0.2, 0.8, classes=["wrong", "right"])
    found = cautious.apply(pd.DataFrame({"score": [0.1, 0.5]}), rule).frame().iloc[0]
    assert found[["wrong", "right", "abstained"]].tolist() == [1, 0, 1]


def test_standard_output_gets_all_or_nothing(monkeypatch):
    class Stream:
        def __init__(self, data=b""):
            self.buffer = io.BytesIO(data)

        def flush(self):
            pass

    monkeypatch.setattr(sys, "stdin", Stream(b"id,score\n1,0.9\n2,oops\n"))
    monkeypatch.setattr(sys, "stdout", out := Stream())
    with pytest.raises(InputError, match=r"standard input: column 'score', line 3: 'oops'"):
        cautious.apply("-", WINDOW, "-")
    assert out.buffer.getvalue() == b""


# --- engines ------------------------------------------------------------------------------------


def test_dask_writes_the_same_bytes(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(source, "_PART_ROWS", 100)
    folder = tmp_path / "log"
    folder.mkdir()
    for at in range(2):
        table = pa.Table.from_pandas(cases(250, seed=at), preserve_index=False)
        pq.write_table(table, folder / f"{at}.parquet", row_group_size=50)
    with distributed.Client(
        processes=False, dashboard_address=":0", n_workers=1, threads_per_worker=2
    ) as client:
        for ending in ("csv", "parquet"):
            local = cautious.apply(folder, WINDOW, tmp_path / f"local.{ending}")
            found = cautious.apply(folder, WINDOW, tmp_path / f"dask.{ending}", engine=client)
            assert found.counts == local.counts
            one, other = (tmp_path / f"{name}.{ending}" for name in ("local", "dask"))
            assert one.read_bytes() == other.read_bytes()
        written(pd.DataFrame({"score": ["x"]}), folder / "2.parquet")
        bad = [folder / "2.parquet"]
        with pytest.raises(InputError, match=r"2\.parquet: column 'score', row 0: 'x'"):
            cautious.apply(bad, WINDOW, tmp_path / "dask.csv", engine=client)
    assert sorted(one.name for one in tmp_path.iterdir() if one != folder) == [
        "dask.csv", "dask.parquet", "local.csv", "local.parquet",
    ]  # fmt: skip


def test_files_of_spark_are_asked_for():
    frame = type("DataFrame", (), {"__module__": "pyspark.sql"})()
    with pytest.raises(TypeError, match="give the files it is read from"):
        cautious.apply(frame, WINDOW)


def notes_of(cases, rule):
    return " ".join(map(str, cautious.apply(cases, rule).notes))


@pytest.mark.parametrize("factor", [1, 100], ids=["shares", "per cent"])
def test_scores_on_another_scale_are_noted(factor):
    score = np.linspace(0.02, 0.98, 60)
    cases = pd.DataFrame({"y_true": (score > 0.5) ^ (np.arange(60) % 7 == 0), "score": score})
    tuned = cautious.tune(
        cases.assign(score=factor * score),
        costs={"false_negative": 3, "false_positive": 3, "abstain": 1},
        honest=False,
    ).rule
    bare = tuned.with_details(data=None)
    same, unlike = (pd.DataFrame({"score": each * score}) for each in (factor, 100 / factor))
    for rule in (tuned, bare):
        assert "same scale" not in notes_of(same, rule)
        assert "same scale" in notes_of(unlike, rule)
    lay = f"lay between {0.02 * factor:.4g} and {0.98 * factor:.4g}. Are they"
    assert lay in notes_of(unlike, tuned)
    # Margins are another scale than both; and few cases may all be low ones.
    assert "same scale" in notes_of(pd.DataFrame({"score": 4 * score - 9}), tuned)
    assert "same scale" not in notes_of(pd.DataFrame({"score": [0.02]}), tuned)
    assert "same scale" not in notes_of(pd.DataFrame({"score": [None, None]}), tuned)


def test_truths_of_other_classes_are_noted():
    rule = Rule.window(0.2, 0.8, classes=["tested_negative", "tested_positive"])
    cases = pd.DataFrame({"y_true": ["good", "bad"], "score": [0.1, 0.9]})
    words = "column 'y_true' holds 'good', 'bad', but the rule answers 'tested_negative', "
    assert words in notes_of(cases, rule)
    known = cases.assign(y_true=["tested_positive", None])
    assert "but the rule answers" not in notes_of(known, rule)
    assert "but the rule answers" not in notes_of(cases[["score"]], rule)
    assert "but the rule answers" not in notes_of(cases.assign(y_true=None), rule)


def test_a_rule_of_one_model_answers_the_cases_of_that_model(tmp_path):
    frame = pd.DataFrame(
        {"score": [0.1, 0.9, 0.5, 0.9], "model": ["lr", "sharp", "lr", "lr"]}, index=list("abcd")
    )
    rule = Rule.window(0.2, 0.8, classes=["no", "yes"])
    frame.to_csv(tmp_path / "cases.csv", index=False)
    for given in (frame, tmp_path / "cases.csv"):
        with pytest.raises(InputError, match=r"models 'lr', 'sharp'.* only, for example 'lr'"):
            cautious.apply(given, rule)
    done = cautious.apply(frame, rule, only="lr")
    assert done.n == 3
    assert done.cases["y_set"].to_dict() == {"a": "no", "c": "?", "d": "yes"}
    assert "3 of 4 cases are those of 'lr'" in " ".join(map(str, done.notes))
    cautious.apply(tmp_path / "cases.csv", rule, tmp_path / "answers.csv", only="lr")
    assert (tmp_path / "answers.csv").read_text().split() == [
        "score,model,y_set", "0.1,lr,no", "0.5,lr,?", "0.9,lr,yes",
    ]  # fmt: skip
    # Of several rules it takes the own rule and the own cases.
    rules = {"lr": rule, "sharp": Rule.window(0.2, 0.95, classes=["no", "yes"])}
    assert cautious.apply(frame, rules, only="sharp").cases["y_set"].to_dict() == {"b": "?"}
    assert cautious.apply(frame, rule, model=False).n == 4
    assert cautious.apply(frame[frame["model"] == "lr"], rule).n == 3
    # A model's own column of scores is for all cases.
    wide = pd.DataFrame({"lr": [0.1, 0.9], "tree": [0.5, 0.5], "model": ["x", "y"]})
    assert cautious.apply(wide, {"lr": rule}).n == 2
