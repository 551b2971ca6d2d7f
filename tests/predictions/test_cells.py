"""Numbers in Arrow columns of text: read by Arrow where they are plain, else cell by cell."""

import numpy as np
import pyarrow as pa
import pytest

from cautious.predictions._cells import read_numbers

RNG = np.random.default_rng(0)
SPREAD = RNG.normal(size=2000) * 10.0 ** RNG.integers(-30, 30, 2000)
PLAIN = [repr(float(value)) for value in SPREAD]
PLAIN += [
    f"{value:.{n}f}" for value, n in zip(RNG.random(2000), RNG.integers(0, 25, 2000), strict=True)
]
PLAIN += [
    f"{value:.{n}e}" for value, n in zip(RNG.random(2000), RNG.integers(0, 20, 2000), strict=True)
]
PLAIN += ["5.", ".25", "-0", "-0.0", "007", "1E5", "9007199254740993"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_plain_text_is_read_to_the_last_bit(kind):
    found = read_numbers(pa.array(PLAIN, kind)).values
    expected = np.array(list(map(float, PLAIN)))
    np.testing.assert_array_equal(found.view(np.int64), expected.view(np.int64))


@pytest.mark.parametrize("cell", ["x", "0x10", "1_000", "١", "1,5", "1\n2", "nan%"])
def test_what_is_no_number_is_found_among_plain_ones(cell):
    found = read_numbers(pa.array(["0.5", cell, "2"]))
    assert found.odd.tolist() == [1]
    assert found.cells == {1: cell}


@pytest.mark.parametrize(
    ("cell", "value"), [("+1", 1), ("inf", np.inf), (" 1 ", 1), (None, np.nan)]
)
def test_less_plain_numbers_are_read_all_the_same(cell, value):
    found = read_numbers(pa.array(["0.5", cell]))
    np.testing.assert_array_equal(found.values, [0.5, value])
    assert not len(found.odd)
