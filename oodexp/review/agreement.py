"""Whether raters agree: Cohen's kappa of each two, Krippendorff's alpha of all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from oodexp.metric.agreement import kappa_of
from oodexp.metric.bootstrap import resampled as resample
from oodexp.record import VERDICTS, Finding
from oodexp.review.alpha import alpha, terms
from oodexp.review.ballot import Ballot
from oodexp.review.estimate import About, Draws, resampled
from oodexp.review.kappa import tables
from oodexp.review.majority import count

EVERYBODY = "all raters"
_FORMS = (("", len(VERDICTS)), (", yes and no alone", 2))
"""All three verdicts as values; or unsure taken for no verdict."""
_CLAIM = "raters agree beyond chance"
_ASSUMPTION = "raters judged alone; a rare verdict makes the value small at the same agreement"


def agreement(ballot: Ballot, draws: Draws) -> Iterator[Finding]:
    """Alpha of all raters, then kappa of each two; nothing for fewer than two raters."""
    if len(ballot.raters) < 2:
        return
    for form, values in _FORMS:
        yield _alpha(ballot, draws, form, values)
    for first, second in combinations(range(len(ballot.raters)), 2):
        for form, values in _FORMS:
            yield _kappa(ballot, draws, (first, second), form, values)


def _alpha(ballot: Ballot, draws: Draws, form: str, values: int) -> Finding:
    votes = count(ballot.labels, values)
    found = np.zeros((ballot.images, values + 1))
    np.add.at(found, ballot.image, terms(votes))
    n = int((votes.sum(axis=1) >= 2).sum())
    about = About(EVERYBODY, f"Krippendorff's alpha{form}", _CLAIM,
                  f"{n} pairs with two or more verdicts", _ASSUMPTION)  # fmt: skip
    value = float(alpha(found.sum(axis=0)))
    return resampled(about, value, resample(draws.weights, found, alpha), draws, n)


def _kappa(ballot: Ballot, draws: Draws, which: tuple[int, int], form: str, values: int) -> Finding:
    first, second = (ballot.labels[:, n] for n in which)
    found = tables(first, second, ballot.image, ballot.images, values)
    whole = found.sum(axis=0)
    names = " and ".join(ballot.raters[n] for n in which)
    n, same = int(whole.sum()), int(np.trace(whole))
    words = f"the same verdict on {same} of {n} pairs that both judged"
    about = About(names, f"Cohen's kappa{form}", _CLAIM, words, _ASSUMPTION)
    drawn = resample(
        draws.weights, found.reshape(len(found), -1),
        lambda sums: kappa_of(sums.reshape(-1, values, values)),
    )  # fmt: skip
    return resampled(about, float(kappa_of(whole)), drawn, draws, n)
