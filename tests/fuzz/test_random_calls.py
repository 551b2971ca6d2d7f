"""Anything for any argument: an answer or a refusal."""

import pytest
from tests.fuzz.fuzz_random_calls import ANYTHING, CALLS, ESTIMATORS, try_calls


def check(n, seed, names=None):
    found = try_calls(n, seed, names=names)
    assert found.calls == n
    assert not found.raw, f"{found}\n{found.examples}"
    assert not found.hangs, found.hangs


def test_two_thousand_calls():
    assert len(ANYTHING) > 150
    assert set(CALLS)
    check(2000, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 101))
def test_a_million_calls(seed):
    check(10_000, seed)


def test_a_few_fits():
    assert len(ESTIMATORS) > 18
    check(100, 0, ESTIMATORS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 46))
def test_ninety_thousand_fits(seed):
    check(2000, seed, ESTIMATORS)


@pytest.mark.parametrize("cv", [bytearray(8), b"five", "five"])
def test_bytes_are_no_folds(cv):
    """They have a method ``split``, which has misled scikit-learn."""
    taking = [name for name in ESTIMATORS if "cv" in CALLS[name].others]
    assert len(taking) > 6
    for name in taking:
        more = {"method": "cross"} if name == "models.ConformalClassifier" else {}
        with pytest.raises(ValueError, match="cv is "):
            CALLS[name](cv=cv, **more)


@pytest.mark.parametrize(
    ("name", "parameter", "words"),
    [
        ("models.NaiveCredalClassifierCV", "epsilon", "epsilon is "),
        ("models.NaiveCredalClassifierCV", "idm", "idm is "),
        ("models.CautiousForestClassifierCV", "estimator", "estimator is a list"),
    ],
)
def test_what_holds_itself_is_refused_before_it_is_copied(name, parameter, words):
    ring: list[object] = [1]
    ring.append(ring)
    with pytest.raises((ValueError, TypeError), match=words):
        CALLS[name](**{parameter: ring})
