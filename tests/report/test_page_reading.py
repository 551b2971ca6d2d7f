"""Files dropped onto the page are read, or refused, as the library reads them; run in Node."""

from __future__ import annotations

import gzip

import numpy as np
from tests.conformance import ways
from tests.conformance.page import ask_page, file_request
from tests.conformance.test_random_files import compared
from tests.report.core import ask_core

import cautious
from cautious.errors import InputError
from cautious.predictions import read_predictions


def answer_of_library(path, **options):
    """What the library says: classes and measures, or the words of its refusal on the page."""
    try:
        found = read_predictions(path, **options)
    except InputError as error:
        return {"error": error.words("page").replace(str(path), path.name)}
    notes = [note.words("page", place=False) for note in found.notes if note.key != "columns"]
    classes = {name: [str(label) for label in one.classes] for name, one in found.items()}
    table = ways._table(cautious.evaluate(path, **options).to_dict(), None)
    return {"classes": classes, "notes": notes, "table": table}


def compare(cases, folder):
    """Read files of given names, contents and options in both ways."""
    requests, expected = [], []
    for at, (name, content, options) in enumerate(cases):
        path = folder / str(at) / name
        path.parent.mkdir()
        path.write_bytes(content)
        requests.append(file_request(name, content, **options))
        expected.append(answer_of_library(path, **options))
    for case, shown, known in zip(cases, ask_page(requests), expected, strict=True):
        if "error" in known:
            assert shown.get("error") == known["error"], case
        else:
            assert "error" not in shown, (case, shown)
            assert shown["notes"] == known["notes"], case
            models = shown["models"].items()
            assert {name: row["classes"] for name, row in models} == known["classes"], case
            found = {name: ways._page_row(row) for name, row in models}
            assert not compared(known["table"], found), case


def csv(*lines: str) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def with_sets(cell: str) -> bytes:
    quoted = '"' + cell.replace('"', '""') + '"'
    return csv("y_true,y_set", "a,a", f"b,{quoted}", "b,a|b")


def with_score(cell: str) -> bytes:
    return csv("y_true,score", "0,0.25", f'1,"{cell}"', "0,0.5", "1,0.75")


SETS = [
    "a|b", "{a}", "{b, a}", "{a|b}", "[a, b]", "['a', 'b']", '["a","b"]', "('a',)", '("a", "b")',
    "{'a'}", "['a\\'s', 'b']", "['it', \"b\"]", "?", "⊥", "", " ", "{ }", "[]", "∅", "set()",
    "a|a", "a|", "|", "a;b", "a b", "a,b", "a/b", "c", "c|d", "{c", "['a'", "['a' 'b']",
    "[a, , b]", "{a,}", "(a,)", "a||b", "b ", "A", "['\\u0061', 'b']", "{a;b}", "a\nb",
]  # fmt: skip
NUMBERS = [
    "1", "+1", "-0.5", ".5", "5.", "1e-3", "1E5", "inf", "-Infinity", "INF", " 0.5 ", "", " ",
    "NA", "nan", "None", "0x10", "-0xff", "0b101", "0o17", "1_000", "1,5", "1,234", "1,234.5",
    "0,250", "12%", "12.5 %", "1e", "e5", "--1", "2024-01-31", "31.1.2024", "12:30", "true",
    "False", "high", "½", "1/2", "$5", "1e400", "0.1.2", "1 000", "1e-5%", "-2,5%", "infinit",
    "..", "+", "0x", "0xg",
]  # fmt: skip
LABELS = [
    ("0", "1"), ("1", "0"), ("0.0", "1.0"), ("0", "1.0"), ("-1", "1"), ("1", "2"), ("a", "b"),
    ("no", "Yes"), ("TRUE", "false"), ("n", "y"), ("Negative", "positive"), ("absent", "present"),
    ("yes", "y"), ("yes", "Yes"), ("é", "e\u0301"), ("ok", "ok "), ("01", "1"), ("1", "1"),
    ("it's", "q\"q"), ("a{b}", "{pos}"), ("x" * 60, "y"), ("constructor", "__proto__"),
]  # fmt: skip


