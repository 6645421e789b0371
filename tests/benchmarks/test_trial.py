"""The benchmark of a trial does what it says."""

from __future__ import annotations

import numpy as np

from benchmarks.trial import SCORERS, VLMS, stocked, trials
from oodexp.ablation.regroup import named, regroup


def test_every_trial_measures_all_vlms_on_well_filled_splits():
    stock, settings = stocked(3000), trials()
    assert len(stock.vlms) == VLMS
    assert stock.present.sum() == 3000
    for setting in settings:
        found = regroup(stock, setting)
        if len(setting.scorers) == SCORERS:
            assert (found.pairs > 100).all()
            assert np.isfinite(found.values).all()
        assert len(named(stock, found)) >= 6 + VLMS * 33


def test_trials_touch_every_rule_pool_and_number_of_scorers():
    settings = trials()
    assert {len(s.scorers) for s in settings} == set(range(1, SCORERS + 1))
    assert {s.division.sampling.id_pool for s in settings} == {"present", "random", "balanced"}
    assert {s.division.cap for s in settings} == {3000, None}
