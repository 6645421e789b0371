"""One vector of the tokens or the map that a vision model makes of an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from oodexp.error import OodexpError

if TYPE_CHECKING:
    from torch import Tensor

Pooling = Literal["cls", "mean", "pooler"]
"""`cls`: the class token; `mean`: the mean of the patches; `pooler`: the model's own."""

_CLASS = ("cls_token", "class_embedding")
_LEADING = (*_CLASS, "distillation_token", "register_tokens")
"""Parameters that stand before the patches, one token for each of their rows."""


def check_pooling(pooling: Pooling) -> Pooling:
    """The name, if it is one of `Pooling`.

    Raises:
        OodexpError: If it is not.
    """
    if pooling not in ("cls", "mean", "pooler"):
        raise OodexpError(f"pooling {pooling!r}: expected `cls`, `mean` or `pooler`")
    return pooling


def pooled(net: Any, seen: Any, size: Sequence[int], pooling: Pooling) -> Tensor:
    """Vectors of a batch, (image, dimension).

    Args:
        net: The vision model.
        seen: What it gave: `last_hidden_state`, (image, token, dimension) or (image, dimension,
            row, column), and perhaps `pooler_output`.
        size: Height and width of its input in pixels.
        pooling: How.

    Raises:
        OodexpError: If the model has no class token, no pooler, or tokens that are not patches.
    """
    if pooling == "pooler":
        found: Tensor | None = getattr(seen, "pooler_output", None)
        if found is None:
            raise _unfit(net, "has no pooler", "cls` or `mean")
        return found.flatten(1)
    hidden: Tensor = seen.last_hidden_state
    if hidden.ndim == 4 and pooling == "mean":
        return hidden.mean((2, 3))
    leading = _leading(net, hidden.shape[-1])
    if hidden.ndim == 4 or (pooling == "cls" and not any(n in leading for n in _CLASS)):
        raise _unfit(net, "has no class token", "mean` or `pooler")
    _check_patches(net, hidden.shape[1], sum(leading.values()), size)
    return hidden[:, 0] if pooling == "cls" else hidden[:, sum(leading.values()) :].mean(1)


def _leading(net: Any, width: int) -> dict[str, int]:
    """Number of tokens of each parameter that stands before the patches."""
    named = ((name.rpartition(".")[2], values) for name, values in net.named_parameters())
    return {name: values.numel() // width for name, values in named if name in _LEADING}


def _check_patches(net: Any, tokens: int, leading: int, size: Sequence[int]) -> None:
    """All tokens must be known: a model that masks patches at random would give random vectors."""
    side = getattr(net.config, "patch_size", None)
    sides = [side] * 2 if isinstance(side, int) else list(side or ())
    patches = (size[0] // sides[0]) * (size[1] // sides[1]) if len(sides) == 2 else None
    if patches is None or tokens != leading + patches:
        raise _unfit(
            net, f"gives {tokens} tokens, {leading} of them known and {patches} patches", "pooler"
        )


def _unfit(net: Any, fault: str, remedy: str) -> OodexpError:
    return OodexpError(f"{type(net).__name__} {fault}; use pooling=`{remedy}`, or another model")
