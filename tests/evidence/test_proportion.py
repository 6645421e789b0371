"""OODBench, appendix C.1.3: exact bounds of k successes of n models.

L_CP = BetaInv(0.025; k, n - k + 1), L_Bayes = BetaInv(0.025; k + 1, n - k + 1). The paper calls the
lower end of the two-sided 95 % interval what holds "with 95 % confidence at least"; the one-sided
bound, which says that, stands beside. Beyond the paper: bounds for pairs that come in images
(Korn and Graubard, 1998).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from oodexp.error import OodexpError
from oodexp.evidence.proportion import (
    beta_posterior,
    clopper_pearson,
    effective_trials,
    korn_graubard,
)


@pytest.mark.parametrize(
    ("k", "printed", "exact", "one_sided"),
    [(49, 0.894, 0.8935, 0.9086), (27, 0.393, 0.3932, 0.4148)],
)
def test_the_papers_clopper_pearson_numbers_are_two_sided(k, printed, exact, one_sided):
    lower = clopper_pearson(k, 50).lower
    assert lower == pytest.approx(printed, abs=6e-4)
    assert lower == pytest.approx(exact, abs=5e-5)
    assert clopper_pearson(k, 50, side="one").lower == pytest.approx(one_sided, abs=5e-5)


@pytest.mark.parametrize(("k", "printed", "exact"), [(49, 0.896, 0.8955), (27, 0.403, 0.4034)])
def test_the_papers_posterior_bounds_come_out(k, printed, exact):
    lower = beta_posterior(k, 50).lower
    assert lower == pytest.approx(printed, abs=6e-4)
    assert lower == pytest.approx(exact, abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 7, 50, 3000])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_intervals_are_those_of_scipys_binomial_test(n, confidence):
    for k in {0, 1, n // 3, n - 1, n}:
        found = clopper_pearson(k, n, confidence)
        scipys = binomtest(k, n).proportion_ci(confidence, "exact")
        assert found.lower == pytest.approx(scipys.low, abs=1e-10)
        assert found.upper == pytest.approx(scipys.high, abs=1e-10)


@pytest.mark.parametrize(("k", "n"), [(0, 9), (3, 9), (8, 9), (9, 9), (40, 900)])
def test_one_sided_bounds_are_those_of_scipys_one_sided_tests(k, n):
    found = clopper_pearson(k, n, 0.95, "one")
    upper = binomtest(k, n, alternative="less").proportion_ci(0.95, "exact").high
    lower = binomtest(k, n, alternative="greater").proportion_ci(0.95, "exact").low
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-10)


def test_a_bound_is_where_the_observation_becomes_improbable():
    found = clopper_pearson(7, 40, 0.95, "one")
    assert binom.cdf(7, 40, found.upper) == pytest.approx(0.05)
    assert binom.sf(6, 40, found.lower) == pytest.approx(0.05)


def test_posterior_bounds_cut_the_area_under_the_likelihood():
    p = np.linspace(0, 1, 2_000_001)
    area = np.cumsum(p**3 * (1 - p) ** 9)
    area /= area[-1]
    found = beta_posterior(3, 12)
    assert found.lower == pytest.approx(p[np.searchsorted(area, 0.025)], abs=1e-5)
    assert found.upper == pytest.approx(p[np.searchsorted(area, 0.975)], abs=1e-5)


def test_none_and_all_leave_one_end_at_the_edge():
    assert clopper_pearson(0, 20).lower == 0
    assert clopper_pearson(20, 20).upper == 1
    assert clopper_pearson(0, 20, side="one").upper == pytest.approx(1 - 0.05 ** (1 / 20))
    assert 0 < beta_posterior(0, 20).lower < beta_posterior(0, 20).upper < 1


@pytest.mark.parametrize("bound", [clopper_pearson, beta_posterior])
def test_nothing_observed_leaves_no_bounds_and_says_so(bound):
    found = bound(0, 0)
    assert math.isnan(found.lower)
    assert math.isnan(found.upper)
    assert "no observation" in found.reason


def test_a_label_says_method_side_and_confidence():
    assert clopper_pearson(1, 2).label == "Clopper-Pearson, two-sided 95 %"
    assert beta_posterior(1, 2, 0.9, "one").label == "Beta(1,1) posterior, one-sided 90 %"


@pytest.mark.parametrize(
    "wrong", [(3, 2, 0.95, "two"), (-1, 2, 0.95, "two"), (1, 2, 95, "two"), (1, 2, 0.95, "left")]
)
def test_impossible_counts_and_settings_are_refused(wrong):
    for bound in (clopper_pearson, beta_posterior):
        with pytest.raises(OodexpError, match="expected"):
            bound(*wrong)


def test_alike_pairs_on_an_image_are_worth_one_pair():
    once = np.array([1, 0, 0, 1, 0, 0, 0, 1, 0, 0] * 20, float)
    alone = effective_trials(once, np.ones(200), 0.05)
    together = effective_trials(4 * once, np.full(200, 4.0), 0.05)
    assert alone == pytest.approx(199)  # the variance has one degree of freedom less
    assert together == pytest.approx(199, rel=0.01)


def test_pairs_that_are_each_alone_have_the_plain_bounds():
    hits = np.zeros(400, int)
    hits[:12] = 1
    found, plain = korn_graubard(hits, np.ones(400, int)), clopper_pearson(12, 400)
    assert (found.lower, found.upper) == pytest.approx((plain.lower, plain.upper), abs=2e-4)


def test_the_effective_number_follows_the_papers_steps_one_by_one():
    from scipy.stats import t

    k, n = np.array([0.0, 2, 1, 0, 3]), np.array([1.0, 2, 4, 1, 5])
    p = 6 / 13
    spread = sum((a - p * b) ** 2 for a, b in zip(k, n, strict=True))
    variance = 5 / 4 * spread / 13**2
    expected = p * (1 - p) / variance * (t.ppf(0.975, 12) / t.ppf(0.975, 4)) ** 2
    assert effective_trials(k, n, 0.025) == pytest.approx(min(13, expected))


@pytest.mark.parametrize("all_of_them", [0, 1])
def test_without_variation_each_cluster_counts_once(all_of_them):
    trials = np.array([1, 5, 2, 0, 3])
    found = korn_graubard(all_of_them * trials, trials)
    plain = clopper_pearson(4 * all_of_them, 4)
    assert (found.lower, found.upper) == (plain.lower, plain.upper)
    assert "no variation" in found.reason


@pytest.mark.parametrize(("trials", "words"), [([], "no observation"), ([4], "one cluster")])
def test_too_few_clusters_leave_no_bounds_and_say_so(trials, words):
    found = korn_graubard(np.zeros(len(trials), int), np.array(trials, int))
    assert math.isnan(found.upper)
    assert found.reason == words


def test_more_successes_than_trials_are_refused():
    with pytest.raises(OodexpError, match="successes of a cluster"):
        korn_graubard(np.array([2, 0]), np.array([1, 5]))


@pytest.mark.parametrize("likeness", [0.0, 0.5, 1.0])
def test_upper_bounds_over_images_cover_the_true_rate_where_plain_ones_may_not(likeness):
    rng, true, rounds, images = np.random.default_rng(7), 0.1, 1500, 250
    inside = plain = 0
    for _ in range(rounds):
        trials = rng.integers(1, 7, images)
        rates = np.full(images, true)
        if likeness:  # variance of the images' rates: likeness * true * (1 - true)
            spread = (1 - likeness) / likeness
            alike = rng.random(images) < true
            rates = (
                alike * 1.0 if not spread else rng.beta(true * spread, (1 - true) * spread, images)
            )
        hits = rng.binomial(trials, rates)
        inside += korn_graubard(hits, trials, side="one").upper >= true
        plain += clopper_pearson(int(hits.sum()), int(trials.sum()), side="one").upper >= true
    assert inside / rounds >= 0.925
    if likeness == 1:
        assert plain / rounds < 0.9
