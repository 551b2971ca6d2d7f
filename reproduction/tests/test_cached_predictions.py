import warnings

import numpy as np
import pandas as pd
import pytest

from cautious_reproduction.reproduction import cached_predictions, with_first_line


def frame(seed, n=50):
    rng = np.random.default_rng(seed)
    score = np.exp(-rng.exponential(100, n))  # down to numbers that print with many digits
    truth = pd.Categorical(rng.integers(2, size=n))
    return pd.DataFrame({"fold": np.arange(n) % 3, "truth": truth, "score": score})


def not_again():
    raise AssertionError("made twice")


def test_what_is_kept_comes_back_to_the_last_bit(tmp_path):
    made, seconds = cached_predictions(
        {"a": lambda: frame(0), "b": lambda: frame(1)}, tmp_path / "new"
    )
    found, as_long = cached_predictions({"b": not_again, "a": not_again}, tmp_path / "new")
    assert list(found) == ["b", "a"]
    for name in "ab":
        pd.testing.assert_frame_equal(found[name], made[name], check_exact=True)
    assert made["a"]["score"].tolist() == frame(0)["score"].tolist()
    assert set(made["a"]["truth"]) == {"0", "1"}
    assert as_long == pytest.approx(seconds, abs=0.002)


def test_no_label_is_taken_for_something_else(tmp_path):
    labels = ["NA", "", "nan", "None", "1.0", "it's", '"', "a,b", "# c", "d\ne", "f\rg", " h "]
    scores = [*np.linspace(0, 1, len(labels) - 1), np.nan]
    odd = pd.DataFrame({"truth": labels, "score": scores})
    cached_predictions({"a": lambda: odd}, tmp_path)
    found, _ = cached_predictions({"a": not_again}, tmp_path)
    pd.testing.assert_frame_equal(found["a"], odd.astype({"truth": object}), check_exact=True)


def test_what_was_made_before_a_failure_is_kept(tmp_path):
    def fail():
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        cached_predictions({"a": lambda: frame(0), "b": fail, "c": lambda: frame(2)}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    asked = []
    cached_predictions({n: lambda n=n: asked.append(n) or frame(1) for n in "abc"}, tmp_path)
    assert asked == ["b", "c"]


def test_half_a_file_counts_as_none(tmp_path):
    left = tmp_path / ".a.csv.part"
    left.write_text("fold,truth,sc")
    made, _ = cached_predictions({"a": lambda: frame(0)}, tmp_path)
    assert len(made["a"]) == 50
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", left.name}
    assert left.read_text() == "fold,truth,sc"


def without_last_row(content):
    return content[: content[:-1].rindex(b"\n") + 1]


def another_column(content):
    return content.replace(b'"score"', b'"score2"', 1)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (without_last_row, "not what its first line tells"),
        (another_column, "not what its first line tells"),
        (lambda content: content[: len(content) // 2], "not what its first line tells"),
        (lambda content: content.partition(b"\n")[2], "first line does not tell"),
        (lambda _: b"", "first line does not tell"),
        (lambda _: bytes(range(256)) * 9, "first line does not tell"),
        (lambda _: with_first_line(b"truth,score\na,1\n").replace(b"rows=1", b"rows=2"), "1 rows"),
    ],
    ids=["row", "column", "half", "no first line", "empty", "binary", "rows"],
)
def test_a_damaged_file_is_made_again_and_that_is_told(tmp_path, damage, said):
    made, _ = cached_predictions({"a": lambda: frame(0)}, tmp_path)
    path = tmp_path / "a.csv"
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with pytest.warns(UserWarning, match=rf"a\.csv is made again: .*{said}"):
        found, _ = cached_predictions({"a": lambda: frame(0)}, tmp_path)
    pd.testing.assert_frame_equal(found["a"], made["a"], check_exact=True)
    assert path.read_bytes().partition(b"\n")[2] == whole.partition(b"\n")[2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cached_predictions({"a": not_again}, tmp_path)


def test_a_first_line_can_be_put_before_a_table(tmp_path):
    table = frame(0).to_csv(index=False).encode()
    (tmp_path / "a.csv").write_bytes(with_first_line(table))
    found, seconds = cached_predictions({"a": not_again}, tmp_path)
    assert found["a"]["score"].tolist() == frame(0)["score"].tolist()
    assert np.isnan(seconds)  # it does not say how long it took
    (tmp_path / "a.csv").write_bytes(with_first_line(table, 12.5))
    assert cached_predictions({"a": not_again}, tmp_path)[1] == 12.5
    with pytest.raises(ValueError, match="no column truth"):
        with_first_line(b"x,y\n1,2\n")


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(cached_predictions({"a": lambda: frame(0)})[0]["a"]) == 50
    assert not list(tmp_path.iterdir())
