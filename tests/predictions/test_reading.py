"""What is read how: containers, kinds of labels, missing cells, several models, large files."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.errors import InputError
from cautious.logs import summarise
from cautious.predictions import Predictions, read_predictions
from cautious.predictions._reader import align
from cautious.sets import parse_set

Y = np.array(["no", "yes", "no", "yes", "yes"])
SCORE = np.array([0.1, 0.4, 0.6, 0.8, 0.9])
BOTH = np.column_stack([1 - SCORE, SCORE])


FORMS = {
    "pair": (Y, SCORE),
    "lists": (Y.tolist(), SCORE.tolist()),
    "mapping": {"y_true": Y, "y_score": SCORE},
    "text scores": {"y_true": Y, "y_score": [str(one) for one in SCORE]},
    "two columns": {"y_true": Y, "y_proba": BOTH},
    "columns of a pair": (Y, BOTH),
    "turned columns": {"y_true": Y, "y_proba": BOTH[:, ::-1], "classes": ["yes", "no"]},
    "named columns": {"y_true": Y, "y_proba": pd.DataFrame({"yes": BOTH[:, 1], "no": BOTH[:, 0]})},
    "table": pd.DataFrame({"label": Y, "score": SCORE}),
    "table of probabilities": pd.DataFrame({"label": Y, "p_yes": SCORE}),
    "the other column": pd.DataFrame({"label": Y, "p_no": BOTH[:, 0]}),
    "categories": pd.DataFrame({"label": pd.Categorical(Y, ["x", "yes", "no"]), "p": SCORE}),
    "nullable": pd.DataFrame({"y": pd.array(Y, "string"), "p": pd.array(SCORE, "Float64")}),
    "objects": pd.DataFrame({"y": Y.astype(object), "p": list(map(str, SCORE))}),
}


class TestForms:
    @pytest.mark.parametrize("form", FORMS)
    def test_two_classes(self, form):
        found = read_predictions({form: FORMS[form]}, pos_label="yes")
        assert list(found) == [form]
        assert found.classes == ("no", "yes")
        assert found.pos_label == "yes"
        np.testing.assert_allclose(found.y_score, SCORE, rtol=1e-15)
        assert found.y_true.tolist() == Y.tolist()
        assert read_predictions(found) is found

    def test_a_source_alone_needs_no_name(self):
        assert list(read_predictions((Y, SCORE))) == ["predictions"]
        assert list(read_predictions({"y_true": Y, "y_score": SCORE})) == ["predictions"]
        assert list(read_predictions(FORMS["table"])) == ["predictions"]

    def test_predictions_may_be_put_together(self):
        one = read_predictions({"a": (Y, SCORE)})
        both = read_predictions({"x": one, "y": one["a"], "z": (Y, 1 - SCORE)})
        assert list(both) == ["x", "y", "z"]
        np.testing.assert_array_equal(both["y"].y_score, SCORE)

    def test_sets_in_arrays(self):
        mask = np.array([[1, 0], [1, 1], [1, 0], [0, 1], [0, 1]], dtype=bool)
        lists = [["no"], ["no", "yes"], {"no"}, ("yes",), ["yes"]]
        for sets in (mask, lists, pd.DataFrame({"yes": mask[:, 1], "no": mask[:, 0]})):
            one = read_predictions({"m": {"y_true": Y, "y_set": sets}})["m"]
            np.testing.assert_array_equal(one.y_set, mask)
            assert one.pos_label == "yes"  # plain; costs may need it
        beside = read_predictions({"m": {"y_true": Y, "y_set": lists, "y_score": SCORE}})
        np.testing.assert_array_equal(beside.y_set, mask)
        assert any("the sets are the answers" in str(note) for note in beside.notes)
        assert read_predictions((Y, mask)).y_set is not None
        assert read_predictions((Y, lists)).y_set is not None

    def test_reprs_are_short(self):
        found = read_predictions({"m" * 500: (Y, SCORE)})
        assert len(repr(found)) < 300
        assert repr(found["m" * 500]).startswith("<Cases 'mmm")


class TestLabels:
    @pytest.mark.parametrize(
        ("labels", "names", "classes"),
        [
            ([0, 1], ["p_0", "p_1"], (0, 1)),
            ([0.0, 1.0], ["p_0", "p_1"], (0, 1)),
            ([0, 1], ["p_0.0", "p_1.0"], (0, 1)),
            ([False, True], ["p_0", "p_1"], (False, True)),
            ([False, True], ["p_false", "p_true"], (False, True)),
            ([False, True], ["p_FALSE", "p_TRUE"], (False, True)),
            (["0", "1"], ["p_0", "p_1"], ("0", "1")),
            ([-1, 1], ["p_-1", "p_1"], (-1, 1)),
            ([np.int8(0), np.int64(1)], ["p_0", "p_1"], (0, 1)),
            ([0, "1"], ["p_0", "p_1"], ("0", "1")),
        ],
    )
    def test_names_match_labels_of_other_kinds(self, labels, names, classes):
        frame = pd.DataFrame({"y": pd.Series(labels), names[0]: [0.75, 0.5], names[1]: [0.25, 0.5]})
        found = read_predictions(frame)
        assert found.classes == classes
        assert [type(one) for one in found.classes] == [type(one) for one in classes]
        assert found.y_score.tolist() == [0.25, 0.5]

    @pytest.mark.parametrize(
        ("labels", "classes"),
        [
            (["\ud800", "b"], ("b", "\ud800")),
            (np.array([0, 1], dtype=">i4"), (0, 1)),
            (np.array([b"a", b"b"]), ("a", "b")),
            (np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"), ("2020-01-01", "2021-01-01")),
        ],
        ids=["lone surrogate", "big-endian", "bytes", "dates"],
    )
    def test_labels_of_odd_kinds(self, labels, classes):
        sets = np.eye(2, dtype=bool)
        if getattr(labels, "dtype", None) != "M8[D]":
            assert read_predictions({"m": {"y_true": labels, "y_set": sets}}).classes == classes
        frame = pd.DataFrame({"y_true": pd.Series(list(labels), dtype=object), "score": [0.1, 0.9]})
        assert set(read_predictions(frame, pos_label=classes[1]).classes) == set(classes)

    def test_labels_that_end_in_nul(self, read):
        found = read("y_true,y_set\na,a\na\x00,a|a\x00\n")
        assert found.classes == ("a", "a\x00")
        assert found.y_true.tolist() == ["a", "a\x00"]

    @given(
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
            min_size=2,
            max_size=8,
            unique=True,
        ).filter(lambda labels: len({one.split(".")[0] for one in labels}) == len(labels))
    )
    @settings(deadline=None)
    def test_labels_come_back_from_files(self, tmp_path_factory, labels):
        folder = tmp_path_factory.mktemp("labels")
        frame = pd.DataFrame({"y_true": labels, "y_set": labels}, dtype=object)
        for name in ("a.csv", "a.parquet", "a.feather"):
            path = folder / name
            if name == "a.csv":
                with path.open("w", encoding="utf-8", newline="") as file:
                    frame.to_csv(file, index=False, quoting=1)
            elif name == "a.parquet":
                frame.to_parquet(path)
            else:
                frame.to_feather(path)
            found = read_predictions(path)
            assert found.y_true.tolist() == labels
            assert found.y_set.sum(axis=1).tolist() == [1] * len(labels)
            np.testing.assert_array_equal(found.y_set.argmax(axis=1), found.codes)

    @given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=20))
    @settings(deadline=None)
    def test_numbers_come_back_to_the_last_bit(self, tmp_path_factory, numbers):
        path = tmp_path_factory.mktemp("numbers") / "a.csv"
        rows = [f"{k % 2},{number!r}" for k, number in enumerate(numbers)]
        path.write_text("\n".join(["y_true,score", *rows]))
        np.testing.assert_array_equal(read_predictions(path).y_score, np.array(numbers))


class TestSets:
    def test_quotations_and_repeats(self):
        assert parse_set("['caf\\u00e9', \"it's\", 'it\\'s']").labels == ("café", "it's")
        assert parse_set("a|a|b").repeated
        assert parse_set("?").labels is None
        assert parse_set(3).labels == (3,)

    @given(st.text(max_size=30), st.lists(st.text(max_size=5), max_size=3))
    def test_any_text_is_read_or_refused(self, cell, known):
        try:
            found = parse_set(cell, known)
        except InputError:
            return
        assert found.labels is None or all(
            label.strip() for label in found.labels if label not in known
        )

    def test_columns_of_sets_in_frames(self):
        truth = ["a", "b", "c"]
        masks = {
            "lists": [["a"], ["a", "b"], ["c", "b"]],
            "tuples": [("a",), ("b", "a"), ("b", "c")],
            "sets": [{"a"}, {"b", "a"}, frozenset({"b", "c"})],
            "arrays": [np.array(["a"]), np.array(["a", "b"]), np.array(["b", "c"])],
            "text": ["a", "a|b", "{b, c}"],
        }
        for sets in masks.values():
            found = read_predictions(
                pd.DataFrame({"y": truth, "y_set": pd.Series(sets, dtype=object)})
            )
            assert found.y_set.astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]

    def test_single_answers_among_gaps(self):
        frame = pd.DataFrame({"y": [1, 2, 1], "y_set": [1.0, 2.0, np.nan]})
        found = read_predictions(frame, empty="abstain")
        assert found.y_set.tolist() == [[True, False], [False, True], [True, True]]
        assert read_predictions(frame, empty="wrong").y_set[2].tolist() == [False, False]
        assert read_predictions(frame, empty="wrong").empty == "wrong"

    def test_a_label_with_a_space_may_be_known_from_another_file(self, tmp_path):
        (tmp_path / "a.csv").write_text("y_true,y_set\nOslo,Oslo\nNew York,New York\n")
        (tmp_path / "b.csv").write_text("y_true,y_set\nOslo,New York\nOslo,Oslo\n")
        found = read_predictions([tmp_path / "a.csv", tmp_path / "b.csv"])
        assert found.classes == ("New York", "Oslo")

    def test_models_about_other_classes_are_left_apart(self):
        one = pd.DataFrame({"y": ["a", "b"], "y_set": ["a", "a|b"]})
        other = pd.DataFrame({"y": ["x", "y"], "y_set": ["x", "x|y"]})
        found = read_predictions({"one": one, "other": other})
        assert found["one"].classes == ("a", "b")
        assert found["other"].classes == ("x", "y")

    def test_classes_of_all_files_count(self, tmp_path):
        (tmp_path / "a.csv").write_text("y_true,y_set\n1,1\n2,2\n")
        (tmp_path / "b.csv").write_text("y_true,y_set\n1,1|3\n2,2\n")
        found = read_predictions([tmp_path / "a.csv", tmp_path / "b.csv"])
        assert found.classes == ("1", "2", "3")
        assert list(found) == ["a", "b"]
        assert any("'3' occur in sets only" in str(note) for note in found.notes)


class TestMissing:
    TEXT = "y_true,score,weight\n0,.25,1\n,.5,2\n1,,3\n1,.75,4\n"

    def test_truths_may_be_left_out(self, read):
        found = read(self.TEXT.replace("1,,3", "1,.5,3"), drop_missing=True)
        assert found.y_score.tolist() == [0.25, 0.5, 0.75]
        assert found.sample_weight.tolist() == [1, 3, 4]
        assert any("no truth in 1 of 4 rows" in str(note) for note in found.notes)

    def test_lines_are_those_of_the_file(self, refused):
        words = refused(self.TEXT, drop_missing=True)
        assert words.startswith("column 'score', line 4: a number is missing")
        words = refused(self.TEXT.replace("1,,3", "1,high,3"), drop_missing=True)
        assert words.startswith("column 'score', line 4: 'high' is not a number")

    def test_a_row_that_is_left_out_may_hold_anything(self, read):
        found = read("y_true,score\n0,.25\n,high\n1,.75\n", drop_missing=True)
        assert found.y_score.tolist() == [0.25, 0.75]

    def test_a_missing_score_may_abstain(self, read):
        found = read(self.TEXT.replace("\n,.5", "\n0,.5"), missing="abstain")
        assert found.missing.tolist() == [False, False, True, False]
        assert any("no score in 1 of 4 rows" in str(note) for note in found.notes)
        found = read("y,p_a,p_b,p_c\na,.5,.25,.25\nb,,.5,.5\n", missing="abstain")
        assert np.isnan(found.y_proba[1]).all()

    def test_nothing_is_left(self, refused):
        assert refused("y_true,score\n,.5\n,.25\n", drop_missing=True).startswith(
            "there are no rows"
        )

    def test_in_arrays(self):
        given = {"y_true": ["no", None, "yes"], "y_score": [0.1, 0.2, 0.3], "groups": list("cba")}
        found = read_predictions({"m": given}, drop_missing=True)
        assert found.y_score.tolist() == [0.1, 0.3]
        assert (list(found.groups.codes), list(found.groups.categories)) == ([1, 0], ["a", "c"])
        found = read_predictions({"m": ([0, 1], [0.5, np.nan])}, missing="abstain")
        assert found.missing.tolist() == [False, True]

    def test_before_deployment_there_is_no_truth(self, read):
        found = read("score\n.25\n.75\n", truth=False, classes=["no", "yes"])
        assert found.codes is None
        assert found.classes == ("no", "yes")
        with pytest.raises(InputError, match="truths are not known"):
            found.y_true  # noqa: B018
        found = read("p_a,p_b,p_c\n.5,.25,.25\n", truth=False)
        assert found.classes == ("a", "b", "c")


class TestModels:
    def test_models_groups_and_cases(self, read):
        text = "id,y_true,score,model,group\n1,0,.1,x,u\n2,1,.8,x,v\n1,0,.2,,u\n2,1,.9,,\n"
        found = read(text, case="id")
        assert list(found) == ["x", "(no name)"]
        assert found["x"].case.tolist() == ["1", "2"]
        assert found["(no name)"].groups.tolist() == ["u", ""]
        assert found["x"].of_group("v").y_score.tolist() == [0.8]
        assert found["x"].take([1]).codes.tolist() == [1]
        plain = read(text, model=False, groups=False)
        assert plain.n == 4
        assert plain.groups is None

    def test_several_scores_of_several_models(self, read):
        found = read("y_true,a,b,model\n0,.1,.2,x\n1,.8,.9,x\n", score=["a", "b"])
        assert list(found) == ["x, a", "x, b"]

    def test_files_of_one_name_are_told_apart_by_their_folders(self, tmp_path):
        for folder in ("x", "y"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "a.csv").write_text("y_true,score\n0,.1\n1,.9\n")
        files = [str(tmp_path / folder / "a.csv") for folder in ("x", "y")]
        assert list(read_predictions(files)) == files

    def test_cases_are_matched_across_kinds_of_files(self, tmp_path):
        pytest.importorskip("pyarrow")
        frame = pd.DataFrame({"id": [1, 2, 3], "y_true": [0, 1, 1], "score": [0.1, 0.8, 0.9]})
        frame.to_csv(tmp_path / "a.csv", index=False)
        frame[::-1].to_parquet(tmp_path / "b.parquet")
        found = align(read_predictions([tmp_path / "a.csv", tmp_path / "b.parquet"], case="id"))
        np.testing.assert_array_equal(found["a"].y_score, found["b"].y_score)

    def test_declared_classes_give_the_order(self, read):
        text = "y_true,p_a,p_b,p_c\na,.5,.25,.25\nb,.125,.625,.25\nc,.25,.25,.5\n"
        found = read(text, classes=["c", "a", "b"])
        assert found.classes == ("c", "a", "b")
        assert found.y_proba[0].tolist() == [0.25, 0.5, 0.25]
        assert found.codes.tolist() == [1, 2, 0]
        said = read("y_true,p_good,p_bad\ngood,.75,.25\nbad,.5,.5\n", classes=["good", "bad"])
        assert said.classes == ("good", "bad")


class TestFiles:
    OK = "y_true,score\n0,0.25\n1,0.75\n"

    @pytest.mark.parametrize(
        "content",
        [
            "\ufeff".encode("utf-16-be") + OK.encode("utf-16-be"),
            gzip.compress(OK.encode(), mtime=0),
            OK.replace("\n", "\r").encode(),
            OK.replace(",", "; ").encode(),
            OK.replace("0.25", '"0.25"').encode(),
        ],
    )
    def test_files_as_people_have_them(self, read, content):
        found = read(content)
        assert found.y_score.tolist() == [0.25, 0.75]
        assert found.classes == ("0", "1")

    def test_another_encoding_may_be_said(self, read):
        content = "y_true,p_café\nthé,0.25\ncafé,0.75\n".encode("latin-1")
        assert read(content, encoding="latin-1").classes == ("thé", "café")

    def test_names_of_models(self, tmp_path):
        (tmp_path / "my.model.csv.gz").write_bytes(gzip.compress(self.OK.encode()))
        assert list(read_predictions(tmp_path / "my.model.csv.gz")) == ["my.model"]

    def test_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(self.OK.encode())))
        assert list(read_predictions("-")) == ["standard input"]

    def test_a_cell_beyond_the_first_block(self, read, refused):
        rows = [f"{k % 2},{k / 200_000}" for k in range(150_000)]
        found = read("\n".join(["y_true,score", *rows]))
        assert found.n == 150_000
        assert found.y_score[140_000] == 0.7
        rows[140_000] = "0,high"
        assert refused("\n".join(["y_true,score", *rows])).startswith(
            "column 'score', line 140002:"
        )

    def test_a_long_line_takes_no_memory(self, tmp_path):
        path = tmp_path / "commas.csv"
        path.write_text("y_true,score\n0,1\n" + "," * 3_000_000)
        tracemalloc.start()
        with pytest.raises(InputError, match="more than 2,097,152 bytes"):
            read_predictions(path)
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
        tracemalloc.stop()


class TestParquet:
    @pytest.fixture(autouse=True)
    def _needs_pyarrow(self):
        pytest.importorskip("pyarrow")

    def write(self, path, n=300, **options):
        import pyarrow as pa
        import pyarrow.parquet as pq

        rng = np.random.default_rng(0)
        table = pa.table({"y_true": np.arange(n) % 2, "score": rng.random(n)})
        pq.write_table(table, path, **options)
        return table

    def test_damage_is_found(self, tmp_path):
        path = tmp_path / "whole.parquet"
        self.write(path, 10_000, write_page_checksum=True, compression="none", use_dictionary=False)
        content = path.read_bytes()
        hurt = tmp_path / "hurt.parquet"
        for damaged in (
            content[: len(content) // 2],
            b"",
            b"y_true,score\n",
            content[:4] + bytes(500) + content[504:],
            content[:90_000] + b"\xff" + content[90_001:],  # a page whose checksum no longer fits
        ):
            hurt.write_bytes(damaged)
            with pytest.raises(InputError, match=r"hurt\.parquet: this is no whole Parquet file"):
                read_predictions(hurt)

    def test_row_counts_must_agree(self, tmp_path, monkeypatch):
        import pyarrow.parquet as pq

        path = tmp_path / "a.parquet"
        self.write(path)
        whole = pq.ParquetFile.read
        cut = lambda self, **wanted: whole(self, **wanted).slice(0, 10)  # noqa: E731
        monkeypatch.setattr(pq.ParquetFile, "read", cut)
        with pytest.raises(InputError, match="10 rows were found where 300 are promised"):
            read_predictions(path)

    @pytest.mark.parametrize("as_dictionary", [False, True])
    def test_huge_labels_are_kept_once(self, tmp_path, as_dictionary):
        """Written out they are 4 GB."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        n = 200_000
        labels = pa.array(["a" * 20_000, "b" * 20_000])
        column = pa.DictionaryArray.from_arrays(pa.array(np.arange(n) % 2, pa.int32()), labels)
        table = pa.table({"y_true": column, "score": np.arange(n) / n})
        pq.write_table(table, tmp_path / "a.parquet", store_schema=as_dictionary)
        before = pa.total_allocated_bytes()
        tracemalloc.start()
        found = read_predictions(tmp_path / "a.parquet", pos_label="b" * 20_000)
        assert found.y_true.dtype == object
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
        tracemalloc.stop()
        assert pa.default_memory_pool().max_memory() - before < 200_000_000

    def test_a_dictionary_with_many_unused_entries(self):
        import pyarrow as pa

        values = pa.array([str(k) for k in range(200_000)])
        codes = pa.array([0, 1, 1, 0, None], pa.int32())
        table = pa.table(
            {
                "y_true": pa.DictionaryArray.from_arrays(codes, values),
                "score": [0.1, 0.9, 0.8, 0.2, 1],
            }
        )
        assert read_predictions(table, drop_missing=True).classes == ("0", "1")

    def test_types_of_columns(self):
        import decimal

        import pyarrow as pa

        truth = pa.array([decimal.Decimal(0), decimal.Decimal(1)])
        score = pa.array([decimal.Decimal("0.25"), decimal.Decimal("0.75")])
        found = read_predictions(pa.table({"y_true": truth, "score": score}))
        assert (found.classes, found.y_score.tolist()) == ((0, 1), [0.25, 0.75])
        table = pa.table({"y_true": pa.array([b"no", b"yes"]), "score": pa.array(["0.25", "0.75"])})
        assert read_predictions(table).classes == ("no", "yes")
        half = pa.table({"y_true": [0, 1], "score": np.array([0.25, 0.75], np.float16)})
        assert read_predictions(half).y_score.tolist() == [0.25, 0.75]
        chunks = pa.concat_tables([table, table])
        assert read_predictions(chunks).n == 4

    @pytest.mark.parametrize("name", ["y_true", "score"])
    @pytest.mark.parametrize("gone", ["NaN", "sNaN"])
    def test_decimals_that_are_no_number_are_missing(self, name, gone):
        from decimal import Decimal

        cells = [Decimal(0), Decimal(1), Decimal(gone)]
        frame = pd.DataFrame({"y_true": [0, 1, 0], "score": [0.2, 0.7, 0.4], name: cells})
        wishes = {"drop_missing": True} if name == "y_true" else {"missing": "abstain"}
        found = read_predictions(frame, **wishes)
        assert found.classes == (0, 1)
        assert (found.n, np.isnan(found.y_score).sum()) == ((2, 0) if name == "y_true" else (3, 1))
        assert summarise(frame, **wishes).n_rows == 3
        with pytest.raises(InputError, match=f"'{name}', row 2: .* missing"):
            read_predictions(frame)

    def test_pyarrow_is_needed(self, tmp_path, monkeypatch):
        (tmp_path / "a.parquet").write_bytes(b"PAR1")
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(ImportError, match=r"pip install 'cautious\[parquet\]'"):
            read_predictions(tmp_path / "a.parquet")


