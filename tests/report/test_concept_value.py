"""How values, intervals and reasons are written."""

from __future__ import annotations

import math

import pytest

from oodexp.report.concept_value import (
    MINUS,
    MOST_REASONS,
    Value,
    below,
    percent,
    plain,
    points,
    signed,
)  # fmt: skip


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (percent, Value(0.6155), "61.6"),
        (percent, Value(0.5, 0.41, 0.593), "50.0\n41.0..59.3"),
        (percent, Value(0.5, math.nan, 0.6), "50.0"),
        (points, Value(0.238), "+23.8"),
        (points, Value(-0.116, -0.2, 0.01), f"{MINUS}11.6\n{MINUS}20.0..+1.0"),
        (plain, Value(0.04649), "0.046"),
        (signed, Value(-0.0111), f"{MINUS}0.011"),
        (percent, Value(math.nan, 0.1, 0.2), "undefined"),
    ],
)
def test_values_are_written_with_their_intervals(write, value, text):
    assert write(value) == text


@pytest.mark.parametrize("write", [points, signed])
def test_what_rounds_to_nothing_has_no_minus(write):
    assert MINUS not in write(Value(-1e-7))


def test_reasons_stand_below_with_what_they_concern_each_once():
    lost = Value(math.nan, reason="no image")
    values = [("a", Value(0.1)), ("b", lost), ("b", lost), ("c", Value(math.nan, reason="x"))]
    assert below(values, "in %") == "in %\nb: no image\nc: x"
    assert below(values[:1]) is None
    many = [(str(n), lost) for n in range(5)]
    assert below(many) == "0, 1, 2 and 2 more: no image"


def test_an_undefined_value_without_a_reason_is_told():
    assert below([("a", Value(math.nan))]) == "a: no reason was given"


def test_an_interval_that_is_undefined_alone_is_told_too():
    assert below([("a", Value(0.2, reason="one concept"))]) == "a: one concept"


def test_more_reasons_than_have_room_are_counted():
    values = [(str(n), Value(math.nan, reason=f"r{n}")) for n in range(MOST_REASONS + 3)]
    text = below(values)
    assert text is not None
    assert text.splitlines()[-1] == "3 more reasons"
    assert len(text.splitlines()) == MOST_REASONS + 1
