"""From logit to score by a scorer's own link: the sigmoid of each pair by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oodexp.division.cross_validation import CrossValidation
from oodexp.division.signal import competes, signals
from oodexp.error import OodexpError
from oodexp.record import ABSENT, PRESENT

LOGITS = arrays(np.float32, (3, 5), elements=st.floats(-40, 40, width=32, allow_subnormal=False))
PRESENCE = arrays(np.uint8, (3, 5), elements=st.sampled_from([ABSENT, PRESENT]))


def by_pair(logits, presence):
    """Signals of link `sigmoid` by (row, column)."""
    rows, columns = np.nonzero(presence == PRESENT)
    found = signals(logits, competes(presence, "absent", "compete"), rows, columns, "sigmoid")
    return dict(zip(zip(rows.tolist(), columns.tolist(), strict=True),
                    zip(*found, strict=True), strict=True))  # fmt: skip


@given(LOGITS, PRESENCE)
def test_score_and_margin_are_those_of_a_slow_loop(logits, presence):
    for (x, c), (score, margin, surrogate) in by_pair(logits, presence).items():
        rivals = {n: float(logits[x, n]) for n in range(5) if presence[x, n] == ABSENT}
        chance = {n: 1 / (1 + math.exp(-v)) for n, v in rivals.items()}
        own = 1 / (1 + math.exp(-float(logits[x, c])))
        assert score == pytest.approx(own, rel=1e-6)
        assert margin == pytest.approx(own - max(chance.values(), default=0.0), abs=1e-6)
        assert surrogate == max(rivals, key=rivals.__getitem__, default=-1)


@given(LOGITS, PRESENCE)
def test_the_margin_is_negative_exactly_where_a_rivals_logit_is_higher(logits, presence):
    # 1 / (1 + exp(-40)) and 1 / (1 + exp(-41)) are both 1 in double precision.
    for (x, c), (_, margin, surrogate) in by_pair(logits, presence).items():
        if surrogate >= 0:
            gap = float(logits[x, c]) - float(logits[x, surrogate])
            if abs(gap) > 1e-6:
                assert np.sign(margin) == np.sign(gap)


def test_rivals_change_no_score():
    presence = np.uint8([[PRESENT, ABSENT, ABSENT]])
    few, many = (by_pair(np.float32([[0.5, v, v]]), presence)[0, 0] for v in (-9.0, 9.0))
    assert few[0] == many[0]
    assert few[1] > 0 > many[1]


def test_extreme_logits_neither_overflow_nor_warn():
    presence = np.uint8([[PRESENT, ABSENT], [PRESENT, ABSENT]])
    found = by_pair(np.float32([[1000, -1000], [-1000, 1000]]), presence)
    assert found[0, 0][:2] == (1, 1)
    assert found[1, 0][:2] == (0, -1)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_pair_with_a_rival_that_is_not_finite_is_unscored(wrong):
    found = by_pair(np.float32([[1, wrong]]), np.uint8([[PRESENT, ABSENT]]))
    assert np.isnan(found[0, 0][:2]).all()


def test_each_scorer_is_judged_by_its_own_link(drawn):
    matrix, logits = drawn(scorers=3, images=20)
    whole = CrossValidation().divide(matrix, logits, {}, {"s1": "sigmoid"}).signals
    plain = CrossValidation().divide(matrix, logits, {}).signals
    for name in logits:
        one, other = (t[t["scorer"] == name]["score"].to_numpy() for t in (whole, plain))
        assert np.array_equal(one, other) == (name != "s1")
    row = whole[whole["scorer"] == "s1"].iloc[0]
    cell = matrix.image_ids.index(row["image_id"]), matrix.categories.index(row["category"])
    assert row["score"] == pytest.approx(1 / (1 + math.exp(-logits["s1"][cell])), rel=1e-6)


def test_an_unknown_link_is_refused(drawn):
    with pytest.raises(OodexpError, match=r"links\.s0=tanh: expected one of softmax, sigmoid"):
        CrossValidation().divide(*drawn(), {}, {"s0": "tanh"})
