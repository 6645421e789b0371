"""OODBench, appendix C.1.4: MMD^2 after permuting the labels of two samples, B = 500.

p = (1 + #{T_b >= T}) / (B + 1). Deviation from the paper: it permutes pairs; pairs of one image are
dependent, so whole images are permuted, too, and each result says which. Witnesses: `mmd2` of
relabelled points, and SciPy's permutation test.
"""

import numpy as np
import pytest
from scipy import stats

from oodexp.evidence.kernel import Bandwidth, Compute, bandwidth
from oodexp.evidence.mmd import Sample, mmd2, pool
from oodexp.evidence.two_sample import labelled, permutation_test, relabelled, units

SIGMA = Bandwidth(1.3, "given", 0, None)


def sample(points, first_image, seed, shift=0.0, images=12):
    rng = np.random.default_rng(seed)
    return Sample(
        rng.normal(shift, 1, (points, 3)), rng.integers(0, 3, points),
        rng.integers(first_image, first_image + images, points),
    )  # fmt: skip


APART = pool(sample(40, 0, 1), sample(25, 20, 2, 0.4))
SHARED = pool(sample(40, 0, 1), sample(25, 6, 2, 0.4))


@pytest.mark.parametrize("pooled", [APART, SHARED], ids=["apart", "shared"])
@pytest.mark.parametrize("by_image", [False, True])
@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
def test_each_column_is_mmd2_of_the_relabelled_points(pooled, by_image, estimator):
    chosen = units(pooled, by_image)
    labels = relabelled(chosen, 12, np.random.default_rng(3))
    found = labelled(pooled, 1.3, chosen, labels, estimator, Compute(tile=9))
    for column, value in zip(labels.T, found, strict=True):
        moved = pooled._replace(first=column[chosen.of])
        assert value == pytest.approx(getattr(mmd2(moved, SIGMA, by_image), estimator), abs=1e-10)


def test_the_value_is_that_of_the_labels_as_they_are():
    for by_image in (False, True):
        found = permutation_test(APART, SIGMA, 19, np.random.default_rng(0), by_image)
        assert found.value == pytest.approx(mmd2(APART, SIGMA, by_image).unbiased, abs=1e-12)
        assert found.permuted == ("images" if by_image else "pairs")


def test_images_move_whole_and_their_number_in_each_sample_stays():
    chosen = units(APART, True)
    labels = relabelled(chosen, 200, np.random.default_rng(1))
    of_points = labels[chosen.of]
    for image in np.unique(APART.images):
        mine = of_points[APART.images == image]
        assert (mine == mine[0]).all()
    assert (labels.sum(axis=0) == chosen.first.sum()).all()
    assert 0.3 < (labels != chosen.first[:, None]).mean() < 0.7


def test_the_parts_of_a_shared_image_swap_together():
    chosen = units(SHARED, True)
    labels = relabelled(chosen, 400, np.random.default_rng(1))
    assert chosen.shared.any()
    for image in np.unique(chosen.images[chosen.shared]):
        one, two = labels[chosen.images == image]
        assert (one != two).all()
        assert 0.4 < one.mean() < 0.6
    alone = ~chosen.shared
    assert (labels[alone].sum(axis=0) == chosen.first[alone].sum()).all()


def test_p_is_that_of_scipy_over_all_permutations():
    first, second = sample(5, 0, 4, images=50), sample(4, 60, 5, 0.8, images=50)
    pooled = pool(first, second)

    def statistic(one, two):
        places = np.concatenate([one, two]).astype(int)
        moved = pooled._replace(first=np.isin(np.arange(9), places[: len(one)]))
        return mmd2(moved, SIGMA).unbiased

    exact = stats.permutation_test(
        (np.arange(5), np.arange(5, 9)), statistic, n_resamples=np.inf, alternative="greater"
    )
    found = permutation_test(pooled, SIGMA, 20_000, np.random.default_rng(0), False)
    assert found.p == pytest.approx(exact.pvalue, abs=0.012)


def test_far_samples_reach_the_smallest_p_and_never_zero():
    far = pool(sample(60, 0, 1), sample(60, 20, 2, 5.0))
    found = permutation_test(far, SIGMA, 99, np.random.default_rng(0), True)
    assert found.p == found.floor == 0.01
    assert (found.null < found.value).all()


def test_equal_labelings_are_ties_and_count():
    # All points alike: every permutation gives the same value, and p is 1.
    alike = Sample(np.ones((6, 2)), np.zeros(6), np.arange(6))
    same = pool(alike, alike._replace(images=np.arange(6, 12)))
    assert permutation_test(same, SIGMA, 50, np.random.default_rng(0), False).p == 1


@pytest.mark.parametrize(
    ("compute", "tolerance"),
    [
        (Compute("float64", "cpu", 100), 1e-12),
        (Compute("float32", None, 100), 1e-7),
        (Compute("float32", "cpu", 100), 1e-7),
    ],
)
def test_torch_and_float32_give_the_null_of_float64(compute, tolerance):
    pooled = pool(sample(600, 0, 1, images=200), sample(500, 300, 2, images=200))
    exact, found = (
        permutation_test(pooled, SIGMA, 50, np.random.default_rng(6), True, compute=how)
        for how in (Compute(), compute)
    )
    assert found.null == pytest.approx(exact.null, abs=tolerance)
    assert found.value == pytest.approx(exact.value, abs=tolerance)
    assert tolerance < exact.null.std() / 1000
    assert found.p == exact.p


def test_undefined_tests_have_a_reason_and_no_p():
    one = Sample(np.zeros((1, 3)), np.zeros(1), np.array([99]))
    found = permutation_test(pool(sample(9, 0, 1), one), SIGMA, 9, np.random.default_rng(0), True)
    assert np.isnan(found.p)
    assert found.reason == "a sample has fewer than two images"
    zero = bandwidth(np.ones((4, 2)), np.zeros(4))
    found = permutation_test(APART, zero, 9, np.random.default_rng(0), False)
    assert np.isnan(found.p)
    assert "zero bandwidth" in found.reason
