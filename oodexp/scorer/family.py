"""The families of dual encoders in transformers, and what each was trained with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError


@dataclass(frozen=True, slots=True)
class Family:
    """What holds for all models of one class and is not in their configuration."""

    kind: str
    """Name of the class in transformers."""
    fixed_width: bool = False
    """Whether texts were padded to one width without a mask: then every text must be (SigLIP)."""
    length: int | None = None
    """Trained text length in tokens, where the configuration's positions are more than that."""
    cleaning: str = "as_is"
    """How prompts are cleaned; see `oodexp.scorer.canonical`."""
    bfloat16: bool = True
    """Whether rounding changes a score by little."""


_FAMILIES = {
    "clip": Family("CLIPModel"),
    "siglip": Family("SiglipModel", fixed_width=True, cleaning="canonical"),
    "siglip2": Family("Siglip2Model", fixed_width=True, cleaning="canonical"),
    "align": Family("AlignModel", length=64),
    # Each image patch goes to the one group that fits best: rounding moves patches as a whole.
    "groupvit": Family("GroupViTModel", bfloat16=False),
    "vision-text-dual-encoder": Family("VisionTextDualEncoderModel"),
}


def family_of(config: Any, folder: Path) -> Family:
    """The family of a model by its configuration.

    Args:
        config: As transformers reads it from the folder.
        folder: Named in the message.

    Raises:
        OodexpError: If it is none of the dual encoders.
    """
    found = _FAMILIES.get(config.model_type)
    if found is None:
        raise OodexpError(
            f"{folder}: config.json says model_type {config.model_type!r}, which is none "
            f"of the dual encoders {', '.join(_FAMILIES)}; BLIP-2 is scorer=blip2, and models of "
            "open_clip are read by oodexp.scorer.open_clip.OpenClip"
        )
    return found


def text_length(family: Family, config: Any, tokenizer: Any) -> int:
    """Longest text in tokens: the trained width of a family that pads to it.

    Args:
        family: The model's family.
        config: Its configuration.
        tokenizer: Its tokenizer; some position tables hold more rows than can be used.
    """
    positions = int(config.text_config.max_position_embeddings)
    if family.fixed_width:
        return positions
    return min(positions, family.length or positions, int(tokenizer.model_max_length))


def activations(config: Any) -> list[str | None]:
    """The activations of the image and text tower, the class's own where the file names none."""
    parts = (config.vision_config, config.text_config)
    return [getattr(part, "hidden_act", None) for part in parts]
