"""Standard errors of T_ID - T_OOD over images, for the permutation test of OODBench, C.2.2 (1).

Formula: Var = n / (n - 1) sum_i (g_ID c_i,ID - g_OOD c_i,OOD)^2, g the gradient of the metric.
Deviation from the paper: it has no standard errors.
"""

from __future__ import annotations

import numpy as np

from oodexp.evidence.degradation import delta
from oodexp.evidence.influence import difference_error
from oodexp.evidence.linearised import standard_errors
from oodexp.evidence.resampling import resampled_sums
from oodexp.metric.binary import METRICS


def made(images, seed=0):
    return np.random.default_rng(seed).poisson([1.2, 0.3, 0.4, 1.1], (images, 2, 4))


def test_errors_are_those_of_the_jackknife():
    parts = made(300)
    left_out = np.array([delta(np.delete(parts, i, axis=0).sum(axis=0)) for i in range(300)])
    centred = left_out - left_out.mean(axis=0)
    jackknife = np.sqrt(299 / 300 * (centred**2).sum(axis=0))
    np.testing.assert_allclose(standard_errors(parts), jackknife, rtol=0.01)


def test_errors_are_those_of_the_bootstrap():
    parts = made(400, 1)
    draws = delta(resampled_sums(parts, 4000, 0))
    np.testing.assert_allclose(standard_errors(parts), draws.std(axis=0), rtol=0.04)


def test_errors_are_those_between_two_models_on_the_same_images():
    parts = made(50, 2)
    want = [difference_error(parts[:, 0], parts[:, 1], metric) for metric in METRICS]
    np.testing.assert_allclose(standard_errors(parts), want, rtol=1e-12)


def test_several_labellings_are_done_at_once():
    many = np.stack([made(20, seed) for seed in range(4)])
    np.testing.assert_allclose(standard_errors(many), [standard_errors(one) for one in many])


def test_all_right_has_exactly_no_error():
    parts = np.zeros((37, 2, 4), np.int64)
    parts[..., [0, 3]] = np.random.default_rng(0).integers(1, 6, (37, 2, 2))
    assert (standard_errors(parts) == 0).all()


def test_what_is_undefined_has_no_error():
    parts = made(30)
    parts[:, 1] = 0
    assert np.isnan(standard_errors(parts)).all()


def test_one_image_has_no_error():
    assert np.isnan(standard_errors(np.ones((1, 2, 4)))).all()
