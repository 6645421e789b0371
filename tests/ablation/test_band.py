"""Intervals of trials and of their differences."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.ablation.band import bands, difference, resample
from oodexp.ablation.regroup import ROWS, Setting, regroup
from oodexp.division.cross_validation import CrossValidation
from oodexp.metric.binary import METRICS, from_counts
from oodexp.metric.bootstrap import resample_weights
from oodexp.metric.measure import Binary

EVERY = {"cap": None, "id_size": "all"}


def weights_of(stock, resamples=200, seed=0):
    return resample_weights(stock.images, resamples, np.random.default_rng(seed))


@pytest.mark.parametrize("sources", [1, 2])
def test_intervals_are_those_of_the_measurement_where_all_pairs_are_drawn(made, sources):
    world = made(seed=20, sources=sources, absent=False)
    setting = Setting(("s0", "s1"), CrossValidation(0.3, **EVERY), "mine")
    whole = world.stock()
    mine = bands(resample(whole, regroup(whole, setting), weights_of(whole)))
    rows = world.memberships(setting.scorers, setting.division)
    want = Binary("mine", "theirs", 200).measure(world.evidence(rows))
    pooled = want.query("source == 'pooled' and group == 'all' and convention == 'headline'")
    assert len(pooled) == 2 * 5 * 5
    for row in pooled.itertuples():
        name = row.split if row.contrast == "none" else f"drop/{row.split}"
        at = whole.vlms.index(row.vlm), ROWS.index(name), METRICS.index(row.metric)
        got = mine.values[at], mine.lower[at], mine.upper[at]
        assert got == pytest.approx((row.value, row.lower, row.upper), abs=1e-12), row


def test_what_is_undefined_has_no_interval_but_the_reason_of_the_measurement(made):
    world = made(seed=21, absent=False)
    # Nobody is flagged by a score below 0: both OOD splits are empty.
    setting = Setting(("s0",), CrossValidation(0.0, criterion="score", **EVERY), "mine")
    whole = world.stock()
    found = bands(resample(whole, regroup(whole, setting), weights_of(whole)))
    assert found.reasons[0, ROWS.index("OOD-H"), 0] == "no data"
    assert found.reasons[0, ROWS.index("drop/OOD-S"), 4] == "no data"
    assert np.isnan(found.lower[:, 1:]).all()
    assert np.isfinite(found.lower[:, 0]).all()


def test_a_trial_does_not_differ_from_itself(made):
    whole = made(seed=22).stock()
    setting = Setting(("s0", "s1"), CrossValidation(0.3), "mine")
    trial = resample(whole, regroup(whole, setting), weights_of(whole))
    found = difference(trial, trial)
    assert (found.values == 0).all()
    assert (found.lower == 0).all()
    assert set(found.reasons.values()) == {"no variation between the resamples"}


def test_a_difference_is_paired_by_images(made):
    whole = made(seed=23, images=200).stock()
    weights = weights_of(whole)
    # Almost the same division: what the two share must cancel.
    one, two = (
        resample(
            whole, regroup(whole, Setting(("s0", "s1"), CrossValidation(t, **EVERY), "mine")),
            weights,
        )
        for t in (0.30, 0.32)
    )  # fmt: skip
    paired = difference(one, two)
    strangers = difference(one, two._replace(draws=two.draws[::-1]))
    width = (paired.upper - paired.lower)[:, 0, 0]
    assert (width > 0).all()
    assert (width < (strangers.upper - strangers.lower)[:, 0, 0] / 2).all()
    np.testing.assert_array_equal(paired.values, two.values - one.values)


def test_a_difference_is_that_of_a_slow_loop_over_resamples(made):
    world = made(seed=24, images=15)
    whole = world.stock()
    weights = weights_of(whole, 20)
    trials = [
        regroup(whole, Setting(s, CrossValidation(0.3, **EVERY), "mine"))
        for s in (("s0", "s1"), ("s1", "s2"))
    ]
    found = [resample(whole, trial, weights) for trial in trials]
    read = whole.readings["mine"]
    for n in range(20):
        for v in range(2):
            want = []
            for trial in trials:
                counts = np.zeros(4)
                for pair in np.flatnonzero(trial.drawn & (trial.split == 2)):
                    for polarity in range(2):
                        target = whole.present[pair] == (polarity == 0)
                        code = read[v, pair, polarity]
                        answer = (not target) if code == -1 else code == 1
                        kind = {(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}[target, answer]
                        counts[kind] += weights[n, whole.image[pair]]
                want.append(from_counts(counts)[0])
            got = [one.draws[n, v, 2, 0] for one in found]
            assert got == pytest.approx(want, abs=1e-12, nan_ok=True)


def test_a_reason_of_the_reference_is_told_as_such(made):
    whole = made(seed=25).stock()
    weights = weights_of(whole)
    empty, full = (
        resample(
            whole,
            regroup(whole, Setting(("s0",), CrossValidation(t, criterion="score"), "mine")),
            weights,
        )
        for t in (0.0, 0.5)
    )
    assert difference(empty, full).reasons[0, 2, 0] == "reference: no data"
    assert difference(full, empty).reasons[0, 2, 0] == "no data"
