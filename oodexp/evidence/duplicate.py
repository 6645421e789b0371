"""Near-duplicates: which images are nearly one another, and which of them stays.

OODConceptBench, Table E1, asks for a review of near-duplicates and names no method. Two are here. A
perceptual hash of 64 bits looks at the layout of light and dark: signs of low frequencies, told
apart by the number of bits that differ. The cosine of features looks at what a model sees, so that
its threshold belongs to that model. Couples are found block by block; the n x n matrix of all
images is never in memory. Groups are chains: two images of a group may be less alike than the
threshold asks, if others stand between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.error import OodexpError
from oodexp.evidence.nearest import unit

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 32
"""Rows and columns of the grey image that is hashed."""
LOW = 8
"""Rows and columns of low frequencies: 64 bits."""
MOST_BITS = 6
"""Bits that may differ. Of 10^9 couples of 63 independent bits, 0.008 differ in so few."""
LEAST_CONTRAST = 1.0
"""Standard deviation in grey levels of 255 below which an image has no layout to be hashed."""
BLOCK = 1024
"""Images that are held against all later ones at once."""


class Hash(NamedTuple):
    """Perceptual hash of an image."""

    bits: int
    """64 bits; 0 where undefined."""
    reason: str | None
    """Why it is undefined."""


class Couples(NamedTuple):
    """Images that are nearly one another; each couple once, the lower number first."""

    first: np.ndarray
    """Number of an image, int64, (couple,)."""
    second: np.ndarray
    """Number of the other, larger, int64, (couple,)."""
    measure: np.ndarray
    """Bits that differ, or cosine, float64, (couple,)."""


def grey(image: Image) -> np.ndarray:
    """An image as 32 x 32 grey levels in [0, 255], float64; each averages the area it covers."""
    from PIL.Image import Resampling

    small = image.convert("L").resize((SIDE, SIDE), Resampling.BOX)
    return np.asarray(small, np.float64)


def phash(levels: np.ndarray) -> Hash:
    """Signs of the 8 x 8 lowest frequencies about their median.

    The mean brightness is no layout: it does not enter the median, and its bit is always 0.

    Args:
        levels: Grey levels in [0, 255], (32, 32).

    Raises:
        OodexpError: If the shape differs.
    """
    from scipy.fft import dctn

    if levels.shape != (SIDE, SIDE):
        raise OodexpError(f"grey levels {levels.shape}: expected (32, 32), as `grey` gives them")
    if levels.std() < LEAST_CONTRAST:
        return Hash(0, "the image is flat")
    low = dctn(levels.astype(np.float64), norm="ortho")[:LOW, :LOW].ravel()
    bits = low > np.median(low[1:])
    bits[0] = False
    return Hash(int.from_bytes(np.packbits(bits).tobytes(), "big"), None)


def by_hash(hashes: Sequence[Hash], most: int = MOST_BITS) -> Iterator[Couples]:
    """Images whose hashes differ in few bits, block by block; those without a hash in none.

    Args:
        hashes: One an image.
        most: Bits that may differ, 0 ... 63.

    Raises:
        OodexpError: If `most` is out of range.
    """
    if not 0 <= most < 64:
        raise OodexpError(f"most={most} bits of a hash may differ: expected 0 ... 63, as 6")
    known = np.array([n for n, one in enumerate(hashes) if one.reason is None], dtype=np.int64)
    bits = np.array([hashes[n].bits for n in known], dtype=np.uint64)
    for start in range(0, len(bits), BLOCK):
        apart = np.bitwise_count(bits[start : start + BLOCK, None] ^ bits[start:])
        yield _later(known, start, apart, apart <= most)


def by_cosine(features: np.ndarray, least: float) -> Iterator[Couples]:
    """Images whose features have at least a cosine, block by block, in float32.

    Args:
        features: Finite, not zero, (n, d).
        least: Cosine in (-1, 1]; rounding is 1e-6.

    Raises:
        OodexpError: If `least` is out of range, or a feature has no direction.
    """
    if not -1 < least <= 1:
        raise OodexpError(f"least={least}: expected a cosine in (-1, 1], as 0.95")
    points, every = unit(features).astype(np.float32), np.arange(len(features))
    for start in range(0, len(points), BLOCK):
        cosine = points[start : start + BLOCK] @ points[start:].T
        yield _later(every, start, cosine, cosine >= least)


def groups(images: int, found: Iterable[Couples]) -> np.ndarray:
    """Images joined by couples, through union-find.

    Args:
        images: Number of images.
        found: Couples, in any order, of one or several measures.

    Returns:
        The lowest image of each image's group, itself if alone, int64, (image,).
    """
    parent = list(range(images))

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    for block in found:
        for one, two in zip(block.first.tolist(), block.second.tolist(), strict=True):
            low, high = sorted((root(one), root(two)))
            parent[high] = low
    return np.array([root(n) for n in range(images)], dtype=np.int64)


def kept(group: np.ndarray, keys: Sequence[str], rank: np.ndarray | None = None) -> np.ndarray:
    """The one image of each group that stays: of the lowest rank, then of the lowest key.

    It depends on ranks and keys alone, not on the order of the images.

    Args:
        group: Of `groups`, (image,).
        keys: A different text for each image: its id, or the hash of its bytes.
        rank: What is better kept has less, as the negative number of pixels, (image,).

    Returns:
        bool, (image,).

    Raises:
        OodexpError: If two images have one key.
    """
    if len(set(keys)) != len(keys) or len(keys) != len(group):
        raise OodexpError("keys of images: expected one each, all different, as their ids are")
    worth = np.zeros(len(group)) if rank is None else rank
    order = np.lexsort((np.argsort(np.argsort(np.array(keys, dtype=object))), worth, group))
    stays = np.zeros(len(group), bool)
    stays[order[np.unique(group[order], return_index=True)[1]]] = True
    return stays


def _later(number: np.ndarray, start: int, measure: np.ndarray, near: np.ndarray) -> Couples:
    """Near couples of a block of rows with themselves and all later images, each once."""
    rows, columns = np.nonzero(np.triu(near, 1))
    pairs = number[start + rows], number[start + columns]
    return Couples(*pairs, measure[rows, columns].astype(np.float64))
