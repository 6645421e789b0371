"""Q_95 under each rule: against loops over images and phrases, and what each rule promises."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp import cutoff
from oodexp.error import OodexpError
from oodexp.metric.recognition_threshold import RULES, Pool, threshold

IMAGES, PHRASES = 90, 12


def pool(seed: int = 0) -> Pool:
    rng = np.random.default_rng(seed)
    return Pool(
        rng.normal(0.2, 0.03, (IMAGES, PHRASES)).astype(np.float32),
        rng.integers(-1, PHRASES, IMAGES),
        rng.integers(0, 3, IMAGES),
        np.arange(PHRASES) % 3,
    )


def test_the_vocabulary_rule_lets_one_in_twenty_images_recognise_some_phrase():
    some = pool()._replace(cosines=np.random.default_rng(1).random((2000, 30), np.float32))
    found = threshold("vocabulary_max", some)
    assert np.mean((some.cosines > np.float32(found.value)).any(axis=1)) == 0.05
    assert found.n == 2000
    want = [max(row) for row in some.cosines.tolist()]
    assert found.value == pytest.approx(np.percentile(want, 95), abs=1e-9)


def test_the_category_rule_takes_the_best_other_phrase_of_the_images_category():
    some = pool()
    best = [
        max(float(some.cosines[n, p]) for p in range(PHRASES)
            if some.phrase_category[p] == some.image_category[n] and p != some.own[n])
        for n in range(IMAGES)
    ]  # fmt: skip
    found = threshold("own_category", some)
    assert found.value == pytest.approx(np.percentile(best, 95), abs=1e-9)
    assert found.n == IMAGES


def test_an_image_whose_category_has_no_other_phrase_has_no_score():
    some = pool()._replace(own=None)
    lonely = some.image_category.copy()
    lonely[:4] = 9
    found = threshold("own_category", some._replace(image_category=lonely))
    assert found.n == IMAGES - 4
    assert found.reason == f"4 of {IMAGES} without a score"


def test_the_mismatched_rule_takes_all_pairs_but_those_that_belong_together():
    some = pool()
    pairs = [
        float(some.cosines[n, p]) for n in range(IMAGES) for p in range(PHRASES)
        if p != some.own[n]
    ]  # fmt: skip
    found = threshold("mismatched", some)
    assert found.value == pytest.approx(np.percentile(pairs, 95), abs=1e-9)
    assert found.n == len(pairs) < IMAGES * PHRASES


def test_the_negatives_rule_is_the_ceiling_of_rule_3():
    some = pool()
    found = threshold("negatives", some, np.random.default_rng(3))
    want = cutoff.ceiling(some.cosines, np.random.default_rng(3))
    assert found.value == want.value
    assert np.array_equal(found.candidates, want.candidates)


def test_the_own_phrase_moves_the_vocabulary_rule_only():
    some = pool()
    high = some.cosines.copy()
    mine = some.own >= 0
    high[mine, some.own[mine]] = 0.9
    lifted = some._replace(cosines=high)
    for rule in ("own_category", "mismatched"):
        assert threshold(rule, lifted).value == threshold(rule, some).value
    assert threshold("vocabulary_max", lifted).value == pytest.approx(0.9)


def test_rules_stand_in_the_order_of_their_populations():
    some = pool()
    wide = threshold("vocabulary_max", some._replace(own=None)).value
    near = threshold("own_category", some).value
    assert threshold("mismatched", some).value < near < wide


@pytest.mark.parametrize("rule", RULES)
def test_images_without_features_are_left_aside_under_every_rule(rule):
    some = pool()
    holes = Pool(
        np.concatenate((some.cosines, np.full((2, PHRASES), np.nan, np.float32))),
        *(np.append(codes, [0, 1]) for codes in (some.own, some.image_category)),
        some.phrase_category,
    )
    rng = np.random.default_rng
    found = threshold(rule, holes, rng(0))
    assert found.value == threshold(rule, some, rng(0)).value
    assert "without a score" in found.reason


def test_a_number_is_taken_as_the_threshold():
    assert threshold(0.375).value == 0.375
    assert threshold(0.375).rule == "fixed"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: threshold("percentile", pool()), "rule='percentile': expected vocabulary_max"),
        (lambda: threshold("mismatched"), "needs calibration images"),
        (lambda: threshold("mismatched", pool()._replace(own=None)), "own phrase of each image"),
        (lambda: threshold("negatives", pool()), "expected a random generator"),
        (lambda: threshold("own_category", Pool(pool().cosines)), "needs the category"),
        (lambda: threshold("vocabulary_max", Pool(np.empty((3, 0)))), "vocabulary is empty"),
        (
            lambda: threshold("mismatched", pool()._replace(own=np.full(IMAGES, PHRASES))),
            "one each",
        ),
        (lambda: threshold("mismatched", pool()._replace(own=np.zeros(3, int))), "of 3 images"),
    ],
)
def test_what_a_rule_lacks_is_named(call, words):
    with pytest.raises(OodexpError, match=words):
        call()
