"""Loss of open and closed models (OODBench, C.2).

Delta = T_ID - T_OOD with bootstrap intervals over images; A = the bands of the open models;
p = (1 + #{Delta_b >= Delta}) / (B + 1); TOST against eta. Deviation: the chain rests on the
permutation of images, the paper's of pairs stands beside it.
"""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.evidence.base import HOLDS, NOT_SHOWN, NOT_TESTED
from oodexp.evidence.link.signature import Signature
from oodexp.metric.binary import METRICS, from_counts

FEW = {"resamples": 400, "permutations": 199}


def of(found, test, subject, statistic=""):
    (one,) = [f for f in found.findings
              if (f.test, f.subject) == (test, subject) and statistic in f.statistic]  # fmt: skip
    return one


def test_the_loss_is_that_of_the_counts_and_a_model_that_loses_is_found(case):
    made = case()
    found = Signature(**FEW).run(made)
    counts = made.by_image().sum(axis=0)
    whole = from_counts(counts[:, 0]) - from_counts(counts[:, 1] + counts[:, 2])
    for v, name in enumerate(made.answers.vlms):
        for k, metric in enumerate(METRICS):
            assert of(found, "degradation", f"{name}, {metric}").value == whole[v, k]
    assert of(found, "degradation", "strong, accuracy").verdict == HOLDS
    assert of(found, "degradation", "steady, accuracy").verdict == NOT_SHOWN
    assert of(found, "signature", "open models, accuracy").verdict == NOT_SHOWN  # steady is one


def test_a_closed_model_that_loses_is_found_and_a_steady_one_is_not_equivalent(case):
    found = Signature(closed=["weak", "steady"], **FEW).run(case())
    lost = of(found, "permutation", "weak, accuracy", "images")
    assert (lost.verdict, lost.p, lost.p_floor) == (HOLDS, 1 / 200, 1 / 200)
    assert lost.words.startswith("p <= 0.005")
    steady = of(found, "permutation", "steady, accuracy", "images")
    assert steady.p > 0.05
    assert of(found, "tost", "steady, accuracy").verdict != HOLDS
    assert set(found.figures) == {"degradation", "closed", "permutation", "tost"}
    bands = of(found, "signature", "open models, accuracy")
    assert bands.verdict == HOLDS
    assert bands.n == 1


def test_the_bands_hold_every_open_interval(case):
    found = Signature(**FEW).run(case())
    band = of(found, "signature", "open models, f1")
    mine = [f for f in found.findings if f.test == "degradation" and f.subject.endswith(", f1")]
    assert band.lower == min(f.lower for f in mine)
    assert band.upper == max(f.upper for f in mine)


def test_unasked_and_undefined_are_named(case):
    made = case(images=20, skill={"perfect": [1.0, 1.0, 1.0]})
    found = Signature(closed=["perfect"], **FEW).run(made)
    assert of(found, "tost", "perfect, accuracy").verdict == NOT_TESTED
    assert of(found, "tost", "perfect, accuracy").reason
    made.test.drawn[:] = False
    (only,) = Signature(**FEW).run(made).findings
    assert (only.verdict, only.reason) == (NOT_TESTED, "no VLM was asked about a drawn pair")


def test_a_closed_model_that_was_not_chosen_is_named_with_the_remedy():
    with pytest.raises(OodexpError, match=r"closed: no VLM \['gpt'\].*\['a'\]"):
        Signature(closed=["gpt"]).check(["a"])
    with pytest.raises(OodexpError, match="ood=OOD-X"):
        Signature(ood="OOD-X")
    with pytest.raises(OodexpError, match="resamples=5"):
        Signature(resamples=5)


def test_no_number_is_infinite_and_seeds_repeat(case):
    one, two = (Signature(closed=["weak"], **FEW).run(case()).findings for _ in range(2))
    assert one == two
    values = [v for f in one for v in (f.value, f.lower, f.upper, f.p) if v is not None]
    assert np.isfinite(values).all()
