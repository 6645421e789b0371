"""The images of a source on their way to the models: each decoded once, however many look at it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from oodexp.predict.content import shown
from oodexp.scorer.base import Sighted

if TYPE_CHECKING:
    from torch import Tensor

    from oodexp.feature.base import Extractor


class Shown(NamedTuple):
    """A batch of images."""

    keys: list[str]
    """sha256 of each file."""
    reasons: list[str | None]
    """Why an image could not be decoded."""
    tensors: dict[str, Tensor]
    """Input of each model, by name: those of the images that could be decoded, stacked. One
    tensor, as each costs a file handle on its way from a decoding process."""


class Shots:
    """The images still to run a model on (see `chunk.Items`).

    Args:
        images: Image id by sha256.
        read: Gives an image's bytes by its id.
        models: Scorers or extractors by name, whose inputs are needed.
    """

    def __init__(
        self, images: Mapping[str, str], read: Callable[[str], bytes],
        models: Mapping[str, Extractor],
    ) -> None:  # fmt: skip
        self._images = list(images.items())
        self._read = read
        self._models = dict(models)

    def __len__(self) -> int:
        return len(self._images)

    def __getitems__(self, indices: Sequence[int]) -> Shown:
        """The images of a batch, each decoded once, and once transformed for each way to see."""
        import torch

        images = [self._images[n] for n in indices]
        pixels, reasons = zip(*(shown(self._read, i) for _, i in images), strict=True)
        good = [image for image in pixels if image is not None]
        stacked: dict[str, Tensor] = {}
        seen: dict[Hashable, Tensor] = {}
        for name, model in self._models.items() if good else ():
            sight = model.sight if isinstance(model, Sighted) else name
            if sight not in seen:
                seen[sight] = torch.stack([model.preprocess(image) for image in good])
            stacked[name] = seen[sight]
        return Shown([key for key, _ in images], list(reasons), stacked)


def by_content(images: pd.DataFrame) -> dict[str, str]:
    """Image id by sha256, the first of images with the same bytes; without those of unknown bytes.

    Args:
        images: `record.Image` rows of one source.
    """
    known = images.dropna(subset="sha256")
    first = dict(zip(known["sha256"][::-1], known["image_id"][::-1], strict=True))
    return {key: first[key] for key in dict.fromkeys(known["sha256"])}
