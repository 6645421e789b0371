"""A pairwise head over one list of categories: what it gives an image is a row of logits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from oodexp.error import OodexpError
from oodexp.scorer.base import Link, TextBank

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor


class Head(Protocol):
    """What `Rows` needs of a model that looks at image and text together."""

    @property
    def precision(self) -> str:
        """Number format of its image side."""

    @property
    def link(self) -> Link:
        """See `oodexp.scorer.base.Scorer`."""

    def exact(self) -> Self:
        """The same head in float32."""

    def fingerprint(self) -> dict[str, Any]:
        """All that can change a logit besides the categories."""

    def load(self, device: str) -> None:
        """Loads weights in evaluation mode onto `device`."""

    def preprocess(self, image: Image) -> Tensor:
        """The model's own transform of an RGB image."""

    def refuse(self, categories: list[str]) -> None:
        """Refuses texts that would be cut, or that the model cannot tell apart."""

    def pair_logits(self, batch: Tensor, categories: list[str]) -> Tensor:
        """Logits, float32, (image, category)."""


class Rows:
    """A pairwise head as a scorer of one list of categories.

    The vector of an image is its row of logits, so another list asks the model anew, while another
    threshold or division does not. Each text is an axis of its own: logits are read off the vector.

    Args:
        head: The model.
        categories: Category texts, in order.
    """

    def __init__(self, head: Head, categories: list[str]) -> None:
        self._head, self._categories = head, list(categories)
        self.link, self.precision = head.link, head.precision

    def exact(self) -> Rows:
        """The same scorer in float32."""
        return Rows(self._head.exact(), self._categories)

    def fingerprint(self) -> dict[str, Any]:
        """The head's fingerprint with the categories."""
        return {**self._head.fingerprint(), "categories": self._categories}

    def load(self, device: str) -> None:
        """Loads the head."""
        self._head.load(device)

    def preprocess(self, image: Image) -> Tensor:
        """The head's own transform."""
        return self._head.preprocess(image)

    def encode_images(self, batch: Tensor) -> Tensor:
        """Rows of logits, float32, (image, category)."""
        return self._head.pair_logits(batch, self._categories).cpu()

    def encode_texts(self, categories: list[str]) -> TextBank:
        """An axis a category.

        Raises:
            OodexpError: If it is another list, or one that the head refuses.
        """
        if categories != self._categories:
            raise OodexpError(
                f"a pairwise scorer of {len(self._categories)} categories was given another list "
                f"of {len(categories)}; make one for it with `over`"
            )
        self._head.refuse(categories)
        return TextBank(np.eye(len(categories), dtype=np.float32), 1.0, 0.0)

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """The vectors as they are, float32, (image, category)."""
        return images.astype(np.float32, copy=False)
