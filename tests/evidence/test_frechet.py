"""OODConceptBench, Tables D4 and D5: Fréchet distance of CLIP features.

d^2 = |m1 - m2|^2 + tr S1 + tr S2 - 2 tr (S1 S2)^(1/2). Witnesses: scipy.linalg.sqrtm, the closed
form of commuting covariances, repeated rows for weights; tests/oracles/test_torch_fidelity.py asks
the package torch-fidelity. Deviation from the paper: none known; it does not say whether d^2 or d
is printed.
"""

import numpy as np
import pytest
from scipy.linalg import sqrtm

from oodexp.error import OodexpError
from oodexp.evidence.frechet import Moments, factor, frechet, moments


def sample(n, d, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    return rng.normal(shift, 1, (n, d)) @ rng.normal(0, 1, (d, d))


def by_sqrtm(x, y):
    first, second = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    gap = x.mean(axis=0) - y.mean(axis=0)
    return gap @ gap + np.trace(first + second - 2 * sqrtm(first @ second).real)


@pytest.mark.parametrize("d", [1, 2, 7, 24])
def test_it_is_that_of_the_matrix_square_root(d):
    x, y = sample(200, max(d, 2), 1)[:, :d], sample(90, max(d, 2), 2, 0.3)[:, :d]
    expected = by_sqrtm(x, y) if d > 1 else (x.mean() - y.mean()) ** 2 + (
        x.std(ddof=1) - y.std(ddof=1)
    ) ** 2  # fmt: skip
    found = frechet(moments(x), moments(y))
    assert found.value == pytest.approx(expected, rel=1e-9)
    assert found.value == found.centres + found.spread
    assert found.reason is None


def test_gaussians_with_one_set_of_axes_have_a_closed_form():
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(5, 5)))[0]
    one, two = np.array([1.0, 4, 9, 0, 2]), np.array([4.0, 1, 9, 3, 0])
    first = Moments(np.zeros(5), turn @ np.diag(one) @ turn.T, 100)
    second = Moments(np.arange(5.0), turn @ np.diag(two) @ turn.T, 100)
    found = frechet(first, second)
    assert found.centres == pytest.approx(30)
    assert found.spread == pytest.approx(((np.sqrt(one) - np.sqrt(two)) ** 2).sum())


def test_a_set_and_itself_are_0_apart_even_when_the_covariance_is_singular():
    for points in (sample(300, 6, 4), sample(5, 40, 5)):
        own = moments(points)
        assert frechet(own, own).value == pytest.approx(0, abs=1e-12 * np.trace(own.covariance))


def test_with_fewer_points_than_dimensions_it_is_exact_and_says_that_it_is_biased():
    x, y = sample(6, 40, 6), sample(8, 40, 7)
    found = frechet(moments(x), moments(y))
    # The nuclear norm of X Y' of the centred rows, which needs no covariance at all.
    parts = [(p - p.mean(axis=0)) / np.sqrt(len(p) - 1) for p in (x, y)]
    cross = np.linalg.svd(parts[0] @ parts[1].T, compute_uv=False).sum()
    spread = sum((p * p).sum() for p in parts) - 2 * cross
    assert found.spread == pytest.approx(spread, rel=1e-9)
    assert "6 points span no more than 40 dimensions" in found.reason


def test_scale_and_rotation_do_to_it_what_they_do_to_squared_distances():
    x, y = sample(50, 4, 8), sample(60, 4, 9, 1.0)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
    plain = frechet(moments(x), moments(y)).value
    moved = frechet(moments(3 * x @ turn + 5), moments(3 * y @ turn + 5)).value
    assert moved == pytest.approx(9 * plain)
    assert frechet(moments(y), moments(x)).value == pytest.approx(plain)


def test_weights_are_repeated_rows():
    x = sample(30, 3, 10)
    weights = np.random.default_rng(2).integers(0, 4, 30)
    found, expected = moments(x, weights), moments(np.repeat(x, weights, axis=0))
    np.testing.assert_allclose(found.mean, expected.mean)
    np.testing.assert_allclose(found.covariance, expected.covariance)
    np.testing.assert_allclose(expected.covariance, np.cov(x.T, fweights=weights))
    assert found.points == expected.points == weights.sum()


def test_a_factor_gives_the_covariance_back_and_leaves_out_empty_directions():
    covariance = moments(sample(5, 12, 11)).covariance
    found = factor(covariance)
    assert found.shape == (12, 4)
    np.testing.assert_allclose(found @ found.T, covariance, atol=1e-10 * np.trace(covariance))
    assert factor(np.zeros((3, 3))).shape == (3, 0)


def test_fewer_than_two_points_have_a_reason():
    many = moments(sample(30, 3, 12))
    for few in (np.zeros((0, 3)), np.ones((1, 3))):
        found = frechet(many, moments(few))
        assert np.isnan(found[:3]).all()
        assert found.reason == "a feature set has fewer than two points"


def test_features_that_do_not_fit_are_refused():
    with pytest.raises(OodexpError, match="3 and 4 dimensions"):
        frechet(moments(sample(9, 3, 1)), moments(sample(9, 4, 1)))
    for bad in (np.full((3, 2), np.nan), np.zeros(3)):
        with pytest.raises(OodexpError, match="expected finite values, one row a sample"):
            moments(bad)
