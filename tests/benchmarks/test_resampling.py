"""The benchmark of the bootstrap does what it says."""

from __future__ import annotations

import numpy as np

from benchmarks.resampling import AGREE, MODELS, PER_IMAGE, SCIPY_MODELS, by_scipy, made, measure
from oodexp.evidence.degradation import degradation


def test_every_image_has_its_questions_and_every_value_is_defined():
    counts = made(500)
    assert (counts.sum(axis=(2, 3)) == PER_IMAGE).all()
    found = degradation(counts, resamples=50, seed=0)
    assert found.values.shape == (MODELS, 5)
    assert not found.reasons


def test_scipy_gives_the_same_by_metric_and_at_once():
    counts = made(300)
    one, every = by_scipy(counts, at_once=False), by_scipy(counts, at_once=True)
    assert one.shape == (2, SCIPY_MODELS, 5)
    np.testing.assert_allclose(one, every, atol=1e-12)


def test_the_figures_are_there_and_the_sides_agree():
    rows = measure(images=300, resamples=200)
    assert rows["largest_gap"] < AGREE
    assert rows["bootstrap_ratio"] > rows["vector_ratio"] > 0
