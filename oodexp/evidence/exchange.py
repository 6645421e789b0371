"""Hard samples against OOD samples with a known size: the two exchanged over images.

Under the hypothesis of OODBench, D.1, that OOD samples are distributed as hard ones are, it does
not matter which of the two an image's samples are called. An image with samples of one kind only
takes the place of another such image; an image with both swaps them. The statistics are computed
anew with every exchange, so that their noise, and what differs in size between the two
selections, is in the law as it is in the observed value.

A hard selection mined with the answers of the very models under test breaks this: it is hard for
them by choice, which no sample of OOD images is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oodexp.evidence.hard import LeftTails, alignment, left_tail, spread, undefined_reason


class Selection(NamedTuple):
    """What a selection of samples adds up to, image by image."""

    right: np.ndarray
    """Right answers as shares of a sample's questions, summed, >= 0, (image, model)."""
    n: np.ndarray
    """Samples of the selection, (image,)."""


def selection(right: np.ndarray, chosen: np.ndarray, image: np.ndarray, images: int) -> Selection:
    """A selection summed by image.

    Args:
        right: Share of a sample's questions answered right, in [0, 1], (model, sample).
        chosen: Whether the sample is in the selection, bool, (sample,).
        image: Image of each sample, in [0, images), (sample,).
        images: Number of images.
    """
    where = image[chosen]
    total = np.zeros((images, len(right)))
    np.add.at(total, where, right[:, chosen].T)
    return Selection(total, np.bincount(where, minlength=images).astype(np.float64))


def exchanged(
    hard: Selection,
    ood: Selection,
    reference: np.ndarray,
    resamples: int,
    rng: np.random.Generator,
) -> LeftTails:
    """Left-tail tests of variance and alignment by exchanging hard and OOD samples.

    The variance is tested as that of the OOD loss minus that of the hard loss: each exchange
    changes both.

    Args:
        hard: The hard samples.
        ood: The OOD samples.
        reference: Accuracy on ID samples, in [0, 1], (model,).
        resamples: Number B of exchanges.
        rng: Draws them.
    """
    called = exchanges(hard.n > 0, ood.n > 0, resamples, rng)
    total_right = hard.right.sum(axis=0) + ood.right.sum(axis=0)
    total_n = hard.n.sum() + ood.n.sum()
    # Samples that are OOD and stay so, or hard and become so; all others are called hard.
    ood_n = called @ ood.n + (1 - called) @ hard.n
    ood_right = called @ ood.right + (1 - called) @ hard.right
    with np.errstate(invalid="ignore", divide="ignore"):
        to_ood = reference - ood_right / ood_n[:, None]
        to_hard = reference - (total_right - ood_right) / (total_n - ood_n)[:, None]
    values = (
        spread(to_ood) - spread(to_hard),
        alignment(to_hard, to_ood, ranks=False),
        alignment(to_hard, to_ood, ranks=True),
    )
    # The first row exchanges nothing: it is what was observed.
    why = undefined_reason(to_hard[0], to_ood[0])
    return LeftTails(*(left_tail(value[:1], value[1:], why) for value in values))


def exchanges(
    in_hard: np.ndarray, in_ood: np.ndarray, resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """Which images keep the names of their samples in each exchange.

    Args:
        in_hard: Whether the image has hard samples, bool, (image,).
        in_ood: Whether it has OOD samples, bool, (image,).
        resamples: Number of exchanges.
        rng: Draws them.

    Returns:
        1 where hard samples stay hard and OOD ones OOD, 0 where they change, float64,
        (1 + resamples, image); ones in the first row. As many images with samples of one kind
        are called OOD after an exchange as before.
    """
    called = np.ones((1 + resamples, len(in_hard)))
    both, single = in_hard & in_ood, in_hard ^ in_ood
    called[1:, both] = rng.integers(0, 2, (resamples, int(both.sum())))
    names = np.tile(in_ood[single], (resamples, 1))
    called[1:, single] = rng.permuted(names, axis=1) == in_ood[single]
    return called
