"""Files as they arrive on bad days: cut off, spliced, flipped, in other encodings."""

from __future__ import annotations

import gzip
import io
from typing import Any

import pandas as pd
from hypothesis import strategies as st

PREDICTIONS = {
    "scores": "y_true,score\n0,0.1\n1,0.9\n0,0.4\n1,0.3\n",
    "semicolons": "y_true;score;weight;group\n0;0.1;1;a\n1;0.9;2;b\n0;0.4;1;a\n1;0.3;0;b\n",
    "probabilities": "label,p_a,p_b,p_c,model\na,.2,.5,.3,m\nb,.2,.5,.3,n\nc,.1,.1,.8,m\n",
    "sets": 'y,y_set\na,a\nb,a|b\nc,"{a, c}"\nc,\n',
    "tabs": "y\tset_a\tset_b\na\t1\t0\nb\tTrue\tfalse\n",
    "one column": "y,p_1\n1,.3\n0,.4\n1,.9\n",
}
COSTS = {
    "matrix": "cost,a,b,c\na,0,1,2\nb,1,0,2\nc,4,4,0\n",
    "sets": 'cost,a,b\na,0,1\nb,1,0\n"{a, b}",.4,.4\n',
    "abstaining": "cost,0,1\n0,0,100\n1,20,0\nquiet,2,3\n",
}
# What has meaning to some reader, somewhere.
_TOKENS = [
    *(b",", b";", b"\t", b'"', b"'", b"\n", b"\r\n", b"\r", b"\x00", b"\xff", b"\xef\xbb\xbf"),
    *(b"{", b"}", b"|", b"%", b"@", b"\\", b"?", b"#", b" ", b"nan", b"inf", b"1e400", b"NA"),
    *(b"0x10", b"1_000", b"1,5", b"1.000,5", b"True", b"-1", b"\xe2\x8a\xa5", b"p_", b"set_"),
    *(b"score", b"y_true", b"model", b"weight", b"1e-320", b"\x1b[31m", b"=1+1", b"2020-01-01"),
    *(b"99999999999999999999", b"x" * 5000, b"@data", b"@attribute a date", b"{0 1}"),
]


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Splice tokens and other bytes into a file, take pieces out, cut it off."""
    found = bytearray(content)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(found)))
        how = draw(st.sampled_from(["token", "byte", "cut", "double"]))
        if how == "token":
            gone = draw(st.sampled_from([0, 0, 1, 2, 4]))
            found[at : at + gone] = draw(st.sampled_from(_TOKENS))
        elif how == "byte":
            found[at : at + 1] = bytes([draw(st.integers(0, 255))])
        elif how == "cut":
            del found[at:]
        else:
            found[at:at] = found[at : at + draw(st.integers(1, 30))]
    return bytes(found)


def encoded(text: str) -> st.SearchStrategy[bytes]:
    """The bytes of a text, mostly in UTF-8."""
    encodings = ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]
    return st.sampled_from(encodings).map(lambda name: text.encode(name, "replace"))


def packed(content: bytes) -> st.SearchStrategy[bytes]:
    """The same, sometimes packed by gzip."""
    return st.sampled_from([content, content, gzip.compress(content, mtime=0)])


def any_file(texts: dict[str, str]) -> st.SearchStrategy[bytes]:
    """One of some files, damaged before or after it is packed."""
    return (
        st.sampled_from(sorted(texts))
        .flatmap(lambda name: encoded(texts[name]))
        .flatmap(damaged)
        .flatmap(packed)
        .flatmap(lambda content: st.one_of(st.just(content), damaged(content)))
    )


def parquet(text: str, **options: Any) -> bytes:
    """A CSV text as Parquet."""
    content = io.BytesIO()
    pd.read_csv(io.StringIO(text), sep=None, engine="python").to_parquet(content, **options)
    return content.getvalue()
