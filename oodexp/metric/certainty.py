"""What the probabilities of yes and no tell beside the answers: AUROC and calibration.

A VLM that is asked with `decode=logits` gives P(yes) / (P(yes) + P(no)) of its first token. AUROC
needs no threshold on it; the calibration error compares it with how often yes is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.metric.base import Evidence
from oodexp.metric.bootstrap import interval, resampled
from oodexp.metric.judged import PAIR
from oodexp.record import SPLITS, Calibration, Measurement

METRICS = ("auroc", "ece")

BINS = 15
"""Equal parts of [0, 1], each closed on the right, the first one on both sides."""

_CELLS = 1 << 23
"""Weights of questions that are held at once."""


def bin_of(probability: np.ndarray) -> np.ndarray:
    """Number of the bin, 0 ... `BINS` - 1, of each probability in [0, 1]."""
    edges = np.linspace(0, 1, BINS + 1)[1:-1]
    return np.searchsorted(edges, probability, side="left")


def bin_sums(
    probability: np.ndarray, target: np.ndarray, image: np.ndarray, images: int
) -> np.ndarray:
    """Sums that add over images: number, probability and target of each bin.

    Args:
        probability: P(yes) of each question, (question,), in [0, 1].
        target: Whether yes is right, bool, (question,).
        image: Number of its image, (question,), from 0.
        images: Number of images.

    Returns:
        float64, (image, 3 x BINS).
    """
    cell = image * BINS + bin_of(probability)
    sums = [
        np.bincount(cell, weight, images * BINS).reshape(images, BINS)
        for weight in (np.ones(len(cell)), probability, target.astype(np.float64))
    ]
    return np.concatenate(sums, axis=1)


def calibration_error(sums: np.ndarray) -> np.ndarray:
    """Expected calibration error, L1, weighted by number: (..., 3 x BINS) to (...)."""
    number, probability, target = np.split(sums, 3, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.abs(probability - target).sum(axis=-1) / number.sum(axis=-1)


def weighted_auroc(probability: np.ndarray, target: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """P(a yes question has the larger probability) + half of the ties, under each row of weights.

    Args:
        probability: (question,).
        target: bool, (question,).
        weights: >= 0, (resample, question).

    Returns:
        float64, (resample,), in [0, 1]; NaN where one of the classes has no weight.
    """
    order = np.argsort(probability, kind="stable")
    p, y, w = probability[order], target[order], weights[:, order]
    start = np.flatnonzero(np.r_[True, p[1:] != p[:-1]])
    yes = np.add.reduceat(w * y, start, axis=1)
    no = np.add.reduceat(w * ~y, start, axis=1)
    below = np.cumsum(no, axis=1) - no
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = yes.sum(axis=1) * no.sum(axis=1)
        return (yes * (below + no / 2)).sum(axis=1) / pairs


def certainty(
    probability: np.ndarray, target: np.ndarray, image: np.ndarray, images: int,
    draws: Iterable[np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """AUROC and calibration error of a group of questions, and their resamples.

    Args:
        probability: P(yes), (question,).
        target: bool, (question,).
        image: Number of its image, (question,).
        images: Number of images.
        draws: Blocks of `bootstrap.resample_weights`, (some resamples, image).

    Returns:
        Values (2,), and resampled values (resample, 2).
    """
    sums = bin_sums(probability, target, image, images)
    whole = weighted_auroc(probability, target, np.ones((1, len(target))))
    size = max(1, _CELLS // max(1, len(image)))
    parts, errors = [], []
    for block in draws:
        parts += [
            weighted_auroc(probability, target, block[at : at + size][:, image])
            for at in range(0, len(block), size)
        ]
        errors.append(resampled(block, sums, calibration_error))
    values = np.array([whole[0], calibration_error(sums.sum(axis=0))])
    return values, np.stack([np.concatenate(parts), np.concatenate(errors)], axis=1)


def certainties(
    evidence: Evidence, images: pd.Index, draws: Iterable[np.ndarray]
) -> Iterator[Measurement]:
    """AUROC and calibration error where probabilities were measured, all sources together.

    Args:
        evidence: The tables.
        images: The images by number: source and id, a NUL between them.
        draws: Blocks of `bootstrap.resample_weights`, (some resamples, image), the same at each
            iteration.
    """
    for (vlm, kind, split), mine in _groups(evidence):
        image = images.get_indexer(mine["source"] + "\0" + mine["image_id"])
        values, drawn = certainty(
            mine["yes_probability"].to_numpy(), mine["target"].to_numpy(), image, len(images), draws
        )
        for m, metric in enumerate(METRICS):
            lower, upper, reason = interval(drawn[:, m])
            if np.isnan(values[m]):
                reason = "all targets are the same"
            yield Measurement(
                vlm, kind, "pooled", split, "none", "all", "headline", metric, float(values[m]),
                lower, upper, len(mine), 0, len(set(image)), reason,
            )  # fmt: skip


def calibration(evidence: Evidence) -> pd.DataFrame:
    """The calibration curve of each VLM and split (`record.Calibration`), empty bins left out."""
    edges, found = np.linspace(0, 1, BINS + 1), []
    for (vlm, kind, split), mine in _groups(evidence):
        for at, inside in mine.groupby(bin_of(mine["yes_probability"].to_numpy())):
            probability, share = inside["yes_probability"].mean(), inside["target"].mean()
            ends = float(edges[at]), float(edges[at + 1])
            found.append(
                Calibration(vlm, kind, split, *ends, float(probability), float(share), len(inside))
            )
    return table.frame(Calibration, found)


def _groups(evidence: Evidence) -> list[tuple[tuple[str, str, str], pd.DataFrame]]:
    """Questions about drawn pairs whose probabilities are known, by VLM, kind and split."""
    if not evidence.completions["yes_probability"].notna().any():
        return []
    known = evidence.completions[["vlm", "question_id", "yes_probability"]]
    known = known.dropna(subset="yes_probability")
    asked = evidence.questions[["question_id", "kind", *PAIR, "target"]]
    members = evidence.memberships[[*PAIR, "split", "drawn"]]
    drawn = members[members["drawn"]]
    joined = known.merge(asked, on="question_id").merge(drawn[[*PAIR, "split"]], on=PAIR)
    joined = joined.assign(
        target=joined["target"] == "yes",
        yes_probability=joined["yes_probability"].astype(np.float64),
    )
    groups = joined.groupby(["vlm", "kind", "split"])
    return sorted(groups, key=lambda group: (*group[0][:2], SPLITS.index(group[0][2])))
