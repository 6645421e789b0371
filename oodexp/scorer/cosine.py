"""Unit vectors, and the logits that come of their products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

    from oodexp.scorer.base import TextBank

_ROWS = 256


def unit(vectors: Tensor) -> Tensor:
    """Rows of length 1 along the last axis, float32 whatever the model's precision.

    A row that is not finite stays not finite: it must not pass for a direction.
    """
    import torch

    vectors = vectors.float()
    length: Tensor = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return vectors / length


def mean_direction(parts: list[Tensor]) -> Tensor:
    """Mean of unit vectors (one part a template), scaled back to length 1."""
    import torch

    return unit(torch.stack(parts).mean(0))


def cosine_logits(images: np.ndarray, bank: TextBank) -> np.ndarray:
    """`scale * cosine + bias`, float32, (image, category).

    Images of several vectors, (image, query, dimension), count with their best query (BLIP-2).
    A NaN anywhere in an image's vectors makes its logits NaN.
    """
    cosine = np.empty((len(images), len(bank.embeddings)), np.float32)
    for start in range(0, len(images), _ROWS):
        rows = images[start : start + _ROWS]
        product = rows.astype(np.float32, copy=False) @ bank.embeddings.T
        cosine[start : start + _ROWS] = product.max(axis=1) if rows.ndim == 3 else product
    return np.asarray(np.float32(bank.scale) * cosine + np.float32(bank.bias), np.float32)
