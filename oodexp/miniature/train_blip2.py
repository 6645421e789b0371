"""Trains the tiny BLIP-2 retrieval model (its ITC head) and keeps it as a transformers folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.miniature.contrast import contrastive_loss, deal
from oodexp.miniature.icon import CATEGORIES
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
from oodexp.miniature.vocabulary import PAD, make_tokenizer, words
from oodexp.miniature.world import World

if TYPE_CHECKING:
    import torch
    from transformers import BatchEncoding

STEPS = 2_000
BATCH = 128
PEAK = 1.5e-3
MOST_SCALE = 20.0
CONTEXT = 24
WIDTH = 96
HELP_SHARE = 0.5
"""Share of the training in which a throw-away head also learns the words of the caption from the
patches: it takes the ViT off the plateau on which contrast alone leaves it. It fades linearly."""


def _vision() -> Any:
    from transformers import Blip2VisionConfig

    return Blip2VisionConfig(
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=3,
        num_attention_heads=3,
        image_size=64,
        patch_size=8,
        initializer_range=0.02,
    )


def _former() -> Any:
    from transformers import Blip2QFormerConfig

    return Blip2QFormerConfig(
        vocab_size=len(words()),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=32,
        cross_attention_frequency=1,
        encoder_hidden_size=WIDTH,
        use_qformer_text_input=True,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=words().index(PAD),
    )


def _unused_language() -> Any:
    """The smallest language model that the configuration takes; retrieval never makes it."""
    from transformers import OPTConfig

    return OPTConfig(
        vocab_size=len(words()),
        hidden_size=16,
        num_hidden_layers=1,
        ffn_dim=16,
        num_attention_heads=1,
        word_embed_proj_dim=16,
        max_position_embeddings=32,
    )


def fresh_model() -> torch.nn.Module:
    """Makes an untrained ``Blip2ForImageTextRetrieval``: a ViT and a Q-Former of two queries.

    Returns:
        The model, with weights drawn from torch's generator.
    """
    import torch
    from transformers import Blip2Config, Blip2ForImageTextRetrieval

    config = Blip2Config(
        vision_config=_vision(),
        qformer_config=_former(),
        text_config=_unused_language(),
        num_query_tokens=2,
        image_text_hidden_size=64,
    )
    config.image_token_index = None
    model: Any = Blip2ForImageTextRetrieval(config)
    torch.nn.init.normal_(model.query_tokens, std=0.5)
    made: torch.nn.Module = model
    return made


def _helper() -> torch.nn.Module:
    import torch

    helper = torch.nn.Linear(WIDTH, len(CATEGORIES))
    torch.nn.init.constant_(helper.bias, -6.0)
    return helper


def _cosines(
    model: Any, pixels: torch.Tensor, text: BatchEncoding
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines as the model itself computes them, and the patches' states beside them."""
    out = model(
        pixel_values=pixels,
        input_ids=text["input_ids"],
        attention_mask=text["attention_mask"],
        use_image_text_matching_head=False,
    )
    return out.logits_per_image, out.vision_model_output.last_hidden_state


def _word_loss(scores: torch.Tensor, named: torch.Tensor) -> torch.Tensor:
    """Loss of "some patch shows it" (noisy or) against what the caption names."""
    import torch
    from torch.nn.functional import softplus

    strength = softplus(scores).sum(1)
    seen = torch.log(-torch.expm1(-strength - 1e-6))
    return torch.where(named, -seen, strength).sum(1).mean()


def train_blip2(world: World, seed: int, steps: int = STEPS) -> tuple[torch.nn.Module, float]:
    """Trains from nothing on images and their captions.

    Args:
        world: The training scenes; images, and what their captions say.
        seed: Seed of weights, batches and mirroring.
        steps: Batches to train on.

    Returns:
        The trained model in evaluation mode, and the scale of its cosines.
    """
    from math import log

    import torch

    settle(seed)
    rng = np.random.default_rng([seed, 202])
    model = fresh_model().train()
    helper = _helper()
    scale = torch.nn.Parameter(torch.tensor(log(10.0)))
    tokenizer = make_tokenizer("caption", CONTEXT)
    named = torch.from_numpy(world.named > 0)
    learned = [*model.parameters(), *helper.parameters(), scale]
    optimizer = adamw([(learned, PEAK)])
    number = len(world.images)
    with progress_line("blip2", steps) as report:
        for step, rows in enumerate(batches(number, min(BATCH, number), steps, rng)):
            set_rate(optimizer, rate(step, steps, min(150, steps)))
            dealt = deal(world, rows, rng)
            text = tokenizer(dealt.texts, padding=True, return_tensors="pt")
            cosines, patches = _cosines(model, to_pixels(world.images[rows], rng), text)
            loss = contrast = contrastive_loss(scale.exp() * cosines, dealt.fits)
            aid = max(0.0, 1 - step / (HELP_SHARE * steps))
            if aid > 0:
                loss = contrast + aid * _word_loss(helper(patches), named[rows])
            descend(loss, optimizer, learned)
            with torch.no_grad():
                scale.clamp_(max=log(MOST_SCALE))
            report(step + 1, contrast.item())
    return model.eval(), scale.exp().item()


def save_blip2(model: Any, scale: float, folder: Path) -> None:
    """Keeps model, processor, tokenizer and the scale, which the class has no place for.

    Args:
        model: The trained model.
        scale: Factor of its cosines in the contrastive softmax.
        folder: Where to; made if missing.
    """
    from transformers import Blip2Processor, BlipImageProcessor

    folder.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(folder)
    model.float()
    sight = BlipImageProcessor(
        size={"height": 64, "width": 64}, image_mean=[0.5] * 3, image_std=[0.5] * 3
    )
    tokenizer = make_tokenizer("caption", CONTEXT)
    maker: Any = Blip2Processor
    maker(image_processor=sight, tokenizer=tokenizer).save_pretrained(folder)
    (folder / "oodexp_scale.json").write_text(json.dumps({"scale": round(scale, 4)}) + "\n")
