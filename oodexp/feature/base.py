"""What every feature extractor gives: one vector an image.

Features stand beside the scorers: a test of whether two sets of images differ should not look
through the very models that divided them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor


class Extractor(Protocol):
    """A vision model.

    Constructors are cheap: they check names and settings, and nothing else. `fingerprint` must not
    load the model. `load` is called once before the methods below it.
    """

    def fingerprint(self) -> dict[str, Any]:
        """All that can change a vector, as plain JSON values.

        Weights sha256, architecture, preprocessing, pooling, normalisation, dtype, library
        versions.

        Raises:
            OodexpError: If weights are missing.
        """

    def load(self, device: str) -> None:
        """Loads weights in evaluation mode onto `device`.

        Raises:
            OodexpError: If a weight that a vector depends on is not in the files.
        """

    def preprocess(self, image: Image) -> Tensor:
        """The model's own transform of an RGB image: float32, (channel, height, width)."""

    def encode_images(self, batch: Tensor) -> Tensor:
        """Vectors, float32, (image, dimension), on the CPU.

        The vector of an image does not depend on its neighbours in the batch. Its length is the
        model's own, unless the extractor is set to give rows of length 1.
        """


def finished(vectors: Tensor, normalise: bool) -> Tensor:
    """Vectors as an extractor gives them: float32, on the CPU, of length 1 if wished.

    Args:
        vectors: Rows of any float type, (image, dimension).
        normalise: Whether each row is divided by its Euclidean length. A row of zeros has no
            direction and becomes NaN.
    """
    import torch

    vectors = vectors.float()
    if normalise:
        vectors = vectors / torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return vectors.cpu()
