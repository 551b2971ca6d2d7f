"""Tables that every way refuses with the same words.

The words are not typed here: what the library says is compared with what the others say, each with
its own names of the arguments. What is typed is what the words must mention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

GRADED = {"correct": "ok", "confidence": "sure"}


@dataclass(frozen=True)
class Refusal:
    """A table and what its refusal must mention."""

    name: str
    content: str | bytes
    mentions: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    file: str = "given.csv"


def sets(cell: str) -> str:
    """A table with one odd set in its third line."""
    quoted = '"' + cell.replace('"', '""') + '"'
    return f"y_true,y_set\na,a\nb,{quoted}\nb,a|b\n"


def score(cell: str) -> str:
    """A table with one odd score in its third line."""
    return f'y_true,score\n0,0.25\n1,"{cell}"\n0,0.5\n1,0.75\n'


def member(cell: str) -> str:
    """A table with one odd membership in its third line."""
    return f'y_true,set_a,set_b\na,1,0\nb,"{cell}",1\n'


REFUSALS = (
    Refusal("blank set", sets(""), ("line 3", "empty")),
    Refusal("empty braces", sets("{}"), ("line 3", "empty")),
    Refusal("empty list", sets("[]"), ("line 3", "empty")),
    Refusal("label missing at the end", sets("a|"), ("line 3", "a|", "missing")),
    Refusal("label missing at the start", sets("|a"), ("line 3", "|a", "missing")),
    Refusal("label missing inside", sets("a||b"), ("line 3", "a||b", "missing")),
    Refusal("semicolon between labels", sets("a;b"), ("line 3", "a;b", "a|b")),
    Refusal("space between labels", sets("a b"), ("line 3", "a b", "a|b")),
    Refusal("slash between labels", sets("a/b"), ("line 3", "a/b", "a|b")),
    Refusal("comma between labels", sets("a,b"), ("line 3", "a,b", "a|b")),
    Refusal("membership of two", member("2"), ("set_a", "line 3", "2")),
    Refusal("membership of a half", member(".5"), ("set_a", "line 3", ".5")),
    Refusal("membership in words", member("maybe"), ("set_a", "line 3", "maybe")),
    Refusal(
        "memberships of two columns",
        "y_true,set_b,set_a\na,perhaps,maybe\nb,1,1\n",
        ("set_b", "line 2", "perhaps"),
    ),
    Refusal("missing truth", "y_true,score\n0,0.25\n,0.5\n1,0.75\n", ("y_true", "line 3")),
    Refusal("missing score", score(""), ("score", "line 3")),
    Refusal(
        "missing probability",
        "y_true,p_a,p_b,p_c\na,0.5,0.25,0.25\nb,0.25,,0.25\nc,0,0,1\n",
        ("p_b", "line 3", "missing"),
    ),
    Refusal("hexadecimal", score("0x10"), ("score", "line 3", "0x10")),
    Refusal("binary number", score("0b1"), ("score", "line 3", "0b1")),
    Refusal("decimal comma", score("0,25"), ("score", "line 3", "0,25", "0.25")),
    Refusal("per cent", score("25%"), ("score", "line 3", "25%")),
    Refusal("thousands", score("1,234.5"), ("score", "line 3", "1,234.5")),
    Refusal("date", score("2024-05-01"), ("score", "line 3", "2024-05-01")),
    Refusal("word for a number", score("high"), ("score", "line 3", "high")),
    Refusal(
        "probabilities that lack a tenth",
        "y_true,p_a,p_b,p_c\na,0.5,0.25,0.25\nb,0.25,0.5,0.15\nc,0,0,1\n",
        ("line 3", "0.9"),
    ),
    Refusal(
        "probability above one",
        "y_true,p_a,p_b,p_c\na,0.5,0.25,0.25\nb,1.25,-0.25,0\nc,0,0,1\n",
        ("p_a", "line 3", "1.25"),
    ),
    Refusal("positive class not said", "y_true,score\ngood,0.1\nbad,0.9\n", ("good", "bad")),
    Refusal(
        "positive class of two columns not said",
        "y_true,p_good,p_bad\ngood,0.75,0.25\nbad,0.25,0.75\n",
        ("good", "bad"),
    ),
    Refusal(
        "positive class unknown",
        "y_true,score\ngood,0.1\nbad,0.9\n",
        ("ugly", "good", "bad"),
        {"pos_label": "ugly"},
    ),
    Refusal("three classes with one score", "y_true,score\na,0.1\nb,0.9\nc,0.5\n", ("a", "b", "c")),
    Refusal("one class only", "y_true,score\n1,0.25\n1,0.75\n", ("1",)),
    Refusal("two columns of one name", "y_true,score,score\n0,0.1,0.2\n1,0.3,0.4\n", ("score",)),
    Refusal("no rows", "y_true,score\n", ("row",)),
    Refusal("no truth column", "outcome,score\n0,0.1\n1,0.9\n", ("outcome", "y_true")),
    Refusal("no predictions column", "y_true,age\n0,31\n1,42\n", ("age", "y_set")),
    Refusal("heading that is data", "0,0.25\n1,0.75\n0,0.5\n", ("heading",)),
    Refusal("row too long", "y_true,score\n0,0.25\n1,0.75,9\n0,0.5\n", ("3",)),
    Refusal("negative weight", "y_true,score,weight\n0,0.25,1\n1,0.75,-1\n", ("weight", "line 3")),
    Refusal("infinite weight", "y_true,score,weight\n0,0.25,1\n1,0.75,inf\n", ("weight", "line 3")),
    Refusal(
        "weight beyond fixed point",
        "y_true,score,weight\n0,0.25,1\n1,0.75,1e300\n",
        ("weight", "line 3"),
    ),
    Refusal(
        "truth outside the probability columns",
        "y_true,p_a,p_b,p_c\na,1,0,0\nd,0,1,0\n",
        ("d", "line 3"),
    ),
    Refusal(
        "not UTF-8", "y_true,p_café\nthé,0.25\ncafé,0.75\n".encode("latin-1"), ("UTF-8", "byte")
    ),
    Refusal(
        "not UTF-8 behind a mark", b"\xef\xbb\xbfy_true,score\n0,0.25\n1,\xe90.75\n", ("byte 25",)
    ),
    Refusal(
        "half a character in UTF-16",
        "y_true,score\n0,0.25\n1,0.75\n".encode("utf-16") + b"\x00\xd8\x31\x00",
        ("UTF-16", "byte 56"),
    ),
    Refusal("NUL in the heading", "y_true,s\0ore\n0,0.25\n1,0.75\n", ("byte 8",)),
    Refusal(
        "long row and no truth column", "outcome,score\n0,0.25,9\n1,0.75\n", ("outcome", "y_true")
    ),
    Refusal(
        "missing truth and positive class not said",
        "y_true,p_good,p_bad\n,0.75,0.25\nbad,0.25,0.75\n",
        ("good", "bad", "which one"),
    ),
    Refusal(
        "truth outside the columns, positive class said",
        "y_true,p_good,p_bad\nbad,0.25,0.75\nugly,0.75,0.25\n",
        ("line 3", "ugly", "'bad', 'good'"),
        {"pos_label": "bad"},
    ),
    Refusal(
        "missing truth and damaged set",
        "y_true,y_set\na,a||b\n,b\n",
        ("y_true", "line 3", "missing"),
    ),
    Refusal(
        "missing weight and damaged set",
        "y_true,y_set,weight\na,a||b,1\nb,b,\n",
        ("weight", "line 3", "missing"),
    ),
    Refusal(
        "truth outside the set columns and empty set",
        "y_true,set_a,set_b\na,0,0\nc,1,0\n",
        ("c", "line 3"),
    ),
    Refusal(
        "one class only of a model",
        "y_true,score,model\n0,0.25,b\n1,0.75,b\n1,0.5,c\n1,0.5,a\n",
        ("'a'", "truth '1'"),
    ),
    Refusal(
        "one class only of three",
        "y_true,p_a,p_b,p_c,weight\na,1,0,0,0\nb,0,1,0,1\n",
        ("not a",),
        {"pos_label": "a"},
    ),
    Refusal(
        "models without weight",
        "y_true,y_set,weight,model\na,a,0,m\nb,a|b,0,other\n",
        ("no row", "weight"),
    ),
    Refusal("scores without weight", "y_true,score,weight\n0,0.25,0\n1,0.75,0\n", ("weight",)),
    Refusal("sets of one class", "y_true,y_set\na,a\na,a\n", ("only one class", "a")),
    Refusal("one set column", "y_true,set_a\na,1\na,0\n", ("only one class", "a")),
    Refusal(
        "positive class of sets unknown",
        "y_true,y_set\na,a\nb,a|b\n",
        ("ugly", "a", "b"),
        {"pos_label": "ugly"},
    ),
    # A single column of probabilities, and sets beside scores.
    Refusal(
        "positive class of one column unknown",
        "y_true,p_yes\nno,0.25\nyes,0.75\n",
        ("maybe", "'no', 'yes'"),
        {"pos_label": "maybe"},
    ),
    Refusal(
        "column of no class", "y_true,p_maybe\nno,0.25\nyes,0.75\n", ("p_maybe", "'no', 'yes'")
    ),
    Refusal(
        "one column and another class of three",
        "y_true,p_a\na,0.25\nb,0.75\nc,0.5\n",
        ("'b'", "'a'"),
        {"pos_label": "b"},
    ),
    Refusal(
        "score beside sets of three",
        "y_true,score,set_a,set_b,set_c\na,0.25,1,0,0\nb,0.75,0,1,1\n",
        ("'a', 'b', 'c'", "score"),
        {"pos_label": "a"},
    ),
    Refusal(
        "positive class beside sets of three",
        "y_true,p_a,p_b,p_c,y_set\na,1,0,0,a\nb,0,1,0,b|c\nc,0,0,1,c\n",
        ("'a', 'b', 'c'", "sets"),
        {"pos_label": "a"},
    ),
    Refusal(
        "score beside written sets of three",
        "y_true,score,y_set\na,0.25,a\nb,0.75,b|c\nc,0.5,c\n",
        ("'a', 'b', 'c'", "sets"),
        {"pos_label": "a"},
    ),
    Refusal(
        "set of a third class beside a score",
        "y_true,score,y_set\n0,0.25,0\n1,0.75,0|2\n",
        ("line 3", "'2'", "'0', '1'"),
    ),
    Refusal(
        "truth outside the set columns beside a score",
        "y_true,score,set_a,set_b\na,0.25,1,0\nc,0.75,0,1\n",
        ("line 3", "'c'"),
        {"pos_label": "a"},
    ),
    Refusal(
        "probabilities and sets of other classes",
        "y_true,p_a,p_b,p_c,set_a,set_b\na,1,0,0,1,0\nb,0,1,0,0,1\n",
        ("'a', 'b', 'c'", "'a', 'b';"),
    ),
    # What goes beyond the limits.
    Refusal("long heading", "y_true,score," + "x" * (1 << 20) + "\n0,1,2\n", ("1,048,576",)),
    Refusal(
        "long line",
        "y_true,score,text\n0,0.25,a\n1,0.75," + "x" * (1 << 21) + "\n",
        ("2,097,152 bytes", "table"),
    ),
    Refusal(
        "long cell",
        'y_true,score,text\n0,0.25,a\n1,0.75,"' + "xx\n" * (1 << 20) + '"\n',
        ("line 3", "2,097,152 characters", "quotation mark"),
    ),
    Refusal(
        "quotation that never ends",
        'y_true,score,text\n0,0.25,"a\n' + "1,0.75,a\n" * (1 << 18),
        ("line 2", "2,097,152 characters", "quotation mark"),
    ),
    Refusal(
        "many columns",
        "y_true,score" + ",x" * (1 << 16) + "\n0,1" + ",2" * (1 << 16) + "\n",
        ("65,538 columns", "65,536"),
    ),
    Refusal(
        "long name of a column",
        f"y_true,score,{'x' * 40_000}\n0,0.25,1\n1,0.75,2\n",
        ("'xxx", "32,767"),
    ),
    Refusal("long label", sets("a").replace("b,a|b", "é" * 32_768 + ",a"), ("line 4", "32,767")),
    Refusal("long label in a set", sets("a|" + "😀" * 32_768), ("line 3", "32,767")),
    Refusal(
        "long name of a model", f"y_true,score,model\n0,0.25,{'m' * 40_000}\n", ("line 2", "32,767")
    ),
    Refusal("long set", sets("a|b|" * (1 << 14) + "a"), ("line 3", "32,768 labels")),
    Refusal(
        "many labels",
        "y_true,y_set\n" + "".join(f"{i},{i}\n" for i in range(32_769)),
        ("y_true", "32,768"),
    ),
    Refusal(
        "many models",
        "y_true,score,model\n" + "".join(f"{i % 2},0.5,{i}\n" for i in range(32_769)),
        ("model", "32,768"),
    ),
    Refusal(
        "many classes",
        "y_true" + "".join(f",p_{i}" for i in range(32_769)) + "\n0,1" + ",0" * 32_768 + "\n",
        ("32,769 classes", "32,768"),
    ),
    Refusal(
        "many classes in sets",
        "y_true,y_set\n" + "".join(f"a{i},b{i}\n" for i in range(16_400)),
        ("32,800 classes", "32,768"),
    ),
    Refusal("damaged gzip", b"\x1f\x8b\xfey_true,score\n", ("gzip",)),
    Refusal("cut Parquet", b"PAR1" + bytes(40), ("Parquet",), file="given.parquet"),
    Refusal("empty file", b"", ("empty",)),
    Refusal(
        "odd grade",
        "ok,sure\n1,.5\npartially correct,.7\n",
        ("line 3", "partially correct", "no grade"),
        GRADED,
    ),
    Refusal("missing grade", "ok,sure\n1,.5\n,.7\n", ("line 3", "the grade is missing"), GRADED),
    Refusal(
        "confidence without grades",
        "y_true,confidence\n1,.5\n0,.7\n",
        ("is given without",),
        {"answerable": "confidence"},
    ),
)
