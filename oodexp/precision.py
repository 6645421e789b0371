"""The number formats that a model may compute in; vectors leave it as float32 in any case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from oodexp.error import OodexpError

if TYPE_CHECKING:
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
