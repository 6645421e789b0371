"""Models that answer at once: a run with them is made of everything but models."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.growth_world import CATEGORIES
from oodexp.scorer.base import Link, TextBank
from oodexp.vlm.base import Reply

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

DIMENSION = 512
"""Of an image vector, as CLIP ViT-B/32 has."""


class Scorer:
    """Looks at the pixels of `growth_world`: its vector of an image is the image.

    Args:
        seed: Of how well it sees each category.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._gain = np.random.default_rng(seed).uniform(0.6, 1, CATEGORIES).astype(np.float32)

    @property
    def link(self) -> Link:
        """See `Scorer` of oodexp."""
        return "softmax"

    def fingerprint(self) -> dict[str, Any]:
        """The seed."""
        return {"kind": "growth", "seed": self._seed}

    def load(self, device: str) -> None:
        """Nothing is loaded."""

    def preprocess(self, image: Image) -> Tensor:
        """The pixels, (1, height, width)."""
        import torch

        return torch.from_numpy(np.asarray(image.convert("L"), np.float32) / 255)[None]

    def encode_images(self, batch: Tensor) -> Tensor:
        """Unit vectors, (image, DIMENSION)."""
        import torch

        seen = batch.flatten(1) * torch.from_numpy(self._gain)
        padded = torch.nn.functional.pad(seen, (0, DIMENSION - CATEGORIES))
        return torch.nn.functional.normalize(padded, dim=1)

    def encode_texts(self, categories: list[str]) -> TextBank:
        """One axis a category."""
        return TextBank(np.eye(len(categories), DIMENSION, dtype=np.float32), 100.0, 0.0)

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        """Scaled cosines, float32, (image, category)."""
        return np.float32(bank.scale) * (images @ bank.embeddings.T)


class Vlm:
    """Answers yes or no, wrongly to a fifth of the questions.

    Args:
        seconds: How long a question takes; the processor is idle meanwhile, as it is where a GPU
            works.
    """

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds

    def fingerprint(self) -> dict[str, Any]:
        """Nothing but its kind."""
        return {"kind": "growth"}

    def load(self, device: str) -> None:
        """Nothing is loaded."""

    def complete(
        self, images: Sequence[Image], prompts: Sequence[str],
        max_tokens: Sequence[int | None] | None = None,
    ) -> list[Reply]:  # fmt: skip
        """One reply a question."""
        time.sleep(self._seconds * len(prompts))
        return [self._reply(i, p) for i, p in zip(images, prompts, strict=True)]

    @staticmethod
    def _reply(image: Image, prompt: str) -> Reply:
        wrong = zlib.crc32(image.tobytes() + prompt.encode()) % 5 == 0
        return Reply("No" if (" not " in prompt) != wrong else "Yes", "ok", None, 1, 60)
