"""Whether a few labels tell benchmark images from common ones (OODConceptBench, D2 and D3).

Table D2: logistic regression (liblinear, at most 200 iterations) on unit-length CLIP features, a
few shots of each class; positives are the images of one level and category, controls those of
common categories. Deviations: training and test images are never the same image; accuracy is the
mean of the two recalls, as the paper does not say how many of each class it tests on, and a share
of all right would follow the mix (chance is 1/2 here); repeats and intervals, of which the paper
says nothing. The interval is over test images, given the draws of shots. How a single draw of shots
varies is told beside it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.band import Band, band
from oodexp.evidence.resampling import resampled_sums

SHOTS = (1, 3, 5, 10, 15, 20, 25, 30)
"""Training images of each class, as in Table D2."""
ITERATIONS = 200


class Probe(NamedTuple):
    """The probe at one number of shots."""

    shots: int
    """Training images of each class."""
    accuracy: Band
    """Mean over repeats of the mean of both recalls, in [0, 1]; `n` is the number of images."""
    repeats: np.ndarray
    """The same of each repeat, (repeat,); empty where undefined."""
    unconverged: int
    """Repeats in which liblinear used up its iterations."""

    @property
    def spread(self) -> tuple[float, float]:
        """2.5th and 97.5th percentile over repeats: what one draw of shots may give."""
        if not len(self.repeats):
            return float("nan"), float("nan")
        lower, upper = np.percentile(self.repeats, [2.5, 97.5])
        return float(lower), float(upper)


class Layer(NamedTuple):
    """Probes of all categories of a level at one number of shots: a row of Table D3."""

    shots: int
    """Training images of each class."""
    mean: float
    """Mean accuracy of categories; NaN where undefined."""
    lowest: float
    """Of the worst category."""
    highest: float
    """Of the best category."""
    categories: int
    """Number of categories that have a value."""
    reason: str | None
    """Which categories have none, and why."""


def probe(
    features: np.ndarray, positive: np.ndarray, image: np.ndarray, shots: int, repeats: int,
    seed: int, resamples: int = 1000,
) -> Probe:  # fmt: skip
    """Accuracy of a linear probe trained on a few images of each class.

    Args:
        features: Of unit length for the paper's protocol, finite, (n, d).
        positive: Whether each is a benchmark sample, bool, (n,).
        image: Code of its image, (n,); of several rows of an image the first counts.
        shots: Training images of each class, >= 1.
        repeats: Draws of training images, >= 1.
        seed: Of these draws and the resamples.
        resamples: Draws of images, for the interval.

    Raises:
        OodexpError: If an image is in both classes, or a number is out of range.
    """
    points, labels = _one_an_image(features, positive, image)
    if shots < 1 or repeats < 1:
        raise OodexpError(f"probe: shots={shots}, repeats={repeats}; expected >= 1")
    sizes = np.bincount(labels.astype(np.int64), minlength=2)
    if sizes.min() <= shots:
        which = "control" if sizes[0] <= sizes[1] else "benchmark"
        why = f"{sizes.min()} {which} images: {shots} shots and one to test on need {shots + 1}"
        return Probe(shots, Band(np.nan, np.nan, np.nan, len(labels), why), np.zeros(0), 0)
    rng = np.random.default_rng(seed)
    sums, values, unconverged = np.zeros((len(labels), 2, 2)), np.empty(repeats), 0
    for repeat in range(repeats):
        trained = _drawn(labels, shots, rng)
        right, converged = _fitted(points, labels, trained)
        tested = np.setdiff1d(np.arange(len(labels)), trained)
        mine = labels[tested].astype(np.int64)
        sums[tested, mine, 0] += right[tested]
        sums[tested, mine, 1] += 1
        values[repeat] = np.mean([right[tested][mine == one].mean() for one in (0, 1)])
        unconverged += not converged
    draws = _balanced(resampled_sums(sums, resamples, seed))
    accuracy = band(float(values.mean()), draws, len(labels), "")
    return Probe(shots, accuracy, values, unconverged)


def layer(probes: Sequence[Probe], categories: Sequence[str]) -> Layer:
    """Probes of one level and number of shots over categories.

    Args:
        probes: One a category, all with the same number of shots.
        categories: Their names.

    Raises:
        OodexpError: If numbers of shots differ, or there is no probe.
    """
    shots = {one.shots for one in probes}
    if len(shots) != 1:
        raise OodexpError(f"probes with {sorted(shots)} shots: expected those of one number")
    values = np.array([one.accuracy.value for one in probes])
    lost = [
        f"{name}: {one.accuracy.reason}"
        for name, one in zip(categories, probes, strict=True)
        if np.isnan(one.accuracy.value)
    ]
    told, known = "; ".join(lost) or None, values[~np.isnan(values)]
    if not len(known):
        return Layer(shots.pop(), np.nan, np.nan, np.nan, 0, told)
    ends = float(known.mean()), float(known.min()), float(known.max())
    return Layer(shots.pop(), *ends, len(known), told)


def _one_an_image(
    features: np.ndarray, positive: np.ndarray, image: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    if not len(features) == len(positive) == len(image) or not np.isfinite(features).all():
        raise OodexpError("probe: expected one label, one image code and finite features a row")
    both = np.intersect1d(image[positive], image[~positive])
    if len(both):
        raise OodexpError(
            f"probe: {len(both)} images, {both[0]} for one, are benchmark samples and controls; "
            "take them out of one class, or training and test images cannot be held apart"
        )
    first = np.unique(image, return_index=True)[1]
    return features[first], np.asarray(positive, bool)[first]


def _drawn(labels: np.ndarray, shots: int, rng: np.random.Generator) -> np.ndarray:
    """Training images, as many of each class, without replacement."""
    halves = [rng.choice(np.flatnonzero(labels == one), shots, False) for one in (False, True)]
    return np.concatenate(halves)


def _fitted(points: np.ndarray, labels: np.ndarray, trained: np.ndarray) -> tuple[np.ndarray, bool]:
    """Whether each image is told right, bool, (image,), and whether the fit converged."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(solver="liblinear", max_iter=ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(points[trained], labels[trained])
    return model.predict(points) == labels, int(np.max(model.n_iter_)) < ITERATIONS


def _balanced(sums: np.ndarray) -> np.ndarray:
    """Mean of both recalls from right and tested by class, (..., 2, 2)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (sums[..., 0] / sums[..., 1]).mean(axis=-1)
