"""What every scorer gives: unit vectors of images and texts, and their scaled logits.

Sign: a higher logit is a better match. Link: `softmax` over category texts (protocol of OODBench,
III-D, eq. 15); the scale is the model's own unless the configuration says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class TextBank:
    """The category texts as one scorer sees them: a zero-shot classifier."""

    embeddings: np.ndarray
    """float32, (category, dimension), rows of length 1."""
    scale: float
    """Factor from cosine to logit: exp of the learned logit scale, or a configured value."""
    bias: float
    """Added to every logit (SigLIP); 0 elsewhere."""


class Scorer(Protocol):
    """A contrastive model.

    Constructors are cheap: they check names and paths, and nothing else. `fingerprint` must not
    load the model. `load` is called once before the methods below it.
    """

    def fingerprint(self) -> dict[str, Any]:
        """All that can change an image vector or a logit, as plain JSON values.

        Weights sha256, architecture and activation, preprocessing, tokenizer, templates, scale
        setting, dtype, library versions. Category names are not part of it.

        Raises:
            OodexpError: If weights are missing, random, or do not fit the architecture's name.
        """

    def load(self, device: str) -> None:
        """Loads weights in evaluation mode onto `device`."""

    def preprocess(self, image: Image) -> Tensor:
        """The model's own transform of an RGB image: float32, (channel, height, width)."""

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors, float32: (image, dimension), or (image, query, dimension).

        The vector of an image does not depend on its neighbours in the batch.
        """

    def encode_texts(self, categories: list[str]) -> TextBank:
        """Vectors of the category texts through the scorer's templates, with its scale.

        Raises:
            OodexpError: If two categories become the same text for the model (truncation).
        """

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scaled logits, float32, (image, category); needs no loaded model."""
