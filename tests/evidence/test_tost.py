"""Equivalence of closed and open models (OODBench, appendix C.2.2 (2)).

Formula: delta_b = Delta_c,b - mu_open,b; eta = sigma_open; equivalent when the 5th and the 95th
percentile of delta_b lie in (-eta, eta).
Deviations from the paper: it does not say over what sigma_open is taken: models and resamples
pooled is our reading, models only an option; images are drawn again, not answers.
"""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from scipy import stats

from oodexp.error import OodexpError
from oodexp.evidence.degradation import degradation
from oodexp.evidence.tost import equivalence
from oodexp.metric.binary import METRICS

NAMES = ["open 1", "open 2", "closed", "none"]
ACCURACY, MCC = METRICS.index("accuracy"), METRICS.index("mcc")


def degraded(images=80, models=4, seed=0, resamples=300, counts=None):
    if counts is None:
        counts = np.random.default_rng(seed).poisson([0.9, 0.2, 0.3, 0.8], (images, models, 3, 4))
    return degradation(counts, resamples=resamples, seed=1)


def test_differences_and_intervals_are_those_of_a_loop_over_resamples():
    found = degraded()
    mine = equivalence(found, 2, [0, 1], NAMES)
    for k in range(5):
        differences = [
            draw[2, k] - statistics.fmean([draw[0, k], draw[1, k]]) for draw in found.draws
        ]
        np.testing.assert_allclose(mine.draws[:, k], differences, atol=1e-12)
        # 19 cuts into 20 equal parts: the first and the last are the ends.
        cuts = statistics.quantiles(differences, n=20, method="inclusive")
        assert (mine.lower[k], mine.upper[k]) == pytest.approx((cuts[0], cuts[-1]), abs=1e-12)
        inside = -mine.eta[k] < cuts[0] and cuts[-1] < mine.eta[k]
        assert mine.equivalent[k] == inside
    assert not mine.reasons


def test_the_papers_margin_is_over_models_and_resamples_pooled():
    found = degraded()
    mine = equivalence(found, 2, [0, 1], NAMES)
    for k in range(5):
        pooled = [float(draw[m, k]) for draw in found.draws for m in (0, 1)]
        assert mine.eta[k] == pytest.approx(statistics.pstdev(pooled), abs=1e-12)


def test_the_margin_over_models_is_the_deviation_of_their_values():
    found = degraded()
    mine = equivalence(found, 3, [0, 1, 2], NAMES, "models")
    for k in range(5):
        assert mine.eta[k] == pytest.approx(statistics.stdev(found.values[:3, k].tolist()))


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.2])
def test_p_is_that_of_two_normal_tests(margin):
    found = degraded(images=400, resamples=8000)
    mine = equivalence(found, 2, [0, 1], NAMES, np.full(5, margin))
    for k in range(5):
        error = mine.draws[:, k].std()
        above = stats.norm.sf((margin - mine.values[k]) / error)
        below = stats.norm.sf((margin + mine.values[k]) / error)
        assert mine.p[k] == pytest.approx(max(above, below), abs=0.03)
        assert (mine.p[k] <= 0.05) == mine.equivalent[k]


def test_p_is_never_zero():
    found = degraded(resamples=99)
    assert (equivalence(found, 2, [0, 1], NAMES, np.full(5, 2.0)).p == 0.01).all()


def test_a_model_is_equivalent_to_its_equals():
    counts = np.random.default_rng(0).poisson([0.9, 0.2, 0.3, 0.8], (60, 1, 3, 4))
    found = degraded(counts=np.repeat(counts, 4, axis=1))
    mine = equivalence(found, 2, [0, 1], NAMES, np.full(5, 0.01))
    assert mine.equivalent.all()
    assert set(mine.reasons.values()) == {"no variation between the resamples"}


def test_one_open_model_has_no_variation_between_models():
    mine = equivalence(degraded(), 2, [0], NAMES, "models")
    assert np.isnan(mine.eta).all()
    assert np.isnan(mine.p).all()
    assert not mine.equivalent.any()
    assert np.isfinite(mine.lower).all()
    assert set(mine.reasons.values()) == {"one open model: no variation between models"}
    pooled = equivalence(degraded(), 2, [0], NAMES)
    assert (pooled.eta > 0).all()
    assert set(pooled.reasons.values()) == {"one open model: eta is its sampling noise alone"}


@pytest.mark.parametrize("margin", ["pooled", "models"])
def test_open_models_that_do_not_vary_leave_no_margin(margin):
    counts = np.zeros((50, 3, 3, 4), np.int64)
    counts[..., [0, 3]] = 1
    counts[::3, 2, 1] = [0, 1, 1, 0]
    mine = equivalence(degraded(counts=counts), 2, [0, 1], NAMES, margin)
    assert (mine.eta == 0).all()
    assert np.isnan(mine.p).all()
    assert not mine.equivalent.any()
    assert set(mine.reasons.values()) == {"the open models do not vary: eta is 0"}


def test_a_margin_of_nothing_is_told():
    mine = equivalence(degraded(), 2, [0, 1], NAMES, np.array([0.1, 0, -1, np.nan, 0.1]))
    assert mine.reasons == dict.fromkeys((1, 2, 3), "the margin is not above 0")
    assert np.isnan(mine.p[1:4]).all()


def test_without_open_models_there_is_no_test():
    mine = equivalence(degraded(), 2, [], NAMES)
    assert np.isnan(mine.lower).all()
    assert set(mine.reasons.values()) == {"no open model"}


def test_a_metric_without_value_has_the_reason_of_the_model():
    counts = np.random.default_rng(0).poisson([0.9, 0.2, 0.3, 0.8], (60, 3, 3, 4))
    counts[:, 1, :, 2:] = 0  # never says no
    mine = equivalence(degraded(counts=counts), 2, [0, 1], NAMES)
    assert mine.reasons == {MCC: "open 2: ID: no negative answers"}
    assert np.isnan(mine.lower[MCC])
    assert np.isfinite(mine.p[ACCURACY])


def test_resamples_without_a_value_are_told_when_there_are_many():
    counts = np.random.default_rng(0).poisson([0.9, 0.2, 0.3, 0.8], (60, 3, 3, 4))
    counts[1:, 2, 1:] = 0  # one image has OOD answers of the closed model
    counts[0, 2, 1] = [1, 1, 1, 1]
    mine = equivalence(degraded(counts=counts), 2, [0, 1], NAMES)
    assert mine.reasons[ACCURACY].startswith("undefined in ")
    assert np.isnan(mine.p).all()


def test_a_model_that_is_compared_with_itself_is_an_error():
    with pytest.raises(OodexpError, match="open 2 is compared"):
        equivalence(degraded(), 1, [0, 1], NAMES)
