"""The page of bad inputs says what the library says."""

import pytest
from tests.fuzz.fuzz_bad_inputs import GROUPS, PAGE, render


def test_the_page_is_what_running_the_cases_gives():
    written = PAGE.read_text(encoding="utf-8")
    made = render()
    for old, new in zip(written.splitlines(), made.splitlines(), strict=False):
        assert old == new, "python -m tests.fuzz.fuzz_bad_inputs writes the page anew"
    assert written == made


@pytest.mark.parametrize("title", sorted(GROUPS))
def test_answers_are_of_some_use(title, tmp_path):
    for given, answer in GROUPS[title].items():
        folder = tmp_path / given.replace("/", "_")
        folder.mkdir()
        text = answer(folder)
        assert 20 < len(text) < 500, (given, text)
        assert "\n" not in text, (given, text)
        # Words of numpy, pandas or Python are nobody's help.
        for foreign in ("np.str", "np.int", "np.float", "0x", "object at", "ndarray", "lambda"):
            assert foreign not in text, (given, text)
