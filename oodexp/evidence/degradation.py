"""Degradation from ID to OOD, and the behavioural signature of open models (OODBench, C.2.1).

Delta_m^(k) = T_ID - T_OOD for model m and metric k, a difference of fractions (of correlations for
MCC): positive where the model does worse on OOD. Its 95 % interval [L, U] comes from a bootstrap
over images with one set of draws for all models and both splits, where the paper draws answers
within each split: questions on an image share its pixels, and an image may hold ID and OOD pairs.

Measured coverage (images with 1-6 pairs, images that are hard or easy as a whole): 94-96 % with 150
images, 94-95 % with 80, 93-94 % with 50, 92-93 % with 30, 91-92 % with 20. With 150 images an
interval that takes answers for independent covers 78-83 % for accuracy and MCC.

The band of a metric is [min L, max U] over the open models, the signature the set of the bands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.resampling import resampled_sums
from oodexp.metric.binary import METRICS, from_counts, undefined_reason
from oodexp.metric.bootstrap import interval
from oodexp.record import SPLITS

POOLED = "OOD"
"""OOD-S and OOD-H together: sums of their counts."""

OODS = (*SPLITS[1:], POOLED)
"""What ID can be compared with."""


class Degradation(NamedTuple):
    """Delta of each model and metric; all but `draws` and counts (model, 5) by `METRICS`."""

    values: np.ndarray
    """T_ID - T_OOD, in [-1, 1], for MCC in [-2, 2]; NaN where undefined."""
    lower: np.ndarray
    """2.5th percentile over the resamples; NaN where there is no interval."""
    upper: np.ndarray
    """97.5th percentile; NaN where there is no interval."""
    draws: np.ndarray
    """Delta in each resample, (resample, model, 5); NaN where undefined."""
    undefined: np.ndarray
    """Share of the resamples without a value, in [0, 1]."""
    questions: np.ndarray
    """Number of answers in ID and in OOD, int64, (model, 2)."""
    images: np.ndarray
    """Number of images that these are on, int64, (model, 2)."""
    reasons: dict[tuple[int, int], str]
    """By model and metric: why a value or an interval is not there or has no width."""


class Signature(NamedTuple):
    """The paper's A: a band for each metric, each (5,) by `METRICS`."""

    lower: np.ndarray
    """Least L of the open models; NaN where none has an interval."""
    upper: np.ndarray
    """Largest U of the open models; NaN where none has an interval."""
    models: tuple[int, ...]
    """The open models, by their rows in the degradation."""
    reasons: dict[int, str]
    """By metric: why there is no band, or what is amiss with intervals of open models."""


def id_and_ood(counts: np.ndarray, ood: str = POOLED) -> np.ndarray:
    """Counts of ID and of OOD: (image, model, 2, 4).

    Args:
        counts: tp, fp, fn, tn by image, model and split in the order of `SPLITS`, (..., 3, 4).
        ood: One of `OODS`.
    """
    if ood not in OODS:
        raise OodexpError(f"ood={ood!r} is not a split to compare ID with: choose from {OODS}")
    parts = [SPLITS.index(ood)] if ood in SPLITS else [1, 2]
    return np.stack([counts[..., 0, :], counts[..., parts, :].sum(axis=-2)], axis=-2)


def delta(counts: np.ndarray) -> np.ndarray:
    """T_ID - T_OOD of confusion tables: float64, (..., 5) by `METRICS`; NaN where undefined.

    Args:
        counts: tp, fp, fn, tn of ID and of OOD, (..., 2, 4).
    """
    values = from_counts(counts)
    return np.asarray(values[..., 0, :] - values[..., 1, :])


def degradation(
    counts: np.ndarray, ood: str = POOLED, *, resamples: int = 10_000, seed: int
) -> Degradation:
    """Delta of every model and metric with 95 % percentile intervals over images.

    Args:
        counts: tp, fp, fn, tn, int64, (image, model, split, 4) by `SPLITS`.
        ood: One of `OODS`.
        resamples: Bootstrap resamples B.
        seed: Of the draws; the same for all models and metrics, which are so paired.

    Raises:
        OodexpError: There is no image, or `ood` is not known.
    """
    parts = id_and_ood(counts, ood)
    whole = parts.sum(axis=0)
    draws = delta(resampled_sums(parts, resamples, seed))
    reasons = _undefined(whole, ood)
    values = delta(whole)
    lower, upper = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    for model, metric in np.ndindex(values.shape):
        if (model, metric) in reasons:
            continue
        found = interval(draws[:, model, metric])
        lower[model, metric], upper[model, metric] = found.lower, found.upper
        if found.reason is not None:
            reasons[model, metric] = found.reason
    return Degradation(
        values, lower, upper, draws, np.isnan(draws).mean(axis=0), whole.sum(axis=-1),
        parts.any(axis=-1).sum(axis=0), reasons,
    )  # fmt: skip


def signature(found: Degradation, models: Sequence[int], names: Sequence[str]) -> Signature:
    """The bands of the open models.

    A band is over the models that have an interval; a model without one is named in the reasons,
    for the band would have been wider, never narrower, with it.

    Args:
        found: Degradation of all models.
        models: Rows of the open models.
        names: Names of all models, for the reasons.
    """
    rows = list(models)
    reasons: dict[int, str] = {}
    for metric in range(len(METRICS)):
        told = [(m, found.reasons[m, metric]) for m in rows if (m, metric) in found.reasons]
        if not rows or np.isnan(found.lower[rows, metric]).all():
            reasons[metric] = "no open model has an interval"
        if told:
            amiss = "; ".join(f"{names[m]}: {why}" for m, why in told)
            reasons[metric] = f"{reasons[metric]} ({amiss})" if metric in reasons else amiss
    lower = np.fmin.reduce(found.lower[rows], axis=0, initial=np.nan)
    upper = np.fmax.reduce(found.upper[rows], axis=0, initial=np.nan)
    return Signature(lower, upper, tuple(rows), reasons)


def _undefined(whole: np.ndarray, ood: str) -> dict[tuple[int, int], str]:
    """Why values are undefined, from the counts of ID and OOD, (model, 2, 4)."""
    reasons: dict[tuple[int, int], str] = {}
    for model, tables in enumerate(whole):
        for metric, name in enumerate(METRICS):
            for split, table in zip((SPLITS[0], ood), tables, strict=True):
                why = undefined_reason(table, name)
                if why is not None:
                    reasons.setdefault((model, metric), f"{split}: {why}")
    return reasons
