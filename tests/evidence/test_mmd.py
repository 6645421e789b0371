"""OODBench, appendix C.1.4: MMD^2 = |mu_P - mu_Q|^2 in the space of the joint kernel.

Estimators: Gretton et al. 2012, equations 3 (unbiased) and 5 (biased). Deviation from the paper:
it does not say which estimator it uses; both are given by name, and a third leaves out couples of
one image. The witness is a plain double loop.
"""

import math

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.evidence.kernel import Bandwidth, Compute, bandwidth
from oodexp.evidence.mmd import Sample, mmd2, pool

SIGMA = Bandwidth(1.3, "given", 0, None)


def sample(points, images, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    return Sample(
        rng.normal(shift, 1, (points, 3)), rng.integers(0, 4, points),
        rng.integers(images, images + 12, points),
    )  # fmt: skip


def loop(first, second, sigma, kept):
    """Mean kernel within both samples less twice the mean across, over the couples kept."""

    def mean(one, two, same_sample):
        total = couples = 0.0
        for i, (x, c, image) in enumerate(zip(*one, strict=True)):
            for j, (y, d, other) in enumerate(zip(*two, strict=True)):
                if kept(same_sample and i == j, image == other):
                    couples += 1
                    if c == d:
                        total += math.exp(-sum((x - y) ** 2) / (2 * sigma**2))
        return total / couples

    cross = mean(first, second, False)
    return mean(first, first, True) + mean(second, second, True) - 2 * cross


@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize(
    ("by_image", "kept"),
    [(False, lambda point, image: not point), (True, lambda point, image: not image)],
)
def test_both_estimators_are_those_of_a_double_loop(shift, by_image, kept):
    first, second = sample(40, 0, 1), sample(30, 6, 2, shift)
    found = mmd2(pool(first, second), SIGMA, by_image, Compute(tile=5))
    assert found.unbiased == pytest.approx(loop(first, second, 1.3, kept), abs=1e-10)
    every = loop(first, second, 1.3, lambda point, image: True)
    assert found.biased == pytest.approx(every, abs=1e-10)
    assert found.by_image is by_image
    assert found.reason is None


@pytest.mark.parametrize(
    ("moved", "codes", "biased", "unbiased"),
    [
        (0.0, ([0, 0, 1], [0, 0, 1]), 0.0, -0.531882),
        (0.5, ([0, 0, 1], [0, 0, 1]), 0.079649, -0.452233),
        (0.0, ([0, 0, 0], [1, 1, 1]), 1.265954, 0.898931),
    ],
)
def test_a_negative_value_stays_negative_and_categories_count(moved, codes, biased, unbiased):
    x = np.array([[0.0], [1.0], [2.0]])
    first, second = Sample(x, codes[0], [0, 1, 2]), Sample(x + moved, codes[1], [3, 4, 5])
    pooled = pool(first, second)
    found = mmd2(pooled, bandwidth(pooled.features, pooled.categories, 1.0))
    assert found.biased == pytest.approx(biased, abs=1e-6)
    assert found.unbiased == pytest.approx(unbiased, abs=1e-6)


@pytest.mark.parametrize(
    ("compute", "tolerance"),
    [
        (Compute("float64", "cpu", 64), 1e-12),
        (Compute("float32", None, 64), 1e-6),
        (Compute("float32", "cpu", 64), 1e-6),
    ],
)
def test_torch_and_float32_agree_with_float64(compute, tolerance):
    pooled = pool(sample(300, 0, 1), sample(200, 50, 2, 0.3))
    exact, found = mmd2(pooled, SIGMA), mmd2(pooled, SIGMA, compute=compute)
    assert found[:2] == pytest.approx(exact[:2], abs=tolerance)


def test_the_unbiased_mean_over_equal_laws_is_zero_and_the_biased_one_is_not():
    values = np.array(
        [mmd2(pool(sample(20, 0, s), sample(20, 50, 1000 + s)), SIGMA)[:2] for s in range(400)]
    )
    error = values.std(axis=0) / 20
    assert abs(values[:, 0].mean()) < 4 * error[0]
    assert values[:, 1].mean() > 10 * error[1]


def test_undefined_values_have_a_reason():
    some, none = sample(5, 0, 1), Sample(np.zeros((0, 3)), np.zeros(0, int), np.zeros(0, int))
    assert np.isnan(mmd2(pool(some, none), SIGMA).biased)
    assert mmd2(pool(some, none), SIGMA).reason == "a sample is empty"
    one = Sample(*(part[:1] for part in some))
    found = mmd2(pool(some, one), SIGMA)
    assert (np.isnan(found.unbiased), found.biased > 0) == (True, True)
    assert found.reason == "a sample has fewer than two points"
    alone = Sample(some.features, some.categories, np.full(5, 99))
    assert mmd2(pool(some, alone), SIGMA, True).reason == "a sample has fewer than two images"
    zero = bandwidth(np.ones((4, 2)), np.zeros(4))
    assert "zero bandwidth" in mmd2(pool(some, some), zero).reason


def test_samples_that_do_not_fit_are_refused():
    some = sample(5, 0, 1)
    with pytest.raises(OodexpError, match="3 and 2 columns"):
        pool(some, Sample(some.features[:, :2], some.categories, some.images))
    with pytest.raises(OodexpError, match=r"second sample.*one row"):
        pool(some, Sample(some.features, some.categories[:3], some.images))
    broken = some.features.copy()
    broken[2, 1] = np.nan
    with pytest.raises(OodexpError, match=r"first sample.*not finite"):
        pool(Sample(broken, some.categories, some.images), some)
