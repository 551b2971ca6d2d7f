import numpy as np
import pytest

from cautious.costs import SetCosts, f_beta_costs
from cautious.costs._set_costs import all_sets, sample_sets


def test_table_warns_above_15_and_refuses_above_20_classes():
    assert len(f_beta_costs(15).table()) == 2**15 - 1
    with pytest.warns(UserWarning, match="16 classes has 65535 rows"):
        assert len(f_beta_costs(16).table()) == 2**16 - 1
    with pytest.raises(ValueError, match=r"n_classes is 21; .*of\(mask\)"):
        f_beta_costs(21).table()


class Flat(SetCosts):
    """An extension of a user's own: every answer costs 3."""

    n_classes = 2

    def _costs(self, mask):
        return np.full(mask.shape, 3.0)


def test_an_extension_of_one_s_own():
    assert Flat().table().loc["{0, 1}"].tolist() == [3, 3]
    assert Flat().singletons().tolist() == [[3, 3], [3, 3]]


def test_all_sets_lists_each_set_once_smaller_first():
    for k in range(1, 8):
        mask = all_sets(k)
        assert len({row.tobytes() for row in mask}) == 2**k - 1
        assert mask.any(axis=1).all()
        assert (np.diff(mask.sum(axis=1)) >= 0).all()
    for k in (0, 21):
        with pytest.raises(ValueError, match=f"n_classes is {k}"):
            all_sets(k)


@pytest.mark.parametrize(("k", "n_sets"), [(13, 4095), (40, 500), (40, 3), (200, 4095)])
def test_sampled_sets_are_distinct_and_hold_the_extremes(k, n_sets):
    mask = sample_sets(k, n_sets)
    keys = {row.tobytes() for row in mask}
    assert len(keys) == len(mask) <= max(n_sets, k + 1)
    assert mask.any(axis=1).all()
    sizes = mask.sum(axis=1)
    assert (np.diff(sizes) >= 0).all()
    assert (sizes == 1).sum() == k
    assert (sizes == k).sum() == 1
    np.testing.assert_array_equal(mask, sample_sets(k, n_sets))


def test_a_roomy_sample_holds_all_pairs():
    sizes = sample_sets(13, 4095).sum(axis=1)
    assert (sizes == 2).sum() == 13 * 12 // 2
    assert (sizes == 12).sum() == 13
    assert len(set(sizes)) == 13