def test_odd_cells(tmp_path):
    cases = [("p.csv", with_sets(cell), {}) for cell in SETS]
    cases += [("p.csv", with_sets(cell), {"empty": "wrong"}) for cell in SETS]
    cases += [("p.csv", with_score(cell), {}) for cell in NUMBERS]
    cases += [
        ("p.csv", csv("y_true,score,weight", "0,0.2,1", f"1,0.7,{cell}"), {})
        for cell in ("0", "1e-9", "4294967296", "1e10", "-1", "x", "", "2e-10", "0.5")
    ]
    cases += [
        ("p.csv", csv("y_true,set_a,set_b", "a,1,0", f"b,{cell},1"), {})
        for cell in ("1", "0", "True", "NO", "y", "t", "2", ".5", "1.0", "maybe", "", " yes ")
    ]
    compare(cases, tmp_path)


def test_odd_labels(tmp_path):
    quoted = [['"' + label.replace('"', '""') + '"' for label in pair] for pair in LABELS]
    cases = [
        ("p.csv", csv("y_true,score", f"{one},0.25", f"{other},0.75", f"{one},0.5"), options)
        for one, other in quoted
        for options in ({}, {"pos_label": "1"}, {"pos_label": "b"})
    ]
    cases += [
        ("p.csv", csv(f'y_true,"p_{one[1:-1]}"', f"{one},0.25", f"{other},0.75"), {})
        for one, other in quoted
    ]
    cases += [
        ("p.csv", csv("y_true,y_set", f"{one},{one}", f"{other},{one}"), {})
        for one, other in quoted
    ]
    many = csv("y_true,score", *(f"c{i},{i}" for i in range(30)))
    cases += [("p.csv", many, {}), ("p.csv", many, {"pos_label": "c7"})]
    cases += [("p.csv", csv("y_true,score", "a,1", "b,2", "c,3"), {"pos_label": "B"})]
    compare(cases, tmp_path)


