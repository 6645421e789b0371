"""Absent categories worth asking about, in the order of each strategy (POPE: Li et al. 2023).

Each strategy puts the categories that are annotated as absent from an image in an order, which
depends on the image and its source alone; who asks takes as many as are wanted from the front.

`random`: every order alike, from a generator of the image's own. `popular`: by the number of images
of the source that hold the category. `adversarial`: by how often the category co-occurs with what
the image holds, summed over the present categories of the image: the number of (other image,
present category) in which the other image holds both. Ties of `adversarial` go to the more popular
one, ties of `popular` to the one that the source lists first. POPE's text ranks by co-occurrence
with the ground-truth objects, which is this sum; its program lets the present objects choose in
turns instead.
"""

from __future__ import annotations

import hashlib

import numpy as np

from oodexp.record import ABSENT, PRESENT

STRATEGIES = ("random", "popular", "adversarial")


class Absent:
    """The absent categories of a source's images, best first.

    Args:
        source: Name of the data set.
        presence: Codes of `oodexp.record`, uint8, (image, category).
        seed: Seed of the strategy `random`.
    """

    def __init__(self, source: str, presence: np.ndarray, seed: int) -> None:
        present = presence == PRESENT
        self._source = source
        self._presence = presence
        self._seed = seed
        self._images = present.sum(axis=0)
        # Counts up to the number of images: float32 holds whole numbers below 2^24 exactly.
        as_numbers = present.astype(np.float32)
        self._together = (as_numbers.T @ as_numbers).astype(np.int64)

    def order(self, image: int, image_id: str, strategy: str) -> np.ndarray:
        """All absent categories of an image as columns of the matrix, those to ask first in front.

        Args:
            image: Row of the image.
            image_id: Id of the image; the seed of its own generator.
            strategy: One of `STRATEGIES`.
        """
        codes = self._presence[image]
        absent = np.flatnonzero(codes == ABSENT)
        if strategy == "random":
            return self._generator(image_id).permutation(absent)
        often = self._images[absent]
        beside = self._together[codes == PRESENT].sum(axis=0)[absent]
        keys = (absent, -often) if strategy == "popular" else (absent, -often, -beside)
        return absent[np.lexsort(keys)]

    def _generator(self, image_id: str) -> np.random.Generator:
        digest = hashlib.sha256(f"{self._source}\0{image_id}".encode()).digest()
        return np.random.default_rng([self._seed, int.from_bytes(digest[:8], "little")])
