"""The filter of OODConceptBench (Tables 1 and A4, Figure 3), against loops and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.neighbors import NearestNeighbors

from oodexp.division.filter_cascade import (
    PAPER,
    Scores,
    Thresholds,
    alignment,
    cascade,
    composition,
    farness,
    retained,
    retention,
)
from oodexp.error import OodexpError


def unit(*shape: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@st.composite
def scored(draw):
    """Scores near the thresholds, exactly on them, or missing."""
    limits = [np.float32(t) for t in PAPER]
    return Scores(*(
        draw(arrays(np.float32, 30, elements=st.sampled_from(
            [limit, np.nextafter(limit, np.float32(2)), np.nextafter(limit, np.float32(-2)),
             np.float32(0.9), np.float32(0.1), np.float32(np.nan)]
        ))) for limit in limits
    ))  # fmt: skip


def test_farness_is_the_cosine_distance_to_the_nearest_reference():
    images, bank = unit(70, 16), unit(9, 16, seed=1)
    nearest = NearestNeighbors(n_neighbors=1, metric="cosine").fit(bank.astype(np.float64))
    want, _ = nearest.kneighbors(images.astype(np.float64))
    found = farness(images, bank)
    assert found.dtype == np.float32
    # sklearn normalises once more: float32 features have a length of 1 to 1e-7.
    assert found == pytest.approx(want[:, 0], abs=1e-6)


def test_alignment_is_the_cosine_to_the_own_phrase():
    images, texts = unit(50, 16), unit(7, 16, seed=1)
    phrase = np.random.default_rng(2).integers(0, 7, 50)
    want = [float(np.dot(images[n].astype(float), texts[phrase[n]].astype(float)))
            for n in range(50)]  # fmt: skip
    assert alignment(images, texts, phrase) == pytest.approx(want, abs=1e-7)


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_scores_do_not_hang_on_the_chunk_or_on_the_neighbours_of_an_image(chunk):
    images, bank = unit(53, 32), unit(11, 32, seed=1)
    phrase = np.arange(53) % 11
    assert np.array_equal(farness(images, bank, chunk), farness(images, bank))
    assert np.array_equal(alignment(images, bank, phrase, chunk), alignment(images, bank, phrase))
    assert np.array_equal(farness(images[20:25], bank), farness(images, bank)[20:25])


def test_an_image_without_features_has_no_score_and_is_at_no_level():
    images, bank = unit(5, 8), unit(3, 8, seed=1)
    images[2] = np.nan
    far, own = farness(images, bank), alignment(images, bank, np.zeros(5, int))
    assert np.isnan(far).tolist() == np.isnan(own).tolist() == [False, False, True, False, False]
    found = cascade(Scores(far, far, own), Thresholds(0, 0, 1))
    assert found.kept.all(axis=1).tolist() == [True, True, False, True, True]
    assert not found.kept[2].any()
    assert found.reasons[2] == "no finite score of: common, rare, target"
    assert found.reasons[:2] == (None, None)


@given(scored())
def test_levels_follow_the_strict_rules_and_nest(scores):
    found = cascade(scores, PAPER)
    for n, kept in enumerate(found.kept.tolist()):
        a, b, c = (values[n] for values in scores)
        if np.isnan([a, b, c]).any():
            assert kept == [False] * 4
            assert found.reasons[n].startswith("no finite score of")
            continue
        first = a > np.float32(0.7175)
        second = first and b > np.float32(0.2976)
        assert kept == [True, first, second, second and c < np.float32(0.3031)]
        assert found.reasons[n] is None
    assert not (found.kept[:, 1:] & ~found.kept[:, :-1]).any()


def test_a_score_exactly_at_a_threshold_is_filtered_out_in_float32():
    at = [np.array([t], np.float32) for t in PAPER]
    inside = Scores(np.nextafter(at[0], np.float32(1)), np.nextafter(at[1], np.float32(1)),
                    np.nextafter(at[2], np.float32(0)))  # fmt: skip
    assert cascade(inside, PAPER).kept.tolist() == [[True] * 4]
    for rule, name in enumerate(Scores._fields):
        kept = cascade(inside._replace(**{name: at[rule]}), PAPER).kept
        assert kept.tolist() == [[True] * (rule + 1) + [False] * (3 - rule)]


def coded(images: int = 400) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(5)
    scores = Scores(*(rng.random(images).astype(np.float32) for _ in range(3)))
    kept = cascade(scores, Thresholds(0.3, 0.2, 0.6)).kept
    concept = rng.integers(0, 40, images)
    # Category 3 has no image, and concepts of category 4 are in no other.
    category = np.where(concept < 30, concept % 3, 4)
    return kept, category, rng.integers(0, 2, images), concept


def test_retention_counts_what_a_loop_counts():
    kept, category, _, _ = coded()
    found = retention(kept, category, 5)
    for code in range(5):
        mine = [row for row, c in zip(kept.tolist(), category, strict=True) if c == code]
        counts = [sum(row[level] for row in mine) for level in range(4)]
        assert found.counts[code].tolist() == counts
        if counts[0]:
            want = [counts[2] / counts[0], counts[3] / counts[2], counts[3] / counts[0]]
            assert found.rates[code].tolist() == pytest.approx(want)
            assert found.reasons[code].tolist() == [None] * 3
    assert np.isnan(found.rates[3]).all()
    assert found.reasons[3].tolist() == ["no image at L0", "no image at L1", "no image at L0"]


def test_retention_of_all_categories_weighs_images_not_categories():
    found = retained(np.array([[100, 90, 80, 40], [10, 9, 1, 1]]).sum(axis=0))
    assert found.rates.tolist() == pytest.approx([81 / 110, 41 / 81, 41 / 110])


def test_the_steps_of_retention_multiply():
    found = retention(*coded()[:2], 5)
    both = found.rates[:, 0] * found.rates[:, 1]
    assert both == pytest.approx(found.rates[:, 2], nan_ok=True)


def test_composition_counts_images_by_source_and_concepts_with_an_image():
    kept, category, acquisition, concept = coded()
    found = composition(kept, category, acquisition, concept, (5, 2, 40))
    for code in range(5):
        for level in range(4):
            at = [n for n in range(400) if category[n] == code and kept[n, level]]
            assert found.concepts[code, level] == len({int(concept[n]) for n in at})
            for way in range(2):
                assert found.images[code, way, level] == sum(acquisition[n] == way for n in at)
    assert found.images.sum(axis=1).tolist() == retention(kept, category, 5).counts.tolist()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: farness(unit(3, 4), np.empty((0, 4))), "bank is empty"),
        (lambda: farness(2 * unit(3, 4), unit(2, 4)), "feature of image 0 has length 2; expected"),
        (lambda: farness(unit(3, 4), 0 * unit(2, 4)), "feature of reference 0 has length 0"),
        (lambda: farness(unit(3, 4), np.full((2, 4), np.nan)), "feature of reference 0 has length"),
        (lambda: alignment(unit(1, 4), 3 * unit(2, 4), np.array([0])), "feature of phrase 0"),
        (lambda: alignment(unit(1, 4), unit(2, 4), np.array([-1])), "phrase codes -1 ... -1"),
        (lambda: retention(np.ones((1, 4), bool), np.array([2]), 2), "category codes 2 ... 2"),
        (
            lambda: cascade(Scores(*[np.zeros(1, np.float32)] * 3), Thresholds(0.1, np.nan, 0.1)),
            "threshold of rare is NaN",
        ),
    ],
)
def test_what_cannot_be_filtered_is_named(call, words):
    with pytest.raises(OodexpError, match=words):
        call()


def test_no_image_at_all_gives_empty_levels():
    none = np.empty(0, np.float32)
    found = cascade(Scores(none, none, none), PAPER)
    assert found.kept.shape == (0, 4)
    assert retention(found.kept, np.empty(0, int), 2).counts.tolist() == [[0] * 4] * 2
    assert farness(np.empty((0, 4), np.float32), unit(2, 4)).shape == (0,)
