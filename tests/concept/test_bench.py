"""Scores, thresholds and levels of a set whose truth is planted (OODConceptBench, 3.2)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oodexp.concept.bench import built, prototypes, without
from oodexp.concept.protocol import Protocol


def test_levels_nest_and_images_near_common_things_do_not_reach_l1(bench):
    made = bench()
    kept = made.cascade.kept
    for wide, narrow in ((0, 1), (1, 2), (2, 3)):
        assert (kept[:, narrow] <= kept[:, wide]).all()
    near = np.arange(120) % 4 == 0
    assert not kept[near, 1].any()
    assert kept[~near, 1].mean() > 0.9


def test_t1_is_the_95th_percentile_of_what_a_slow_loop_gives(bench):
    made = bench()
    far = [
        1 - max(float(v @ t) for t in made.reference.common_texts) for v in made.reference.common
    ]
    assert made.calibrated.common.value == pytest.approx(np.percentile(far, 95), abs=1e-6)


def test_l2_is_l1_without_what_its_phrase_is_aligned_with(bench):
    made = bench(thresholds={"target": 0.4})
    aligned = np.array([made.reference.images[n] @ made.reference.phrases[p]
                        for n, p in enumerate(made.names.phrase)])  # fmt: skip
    kept = made.cascade.kept
    np.testing.assert_array_equal(kept[:, 3], kept[:, 2] & (aligned < np.float32(0.4)))
    assert made.calibrated.target.rule == "fixed"
    assert made.calibrated.common.rule != "fixed"


def test_fixed_thresholds_are_the_papers_where_none_are_given(bench):
    made = bench(calibration="fixed", thresholds={"rare": 0.1})
    assert made.calibrated.thresholds == (0.7175, 0.1, 0.3031)


def test_an_image_without_a_vector_is_at_no_level_and_says_why(bench):
    made = bench()
    made.reference.images[5] = np.nan
    again = built(made.names, made.reference, Protocol(calibration="fixed"))
    assert not again.cascade.kept[5].any()
    assert "no finite score" in again.cascade.reasons[5]


def test_removed_images_leave_every_level_and_thresholds_stay(bench):
    made = bench()
    stays = np.ones(120, dtype=bool)
    stays[[1, 7]] = False
    fewer = without(made, stays)
    assert not fewer.cascade.kept[[1, 7]].any()
    np.testing.assert_array_equal(fewer.cascade.kept[stays], made.cascade.kept[stays])
    assert fewer.calibrated is made.calibrated
    assert fewer.cascade.reasons[7] == "a near-duplicate of another image"


def test_prototypes_are_mean_directions_by_class():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(9, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[3] = np.nan
    label = np.repeat([0, 1, 2], 3)
    found = prototypes(vectors, label)
    for c in range(3):
        mean = np.nanmean(vectors[label == c], axis=0)
        np.testing.assert_allclose(found[c], mean / np.linalg.norm(mean), atol=1e-6)


def test_the_same_seed_gives_the_same_benchmark(bench):
    one, two = bench(), bench()
    assert one.calibrated.thresholds == two.calibrated.thresholds
    other = bench(seed=0, share=0.9)
    assert other.calibrated.target.value != one.calibrated.target.value
    assert replace(one).names.phrases == [f"phrase {n}" for n in range(6)]
