"""Hard and OOD samples exchanged over images.

OODBench, D.1, has the hypothesis (OOD samples are distributed as hard ones) but no test of known
size. Deviation: permutation of the names "hard" and "OOD" over images, p = (1 + #{T_b <= T}) /
(B + 1) with T the variance of Delta_OOD minus that of Delta_Hard, and their correlations.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from oodexp.evidence.exchange import Selection, exchanged, exchanges, selection
from oodexp.evidence.hard import alignment, loss_of, spread


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_selection_is_summed_by_image():
    image = rng(0).integers(0, 12, 50)
    right, chosen = rng(1).integers(0, 3, (4, 50)) / 2, rng(2).random(50) < 0.4
    found = selection(right, chosen, image, 12)
    for n in range(12):
        here = chosen & (image == n)
        assert found.n[n] == here.sum()
        np.testing.assert_allclose(found.right[n], right[:, here].sum(axis=1))


def test_an_exchange_keeps_how_many_images_of_one_kind_are_called_ood():
    in_hard = np.array([1, 1, 1, 0, 0, 1, 1, 0], bool)
    in_ood = np.array([0, 0, 0, 1, 1, 1, 1, 0], bool)
    called = exchanges(in_hard, in_ood, 4000, rng())
    assert called.shape == (4001, 8)
    assert (called[0] == 1).all()
    named = np.where(in_ood, called, 1 - called)[:, :5]
    assert (named.sum(axis=1) == 2).all()
    assert np.abs(named[1:].mean(axis=0) - 2 / 5).max() < 0.04
    assert np.abs(called[1:, 5:7].mean(axis=0) - 1 / 2).max() < 0.04


def apart(seed: int = 0):
    """Four images with hard samples, four with OOD samples."""
    draw = rng(seed)
    n = draw.integers(1, 5, 8).astype(float)
    right = np.minimum(draw.integers(0, 5, (8, 5)), n[:, None])
    hard, ood = n * (np.arange(8) < 4), n * (np.arange(8) >= 4)
    first = (np.arange(8) < 4)[:, None]
    return Selection(right * first, hard), Selection(right * ~first, ood), right, n


def test_p_is_the_share_of_all_exchanges_in_the_long_run():
    hard, ood, right, n = apart(3)
    reference = np.array([0.9, 0.8, 0.7, 0.85, 0.6])
    law = []
    for kept in combinations(range(8), 4):
        is_hard = np.isin(np.arange(8), kept)
        deltas = [reference - right[m].sum(axis=0) / n[m].sum() for m in (is_hard, ~is_hard)]
        x, y = (delta[None] for delta in deltas)
        law.append(
            [(spread(y) - spread(x))[0], alignment(x, y, False)[0], alignment(x, y, True)[0]]
        )
    observed = law[0]
    found = exchanged(hard, ood, reference, 20_000, rng())
    for place, test in enumerate(found):
        assert test.observed == pytest.approx(observed[place])
        share = np.mean([row[place] <= observed[place] + 1e-12 for row in law])
        assert test.p == pytest.approx(share, abs=4 * np.sqrt(0.25 / 20_000))


def test_what_is_observed_is_the_loss_of_the_samples():
    image = np.repeat(np.arange(30), 3)
    right = rng(4).integers(0, 2, (6, 90)).astype(float)
    in_hard, in_ood = rng(5).random((2, 90)) < 0.5
    reference = np.linspace(0.6, 0.9, 6)
    parts = [selection(right, chosen, image, 30) for chosen in (in_hard, in_ood)]
    found = exchanged(*parts, reference, 99, rng())
    x, y = (loss_of(right, reference, chosen)[None] for chosen in (in_hard, in_ood))
    assert found.variance.observed == pytest.approx((spread(y) - spread(x))[0])
    assert found.pearson.observed == pytest.approx(alignment(x, y, ranks=False)[0])


def test_the_same_samples_twice_are_not_told_apart():
    hard = apart()[0]
    found = exchanged(hard, hard, np.linspace(0.6, 0.9, 5), 99, rng())
    assert [test.p for test in found] == [1, 1, 1]


def test_an_empty_selection_has_a_reason():
    hard = apart()[0]
    nothing = Selection(np.zeros((8, 5)), np.zeros(8))
    for test in exchanged(hard, nothing, np.full(5, 0.9), 99, rng()):
        assert np.isnan(test.p)
        assert test.reason == "the loss of some model is undefined: no samples"
