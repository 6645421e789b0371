"""S(x, c) and Delta(x, c) of OODBench, III-D."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oodexp.division.signal import competes, signals
from oodexp.record import ABSENT, PRESENT, UNKNOWN

LOGITS = arrays(np.float32, (3, 5), elements=st.floats(-40, 40, width=32, allow_subnormal=False))
PRESENCE = arrays(np.uint8, (3, 5), elements=st.sampled_from([ABSENT, PRESENT, UNKNOWN]))


def slow(logits, presence, competitors="absent", unknown="compete"):
    """One pair after the other, as the paper writes it: {(row, column): (S, Delta, surrogate)}."""
    found = {}
    for x, row in enumerate(presence):
        for c, state in enumerate(row):
            if state != PRESENT:
                continue
            rivals = []
            for other, code in enumerate(row):
                if other == c or (code == PRESENT and competitors == "absent"):
                    continue
                if code == UNKNOWN and unknown == "exclude":
                    continue
                rivals.append(other)
            values = {n: float(logits[x, n]) for n in [c, *rivals]}
            top = max(values.values())
            total = math.fsum(math.exp(v - top) for v in values.values())
            share = {n: math.exp(v - top) / total for n, v in values.items()}
            best = max(rivals, key=lambda n: (share[n], -n), default=None)
            margin = share[c] - (0.0 if best is None else share[best])
            found[x, c] = share[c], margin, -1 if best is None else best
    return found


def fast(logits, presence, competitors="absent", unknown="compete"):
    rows, columns = np.nonzero(presence == PRESENT)
    found = signals(logits, competes(presence, competitors, unknown), rows, columns)
    return dict(zip(zip(rows.tolist(), columns.tolist(), strict=True),
                    zip(*found, strict=True), strict=True))  # fmt: skip


@given(
    LOGITS, PRESENCE, st.sampled_from(["absent", "all"]), st.sampled_from(["compete", "exclude"])
)
def test_signals_are_those_of_a_slow_loop(logits, presence, competitors, unknown):
    want, have = (f(logits, presence, competitors, unknown) for f in (slow, fast))
    assert have.keys() == want.keys()
    for pair, (score, margin, surrogate) in want.items():
        assert have[pair][0] == pytest.approx(score, rel=1e-6, abs=1e-7)
        assert have[pair][1] == pytest.approx(margin, abs=1e-6)
        # Two logits may differ by less than their shares can show.
        best, shown = logits[pair[0], surrogate], logits[pair[0], have[pair][2]]
        assert shown == pytest.approx(best, abs=1e-6)
        assert (have[pair][2] == -1) == (surrogate == -1)


def test_values_by_hand():
    logits = np.float32([[math.log(6), math.log(3), math.log(1), 50.0]])
    presence = np.uint8([[PRESENT, ABSENT, ABSENT, PRESENT]])
    score, margin, surrogate = fast(logits, presence)[0, 0]
    assert score == pytest.approx(0.6)
    assert margin == pytest.approx(0.3)
    assert surrogate == 1


@given(LOGITS, PRESENCE)
def test_the_softmax_of_a_pair_over_itself_and_its_rivals_sums_to_one(logits, presence):
    rivals = competes(presence, "absent", "compete")
    for x, c in zip(*np.nonzero(presence == PRESENT), strict=True):
        field = np.flatnonzero(rivals[x] | (np.arange(5) == c))
        # Each member of the same field in the place of the pair.
        members = np.full(len(field), x)
        cells = np.zeros((3, 5), dtype=bool)
        cells[x, field] = True
        assert signals(logits, cells, members, field).score.sum() == pytest.approx(1, abs=1e-5)


@given(LOGITS, PRESENCE, st.floats(0.01, 1000))
def test_the_sign_of_the_margin_does_not_depend_on_a_positive_scale(logits, presence, scale):
    plain, scaled = fast(logits.astype(np.float64), presence), fast(logits * scale, presence)
    for pair, (_, margin, surrogate) in plain.items():
        gap = float(logits[pair]) - float(logits[pair[0], surrogate]) if surrogate >= 0 else 1.0
        if abs(gap) > 1e-3:
            assert np.sign(scaled[pair][1]) == np.sign(margin) == np.sign(gap)


@given(LOGITS, PRESENCE, st.floats(-100, 100, width=32))
def test_a_bias_that_all_logits_share_changes_nothing(logits, presence, bias):
    plain, moved = fast(logits.astype(np.float64), presence), fast(logits + float(bias), presence)
    for pair, found in plain.items():
        assert moved[pair][:2] == pytest.approx(found[:2], abs=1e-5)


@given(LOGITS, PRESENCE, st.floats(0, 1))
def test_a_score_below_a_small_threshold_implies_a_negative_margin(logits, presence, share):
    for (x, _), (score, margin, _) in fast(logits, presence).items():
        candidates = 1 + int((presence[x] != PRESENT).sum())
        threshold = np.float32(share / candidates)
        if score < threshold:
            assert margin < 0


@given(LOGITS, PRESENCE)
def test_the_logit_of_another_present_category_is_no_matter(logits, presence):
    for x, c in fast(logits, presence):
        others = np.flatnonzero((presence[x] == PRESENT) & (np.arange(5) != c))
        moved = logits.copy()
        moved[x, others] = np.nan
        assert fast(moved, presence)[x, c] == fast(logits, presence)[x, c]


def test_with_all_categories_competing_a_dominant_object_makes_the_other_anomalous():
    logits = np.float32([[5.0, 9.0, 0.0]])
    presence = np.uint8([[PRESENT, PRESENT, ABSENT]])
    assert fast(logits, presence)[0, 0][1] > 0
    assert fast(logits, presence, competitors="all")[0, 0][1] < 0
    assert fast(logits, presence, competitors="all")[0, 0][2] == 1


def test_an_unknown_category_competes_unless_it_is_excluded():
    logits = np.float32([[1.0, 9.0, 0.0]])
    presence = np.uint8([[PRESENT, UNKNOWN, ABSENT]])
    assert fast(logits, presence)[0, 0][2] == 1
    assert fast(logits, presence, unknown="exclude")[0, 0][2] == 2
    assert fast(logits, presence, "all", "exclude")[0, 0][2] == 2


def test_a_pair_without_any_rival_has_score_one_and_no_surrogate():
    logits, presence = np.float32([[-3.0, 8.0]]), np.uint8([[PRESENT, PRESENT]])
    assert fast(logits, presence)[0, 0] == (1.0, 1.0, -1)


def test_a_source_of_one_category_has_no_rivals():
    assert fast(np.float32([[-3.0]]), np.uint8([[PRESENT]]))[0, 0] == (1.0, 1.0, -1)


def test_no_pair_gives_no_signal():
    assert fast(np.zeros((2, 3), np.float32), np.zeros((2, 3), np.uint8)) == {}
    empty = signals(np.zeros((0, 3), np.float32), np.zeros((0, 3), bool), *np.zeros((2, 0), int))
    assert len(empty.score) == len(empty.margin) == len(empty.surrogate) == 0


def test_a_tie_is_no_ranking_anomaly():
    found = fast(np.float32([[2.0, 2.0]]), np.uint8([[PRESENT, ABSENT]]))
    assert found[0, 0][:2] == (0.5, 0.0)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_pair_whose_own_logit_is_not_finite_is_unscored(wrong):
    score, margin, surrogate = fast(np.float32([[wrong, 0.0]]), np.uint8([[PRESENT, ABSENT]]))[0, 0]
    assert np.isnan(score)
    assert np.isnan(margin)
    assert surrogate == -1


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_pair_with_a_rival_that_is_not_finite_is_unscored(wrong):
    score, margin, _ = fast(np.float32([[0.0, wrong]]), np.uint8([[PRESENT, ABSENT]]))[0, 0]
    assert np.isnan(score)
    assert np.isnan(margin)


def test_a_nan_in_one_image_leaves_the_others_scored():
    logits = np.float32([[1.0, np.nan], [1.0, 0.0]])
    found = fast(logits, np.uint8([[PRESENT, ABSENT], [PRESENT, ABSENT]]))
    assert np.isnan(found[0, 0][0])
    assert found[1, 0][0] == pytest.approx(1 / (1 + math.exp(-1)))


def test_large_logits_neither_overflow_nor_warn():
    found = fast(np.float32([[3e38, -3e38], [-3e38, 3e38]]), np.uint8([[1, 0], [1, 0]]))
    assert found[0, 0][:2] == (1.0, 1.0)
    assert found[1, 0][:2] == (0.0, -1.0)


def test_scores_are_stored_in_the_type_that_thresholds_are_compared_in():
    found = signals(np.float32([[1, 0]]), np.array([[False, True]]), np.array([0]), np.array([0]))
    assert found.score.dtype == found.margin.dtype == np.float32
