"""OODBench, appendix C.1.4: the upper confidence bound of MMD^2 that is held against xi.

Under MMD^2 = t^2 in the least favourable direction the estimate is t^2 + 2 t g + s, with s a draw
of |G*|^2 less its mean and g one of G* along its direction of largest variance. Deviation from the
paper: it bootstraps MMD^2 and does not say how; no bootstrap of it is consistent near xi. Witness:
what each image adds, written out in a table of inner products.
"""

import numpy as np
import pytest

from oodexp.evidence import mmd_bound
from oodexp.evidence.kernel import Bandwidth, Compute, bandwidth
from oodexp.evidence.mmd import Sample, mmd2, pool
from oodexp.evidence.mmd_bound import Noise, multiplier_draws, upper_bound

SIGMA = Bandwidth(1.3, "given", 0, None)


def sample(points, first_image, seed, shift=0.0, images=12):
    rng = np.random.default_rng(seed)
    return Sample(
        rng.normal(shift, 1, (points, 3)), rng.integers(0, 3, points),
        rng.integers(first_image, first_image + images, points),
    )  # fmt: skip


POOLS = {
    "apart": pool(sample(50, 0, 1), sample(35, 20, 2, 0.4)),
    "shared": pool(sample(50, 0, 1), sample(35, 6, 2, 0.4)),
}


def table(pooled):
    """Inner products of what each image adds to the difference of means, (image, image)."""
    gaps = pooled.features[:, None] - pooled.features
    same = pooled.categories[:, None] == pooled.categories
    whole = np.exp(-(gaps**2).sum(axis=2) / (2 * 1.3**2)) * same
    added = []
    for image in range(pooled.images.max() + 1):
        row = np.zeros(len(whole))
        for side, sign in ((pooled.first, 1), (~pooled.first, -1)):
            own = side & (pooled.images == image)
            row += sign * (own / side.sum() - own.sum() / side.sum() * side / side.sum())
        added.append(row)
    return np.array(added) @ whole @ np.array(added).T


@pytest.mark.parametrize("name", POOLS)
def test_draws_are_those_of_the_table_of_what_images_add(name):
    pooled, inner = POOLS[name], table(POOLS[name])
    noise = multiplier_draws(pooled, SIGMA, 90, np.random.default_rng(4), Compute(tile=11))
    signs = np.random.default_rng(4).integers(0, 2, (len(inner), 90)) * 2 - 1
    square = [signs[:, b] @ inner @ signs[:, b] - np.trace(inner) for b in range(90)]
    assert noise.square == pytest.approx(np.array(square), abs=1e-12)
    scales, vectors = np.linalg.eigh(inner)
    leading = np.sqrt(scales[-1]) * (vectors[:, -1] @ signs)
    agreement = np.sign(leading @ noise.leading)
    assert noise.leading == pytest.approx(agreement * leading, abs=1e-9)
    assert noise.value == pytest.approx(mmd2(pooled, SIGMA, True).unbiased, abs=1e-12)


def test_fewer_draws_than_images_still_find_the_leading_variance(monkeypatch):
    pooled = pool(sample(500, 0, 1, images=200), sample(500, 300, 2, 0.4, images=200))
    monkeypatch.setattr(mmd_bound, "RANK", 100)
    noise = multiplier_draws(pooled, SIGMA, 4000, np.random.default_rng(4))
    largest = np.linalg.eigvalsh(table(pooled))[-1]
    assert (noise.leading**2).mean() == pytest.approx(largest, rel=0.1)


def test_float32_and_torch_give_the_draws_of_float64():
    pooled = POOLS["apart"]
    exact = multiplier_draws(pooled, SIGMA, 60, np.random.default_rng(4))
    for compute in (Compute("float64", "cpu"), Compute("float32"), Compute("float32", "cpu")):
        found = multiplier_draws(pooled, SIGMA, 60, np.random.default_rng(4), compute)
        assert found.square == pytest.approx(exact.square, abs=1e-7)
        assert np.abs(found.leading) == pytest.approx(np.abs(exact.leading), abs=1e-5)


def made(value, seed=0, draws=399, spread=0.02):
    rng = np.random.default_rng(seed)
    leading = spread * rng.standard_normal(draws)
    return Noise(value, leading**2 - spread**2, leading, None)


@pytest.mark.parametrize("value", [-3e-4, 0.0, 1e-3, 0.02])
def test_the_bound_is_the_largest_margin_that_is_not_rejected(value):
    noise = made(value)
    found = upper_bound(noise, 1.0)
    margins = np.linspace(0, 0.1, 20_001)
    roots = np.sqrt(margins)[:, None]
    draws = margins[:, None] + 2 * roots * noise.leading + noise.square
    kept = (1 + (draws <= value).sum(axis=1)) / 400 > 0.05
    assert found.upper == pytest.approx(margins[kept].max(), abs=1e-5)


@pytest.mark.parametrize("xi", [1e-4, 2e-3, 3e-3, 5e-3, 0.01, 0.1])
def test_bound_below_the_margin_is_p_at_most_one_minus_the_level(xi):
    for seed in range(20):
        found = upper_bound(made(1e-3, seed), xi)
        assert found.equivalent == (found.p <= 0.05) == (found.upper < xi)
        assert found.floor <= found.p <= 1


def test_one_normal_direction_gives_the_textbook_bound():
    # |delta + g|^2 with one normal g: the least root not rejected is |estimate| + 1.645 deviations.
    noise = made(0.1**2 - 0.02**2, draws=19_999)
    assert np.sqrt(upper_bound(noise, 1.0).upper) == pytest.approx(0.1 + 1.645 * 0.02, rel=0.02)


def test_what_cannot_be_bounded_has_a_reason():
    alone = pool(sample(9, 0, 1), sample(9, 20, 2, images=1))
    noise = multiplier_draws(alone, SIGMA, 99, np.random.default_rng(0))
    found = upper_bound(noise, 0.1)
    assert np.isnan([found.value, found.upper, found.p]).all()
    assert (found.equivalent, found.reason) == (None, "a sample has fewer than two images")
    zero = bandwidth(np.ones((4, 2)), np.zeros(4))
    noise = multiplier_draws(POOLS["apart"], zero, 99, np.random.default_rng(0))
    assert "zero bandwidth" in upper_bound(noise, 0.1).reason
    assert "too few" in upper_bound(made(0.0, draws=18), 0.1).reason
    for margin, told in (
        (float("nan"), "no margin"),
        (-0.1, "not positive"),
        (0.0, "not positive"),
    ):
        found = upper_bound(made(0.0), margin)
        assert (found.equivalent, np.isnan(found.p), found.upper > 0) == (None, True, True)
        assert told in found.reason
    found = upper_bound(made(-1.0), 0.1)
    assert (found.upper, found.equivalent) == (0.0, True)
    assert "bound is 0" in found.reason


def test_points_that_are_all_alike_have_no_noise():
    alike = Sample(np.ones((6, 2)), np.zeros(6), np.arange(6))
    pooled = pool(alike, alike._replace(images=np.arange(6, 12)))
    noise = multiplier_draws(pooled, SIGMA, 99, np.random.default_rng(0))
    assert noise.value == pytest.approx(0, abs=1e-12)
    assert upper_bound(noise, 0.01).upper == pytest.approx(0, abs=1e-9)
