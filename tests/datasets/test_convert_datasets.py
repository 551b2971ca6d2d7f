from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.util
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

TOOL = Path(__file__).parents[2] / "tools" / "convert_datasets.py"
_spec = importlib.util.spec_from_file_location("convert_datasets", TOOL)
tool = importlib.util.module_from_spec(_spec)
sys.modules["convert_datasets"] = tool  # dataclasses look their module up by name
_spec.loader.exec_module(tool)

HEADER = "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n"
SMALL = """% a comment
@RELATION 'small one'

@Attribute "a b"  {x, 'y z', "it's", '?'}   % comment at the end
@attribute n\tREAL
@attribute m integer [1,10]
@attribute class { no , yes }
@DATA
'y z', 1.5, ?, no
% between the rows

"it's",-2e-3 , 7,yes
'?',.5,1.,no % last
"""


def test_what_the_reader_understands():
    table = tool.read_arff(SMALL)
    assert [a.name for a in table.attributes] == ["a b", "n", "m", "class"]
    assert table.attributes[0].categories == ("x", "y z", "it's", "?")
    assert table.attributes[1].categories is table.attributes[2].categories is None
    assert table.rows == (
        ("y z", "1.5", None, "no"),
        ("it's", "-2e-3", "7", "yes"),
        ("?", ".5", "1.", "no"),
    )


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_make_no_difference(newline):
    assert tool.read_arff("\ufeff" + SMALL.replace("\n", newline)) == tool.read_arff(SMALL)


def test_escapes():
    text = "@relation r\n@attribute 'it\\'s \\\\' {'a\\tb', \"50\\%\"}\n@data\n'a\\tb'\n'50\\%'\n"
    table = tool.read_arff(text)
    assert table.attributes[0].name == "it's \\"
    assert table.rows == (("a\tb",), ("50%",))


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("@relation r\n@attribute a real", 2, "ends before @data"),
        ("@relation r\n@data\n1", 2, "@data before any @attribute"),
        ("@relation two words\n", 1, "@relation needs one name"),
        ("@relation r\n@relation r\n", 2, "where @relation, @attribute or @data was expected"),
        ("1,2\n", 1, "was expected"),
        ("@relation r\n@attribute a\n", 2, "needs a name and a type"),
        ("@relation r\n@attribute '' real\n", 2, "empty name"),
        ("@relation r\n@attribute {x} real\n", 2, "needs a name and a type"),
        ("@relation r\n@attribute a string\n", 2, "type 'string'"),
        ("@relation r\n@attribute a real 5\n", 2, "'5' after the type"),
        ("@relation r\n@attribute a {x,y\n", 2, "do not end with '}'"),
        ("@relation r\n@attribute a {}\n", 2, "category 1 of attribute 'a' is empty"),
        ("@relation r\n@attribute a {x,,y}\n", 2, "category 2 of attribute 'a' is empty"),
        ("@relation r\n@attribute a {x,x}\n", 2, "declares 'x' twice"),
        ("@relation r\n@attribute a {x y}\n", 2, "no comma between 'x' and 'y'"),
        ("@relation r\n@attribute a real\n@attribute a real\n", 3, "second attribute named 'a'"),
        (HEADER + "1,x\n1,x,y\n", 6, "3 values for 2 attributes"),
        (HEADER + ",x\n", 5, "no value for attribute 'a'; missing is '?'"),
        (HEADER + "1,z\n", 5, "'z' is not a declared category of attribute 'c'"),
        (HEADER + "nan,x\n", 5, "'nan' is no number"),
        (HEADER + "1_000,x\n", 5, "'1_000' is no number"),
        (HEADER + "1e999,x\n", 5, "'1e999' is no number"),
        (HEADER + "'?',x\n", 5, "'\\?' is no number"),
        (HEADER + "1,x,{2}\n", 5, "weights are not read"),
        (HEADER + "{0 1}\n", 5, "sparse rows"),
        (HEADER + "1,'x\n", 5, 'an unclosed quote in "\'x"'),
        (HEADER + "1 2,x\n", 5, "no comma between '1' and '2'"),
    ],
)
def test_what_it_refuses_and_where(text, line, what):
    with pytest.raises(tool.ArffError, match=f"^line {line}: .*{what}"):
        tool.read_arff(text)


WORD = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\r\n"), min_size=1, max_size=8
)