class TestPolars:
    @pytest.fixture
    def polars(self):
        return pytest.importorskip("polars")

    def test_frames_lazy_ones_and_nothing_else_installed(self, polars, monkeypatch):
        frame = polars.DataFrame({"y_true": ["no", "yes"], "score": [0.25, 0.75]})
        frame = frame.with_columns(polars.col("y_true").cast(polars.Categorical))
        for one in (frame, frame.lazy()):
            assert read_predictions(one).y_score.tolist() == [0.25, 0.75]
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        assert read_predictions(frame).classes == ("no", "yes")

    def test_lists_and_probabilities(self, polars):
        frame = polars.DataFrame({"y_true": ["a", "b"], "y_set": [["a"], ["a", "b"]]})
        assert read_predictions(frame).y_set.tolist() == [[True, False], [True, True]]
        proba = polars.DataFrame({"yes": [0.25, 0.75], "no": [0.75, 0.25]})
        given = {"y_true": ["no", "yes"], "y_proba": proba}
        assert read_predictions({"m": given}).y_score.tolist() == [0.25, 0.75]


def test_what_is_read_cannot_be_changed_by_name():
    found = read_predictions({"a": (Y, SCORE)})
    assert isinstance(found, Predictions)
    with pytest.raises(TypeError):
        found["b"] = found["a"]
    with pytest.raises(AttributeError):
        found["a"].name = "b"
