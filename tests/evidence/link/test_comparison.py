"""Every pair of models on every split (beside OODBench: it compares models by eye).

Clustered McNemar for accuracy, studentised exchange for other metrics; Holm over all pairs.
"""

from __future__ import annotations

import pytest

from oodexp.error import OodexpError
from oodexp.evidence.base import ESTIMATE, HOLDS, NOT_SHOWN, NOT_TESTED
from oodexp.evidence.link.comparison import Comparison

FEW = {"resamples": 200}


def test_a_planted_difference_is_found_on_its_split_alone(case):
    skill = {"a": [0.9, 0.8, 0.8], "b": [0.9, 0.8, 0.4]}
    found = Comparison(**FEW).run(case(skill=skill))
    tested = [f for f in found.findings if f.verdict != ESTIMATE]
    verdicts = {f.subject: f.verdict for f in tested}
    assert verdicts == {
        "a and b, ID": NOT_SHOWN, "a and b, OOD-S": NOT_SHOWN, "a and b, OOD-H": HOLDS,
    }  # fmt: skip
    hard = next(f for f in tested if f.subject.endswith("OOD-H"))
    assert hard.lower < hard.value < hard.upper
    assert hard.value > hard.bound  # above the least difference that could have been found
    assert len(found.tables) == 8
    lost = {f.subject: f for f in found.findings if f.verdict == ESTIMATE}
    assert list(lost) == ["a and b, OOD-S", "a and b, OOD-H"]
    assert lost["a and b, OOD-H"].upper < 0  # b loses more
    assert lost["a and b, OOD-S"].lower < 0 < lost["a and b, OOD-S"].upper


def test_one_model_is_compared_with_nothing(case):
    (only,) = Comparison(**FEW).run(case(skill={"a": [0.9, 0.9, 0.9]})).findings
    assert (only.verdict, only.reason) == (NOT_TESTED, "1 models; two are needed")


def test_other_metrics_and_splits_are_chosen_and_checked(case):
    found = Comparison(metric="mcc", splits=["OOD-H"], **FEW).run(case())
    told = [f.statistic for f in found.findings]
    assert told == ["difference of mcc"] * 3 + ["difference of the loss of mcc"] * 3
    with pytest.raises(OodexpError, match="metric=auc"):
        Comparison(metric="auc")
    with pytest.raises(OodexpError, match="resamples=1"):
        Comparison(resamples=1)
