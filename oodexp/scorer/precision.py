"""How far a faster number format moves a scorer's logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oodexp.precision import Precision, check_precision, dtype

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Precision", "check_precision", "dtype", "error_band"]


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
