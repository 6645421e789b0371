"""Bootstrap intervals of what models lose from ID to OOD, against `scipy.stats.bootstrap`.

Made-up answers: 20,000 questions on 10,000 images, 10 models, ID and OOD, 5 metrics; 10,000
resamples of the images give 50 intervals. `bootstrap_seconds` is our processor time for all of it,
target < 10.

SciPy's function takes one statistic of a sample: a sample is the images, the statistic the loss of
one model by one metric, computed for a batch of resamples at a time from that model's counts
(vectorised, method `percentile`). It runs for `SCIPY_RESAMPLES` resamples and every metric of
`SCIPY_MODELS` models; its cost is linear in both, and is scaled to 10,000 and 10:
`scipy_seconds`. `bootstrap_ratio` is that over ours, target >= 50. A user who knows that
statistics may be vectors asks for the five metrics at once: `vector_ratio` is against that.

Both sides agree before anything is said: `largest_gap` is the largest distance between two ends in
widths of the interval, with as many resamples on both sides.
"""

from __future__ import annotations

import sys
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.timing import json_file, of_call, publish

if TYPE_CHECKING:
    from oodexp.evidence.degradation import Degradation

IMAGES, MODELS, RESAMPLES = 10_000, 10, 10_000
PER_IMAGE = 2
SCIPY_MODELS, SCIPY_RESAMPLES, BATCH = 2, 500, 50
RUNS = 3
AGREE = 0.25
"""Ends of 500 resamples differ by chance by some hundredths of a width, seldom by a quarter."""


def main() -> None:
    """Prints the figures; see the top of this file."""
    json_file(__doc__ or "")  # before the work, so that --help answers at once
    rows = measure()
    notes = (
        f"{PER_IMAGE * IMAGES:,} questions, {IMAGES:,} images, {MODELS} models, "
        f"{RESAMPLES:,} resamples; SciPy scaled from {SCIPY_MODELS} models and "
        f"{SCIPY_RESAMPLES} resamples"
    )
    publish("Bootstrap over images", rows, notes, __doc__ or "")


def measure(images: int = IMAGES, resamples: int = RESAMPLES) -> dict[str, float]:
    """The figures by name.

    Args:
        images: Number of images.
        resamples: Number of our resamples.
    """
    from oodexp.evidence.degradation import degradation

    counts = made(images)
    of_call(lambda: degradation(counts, resamples=20, seed=0))  # imports and buffers
    costs = [
        of_call(lambda n=n: degradation(counts, resamples=resamples, seed=n)).cpu  # type: ignore[misc]
        for n in range(RUNS)
    ]
    ours = median(costs)
    small = degradation(counts[:, :SCIPY_MODELS], resamples=SCIPY_RESAMPLES, seed=0)
    scale = resamples / SCIPY_RESAMPLES * MODELS / SCIPY_MODELS
    found: dict[str, np.ndarray] = {}
    by_metric = of_call(lambda: found.update(one=by_scipy(counts, at_once=False))).cpu
    at_once = of_call(lambda: found.update(all=by_scipy(counts, at_once=True))).cpu
    gap = max(_gap(small, ends) for ends in found.values())
    if gap > AGREE:
        sys.exit(f"the intervals differ by {gap:.2f} widths: no ratio is given")
    return {
        "bootstrap_seconds": ours,
        "scipy_seconds": by_metric * scale,
        "bootstrap_ratio": by_metric * scale / ours,
        "vector_ratio": at_once * scale / ours,
        "largest_gap": gap,
    }


def made(images: int, models: int = MODELS) -> np.ndarray:
    """Counts of a yes and a no question on each image, int64, (image, model, 3, 4)."""
    rng = np.random.default_rng(0)
    split = rng.integers(0, 3, images)
    ease = rng.normal(1.6, 1, images) - 0.5 * split
    counts = np.zeros((images, models, 3, 4), np.int64)
    for model in range(models):
        chance = 1 / (1 + np.exp(-ease - 0.1 * model))
        for right, wrong in ((0, 2), (3, 1)):
            kind = np.where(rng.random(images) < chance, right, wrong)
            counts[np.arange(images), model, split, kind] += 1
    return counts


def by_scipy(counts: np.ndarray, *, at_once: bool) -> np.ndarray:
    """Ends of the intervals of `SCIPY_MODELS` models by SciPy: (2, model, metric).

    Args:
        counts: As `made` gives them.
        at_once: All metrics by one statistic.
    """
    from scipy.stats import bootstrap

    from oodexp.evidence.degradation import delta, id_and_ood
    from oodexp.metric.binary import METRICS

    ends = np.empty((2, SCIPY_MODELS, len(METRICS)))
    whole = np.arange(len(counts))
    wanted: list[int | slice] = [slice(None)] if at_once else list(range(len(METRICS)))
    for model in range(SCIPY_MODELS):
        mine = np.ascontiguousarray(id_and_ood(counts[:, model]))

        for metric in wanted:

            def statistic(
                drawn: np.ndarray, axis: int = -1, of: np.ndarray = mine, by: int | slice = metric
            ) -> np.ndarray:
                # The drawn images stand in the last axis of `drawn`, and counts behind it.
                summed = np.take(of, drawn.astype(np.intp), axis=0).sum(axis=axis - 2)
                return np.moveaxis(delta(summed), -1, 0)[by]

            found = bootstrap(
                (whole,), statistic, n_resamples=SCIPY_RESAMPLES, batch=BATCH, vectorized=True,
                method="percentile", rng=np.random.default_rng(model),
            ).confidence_interval  # fmt: skip
            ends[0, model, metric], ends[1, model, metric] = found.low, found.high
    return ends


def _gap(mine: Degradation, theirs: np.ndarray) -> float:
    ours = np.stack([mine.lower, mine.upper])
    return float((np.abs(ours - theirs) / (theirs[1] - theirs[0])).max())


if __name__ == "__main__":
    main()
