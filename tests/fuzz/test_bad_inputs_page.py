"""The page of bad inputs says what the library says."""

import pytest
from tests.fuzz.fuzz_bad_inputs import GROUPS, PAGE, answered, render


@pytest.fixture(scope="module")
def answers():
    return answered()


def test_the_page_is_what_running_the_cases_gives(answers):
    written = PAGE.read_text(encoding="utf-8")
    made = render(answers)
    for old, new in zip(written.splitlines(), made.splitlines(), strict=False):
        assert old == new, "python -m tests.fuzz.fuzz_bad_inputs writes the page anew"
    assert written == made


@pytest.mark.parametrize("title", sorted(GROUPS))
def test_answers_are_of_some_use(title, answers):
    for given, text in answers[title].items():
        assert 20 < len(text) < 500, (given, text)
        assert "\n" not in text, (given, text)
        # Words of numpy, pandas or Python are nobody's help.
        for foreign in ("np.str", "np.int", "np.float", "0x", "object at", "ndarray", "lambda"):
            assert foreign not in text, (given, text)
