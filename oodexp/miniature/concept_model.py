"""The concept encoders as open_clip knows them, and the folder that ``local-dir:`` loads."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

from oodexp.miniature.concept_course import Course
from oodexp.miniature.concept_vocabulary import concept_words
from oodexp.miniature.vocabulary import END, PAD

if TYPE_CHECKING:
    import torch

CONTEXT = 16
START_SCALE, START_BIAS = 10.0, -10.0
"""Scale and bias that training starts from; the bias is SigLIP's."""


def model_config(course: Course) -> dict[str, Any]:
    """Describes the model: a ModifiedResNet and a text transformer of two layers.

    Args:
        course: Gives the width, and whether logits have a bias.

    Returns:
        The ``model_cfg`` of an open_clip folder.
    """
    listed = concept_words()
    described: dict[str, Any] = {
        "embed_dim": 64,
        "init_logit_scale": log(START_SCALE),
        "vision_cfg": {
            "image_size": 64,
            "layers": [1, 1, 1, 1],
            "width": course.width,
            "head_width": 4 * course.width,
        },
        "text_cfg": {
            "context_length": CONTEXT,
            "vocab_size": len(listed),
            "hf_tokenizer_name": "oodexp-miniature",
            "width": 64,
            "heads": 2,
            "layers": 2,
            "pool_type": "eos",
            "eos_id": listed.index(END),
            "pad_id": listed.index(PAD),
        },
    }
    if course.loss == "sigmoid":
        described |= {"custom_text": True, "init_logit_bias": START_BIAS}
    return described


def fresh_model(course: Course) -> torch.nn.Module:
    """Makes an untrained model.

    Args:
        course: Its dials.

    Returns:
        ``open_clip.CLIP``, or ``open_clip.CustomTextCLIP`` with a bias where the loss is a sigmoid;
        weights drawn from torch's generator.
    """
    import open_clip

    config = model_config(course)
    maker: Any = open_clip.CustomTextCLIP if config.pop("custom_text", False) else open_clip.CLIP
    made: torch.nn.Module = maker(**config)
    return made
