"""Trains the tiny LiT-like scorer: its image tower on labels, then its text tower to fit it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.miniature.contrast import contrastive_loss, deal
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.lit import CONTEXT, WIDTH, fresh_model
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
from oodexp.miniature.vocabulary import make_tokenizer
from oodexp.miniature.world import World

if TYPE_CHECKING:
    import torch

STEPS = (450, 1_000)
"""Batches of the image tower and of the text tower."""
BATCH = 128
TOWER_PEAK, TEXT_PEAK = 3e-3, 2e-3
MOST_SCALE = 20.0
"""Largest logit scale, as for the other scorers."""


def _train_tower(tower: Any, world: World, rng: np.random.Generator, steps: int) -> None:
    """Trains the image tower as a classifier; labels are the categories that captions name.

    What no caption names is a wrong label even where it is in the image: that is how this scorer,
    too, learns not to see it. The classifier's head is thrown away.
    """
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    head = torch.nn.Linear(WIDTH, len(CATEGORIES))
    labels = torch.from_numpy(world.named > 0).float()
    learned = [*tower.parameters(), *head.parameters()]
    optimizer = adamw([(learned, TOWER_PEAK)])
    tower.train()
    with progress_line("lit image tower", steps) as report:
        size = min(BATCH, len(labels))
        for step, rows in enumerate(batches(len(labels), size, steps, rng)):
            set_rate(optimizer, rate(step, steps, min(40, steps)))
            scores = head(tower(to_pixels(world.images[rows], rng)).pooler_output)
            loss = binary_cross_entropy_with_logits(scores, labels[rows], reduction="sum") / size
            descend(loss, optimizer, learned)
            report(step + 1, loss.item())
    tower.eval().requires_grad_(requires_grad=False)


def locked_features(tower: Any, world: World) -> torch.Tensor:
    """Computes what a locked image tower makes of each image, once for all batches to come.

    Args:
        tower: The tower.
        world: n scenes.

    Returns:
        (2, n, width): of the images, and of their mirror images.
    """
    import torch

    def seen(start: int, step: int) -> torch.Tensor:
        made: torch.Tensor = tower(
            to_pixels(world.images[start : start + BATCH, :, ::step])
        ).pooler_output
        return made

    starts = range(0, len(world.images), BATCH)
    with torch.inference_mode():
        kept = torch.stack([torch.cat([seen(start, step) for start in starts]) for step in (1, -1)])
    return kept.clone()


def _tune_text(model: Any, world: World, rng: np.random.Generator, steps: int) -> None:
    """Trains text tower, both projections and the scale against the locked features."""
    from math import log

    import torch
    from torch.nn.functional import normalize

    kept = locked_features(model.vision_model, world)
    tokenizer = make_tokenizer("caption", CONTEXT)
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer = adamw([(learned, TEXT_PEAK)])
    number = len(world.images)
    with progress_line("lit text tower", steps) as report:
        for step, rows in enumerate(batches(number, min(BATCH, number), steps, rng)):
            set_rate(optimizer, rate(step, steps, min(60, steps)))
            dealt = deal(world, rows, rng)
            words = tokenizer(dealt.texts, padding=True, return_tensors="pt")
            text = model.get_text_features(
                input_ids=words["input_ids"], attention_mask=words["attention_mask"]
            ).pooler_output
            image = model.visual_projection(kept[rng.integers(2, size=len(rows)), rows])
            cosines = normalize(image, dim=-1) @ normalize(text, dim=-1).T
            loss = contrastive_loss(model.logit_scale.exp() * cosines, dealt.fits)
            descend(loss, optimizer, learned)
            with torch.no_grad():
                model.logit_scale.clamp_(max=log(MOST_SCALE))
            report(step + 1, loss.item())


def train_lit(world: World, seed: int, steps: tuple[int, int] = STEPS) -> torch.nn.Module:
    """Trains from nothing: image tower on labels, then, with that locked, the text tower.

    Args:
        world: The training scenes; images, and what their captions say.
        seed: Seed of weights, batches and mirroring.
        steps: Batches of the two steps.

    Returns:
        The trained model in evaluation mode.
    """
    settle(seed)
    rng = np.random.default_rng([seed, 404])
    model: Any = fresh_model().train()
    _train_tower(model.vision_model, world, rng, steps[0])
    _tune_text(model, world, rng, steps[1])
    trained: torch.nn.Module = model.eval()
    return trained
