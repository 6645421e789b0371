"""Percentile and basic intervals (Davison and Hinkley, 1997, sections 5.2 and 5.3).

Witness of the reflection: the definition by hand. That it is needed is shown by simulation in
tests/evidence/test_acquisition.py. The paper gives no intervals.
"""

import math

import numpy as np
import pytest

from oodexp.evidence.band import band, reflected

DRAWS = np.linspace(1.0, 2.0, 1001)


def test_a_band_has_the_central_95_percent():
    assert band(1.4, DRAWS, 7, "unused") == pytest.approx((1.4, 1.025, 1.975, 7, None))


def test_a_reflected_band_turns_the_percentiles_around_at_the_value():
    assert reflected(1.4, DRAWS, 7, "unused") == pytest.approx((1.4, 0.825, 1.775, 7, None))


def test_a_distance_is_never_below_zero():
    found = reflected(0.6, DRAWS, 7, "unused")
    assert (found.lower, found.upper) == (0.0, pytest.approx(0.175))


def test_what_is_undefined_has_the_reason_that_was_given():
    for function in (band, reflected):
        found = function(math.nan, DRAWS, 0, "nothing there")
        assert all(map(math.isnan, found[:3]))
        assert found[3:] == (0, "nothing there")


def test_too_many_undefined_resamples_give_no_interval():
    holed = np.where(np.arange(1001) < 100, np.nan, DRAWS)
    for function in (band, reflected):
        found = function(1.4, holed, 7, "unused")
        assert found.value == 1.4
        assert math.isnan(found.lower)
        assert "undefined in 10% of the resamples" in found.reason
