"""Bootstrap resamples of counts over images, as matrix products on slabs of the draws.

Every metric of a benchmark depends on the answers only through counts that add over images, so a
resample is a weighted sum of rows. The weights (how often each image is drawn) follow the
multinomial law exactly, but are never held whole: 10,000 resamples of 10,000 images would be 0.8 GB
in float64.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from oodexp.error import OodexpError

CELLS = 2**22
"""Weights held at a time, unless one resample has more: 17 MB in float32."""

EXACT = 2**24
"""Integers below this are exact in float32, in sums and products alike."""


def slabs(
    images: int, resamples: int, seed: int, cells: int = CELLS
) -> Iterator[tuple[slice, np.ndarray]]:
    """How often each image is drawn in each resample, some resamples at a time.

    The draws depend on `images` and `seed` alone: not on the size of a slab, and the first
    resamples are the same whatever their number. Equal arguments give paired resamples.

    Args:
        images: Number of images, >= 1; as many are drawn, with replacement.
        resamples: Number of resamples, >= 1.
        seed: Of the draws.
        cells: Weights held at a time.

    Yields:
        The resamples of the slab and their weights, float32, (resample, image), rows sum to
        `images`. The array is overwritten by the next slab.
    """
    _check(images, resamples)
    rng = np.random.default_rng(seed)
    rows = min(resamples, max(1, cells // images))
    held = np.empty((rows, images), np.float32)
    for start in range(0, resamples, rows):
        here = slice(start, min(start + rows, resamples))
        mine = held[: here.stop - here.start]
        for row in mine:
            # A row at a time stays in the cache, and makes slabs of any size the same draws.
            drawn = rng.integers(images, size=images, dtype=np.uint32)
            row[:] = np.bincount(drawn, minlength=images)
        yield here, mine


def resampled_sums(counts: np.ndarray, resamples: int, seed: int, cells: int = CELLS) -> np.ndarray:
    """Sums of counts over the drawn images, in each resample.

    Args:
        counts: Counts of each image, >= 0, integer or float, (image, ...); an image without any
            count is drawn like the others.
        resamples: Number of resamples.
        seed: Of the draws: as in `slabs`.
        cells: As in `slabs`.

    Returns:
        float64, (resample, ...). Exact for integers: products run in float32 where every partial
        sum is below 2^24, in float64 otherwise.

    Raises:
        OodexpError: There is no image or no resample.
    """
    images, shape = len(counts), counts.shape[1:]
    _check(images, resamples)
    flat = counts.reshape(images, -1)
    used = np.flatnonzero(flat.any(axis=1))
    kind = _exact_kind(flat)
    kept, every = flat[used].astype(kind), len(used) == images
    sums = np.empty((resamples, flat.shape[1]))
    for here, weights in slabs(images, resamples, seed, cells):
        mine = weights if every else weights[:, used]
        sums[here] = mine.astype(kind, copy=False) @ kept
    return sums.reshape(resamples, *shape)


def _exact_kind(counts: np.ndarray) -> type[np.floating]:
    """The smallest type in which weighted sums of the counts are exact, if there is one."""
    if not np.issubdtype(counts.dtype, np.integer) or not counts.size:
        return np.float64
    return np.float32 if len(counts) * int(counts.max()) < EXACT else np.float64


def _check(images: int, resamples: int) -> None:
    if images < 1 or resamples < 1:
        raise OodexpError(
            f"a bootstrap of {images} images with {resamples} resamples draws nothing; "
            "give at least one image and one resample"
        )
