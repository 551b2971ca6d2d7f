"""ARFF files and the list of sources: converted wholly, or refused by name with nothing written."""

import csv
import hashlib
import importlib.util
import io
import sys
from pathlib import Path

import pytest
from hypothesis import strategies as st
from tests.fuzz.fuzz_damage import ARFF, any_file, damaged
from tests.fuzz.fuzz_effort import attempt, effort, fuzz

TOOL = Path(__file__).parents[2] / "tools" / "convert_datasets.py"
_spec = importlib.util.spec_from_file_location("fuzzed_convert_datasets", TOOL)
tool = importlib.util.module_from_spec(_spec)
sys.modules["fuzzed_convert_datasets"] = tool  # dataclasses look their module up by name
_spec.loader.exec_module(tool)

FACTS = {
    "name": "small",
    "file": "small.arff",
    "rows": "3",
    "features": "2",
    "nominal_features": "1",
    "classes": "2",
    "classes_declared": "2",
    "missing_cells": "1",
    "source": "here",
    "source_commit_or_version": "1",
    "licence_note": "none",
    "verified": "yes",
    "class_attribute": "class",
    "papers": "A D",
    "idsia54": "yes",
    "notes": "",
    "sha256": hashlib.sha256(ARFF.encode()).hexdigest(),
}


def sources(*facts):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(facts[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(facts)
    return text.getvalue()


@effort(60, 6000)
def test_any_bytes_are_read_or_refused(examples, tmp_path):
    def law(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        table, refusal = attempt(lambda: tool.read_file(path))
        if refusal is not None:
            assert refusal.startswith(f"{name}: ")
        else:
            assert all(len(row) == len(table.attributes) for row in table.rows)
            assert len({a.name for a in table.attributes}) == len(table.attributes)
        assert path.read_bytes() == content

    fuzz(
        law,
        examples,
        name=st.sampled_from(["a.arff", "a.arff.gz"]),
        content=any_file({"arff": ARFF}),
    )


@effort(30, 2000)
def test_the_conversion_is_all_or_nothing(examples, tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    # The second set is the damaged one: by then the first has been converted.
    listed = sources(FACTS, {**FACTS, "name": "other", "file": "other.arff"})

    def law(text, arff):
        (source / "SOURCES.csv").write_bytes(text)
        (source / "small.arff").write_text(ARFF)
        (source / "other.arff").write_bytes(arff)
        code = tool.main([str(source), str(target)])
        assert code in (0, 1)
        assert target.exists() == (code == 0)
        if code == 0:
            for path in target.iterdir():
                path.unlink()
            target.rmdir()

    fuzz(
        law,
        examples,
        text=damaged(listed.encode()),
        arff=st.one_of(st.just(ARFF.encode()), damaged(ARFF.encode())),
    )


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"name": "../outside"}, "has the name '../outside'"),
        ({"file": "/etc/passwd"}, "has the file '/etc/passwd'"),
        ({"name": ""}, "has the name ''"),
        ({"rows": "three"}, "rows is 3, SOURCES.csv says three"),
    ],
)
def test_facts_that_cannot_be(tmp_path, capsys, facts, words):
    (tmp_path / "SOURCES.csv").write_text(sources({**FACTS, **facts}))
    (tmp_path / "small.arff").write_text(ARFF)
    assert tool.main([str(tmp_path), str(tmp_path / "out")]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
