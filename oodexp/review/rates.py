"""What share of the pairs people accept, of the annotations they call wrong, and why."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from oodexp.evidence.proportion import korn_graubard
from oodexp.metric.bootstrap import resampled as resample
from oodexp.record import OUTCOMES, REASONS, SPLITS, Finding
from oodexp.review.acceptance import by_image, weighted_rate
from oodexp.review.ballot import Ballot
from oodexp.review.estimate import LEVEL, About, Draws, bounded, exact, resampled
from oodexp.review.majority import ACCEPTED, REJECTED, UNRATED, majority

ALL = "all splits"
_ALONE = "pairs judged independently: pairs of one image are not (see the rate over images)"
_CLUSTERS = "images drawn independently; what was not judged would be judged alike"
_STRATA = "within a stratum, judged pairs are like the others; strata without any are left out"


def acceptance(ballot: Ballot, draws: Draws) -> Iterator[Finding]:
    """Share of accepted pairs, of those accepted or rejected, by split."""
    outcome = majority(ballot.votes)
    claim = "people see the category in the image"
    for subject, rows in _splits(ballot):
        yield from _rates(ballot, draws, outcome, rows, (subject, "acceptance rate", claim))


def annotation_error(ballot: Ballot, draws: Draws) -> Iterator[Finding]:
    """Share of annotations that are wrong, of those right or wrong, by split."""
    outcome = majority(ballot.annotation_votes)
    swapped = np.select([outcome == ACCEPTED, outcome == REJECTED], [REJECTED, ACCEPTED], outcome)
    claim = "an annotated pair is not visible or has a wrong label"
    for subject, rows in _splits(ballot):
        yield from _rates(ballot, draws, swapped, rows, (subject, "annotation error rate", claim))


def reasons(ballot: Ballot, reason: np.ndarray) -> Iterator[Finding]:
    """Share of the judged pairs of each split to which most raters gave a reason.

    Args:
        ballot: The verdicts.
        reason: Of `record.Review`, (pair,).
    """
    judged = majority(ballot.votes) != UNRATED
    for subject, rows in _splits(ballot):
        here = rows & judged
        n, images = int(here.sum()), len(np.unique(ballot.image[here]))
        for name in REASONS:
            k = int((reason[here] == name).sum())
            about = About(subject, f"reason {name}", "why people find the pair odd",
                          f"{k} of {n} judged pairs: {name}", _ALONE)  # fmt: skip
            yield exact(about, k, n, images)


def _splits(ballot: Ballot) -> Iterator[tuple[str, np.ndarray]]:
    for code, name in enumerate(SPLITS):
        yield name, ballot.split == code
    yield ALL, np.ones(len(ballot.rows), dtype=bool)


def _rates(
    ballot: Ballot, draws: Draws, outcome: np.ndarray, rows: np.ndarray, named: tuple[str, str, str]
) -> Iterator[Finding]:
    """The share of ACCEPTED: exact, over images, and weighted by strata."""
    subject, statistic, claim = named
    strata = len(ballot.population)
    counts = by_image(
        outcome[rows], ballot.image[rows], ballot.stratum[rows], ballot.images, strata
    )
    k, lost = (int(c) for c in counts.sum(axis=(0, 1)))
    n, images = k + lost, int(counts.any(axis=(1, 2)).sum())
    words = f"{k} of {n}{_others(outcome[rows])}"
    yield exact(About(subject, statistic, claim, words, _ALONE), k, n, images)
    each = counts.sum(axis=1)
    bounds = korn_graubard(each[:, 0], each.sum(axis=1), LEVEL)
    about = About(subject, f"{statistic}, over images", claim, words, _CLUSTERS)
    yield bounded(about, k / n if n else float("nan"), bounds, n, images)
    held = np.unique(ballot.stratum[rows])
    yield _weighted(counts[:, held], ballot.population[held], draws,
                    (subject, f"{statistic}, weighted", claim), n)  # fmt: skip


def _weighted(
    counts: np.ndarray, population: np.ndarray, draws: Draws, named: tuple[str, str, str], n: int
) -> Finding:
    subject, statistic, claim = named
    shape = (-1, *counts.shape[1:])
    values = resample(
        draws.weights, counts.reshape(len(counts), -1),
        lambda sums: weighted_rate(sums.reshape(shape), population),
    )  # fmt: skip
    seen = counts.any(axis=(0, 2))
    stands_for, pairs = int(population[seen].sum()), int(population.sum())
    words = f"for {stands_for} of {pairs} pairs, in {int(seen.sum())} of {seen.size} strata"
    value = float(weighted_rate(counts.sum(axis=0), population))
    return resampled(About(subject, statistic, claim, words, _STRATA), value, values, draws, n)


def _others(outcome: np.ndarray) -> str:
    """`; 3 unsure, 1 tie, 2 unrated` of what is in no rate."""
    found = np.bincount(outcome, minlength=len(OUTCOMES))
    told = [f"{found[n]} {OUTCOMES[n]}" for n in range(REJECTED + 1, len(OUTCOMES)) if found[n]]
    return "; " + ", ".join(told) if told else ""
