"""The number formats that a scorer may compute in; vectors leave it as float32 in any case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from oodexp.error import OodexpError

if TYPE_CHECKING:
    import numpy as np
    import torch

Precision = Literal["float32", "bfloat16"]
"""`float32` to compare with stored values; `bfloat16` for speed (cosines agree to about 1e-3)."""


def check_precision(precision: Precision) -> Precision:
    """The name, if it is one of `Precision`.

    Raises:
        OodexpError: If it is not.
    """
    if precision not in ("float32", "bfloat16"):
        raise OodexpError(f"precision {precision!r}: expected `float32` or `bfloat16`")
    return precision


def dtype(precision: str) -> torch.dtype:
    """The torch type of that name."""
    import torch

    return torch.bfloat16 if precision == "bfloat16" else torch.float32


def error_band(fast: np.ndarray, exact: np.ndarray) -> float:
    """The largest difference of logits that a fast number format makes, as measured.

    Args:
        fast: Logits of some images in the fast format, (image, category).
        exact: Logits of the same cells in float32.

    Returns:
        In units of a logit; infinite where one of the two alone is finite, 0 for no cells.
    """
    import numpy as np

    finite = np.isfinite(fast), np.isfinite(exact)
    if not np.array_equal(*finite):
        return float("inf")
    both = finite[0]
    gap = np.abs(fast[both].astype(np.float64) - exact[both].astype(np.float64))
    return float(gap.max(initial=0.0))
