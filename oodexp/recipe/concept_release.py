"""Near-duplicates of a concept set: found by perceptual hash and by features."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oodexp.evidence.duplicate import Hash, by_cosine, by_hash, grey, groups, kept, phash
from oodexp.pixel import decode
from oodexp.report.waiting import waiting

if TYPE_CHECKING:
    import pandas as pd

    from oodexp.concept.protocol import Protocol
    from oodexp.recipe.world import World

UNREAD = Hash(0, "the image could not be read")


class Near(NamedTuple):
    """Near-duplicates among the images."""

    group: np.ndarray
    """Lowest image of each image's group, itself if alone, int64, (image,)."""
    stays: np.ndarray
    """The one image of each group that a release would keep, bool, (image,)."""
    method: str
    """How they were found."""

    @property
    def groups(self) -> int:
        """Groups of two images or more."""
        return int((np.bincount(self.group) > 1).sum())

    @property
    def images(self) -> int:
        """Images in these groups."""
        sizes = np.bincount(self.group)
        return int(sizes[sizes > 1].sum())


def near_duplicates(world: World, vectors: np.ndarray, protocol: Protocol) -> Near:
    """Images whose hashes differ in few bits, or whose features have a high cosine.

    Args:
        world: The images.
        vectors: Unit vectors of the construction model, (image, d); NaN where there is none.
        protocol: How near is near.
    """
    images = world.images
    hashes = _hashes(world, images)
    known = np.flatnonzero(np.isfinite(vectors).all(axis=1))
    by_feature = (
        found._replace(first=known[found.first], second=known[found.second])
        for found in by_cosine(vectors[known], protocol.cosine)
    )
    group = groups(len(images), [*by_hash(hashes, protocol.bits), *by_feature])
    method = (
        f"perceptual hash within {protocol.bits} bits, or feature cosine of at least "
        f"{protocol.cosine:g}"
    )
    return Near(group, kept(group, images["image_id"].tolist()), method)


def _hashes(world: World, images: pd.DataFrame) -> list[Hash]:
    found = []
    with waiting("perceptual hashes", len(images)) as advance:
        for image_id, digest in zip(images["image_id"], images["sha256"], strict=True):
            readable = isinstance(digest, str)
            found.append(phash(grey(decode(world.source.read(image_id)))) if readable else UNREAD)
            advance()
    return found
