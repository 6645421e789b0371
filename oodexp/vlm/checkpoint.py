"""A checkpoint of transformers in memory: its class, precision, and where it lies."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from oodexp.error import OodexpError
from oodexp.weights import fit_loading_bar

QUANTIZATIONS = (None, "int8", "int4")
"""What weights may be held as; null for the dtype."""


class Placement(NamedTuple):
    """How weights are held."""

    dtype: str
    """`float32`, `bfloat16`, `float16`, or `auto` for the checkpoint's."""
    device_map: str | None
    """`auto` to spread the layers over all devices; None for one device."""
    attn_implementation: str | None
    """`sdpa`, `eager`, `flash_attention_2`; None for the library's choice."""
    quantization: str | None
    """`int8`, `int4`, or None."""

    def check(self, model: str) -> None:
        """Looks for what is needed, before anything is loaded.

        Raises:
            OodexpError: If a library is missing.
        """
        needs = {"bitsandbytes": f"quantization {self.quantization}" if self.quantization else ""}
        needs["accelerate"] = (
            f"device_map {self.device_map}" if self.device_map else needs["bitsandbytes"]
        )
        for library, wish in needs.items():
            if wish and importlib.util.find_spec(library) is None:
                raise OodexpError(
                    f"vlm {model!r}: {wish} needs {library}, which is not installed; "
                    f"`pip install {library}`, or leave the setting at null"
                )


@contextmanager
def own_code(model: str) -> Iterator[None]:
    """Says what to do about a checkpoint that wants to run code of its own.

    Args:
        model: Its name, for messages.

    Raises:
        OodexpError: If it wants to, and was not asked for it by name.
    """
    try:
        yield
    except ValueError as error:
        if "trust_remote_code" not in str(error):
            raise
        raise OodexpError(
            f"vlm {model!r}: the checkpoint brings code of its own, which is not run; read it, and "
            "if you trust it, set trust_remote_code=true"
        ) from error


def load_net(model: str, folder: Path, device: str, placement: Placement, trust: bool) -> Any:
    """The network in evaluation mode.

    Args:
        model: Its name, for messages.
        folder: Where its files are.
        device: Where to put it, unless it is spread.
        placement: How to hold it.
        trust: Whether code in the folder may run.

    Raises:
        OodexpError: If a weight is missing, or the checkpoint wants to run code and may not.
    """
    import transformers

    loader: Any = transformers.AutoModelForImageTextToText  # its factory methods have no types
    fit_loading_bar(folder)
    with own_code(model):
        net, seen = loader.from_pretrained(
            folder,
            dtype=placement.dtype,
            trust_remote_code=trust,
            output_loading_info=True,
            **_held(placement, device),
        )
    if seen["missing_keys"] or seen["mismatched_keys"]:
        missing = sorted(seen["missing_keys"])[:5]
        raise OodexpError(f"vlm {model!r}: {missing} are not in its weights (or differ)")
    fixed = placement.device_map or placement.quantization
    return net.eval() if fixed else net.to(device).eval()


def _held(placement: Placement, device: str) -> dict[str, Any]:
    held: dict[str, Any] = {}
    if placement.attn_implementation is not None:
        held["attn_implementation"] = placement.attn_implementation
    if placement.quantization is not None:
        held["quantization_config"] = _quantized(placement)
        held["device_map"] = {"": device}
    if placement.device_map is not None:
        held["device_map"] = placement.device_map
    return held


def _quantized(placement: Placement) -> Any:
    import torch
    import transformers

    bits: Any = transformers.BitsAndBytesConfig
    if placement.quantization == "int8":
        return bits(load_in_8bit=True)
    dtype = torch.bfloat16 if placement.dtype == "auto" else getattr(torch, placement.dtype)
    return bits(load_in_4bit=True, bnb_4bit_compute_dtype=dtype)
