"""OOD samples beside mined hard samples (OODBench, D.1).

Hard samples: largest focal loss of each category. Tests in the left tail: variance over models of
the OOD loss, its correlation with the hard loss. Deviation: beside the paper's draws, which share
their images with the hard samples, an exchange over images with a known size.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr

from oodexp.error import OodexpError
from oodexp.evidence.base import NOT_TESTED
from oodexp.evidence.link.hard_vs_ood import HardVsOod

FEW = {"resamples": 150}


def test_losses_and_correlation_are_those_of_a_plain_selection(case):
    made = case()
    found = HardVsOod(**FEW).run(made)
    right = made.answers.counts[..., [0, 3]].sum(axis=-1) / 2
    test = made.test
    ood = test.split > 0
    base = right[:, test.split == 0].mean(axis=1)
    hard = np.zeros(len(test.image), bool)
    for c in range(3):
        mine = np.flatnonzero(test.category == c)
        hard[mine[np.argsort(test.score[mine])][: (ood & (test.category == c)).sum()]] = True
    r, p = pearsonr(base - right[:, hard].mean(axis=1), base - right[:, ood].mean(axis=1))
    (pearson,) = [f for f in found.findings if f.statistic == "Pearson correlation"]
    assert pearson.value == pytest.approx(r)
    assert pearson.p == pytest.approx(p)
    assert pearson.n == 3
    (shared,) = [f for f in found.findings if f.statistic == "Jaccard index"]
    assert shared.value == pytest.approx((hard & ood).sum() / (hard | ood).sum())


def test_both_forms_of_the_tails_are_there_with_their_assumptions(case):
    found = HardVsOod(**FEW).run(case())
    tails = [f for f in found.findings if f.statistic.startswith("left tail")]
    assert len(tails) == 6
    assert all(f.p is None or f.p >= f.p_floor == 1 / 151 for f in tails)
    assert any("share their images" in f.assumption for f in tails)
    assert set(found.figures) == {"losses", "tails"}


def test_right_or_wrong_alone_is_said_to_mine_by_lot(case):
    found = HardVsOod(probability="answers", **FEW).run(case())
    (shared,) = [f for f in found.findings if f.statistic == "Jaccard index"]
    assert "only right or wrong is known" in shared.reason


def test_measured_probabilities_mine(case):
    made = case()
    made.answers.probability[:] = np.random.default_rng(1).random(made.answers.probability.shape)
    found = HardVsOod(probability="answers", **FEW).run(made)
    (shared,) = [f for f in found.findings if f.statistic == "Jaccard index"]
    assert shared.reason is None
    valid = [f for f in found.findings if f.subject.endswith("exchanged")]
    assert all("not valid" in f.assumption for f in valid)


def test_two_models_tell_nothing_and_say_so(case):
    made = case(skill={"a": [0.9, 0.5, 0.5], "b": [0.8, 0.6, 0.5]})
    found = HardVsOod(**FEW).run(made)
    tails = [f for f in found.findings if f.statistic.startswith("left tail")]
    assert {f.verdict for f in tails} == {NOT_TESTED}
    assert all("3 are needed" in f.reason for f in tails)


def test_no_ood_pair_is_named():
    with pytest.raises(OodexpError, match="k=0"):
        HardVsOod(k=0)


def test_without_ood_pairs_nothing_is_tested(case):
    made = case()
    made.test.split[:] = 0
    (only,) = HardVsOod(**FEW).run(made).findings
    assert only.verdict == NOT_TESTED
