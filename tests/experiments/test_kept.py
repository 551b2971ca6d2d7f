import numpy as np
import pandas as pd
import pytest

from cautious.experiments.kept import kept_predictions


def frame(seed, n=50):
    rng = np.random.default_rng(seed)
    score = np.exp(-rng.exponential(100, n))  # down to numbers that print with many digits
    truth = pd.Categorical(rng.integers(2, size=n))
    return pd.DataFrame({"fold": np.arange(n) % 3, "truth": truth, "score": score})


def test_what_is_kept_comes_back_to_the_last_bit(tmp_path):
    made = kept_predictions({"a": lambda: frame(0), "b": lambda: frame(1)}, tmp_path / "new")

    def again():
        raise AssertionError("made twice")

    found = kept_predictions({"b": again, "a": again}, tmp_path / "new")
    assert list(found) == ["b", "a"]
    for name in "ab":
        pd.testing.assert_frame_equal(found[name], made[name], check_exact=True)
    assert made["a"]["score"].tolist() == frame(0)["score"].tolist()
    assert set(made["a"]["truth"]) == {"0", "1"}


def test_what_was_made_before_a_failure_is_kept(tmp_path):
    def fail():
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        kept_predictions({"a": lambda: frame(0), "b": fail, "c": lambda: frame(2)}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    asked = []
    kept_predictions({n: lambda n=n: asked.append(n) or frame(1) for n in "abc"}, tmp_path)
    assert asked == ["b", "c"]


def test_half_a_file_counts_as_none(tmp_path):
    (tmp_path / ".a.part").write_text("fold,truth,sc")
    made = kept_predictions({"a": lambda: frame(0)}, tmp_path)
    assert len(made["a"]) == 50
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(kept_predictions({"a": lambda: frame(0)})["a"]) == 50
    assert not list(tmp_path.iterdir())
