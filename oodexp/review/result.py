"""What a review comes to: pairs with their outcome, findings, a division without the rejected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from oodexp.metric.bootstrap import resample_weights
from oodexp.metric.bootstrap import resampled as resample
from oodexp.record import OUTCOMES, SPLITS, Finding
from oodexp.review.agreement import agreement
from oodexp.review.ballot import ballot
from oodexp.review.change import accuracies, counts
from oodexp.review.estimate import About, Draws, resampled
from oodexp.review.majority import REJECTED
from oodexp.review.rates import acceptance, annotation_error, reasons
from oodexp.review.sample import PAIR

_PARTIAL = "only rejected pairs of the sample are left out; a larger sample would find more"


class Result(NamedTuple):
    """What the verdicts on a sample come to."""

    reviews: pd.DataFrame
    """`record.Review`."""
    findings: list[Finding]
    """Rates, reasons and agreement."""


def result(rows: pd.DataFrame, verdicts: pd.DataFrame, resamples: int, seed: int) -> Result:
    """Rates of each split, reasons, and how far raters agree.

    Args:
        rows: Of `Sample.rows`, at least one.
        verdicts: `record.Verdict`.
        resamples: Bootstrap resamples of images.
        seed: Of the bootstrap.
    """
    votes = ballot(rows, verdicts)
    draws = _draws(votes.images, resamples, seed)
    reviews = votes.reviews()
    found = [
        *acceptance(votes, draws), *annotation_error(votes, draws),
        *reasons(votes, reviews["reason"].to_numpy(dtype=object)), *agreement(votes, draws),
    ]  # fmt: skip
    return Result(reviews, found)


def confirmed(memberships: pd.DataFrame, reviews: pd.DataFrame) -> pd.DataFrame:
    """The division without the pairs whose annotation people rejected.

    Args:
        memberships: `record.Membership`.
        reviews: `record.Review`.

    Returns:
        `record.Membership`: a rejected pair keeps its split, is not drawn, and has a reason.
    """
    out = reviews[reviews["annotation"] == OUTCOMES[REJECTED]]
    why = {
        key: f"rejected by review: yes {yes}, no {no}, unsure {unsure}"
        for *key_, yes, no, unsure in out[[*PAIR, "yes", "no", "unsure"]].to_numpy().tolist()
        for key in [tuple(key_)]
    }
    keys = list(memberships[PAIR].itertuples(index=False, name=None))
    rejected = np.array([key in why for key in keys], dtype=bool)
    reason = [why.get(k, r) for k, r in zip(keys, memberships["reason"], strict=True)]
    return memberships.assign(drawn=memberships["drawn"] & ~rejected, reason=reason)


def changes(answered: pd.DataFrame, resamples: int, seed: int) -> Iterator[Finding]:
    """What leaving rejected pairs out changes in the accuracy of each VLM, kind and split.

    Args:
        answered: An answer about a drawn pair a row: `vlm`, `kind`, `split`, `source`, `image_id`,
            `correct` and `kept` (whether its pair was not rejected).
        resamples: Bootstrap resamples of images.
        seed: Of the bootstrap.
    """
    image, names = pd.factorize(answered["source"] + "\0" + answered["image_id"], sort=True)
    if not len(names):
        return
    draws = _draws(len(names), resamples, seed)
    columns = [answered[name].to_numpy(dtype=bool) for name in ("correct", "kept")]
    for (vlm, kind), group in answered.groupby(["vlm", "kind"], sort=True):
        for split in SPLITS:
            here = ((answered["split"] == split) & answered.index.isin(group.index)).to_numpy()
            right, kept = (column[here] for column in columns)
            found = counts(right, kept, image[here], len(names))
            subject = f"{vlm}, {kind}, {split}"
            yield from _change(subject, found, draws)


def _change(subject: str, found: np.ndarray, draws: Draws) -> Iterator[Finding]:
    total = found.sum(axis=0)
    values, drawn = accuracies(total), resample(draws.weights, found, accuracies)
    words = f"{int(total[1] - total[3])} of {int(total[1])} answers are about rejected pairs"
    named = (
        ("accuracy, all pairs", int(total[1])),
        ("accuracy without rejected pairs", int(total[3])),
        ("change of accuracy without rejected pairs", int(total[1])),
    )
    for n, (statistic, size) in enumerate(named):
        about = About(subject, statistic, "what wrong pairs do to the result", words, _PARTIAL)
        yield resampled(about, float(values[n]), drawn[:, n], draws, size)


def _draws(images: int, resamples: int, seed: int) -> Draws:
    return Draws(resample_weights(images, resamples, np.random.default_rng(seed)), seed)
