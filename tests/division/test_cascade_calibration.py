"""T1, T2 and T3 of OODConceptBench's filter, learnt as Table A1 has it, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp import cutoff
from oodexp.division import cascade_calibration as calibration
from oodexp.division.filter_cascade import PAPER, Thresholds
from oodexp.error import OodexpError


def near_and_far(images: int = 500) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return (
        rng.normal(0.7, 0.02, images).astype(np.float32),
        rng.normal(0.3, 0.05, images).astype(np.float32),
        rng.normal(0.35, 0.05, 200).astype(np.float32),
    )


def sorted_percentile(values: list[float]) -> float:
    ordered = sorted(values)
    place = 0.95 * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def test_t1_lets_one_in_twenty_images_of_the_distribution_pass():
    scores, _, _ = near_and_far()
    found = calibration.common(scores)
    assert found.value == pytest.approx(sorted_percentile(scores.tolist()), abs=1e-9)
    assert np.mean(scores > np.float32(found.value)) == 0.05
    assert found.n == 500
    assert found.reason is None


def test_t2_is_learnt_from_survivors_of_rule_1_and_all_further_images():
    common, rare, further = near_and_far()
    limit = calibration.common(common).value
    pool = [r for c, r in zip(common, rare, strict=True) if c > np.float32(limit)] + [*further]
    found = calibration.rare(common, rare, further, limit)
    assert found.n == len(pool) == 25 + 200
    assert found.value == pytest.approx(sorted_percentile([float(r) for r in pool]), abs=1e-9)
    assert sorted(found.candidates.tolist()) == sorted(float(r) for r in pool)


def test_an_image_exactly_at_t1_is_no_survivor():
    common = np.array([0.7175, 0.7176], np.float32)
    found = calibration.rare(common, np.array([0.1, 0.2], np.float32), np.empty(0), 0.7175)
    assert found.value == pytest.approx(0.2)
    assert found.n == 1


def test_t2_without_survivors_says_so():
    common, rare, further = near_and_far()
    found = calibration.rare(common, rare, further, 1.5)
    assert found.n == 200
    assert found.reason == "no calibration image passes rule 1"
    none = calibration.rare(common, rare, np.empty(0), 1.5)
    assert np.isnan(none.value)
    assert none.reason == "no calibration score; no calibration image passes rule 1"


def test_t3_of_the_whole_vocabulary_is_the_highest_cosine_and_the_spread_of_the_highest():
    cosines = np.random.default_rng(1).normal(0.2, 0.02, (300, 200))
    found = calibration.target(cosines, np.random.default_rng(2), share=1.0)
    peaks = [max(row) for row in cosines.tolist()]
    assert found.value == pytest.approx(max(peaks) + np.std(peaks, ddof=1), abs=1e-12)
    assert found.rule == "maximum + standard deviation, negative images"


def test_t3_settles_where_longer_rounds_settle():
    cosines = np.random.default_rng(3).normal(0.2, 0.02, (300, 200))
    short = calibration.target(cosines, np.random.default_rng(4))
    long = calibration.target(cosines, np.random.default_rng(4), rounds=200, patience=199)
    assert 2 <= len(short.candidates) < 20
    assert np.array_equal(short.candidates, long.candidates[: len(short.candidates)])
    assert short.value == pytest.approx(long.value, rel=0.02)


def test_fixed_thresholds_are_the_papers_unless_others_are_given():
    assert calibration.fixed().thresholds == Thresholds(0.7175, 0.2976, 0.3031) == PAPER
    assert {part.rule for part in calibration.fixed()} == {"paper"}
    own = calibration.fixed(Thresholds(0.5, 0.2, 0.3))
    assert own.thresholds == (0.5, 0.2, 0.3)
    assert {part.rule for part in own} == {"fixed"}
    assert [part.n for part in own] == [0, 0, 0]


def test_images_for_calibration_are_drawn_up_to_the_papers_number():
    rows = cutoff.drawn(4000, calibration.ID_IMAGES, np.random.default_rng(0))
    assert len(set(rows.tolist())) == 3000


def test_scores_of_other_images_and_a_missing_t1_are_refused():
    with pytest.raises(OodexpError, match="same calibration images"):
        calibration.rare(np.zeros(3), np.zeros(2), np.zeros(1), 0.5)
    with pytest.raises(OodexpError, match="T1 is NaN"):
        calibration.rare(np.zeros(3), np.zeros(3), np.zeros(1), float("nan"))
    with pytest.raises(OodexpError, match="finite"):
        calibration.fixed(Thresholds(0.5, float("nan"), 0.3))
