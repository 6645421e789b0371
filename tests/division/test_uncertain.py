"""Which verdicts could change when every logit may be wrong by a band."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oodexp.division.base import Matrix, Refinable
from oodexp.division.cross_validation import CrossValidation
from oodexp.division.signal import LINKS
from oodexp.division.verdict import COMBINATIONS, CRITERIA, RULES
from oodexp.record import PRESENT

IMAGES, CATEGORIES = 6, 5
THRESHOLDS = [0.0, 1e-6, 0.005, 0.05, 0.2, 0.5, 0.9, 1.0]


@st.composite
def cases(draw):
    """A divider, annotations, logits of some scorers, their links, and bands, some of them 0."""
    divider = CrossValidation(
        draw(st.sampled_from(THRESHOLDS)),
        criterion=draw(st.sampled_from(CRITERIA)),
        combine=draw(st.sampled_from(COMBINATIONS)),
        rule=draw(st.sampled_from(RULES)),
        competitors=draw(st.sampled_from(["absent", "all"])),
        unknown=draw(st.sampled_from(["compete", "exclude"])),
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    presence = rng.choice(np.uint8([0, 1, 2]), (IMAGES, CATEGORIES), p=[0.5, 0.4, 0.1])
    names = [f"s{k}" for k in range(draw(st.integers(1, 3)))]
    spread = draw(st.sampled_from([0.1, 1.0, 5.0, 30.0]))
    shape = presence.shape
    logits = {n: rng.normal(0, spread, shape).astype(np.float32) for n in names}
    links = {n: draw(st.sampled_from(LINKS)) for n in names}
    widths = st.sampled_from([0.0, 1e-5, 0.01, 0.1, 1.0, 4.0])
    bands = {n: np.full(IMAGES, draw(widths)) * (rng.random(IMAGES) < 0.8) for n in names}
    matrix = Matrix(
        "s", [str(n) for n in range(IMAGES)], [f"c{n}" for n in range(CATEGORIES)], presence
    )
    return divider, matrix, logits, links, bands, rng


def moved(logits, bands, rng, corner):
    """Logits somewhere within the bands; at an end of each for a corner."""
    found = {}
    for name, values in logits.items():
        way = rng.uniform(-1, 1, values.shape)
        way = np.sign(way) if corner else way
        band = bands[name][:, None]
        new = (values + way * band).astype(np.float32)
        # Rounding may have led out of the band.
        found[name] = np.where(np.abs(new.astype(float) - values) <= band, new, values)
    return found


def splits(division):
    rows = division.memberships
    names = rows["split"].astype(object).where(rows["split"].notna(), None)
    return dict(zip(zip(rows["image_id"], rows["category"], strict=True), names, strict=True))


@settings(max_examples=150, deadline=None)
@given(cases())
def test_no_move_within_the_band_changes_a_verdict_that_is_not_listed(case):
    divider, matrix, logits, links, bands, rng = case
    listed = divider.unsure(matrix, logits, bands, links)
    before = divider.flags(matrix, logits, links)
    whole = splits(divider.divide(matrix, logits, {}, links))
    for corner in [True] * 10 + [False] * 2:
        other = moved(logits, bands, rng, corner)
        after = divider.flags(matrix, other, links)
        for name in logits:
            assert not ((before[name] != after[name]) & ~listed[name]).any()
        # The listed cells take their moved value as if scored again; the others keep theirs.
        free = ~np.any(list(listed.values()), axis=0)
        for (image, category), split in splits(divider.divide(matrix, other, {}, links)).items():
            if free[int(image), matrix.categories.index(category)]:
                assert split == whole[image, category]


@settings(max_examples=60, deadline=None)
@given(cases())
def test_only_present_pairs_of_scorers_with_a_band_are_listed(case):
    divider, matrix, logits, links, bands, _ = case
    listed = divider.unsure(matrix, logits, bands, links)
    for cells in listed.values():
        assert not (cells & (matrix.presence != PRESENT)).any()
    for name in logits:
        assert not listed[name][bands[name] == 0].any()


@given(cases())
def test_without_a_band_nothing_is_listed(case):
    divider, matrix, logits, links, bands, _ = case
    none = {name: np.zeros_like(band) for name, band in bands.items()}
    assert not any(v.any() for v in divider.unsure(matrix, logits, none, links).values())


def one(own, rival, band, link="softmax", **options):
    """Whether a pair against one rival is listed."""
    matrix = Matrix("s", ["i"], ["a", "b"], np.uint8([[1, 0]]))
    logits = {"s": np.float32([[own, rival]])}
    divider = CrossValidation(**options)
    return bool(divider.unsure(matrix, logits, {"s": np.float64([band])}, {"s": link})["s"].any())


@pytest.mark.parametrize(("gap", "listed"), [(0.21, False), (0.19, True), (-0.19, True),
                                             (-0.21, False)])  # fmt: skip
def test_a_rank_is_in_doubt_within_twice_the_band(gap, listed):
    assert one(gap, 0.0, 0.1, criterion="rank") is listed


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(("away", "listed"), [(0.99, True), (1.01, False)])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_score_is_in_doubt_as_far_as_its_logits_reach(link, away, listed, side):
    # S = 0.2 at log odds log(0.25): a difference of two logits by softmax, one logit by sigmoid.
    reach = 0.1 * (2 if link == "softmax" else 1)
    own = np.log(0.25) + side * away * reach
    assert one(own, 0.0, 0.1, link, criterion="score", threshold=0.2) is listed


def test_a_pair_flagged_by_rank_beyond_doubt_needs_no_exact_score():
    # S is close to T, but the rival is far ahead.
    own = np.log(0.05 / 0.95)
    assert one(own, 0.0, 0.1, criterion="score", threshold=0.05)
    assert not one(own, 0.0, 0.1, criterion="either", threshold=0.05)


def test_a_pair_without_a_fast_score_is_listed():
    assert one(np.nan, 0.0, 0.1)
    assert not one(np.nan, 0.0, 0.0)


def test_an_infinite_band_lists_every_pair_that_has_a_rival(drawn):
    matrix, logits = drawn()
    bands = {name: np.full(len(matrix.image_ids), np.inf) for name in logits}
    for cells in CrossValidation().unsure(matrix, logits, bands).values():
        np.testing.assert_array_equal(cells, matrix.presence == PRESENT)


def test_the_mean_of_scores_asks_for_all_scorers_of_a_split_in_doubt():
    matrix = Matrix("s", ["i"], ["a", "b"], np.uint8([[1, 0]]))
    # One far above T, one far below; their mean is T.
    logits = {"low": np.float32([[-4, 0]]), "high": np.float32([[4, 0]])}
    bands = {"low": np.float64([0.01]), "high": np.float64([0.01])}
    divider = CrossValidation(0.5, criterion="score", rule="mean")
    assert all(v[0, 0] for v in divider.unsure(matrix, logits, bands).values())
    each = CrossValidation(0.5, criterion="score", rule="all")
    assert not any(v.any() for v in each.unsure(matrix, logits, bands).values())


def test_the_divider_says_that_it_can_refine():
    assert isinstance(CrossValidation(), Refinable)
