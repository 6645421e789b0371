"""MMD of features within categories (OODBench, C.1.4).

k(z, z') = RBF(phi, phi') 1[c = c']; xi from random halves of train-OOD; the paper's rule q < xi and
the valid test, upper bound of MMD^2 below xi. Deviation: see `evidence.equivalence_mmd`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.evidence.base import CONTRADICTED, HOLDS, NOT_TESTED
from oodexp.evidence.link.equivalence import Equivalence

FEW = {"permutations": 199, "splits": 100, "draws": 199}


def of(found, test, statistic):
    (one,) = [f for f in found.findings if f.test == test and statistic in f.statistic]
    return one


def test_id_and_ood_that_differ_are_told_apart_and_equal_sides_are_not(case):
    found = Equivalence(**FEW).run(case(images=200, shift=2.0))
    apart = of(found, "difference", "images permuted")
    assert apart.verdict == HOLDS
    assert apart.p <= 0.05
    alike = of(found, "equivalence", "images permuted")
    assert alike.p > 0.05
    assert of(found, "equivalence", "valid test").claim


def test_a_shifted_training_side_is_contradicted(case):
    found = Equivalence(**FEW).run(case(images=200, shift=2.0, train_shift=-2.0))
    assert of(found, "equivalence", "valid test").verdict == CONTRADICTED
    # The paper's rule does not look at the difference and lets it pass or not for other reasons.
    assert "does not depend" in of(found, "equivalence", "as written").assumption


def test_images_without_features_are_left_out(case):
    made = case(images=60)
    made.test.features[:10] = np.nan
    found = of(Equivalence(**FEW).run(made), "difference", "images permuted")
    assert found.clusters <= 2 * 50
    made.test.features[:] = np.nan
    found = Equivalence(**FEW).run(made)
    assert {f.verdict for f in found.findings} == {NOT_TESTED}
    assert all(f.reason for f in found.findings)


def test_one_point_alike_is_a_named_reason(case):
    made = case(images=40)
    flat = np.zeros_like(made.test.features)
    made = replace(made, test=replace(made.test, features=flat), train=replace(made.train, features=flat))  # fmt: skip  # noqa: E501
    found = Equivalence(**FEW).run(made)
    assert {f.verdict for f in found.findings} == {NOT_TESTED}
    assert all(f.reason for f in found.findings)
    with pytest.raises(OodexpError, match="draws=10"):
        Equivalence(draws=10)
