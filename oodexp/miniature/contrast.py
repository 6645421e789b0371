"""The contrastive objective of both scorers: captions against images, within a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oodexp.miniature.background import BACKGROUNDS
from oodexp.miniature.caption import write_caption
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.world import CANONICAL, World

if TYPE_CHECKING:
    import torch

SHORT = 0.5
"""Share of scenes whose caption only says "a photo of a boat" of one of its primaries. Without
such captions the rarer of two primaries lost to absent categories in a third of the scenes."""


@dataclass(frozen=True)
class Deal:
    """The captions of a batch of n images.

    Attributes:
        texts: n captions.
        fits: (n, n) True where the caption of the column holds for the image of the row.
    """

    texts: list[str]
    fits: NDArray[np.bool_]


def deal(world: World, rows: NDArray[np.int64], rng: np.random.Generator) -> Deal:
    """Writes a caption anew for each image of a batch and marks where else it holds.

    A caption that holds for two images of a batch must not count as wrong for either. What a
    full caption leaves out is absent as far as training goes.

    Args:
        world: The scenes.
        rows: Numbers of the batch's images.
        rng: Chance of short captions, of the order of objects, of naming the ground.

    Returns:
        The captions.
    """
    named = world.named[rows].copy()
    for place, row in enumerate(rows):
        if rng.random() < SHORT:
            primaries = np.flatnonzero(world.reasons[row] == CANONICAL)
            named[place] = 0
            named[place, primaries[rng.integers(len(primaries))]] = 1
    texts = []
    for words, ground in zip(named, world.grounds[rows], strict=True):
        spoken = {CATEGORIES[c]: int(words[c]) for c in np.flatnonzero(words)}
        texts.append(write_caption(spoken, BACKGROUNDS[ground], rng))
    said = np.array([text.endswith(" background") for text in texts])
    return Deal(texts, _fits(world.named[rows], named, world.grounds[rows], said))


def _fits(
    seen: NDArray[np.int8],
    named: NDArray[np.int8],
    grounds: NDArray[np.int8],
    said: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Where a caption holds: "a boat" also where there are two, "two boats" only there."""
    told, there = named[None], seen[:, None]
    same_objects = ((told == 0) | (told == there) | ((told == 1) & (there > 0))).all(-1)
    same_ground = ~said[None] | (grounds[:, None] == grounds[None])
    holds: NDArray[np.bool_] = same_objects & same_ground
    return holds


def contrastive_loss(logits: torch.Tensor, fits: NDArray[np.bool_]) -> torch.Tensor:
    """Mean cross-entropy of image to caption and caption to image.

    Args:
        logits: (n, n) scaled cosines, images by captions.
        fits: (n, n) where a caption holds; its targets share the weight evenly.

    Returns:
        The loss, in nats.
    """
    import torch
    from torch.nn.functional import cross_entropy

    right = torch.from_numpy(fits).float()
    captions = cross_entropy(logits, right / right.sum(1, keepdim=True))
    images = cross_entropy(logits.T, right.T / right.T.sum(1, keepdim=True))
    return (captions + images) / 2
