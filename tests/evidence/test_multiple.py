"""p-values adjusted for the number of tests.

OODBench adjusts nothing. Holm (1979): max over s <= r of (m - s + 1) p_(s). Benjamini and Hochberg
(1995): min over s >= r of m p_(s) / s. No deviation; tests without a p-value do not count.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from oodexp.error import OodexpError
from oodexp.evidence.multiple import benjamini_hochberg, holm

ps = st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=12)


@given(ps)
def test_benjamini_and_hochberg_are_those_of_scipy(p):
    np.testing.assert_allclose(benjamini_hochberg(np.array(p)), false_discovery_control(p))


def rejected(p: list[float], level: float) -> list[bool]:
    """Holm's procedure as he tells it: step down until a p-value is too large."""
    out = [False] * len(p)
    for step, test in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[test] * (len(p) - step) > level:
            break
        out[test] = True
    return out


@given(ps)
def test_an_adjusted_p_is_the_least_level_at_which_holm_rejects(p):
    adjusted = holm(np.array(p))
    for test, level in enumerate(adjusted):
        if level < 1:
            assert rejected(p, level * (1 + 1e-12))[test]
        assert not rejected(p, level * (1 - 1e-9))[test]


def test_a_worked_example():
    p = np.array([0.01, 0.04, 0.03, 0.005])
    np.testing.assert_allclose(holm(p), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(benjamini_hochberg(p), [0.02, 0.04, 0.04, 0.02])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_a_test_without_p_is_not_counted_and_stays_without(adjust):
    with_gaps = adjust(np.array([np.nan, 0.02, np.nan, 0.3]))
    np.testing.assert_array_equal(with_gaps[[1, 3]], adjust(np.array([0.02, 0.3])))
    assert np.isnan(with_gaps[[0, 2]]).all()
    assert np.isnan(adjust(np.array([np.nan]))).all()
    assert len(adjust(np.array([]))) == 0


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@pytest.mark.parametrize("wrong", [-0.1, 1.5])
def test_a_number_that_is_no_p_value_is_refused(adjust, wrong):
    with pytest.raises(OodexpError, match="no p-value"):
        adjust(np.array([0.5, wrong]))
