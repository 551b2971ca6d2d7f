"""Every table of the conformance corpus is read as what it means, from whatever holds it."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from tests.conformance.corpus import CASES
from tests.conformance.ways import write

from cautious.predictions import read_predictions

ROLES = ("truth", "score", "weight", "pos_label", "empty", "missing", "decimal")
GRADED = ("correct", "confidence", "answerable")


def arrow_table(case):
    pa = pytest.importorskip("pyarrow")
    if callable(case.content):
        return case.content()
    # Text as text: what a frame of strings holds.
    content = case.content.encode() if isinstance(case.content, str) else case.content
    text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    heading = text.split("\n")[0]
    mark = max((",", ";", "\t"), key=heading.count)
    frame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, sep=mark)
    columns = {name: pa.array(frame[name].tolist(), pa.string()) for name in frame}
    return pa.table(columns)


def held(case, how, tmp_path):
    if how == "file":
        return write(case, tmp_path)
    if how == "feather":
        feather = pytest.importorskip("pyarrow.feather")
        feather.write_feather(arrow_table(case), tmp_path / f"{case.name}.feather")
        return tmp_path / f"{case.name}.feather"
    table = arrow_table(case)
    if how == "arrow":
        return table
    if how == "polars":
        return pytest.importorskip("polars").from_arrow(table)
    return table.to_pandas()


def texts(labels):
    return [str(label) for label in labels]


@pytest.mark.parametrize("how", ["file", "feather", "arrow", "polars", "pandas"])
@pytest.mark.parametrize("name", CASES)
def test_what_a_table_means(name, how, tmp_path):
    case = CASES[name]
    written = {"decimal", "ending"} & case.options.keys()
    if written and case.options.get("ending") != "tsv" and how != "file":
        pytest.skip("it is about text files")
    roles = ROLES + GRADED * ("correct" in case.options)
    options = {key: case.options[key] for key in roles if key in case.options}
    found = read_predictions(held(case, how, tmp_path), **options)
    expected = dict(case.models)
    if len(expected) == 1:
        assert len(found) == 1
        expected = {next(iter(found)): next(iter(expected.values()))}
        if how in ("file", "feather"):
            assert list(found) == [name]
    assert list(found) == list(expected)
    for model, meaning in expected.items():
        one = found[model]
        assert texts(one.classes) == list(meaning.classes)
        assert texts(one.y_true) == list(meaning.truth)
        if meaning.score is not None:
            np.testing.assert_array_equal(one.y_score, np.array(meaning.score, dtype=float))
            assert str(one.pos_label) == meaning.classes[1]
        if meaning.proba is not None:
            gap = [np.nan] * len(meaning.classes)
            given = np.array([row or gap for row in meaning.proba], dtype=float)
            np.testing.assert_allclose(one.y_proba, given / given.sum(axis=1, keepdims=True))
        if meaning.sets is not None:
            sets = [
                {label for label, there in zip(meaning.classes, row, strict=True) if there}
                for row in one.y_set
            ]
            assert sets == list(meaning.sets)
        if meaning.weight is None:
            assert one.sample_weight is None
        else:
            np.testing.assert_array_equal(one.sample_weight, meaning.weight)
    if case.groups:
        assert set(found.groups) == set(case.groups)
    for word in case.notes:
        assert any(word in str(note) for note in found.notes)