def quoted(word):
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"


@given(
    names=st.lists(WORD, min_size=1, max_size=4, unique=True),
    categories=st.lists(WORD, min_size=1, max_size=5, unique=True),
    data=st.data(),
)
def test_whatever_is_quoted_comes_back(names, categories, data):
    cell = st.none() | st.sampled_from(categories)
    rows = data.draw(st.lists(st.tuples(*[cell] * len(names)), max_size=5))
    declared = ",".join(map(quoted, categories))
    text = "@relation r\n"
    text += "".join(f"@attribute {quoted(name)} {{{declared}}}\n" for name in names)
    text += "@data\n"
    text += "".join(",".join("?" if c is None else quoted(c) for c in row) + "\n" for row in rows)
    table = tool.read_arff(text)
    assert [a.name for a in table.attributes] == names
    assert all(a.categories == tuple(categories) for a in table.attributes)
    assert list(table.rows) == rows


def write_source(folder, **changes):
    """Make a source folder with one compressed set, its facts right unless changed."""
    data = gzip.compress(SMALL.encode(), mtime=0)
    fact = {
        "name": "small",
        "file": "small.arff.gz",
        "rows": 3,
        "features": 3,
        "nominal_features": 1,
        "classes": 2,
        "missing_cells": 1,
        "source": "here",
        "source_commit_or_version": "1",
        "licence_note": "none",
        "verified": "yes",
        "class_attribute": "class",
        "classes_declared": 2,
        "papers": "A D",
        "idsia54": "yes",
        "notes": "CSV to ARFF; odd (outside 2-36 for D); CRLF to LF",
        "sha256": hashlib.sha256(data).hexdigest(),
        **changes,
    }
    folder.mkdir()
    (folder / "small.arff.gz").write_bytes(data)
    with (folder / "SOURCES.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(fact))
        writer.writeheader()
        writer.writerow(fact)
    return folder


def test_conversion_of_a_folder(tmp_path, capsys):
    source = write_source(tmp_path / "source")
    assert tool.main([str(source), str(tmp_path / "one")]) == 0
    assert "1 data sets" in capsys.readouterr().out
    assert tool.main([str(source), str(tmp_path / "two")]) == 0
    names = ["columns.json", "facts.csv", "small.csv.gz"]
    assert sorted(p.name for p in (tmp_path / "one").iterdir()) == names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    text = gzip.decompress((tmp_path / "one" / "small.csv.gz").read_bytes())
    assert text.decode().splitlines() == [
        "a b,n,m,class",
        "y z,1.5,,no",
        "it's,-2e-3,7,yes",
        "?,.5,1.,no",
    ]
    columns = json.loads((tmp_path / "one" / "columns.json").read_text())
    assert columns["small"][0] == ["a b", ["x", "y z", "it's", "?"]]
    (fact,) = csv.DictReader((tmp_path / "one" / "facts.csv").read_text().splitlines())
    assert fact["notes"] == "odd"
    assert fact["sha256"] == hashlib.sha256(text).hexdigest()
    assert [fact[p] for p in ("friedel", "ferri", "yang", "zaffalon")] == [
        "True",
        "False",
        "False",
        "True",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": 4}, "small.arff.gz: rows is 3, SOURCES.csv says 4"),
        ({"missing_cells": 0}, "missing_cells is 1"),
        ({"sha256": "0" * 64}, "SHA-256"),
        ({"class_attribute": "n"}, "last column is 'class'"),
        ({"file": "absent.arff"}, "absent.arff"),
    ],
)
def test_a_wrong_fact_stops_the_conversion(tmp_path, capsys, changes, message):
    source = write_source(tmp_path / "source", **changes)
    assert tool.main([str(source), str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("*"))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.arff", b"@relation r\n\xff", "utf-8"),
        ("a.arff.gz", b"no gzip", "damaged gzip"),
        ("a.arff.gz", gzip.compress(SMALL.encode(), mtime=0)[:40], "damaged gzip"),
        ("a.arff", b"nonsense", "line 1"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, name, data, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"^{name}: .*{message}"):
        tool.read_file(path)


def test_a_class_may_not_be_missing():
    table = tool.read_arff("@relation r\n@attribute c {x}\n@data\n?\n")
    with pytest.raises(ValueError, match="no class"):
        tool.count_facts(table, "c")
