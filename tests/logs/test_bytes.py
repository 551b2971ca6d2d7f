"""Summaries as bytes: whole and true, or refused."""

import base64
import zlib

import numpy as np
import pandas as pd
import pytest

from cautious.logs import LogSummary, summarise
from cautious.logs.summary import pack, unpack


@pytest.fixture
def summary(make_class_log):
    return summarise(make_class_log(300), rules=["u65", 0.6])


@pytest.fixture
def scores(make_binary_log):
    return summarise(make_binary_log(100, decimals=2))


def forged(summary, change):
    """Change the header or the arrays, and seal the result anew."""
    header, arrays = unpack(summary.to_bytes())
    arrays = [array.copy() for array in arrays]
    change(header, arrays)
    return pack(header, arrays)


def test_nothing_changed_is_nothing_lost(summary, scores):
    for one in (summary, scores):
        assert LogSummary.from_bytes(forged(one, lambda header, arrays: None)) == one
        assert LogSummary.from_bytes(bytearray(one.to_bytes())) == one


def test_any_damaged_byte_is_seen(summary):
    data = summary.to_bytes()
    rng = np.random.default_rng(0)
    for at in rng.integers(len(data), size=400).tolist():
        damaged = bytearray(data)
        damaged[at] ^= int(rng.integers(1, 256))
        with pytest.raises(ValueError, match="no summary of a prediction log"):
            LogSummary.from_bytes(bytes(damaged))
    for cut in rng.integers(len(data), size=100).tolist():
        with pytest.raises(ValueError, match="no summary of a prediction log"):
            LogSummary.from_bytes(data[:cut])
    with pytest.raises(ValueError, match="the checksum differs"):
        LogSummary.from_bytes(data + b"x")


@pytest.mark.parametrize("given", [b"", b"PK\x03\x04", b"\x93NUMPY", "text", None, 7])
def test_what_is_no_summary(given):
    with pytest.raises(ValueError, match="no summary of a prediction log"):
        LogSummary.from_bytes(given)


def put(array, value):
    array[(0,) * array.ndim] = value


@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: put(arrays[1], -1),
        lambda header, arrays: put(arrays[1], 0),
        lambda header, arrays: put(arrays[1], 2**62),
        lambda header, arrays: put(arrays[0], np.nan),
        lambda header, arrays: put(arrays[0], np.inf),
        lambda header, arrays: arrays.__setitem__(0, arrays[0][::-1].copy()),
        lambda header, arrays: arrays.__setitem__(1, arrays[1][:-1].copy()),
        lambda header, arrays: arrays.__setitem__(1, arrays[1].astype(np.float64)),
        lambda header, arrays: arrays.__setitem__(0, arrays[0].astype(np.int64)),
        lambda header, arrays: arrays.__setitem__(1, np.repeat(arrays[1][:, None], 3, axis=1)),
        lambda header, arrays: arrays.pop(),
        lambda header, arrays: header.__setitem__("n_rows", -3),
        lambda header, arrays: header.__setitem__("n_rows", 99),
        lambda header, arrays: header.__setitem__("n_rows", "100"),
        lambda header, arrays: header.__setitem__("labels", [[1]]),
        lambda header, arrays: header.__setitem__("labels", [None]),
        lambda header, arrays: header.__setitem__("labels", "01"),
        lambda header, arrays: header.__setitem__("exponent", 3),
        lambda header, arrays: header.__setitem__("exponent", 1e9),
        lambda header, arrays: header.__setitem__("exponent", 10**6),
        lambda header, arrays: header.__setitem__("odd", {"dropped": -1}),
        lambda header, arrays: header.__setitem__("odd", {"dropped": "x"}),
        lambda header, arrays: header["kinds"].__setitem__(0, header["kinds"][1]),
        lambda header, arrays: header["kinds"].__setitem__(0, 5),
        lambda header, arrays: header.pop("plan"),
        lambda header, arrays: header["plan"].pop("columns"),
        lambda header, arrays: header["plan"].__setitem__("limits", [-1, 0]),
        lambda header, arrays: header["plan"].__setitem__("limits", [1, 1]),
        lambda header, arrays: header["plan"].__setitem__("more", 1),
        lambda header, arrays: header["plan"].__setitem__("rules", {"x": "{}"}),
    ],
)
def test_what_no_log_can_give_is_refused_even_if_it_is_sealed(scores, change):
    with pytest.raises(ValueError, match="no summary of a prediction log"):
        LogSummary.from_bytes(forged(scores, change))


@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: put(arrays[-1], -5),
        lambda header, arrays: put(arrays[-2], 2**63),
        lambda header, arrays: arrays[-2].__setitem__((0, 4), 7),
        lambda header, arrays: arrays[-2].__setitem__(slice(None), arrays[-2][:1]),
        lambda header, arrays: arrays.__setitem__(-2, arrays[-2][:, :3].copy()),
        lambda header, arrays: arrays.__setitem__(-2, arrays[-2].astype(np.float64)[:, :, None]),
        lambda header, arrays: header["strata"].__setitem__(0, header["strata"][1]),
        lambda header, arrays: header["strata"].__setitem__(0, ["a", "b"]),
    ],
)
def test_sets_that_cannot_be_are_refused(summary, change):
    with pytest.raises(ValueError, match="no summary of a prediction log"):
        LogSummary.from_bytes(forged(summary, change))


WRITTEN_BEFORE = (
    "eNq1UzFv1DAU7hUJCSQWJsbIQkyntqf2DsTAdUUs7FEVnNhNA44d+dl3PVWVOnVhgH/TterSETaQunSpxMovgGcnud"
    "xFl0NI4CF673v+vu+9ZyWh1mTKwpZQ6fbg4aPPT84vore/Hr+7/+bZR3lsvr1+Ndm+urm++/7l6c8HV5/ubfhzQgpB"
    "JXkZnJBEUAAOGIc7/WBw0A9IoSASNOYCwQHmPC/MDGPCtVaaIJJnAJlMlzCmVRE1hUMqgCOcKGFzCd7LaGuOHGnmCJ"
    "AoXRqXIfHeWsXUXT51NjyPuYY6BW7AsyOMfBuK+SarAJEpz9Ij46AqQizVyhae6CMHJRQ4AtIK4VsEMzdJLcd9sGiu"
    "VA+Saso4WwCohCnXNBYLUu8tS+vUqYksz7x2ONjZezF8PuoHo+Fwd+RG1VbwuS1uAheFbykbMWO1bBzdLRlpNXWcPa"
    "ftnmjp4RRjtR4/LpTk0jRqHzLJ/O2QULcDix98EJzEyyM/JHFdqGZsKp4y6aJM2hTXDRhNDS0d/dO5nZUGnrmETZax"
    "eMW9yslrU63prJrmkJTjhyRzUT/Y9ck/gW2ZjP5n5eC0/Clvx72NdefHH+pfx5tr67fjheRssdLWbeu06pddffQ68s"
    "3V9f31/XbrtM5+7y91eqv7Oevaz2/YrRzg"
)


def test_what_was_written_decision_by_decision_is_still_read():
    log = pd.DataFrame({"y": [0, 1, 1, 0], "score": [0.5, 0.5, 0.25, 0.75]})
    log["y_set"], log["weight"] = ["0", "0|1", "1", "1"], [0.5, 1, 2, 1]
    log["model"], log["group"] = [*"baab"], [*"vuvu"]
    summary = summarise(log, groups="group", model="model", weight="weight")
    data = zlib.decompress(base64.b64decode(WRITTEN_BEFORE))
    assert LogSummary.from_bytes(data) == summary
