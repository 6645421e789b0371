"""Bootstrap resamples as matrix products (OODBench, appendix C.2.1: intervals of Delta).

Formula: in resample b the counts are sum_i w_bi c_i with w_b multinomial(n; 1/n, ..., 1/n).
Deviation from the paper: it draws answers, we draw images with all their answers.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import stats

from oodexp.error import OodexpError
from oodexp.evidence.resampling import resampled_sums, slabs


def weights_of(images, resamples, seed, **given):
    return np.concatenate([w.copy() for _, w in slabs(images, resamples, seed, **given)])


def loop(counts, resamples, seed):
    """One image at a time."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(resamples):
        total = np.zeros(counts.shape[1:])
        for image in rng.integers(len(counts), size=len(counts), dtype=np.uint32):
            total = total + counts[image]
        found.append(total)
    return np.array(found)


def test_sums_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.7, (23, 3, 2, 4))
    counts[5] = 0
    np.testing.assert_array_equal(resampled_sums(counts, 40, 9), loop(counts, 40, 9))


def test_fractional_counts_are_those_of_a_plain_loop():
    counts = np.random.default_rng(0).random((17, 4))
    np.testing.assert_allclose(resampled_sums(counts, 30, 2), loop(counts, 30, 2), rtol=1e-12)


def test_large_counts_stay_exact():
    counts = np.random.default_rng(1).integers(2**24, 2**30, (31, 2))
    np.testing.assert_array_equal(resampled_sums(counts, 20, 4), loop(counts, 20, 4))


def test_draws_do_not_depend_on_the_size_of_a_slab_nor_on_how_many_follow():
    whole = weights_of(13, 50, 3)
    for cells in (1, 13, 40, 13 * 7, 10**6):
        np.testing.assert_array_equal(weights_of(13, 50, 3, cells=cells), whole)
    np.testing.assert_array_equal(weights_of(13, 20, 3), whole[:20])
    assert not np.array_equal(weights_of(13, 50, 4), whole)


def test_every_resample_draws_as_many_images_as_there_are():
    assert (weights_of(29, 300, 0).sum(axis=1) == 29).all()


def test_weights_follow_the_multinomial_law():
    images, resamples = 8, 40_000
    weights = weights_of(images, resamples, 5)
    seen = np.bincount(weights[:, 3].astype(int), minlength=6)
    law = stats.binom(images, 1 / images)
    want = np.append(law.pmf(range(5)), law.sf(4)) * resamples
    assert stats.chisquare(np.append(seen[:5], seen[5:].sum()), want).pvalue > 1e-3
    covariance = np.cov(weights, rowvar=False)
    theirs = stats.multinomial(images, np.full(images, 1 / images)).cov()
    np.testing.assert_allclose(covariance, theirs, atol=0.03)


def test_memory_does_not_grow_with_the_weights():
    counts = np.ones((4000, 4), np.int64)
    tracemalloc.start()
    resampled_sums(counts, 10_000, 0, cells=2**18)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # all weights would be 160 MB


@pytest.mark.parametrize(("images", "resamples"), [(0, 10), (10, 0)])
def test_nothing_to_draw_is_an_error_that_says_so(images, resamples):
    with pytest.raises(OodexpError, match=f"{images} images with {resamples} resamples"):
        resampled_sums(np.zeros((images, 4), np.int64), resamples, 0)
