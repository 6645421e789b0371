"""Findings on one closed model: it loses on OOD (permutation), and as the open ones do (TOST)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from oodexp.evidence.base import (
    CONTRADICTED,
    HOLDS,
    NOT_SHOWN,
    NOT_TESTED,
    Case,
    finding,
    p_words,
)
from oodexp.metric.binary import METRICS

if TYPE_CHECKING:
    from oodexp.evidence.degradation import Degradation
    from oodexp.evidence.permutation import Permutation
    from oodexp.evidence.tost import Equivalence
    from oodexp.record import Finding

LEVEL = 0.05
EXCHANGE = (
    "images of as many pairs that differ in more than their labels, e.g. in clutter that makes "
    "both the label and the mistakes"
)
FREE = (
    "pairs of one image that are hard together: then labels are no independent draws, and 5 % "
    "becomes 6 to 14 %"
)
MARGIN = "the margin is estimated from the same data: at its edge the test has a level of about 9 %"


def permuted(
    name: str, form: str, test: Permutation, ood: str, case: Case, seed: int
) -> Iterator[Finding]:
    """The permutation test of one model, a finding a metric.

    Args:
        name: The model.
        form: `images` (valid with several pairs an image) or `pairs` (as the paper writes it).
        test: The test.
        ood: What ID was compared with.
        case: The case.
        seed: Of the labellings.
    """
    drawn = case.test.drawn
    for k, metric in enumerate(METRICS):
        p, reason = test.p[k], test.reasons.get(k)
        verdict = HOLDS if p <= LEVEL else NOT_SHOWN
        words = f"{p_words(p, test.p_floor)}, loss {test.values[k]:+.3f}"
        yield finding(
            "permutation", f"{name}, {metric}", f"loss, labels permuted by {form}",
            claim=f"{name} loses {metric} from ID to {ood}",
            null="whether a pair is ID or OOD has nothing to do with its answers",
            value=test.values[k], p=p, p_floor=test.p_floor, n=int(drawn.sum()),
            clusters=len(np.unique(case.test.image[drawn])), resamples=len(test.draws), seed=seed,
            verdict=NOT_TESTED if np.isnan(p) else verdict,
            words=reason or "no p" if np.isnan(p) else words, reason=reason,
            assumption=FREE if form == "pairs" else EXCHANGE,
        )  # fmt: skip


def equivalent(
    name: str, test: Equivalence, loss: Degradation, model: int, seed: int
) -> Iterator[Finding]:
    """The two one-sided tests of one model, a finding a metric.

    Args:
        name: The model.
        test: The tests.
        loss: The losses that they rest on.
        model: Row of the model in them.
        seed: Of the resamples.
    """
    for k, metric in enumerate(METRICS):
        p, reason, eta = test.p[k], test.reasons.get(k), test.eta[k]
        low, high = test.lower[k], test.upper[k]
        apart = low > eta or high < -eta
        verdict = HOLDS if test.equivalent[k] else CONTRADICTED if apart else NOT_SHOWN
        words = f"{test.values[k]:+.3f} [{low:+.3f}, {high:+.3f}] against +-{eta:.3f}"
        yield finding(
            "tost", f"{name}, {metric}", "loss minus that of the open models",
            claim=f"{name} loses as much {metric} as the open models",
            null=f"its loss differs from theirs by {eta:.3f} or more", value=test.values[k],
            lower=low, upper=high, level=0.9, bound=eta, p=p, p_floor=1 / (len(test.draws) + 1),
            n=loss.questions[model].sum(), clusters=loss.images[model].max(),
            resamples=len(test.draws), seed=seed, assumption=MARGIN, reason=reason,
            verdict=NOT_TESTED if np.isnan(p) else verdict,
            words=reason or "no test" if np.isnan(p) else words,
        )  # fmt: skip
