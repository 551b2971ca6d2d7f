"""Sequences of one's own rules: which is taken, and what the certificate says."""

import numpy as np
import pytest

from cautious.guarantees import Certificate, risk_p_value


def test_the_last_before_the_first_failure():
    wrong, answered = [0, 3, 30, 3], [100, 200, 300, 400]
    at, certificate = Certificate.of_sequence(wrong, answered, 0.05, confidence_level=0.9)
    assert at == 1  # the fourth would pass, but stands behind the third
    (test,) = certificate.tests
    assert (test.wrong, test.answered, test.p_value) == (3, 200, risk_p_value(3, 200, 0.05))
    assert Certificate.from_json(certificate.to_json()) == certificate
    every, _ = Certificate.of_sequence(wrong[:2], answered[:2], 0.05, confidence_level=0.9)
    assert every == 1


def test_nothing_to_promise():
    at, certificate = Certificate.of_sequence([0], [10], 0.05, limit="set_error")
    assert at is None
    assert certificate.cases_needed == 59
    assert "at most 5 % of the sets miss the truth" in str(certificate)
    at, certificate = Certificate.of_sequence([30], [100], 0.05)
    assert at is None
    assert certificate.cases_needed is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([], [], 0.1), "at least one rule"),
        (([1, 2], [3], 0.1), "one number of each"),
        (([4], [3], 0.1), "more wrong answers than answers"),
        (([0.5], [3], 0.1), "whole numbers"),
        (([np.nan], [3], 0.1), "whole numbers"),
        (([1], [3], 1.0), "max_error is 1.0"),
        (([0], [10], 0.1, {"limit": "luck"}), "limit is 'luck'"),
        (([0], [10], 0.1, {"confidence_level": 2}), "confidence_level is 2"),
    ],
)
def test_wrong_arguments(given, message):
    with pytest.raises(ValueError, match=message):
        Certificate.of_sequence(*given[:3], **dict(*given[3:]))
