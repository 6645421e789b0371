"""Trains the tiny open_clip model and keeps it as a ``local-dir:`` folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.miniature.contrast import contrastive_loss, deal
from oodexp.miniature.progress import (
    adamw,
    batches,
    descend,
    progress_line,
    rate,
    set_rate,
    settle,
    to_pixels,
)
from oodexp.miniature.vocabulary import END, PAD, make_tokenizer, words
from oodexp.miniature.world import World

if TYPE_CHECKING:
    import torch

STEPS = 1_200
BATCH = 128
PEAK = 2e-3
MOST_SCALE = 20.0
"""Largest logit scale: S is a competition, so a larger one calls more canonical pairs anomalous."""
CONTEXT = 24


def model_config() -> dict[str, Any]:
    """Describes the model: a ModifiedResNet and a text transformer of two layers.

    Returns:
        The ``model_cfg`` of an open_clip folder.
    """
    listed = words()
    return {
        "embed_dim": 64,
        "vision_cfg": {"image_size": 64, "layers": [1, 1, 1, 1], "width": 16, "head_width": 64},
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


def fresh_model() -> torch.nn.Module:
    """Makes an untrained ``open_clip.CLIP``.

    Returns:
        The model, with weights drawn from torch's generator and a logit scale of 10.
    """
    from math import log

    import open_clip
    import torch

    config = model_config()
    model: Any = open_clip.CLIP(config["embed_dim"], config["vision_cfg"], config["text_cfg"])
    with torch.no_grad():
        model.logit_scale.fill_(log(10.0))
    made: torch.nn.Module = model
    return made


def train_open_clip(world: World, seed: int, steps: int = STEPS) -> torch.nn.Module:
    """Trains from nothing on images and their captions.

    Args:
        world: The training scenes; images, and what their captions say.
        seed: Seed of weights, batches and mirroring.
        steps: Batches to train on.

    Returns:
        The trained ``open_clip.CLIP`` in evaluation mode.
    """
    from math import log

    import torch

    settle(seed)
    rng = np.random.default_rng([seed, 101])
    model: Any = fresh_model().train()
    tokenizer = make_tokenizer("caption", CONTEXT)
    learned = list(model.parameters())
    optimizer = adamw([(learned, PEAK)])
    number = len(world.images)
    with progress_line("open_clip", steps) as report:
        for step, rows in enumerate(batches(number, min(BATCH, number), steps, rng)):
            set_rate(optimizer, rate(step, steps, min(60, steps)))
            dealt = deal(world, rows, rng)
            tokens = tokenizer(
                dealt.texts, padding="max_length", max_length=CONTEXT, return_tensors="pt"
            )["input_ids"]
            image = model.encode_image(to_pixels(world.images[rows], rng), normalize=True)
            text = model.encode_text(tokens, normalize=True)
            loss = contrastive_loss(model.logit_scale.exp() * image @ text.T, dealt.fits)
            descend(loss, optimizer, learned)
            with torch.no_grad():
                model.logit_scale.clamp_(max=log(MOST_SCALE))
            report(step + 1, loss.item())
    trained: torch.nn.Module = model.eval()
    return trained