def test_odd_tables(tmp_path):
    text = "y_true,score\n0,0.1\n1,0.9\n"
    contents = {
        "blank lines": b"\n \n\n",
        "leading blank line": b"\n\n" + text.encode(),
        "blank line inside": b"y_true,score\n0,0.1\n\n1,0.9\n0,x\n",
        "return alone": text.replace("\n", "\r").encode(),
        "windows": text.replace("\n", "\r\n").encode() + b"1,y\r\n",
        "mark": b"\xef\xbb\xbf" + text.encode(),
        "utf-16": text.encode("utf-16"),
        "utf-16 big": b"\xfe\xff" + text.encode("utf-16-be"),
        "bad byte": b"y_true,score\n0,0.1\n1,\xf0\x9f\x98\n",
        "surrogate": b"y_true,score\n0,0.1\n1,\xed\xa0\x80\n",
        "gzip": gzip.compress(text.encode()),
        "quoted": b'"y_true","score"\n"0","0.1"\n"1","0.9"\n',
        "quote inside": b'y_true,score\n5",0.1\n6",0.9\n',
        "quote that never ends": b'y_true,score\n"0,0.1\n1,0.9\n',
        "text behind a quotation": b'y_true,score\n0,0.1\n"1"x,0.9\n',
        "line in a cell": b'y_true,score\n"a\nb",0.1\nc,x\n',
        "trailing separator": b"y_true,score,\n0,0.1,\n1,0.9,\n",
        "answers only": b"y_true,y_pred\n0,1\n1,1\n",
        "confidence": b"y_true,confidence\n0,0.1\n1,0.9\n",
        "other names": b"id,Target,PROB\n1,no,0.2\n2,yes,0.7\n",
        "several scores": b"y_true,score_a,score_b\nno,0.1,0.3\nyes,0.9,0.6\n",
        "models": b"model,y_true,score\nx,no,0.1\n,yes,0.9\nx,yes,0.4\n,no,0.5\n",
        "sets beside a score": b"y_true,score,y_set\nno,0.1,no\nyes,0.9,no|yes\n",
        "stranger in a set": b"y_true,p_a,p_b,y_set\na,0.5,0.5,a|z\nb,0.5,0.5,b\n",
        "shares": b"y_true,score,weight\n0,0.1,0.12345\n1,0.9,0.1\n0,0.2,0\n",
        "shares in models": b"model,y_true,score,weight\nx,0,0.1,0.1\nx,1,0.9,0.1\n"
                            b"y,0,0.1,0.1\ny,1,0.9,0.1\n",
        "few repetitions": b"y_true,score,weight\n0,0.1,0.25\n1,0.9,0.25\n",
        "space in truth": b"y_true,score\n ,0.1\n1,0.9\n0,0.4\n,2\n",
        "rounded": b"y_true,p_a,p_b,p_c\na,0.33,0.33,0.33\nb,0.2,0.5,0.3\n",
        "turned": b"y_true,p_no\nno,0.9\nyes,0.2\n",
    }  # fmt: skip
    cases = [(f"{name.replace(' ', '_')}.csv", content, {}) for name, content in contents.items()]
    cases += [
        ("p.csv", contents["space in truth"], {"drop_missing": True}),
        ("p.csv", b"y_true,score\n,x\n0,0.5\n1,y\n", {"drop_missing": True}),
        ("p.csv", b"y_true,score\n,0.5\n ,1\n", {"drop_missing": True}),
        ("p.csv", b"y_true,y_set,weight\n,a,x\na,a|b,2\nb,?,1\n", {"drop_missing": True}),
        ("p.csv", b"y_true,y_set\n,a;b\na,a|b\nb,b\n", {"drop_missing": True}),
        ("p.csv", contents["turned"], {"pos_label": "yes"}),
        ("p.csv", contents["rounded"], {"pos_label": "b"}),
        ("p.csv", contents["answers only"], {"score": "y_pred"}),
        ("p.csv", contents["answers only"], {"score": "y_prde"}),
        ("p.csv", contents["several scores"], {"score": ["score_b"]}),
        ("p.csv", contents["other names"], {"truth": "id", "score": "PROB", "pos_label": "2"}),
    ]
    compare(cases, tmp_path)


def test_scores_of_any_spread_are_counted_in_order():
    """Ties, infinities, signed zeros, a few far away, a few close together."""
    rng = np.random.default_rng(8)
    n = 400
    spreads = {
        "even": rng.random(n),
        "tied": rng.integers(4, size=n) / 4,
        "equal": np.full(n, 0.25),
        "crowded": np.append(rng.random(n - 1) * 1e-9, 1.0),
        "margins": rng.normal(size=n) * 10.0 ** rng.integers(-200, 200, size=n),
        "huge": rng.choice([-1.7e308, 1.7e308, 3.0, 2.0], n),
        "infinite": rng.choice([-np.inf, np.inf, 0.5, 0.25, -0.0, 0.0], n),
        "endless": rng.choice([-np.inf, np.inf], n),
    }
    truth, weight = rng.integers(2, size=n), rng.integers(4, size=n) / 8
    given = [
        {"score": list(map(repr, score.tolist())), "codes": truth.tolist(), "weight": some}
        for score in spreads.values()
        for some in (None, weight.tolist())
    ]
    answers = ask_core(
        """const number = (text) => Number(text.replace("inf", "Infinity"));
        return given.map(({ score, codes, weight }) => core.staircaseOf({
            codes,
            weight,
            rows: Uint32Array.from(score.keys()),
            score: Float64Array.from(score, number) }));""",
        given,
    )
    for (name, score), found, weighted in zip(
        spreads.items(), answers[0::2], answers[1::2], strict=True
    ):
        for shown, some in ((found, np.ones(n)), (weighted, weight)):
            steps, at = np.unique(score[some > 0] + 0.0, return_inverse=True)
            assert [float(one) for one in shown["scores"]] == steps.tolist(), name
            for key, side in (("positives", truth == 1), ("negatives", truth == 0)):
                expected = np.bincount(at, (some * side)[some > 0])
                assert shown[key] == expected.tolist(), name
