"""GELU or QuickGELU: which of the two a CLIP checkpoint was trained with, and what a name says.

The weights fit either way, so a mismatch shows only as a few points of lost accuracy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from oodexp.error import OodexpError

Activation = Literal["gelu", "quick_gelu"]

_SUFFIX = "-quickgelu"
_OPENAI_KEYS = {"input_resolution", "context_length", "vocab_size"}


def of_config(config: dict[str, Any]) -> Activation:
    """The activation that an open_clip model configuration builds."""
    return "quick_gelu" if config.get("quick_gelu", False) else "gelu"


def of_file(checkpoint: Path) -> Activation | None:
    """The activation that a checkpoint file itself tells of; None when it does not.

    OpenAI's archives and state dicts are recognisable, and were all trained with QuickGELU.
    """
    if checkpoint.suffix not in (".pt", ".pth", ".bin"):
        return None
    import torch

    try:
        state = torch.load(checkpoint, map_location="cpu", weights_only=True, mmap=True)
    except Exception:  # formats that cannot be mapped, or hold more than tensors, tell nothing
        return None
    return "quick_gelu" if isinstance(state, dict) and _OPENAI_KEYS & state.keys() else None


def refuse_mismatch(name: str, built: Activation, trained: Activation, because: str) -> None:
    """Refuses an architecture name whose activation is not the one of the weights.

    Args:
        name: Architecture name, or the folder that carries the configuration.
        built: What that name builds.
        trained: What the weights were trained with.
        because: Who says so, e.g. `the tag 'openai'`.

    Raises:
        OodexpError: Names the architecture that fits.
    """
    if built == trained:
        return
    right = f"{name}{_SUFFIX}" if trained == "quick_gelu" else name.removesuffix(_SUFFIX)
    raise OodexpError(
        f"model {name!r} builds {built}, but {because} says the weights were trained with "
        f"{trained}: every score would be wrong without an error; use {right!r}"
    )


def check_file(
    name: str, built: Activation, checkpoint: Path, stated: Activation | None, both: bool
) -> None:
    """Checks a checkpoint file under an architecture's name, by what can be known of it.

    A name that ends in `-quickgelu` states its activation. A plain name that also exists in that
    form states nothing: then the file or the setting `activation` must.

    Args:
        name: Architecture name.
        built: What that name builds.
        checkpoint: The file of weights.
        stated: The setting `activation`.
        both: Whether the architecture's name exists in both forms.

    Raises:
        OodexpError: On a mismatch, and when nothing tells the activation.
    """
    told = of_file(checkpoint)
    if told is not None:
        refuse_mismatch(name, built, told, f"the file {checkpoint.name}")
    if stated is not None:
        refuse_mismatch(name, built, stated, "the setting `activation`")
    if told is None and stated is None and both and not name.endswith(_SUFFIX):
        raise OodexpError(
            f"model {name!r} with the file {checkpoint.name}: the name exists with GELU and as "
            f"{name + _SUFFIX!r}, and the file does not tell which it was trained with; state it: "
            "activation=gelu or activation=quick_gelu"
        )
