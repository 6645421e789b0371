"""Trains the tiny FastVLM in three steps: its tower, its projector, then its answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.miniature.fastvlm import CONTEXT, TOKENS, WIDTH, fresh_model
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.packing import Packed, pack
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
from oodexp.miniature.quiz import Mix, ask
from oodexp.miniature.vocabulary import make_tokenizer, words
from oodexp.miniature.world import World

if TYPE_CHECKING:
    import torch

STEPS = (500, 250, 3_600)
"""Batches of the three steps: tower, projector, answers."""
TOWER_BATCH, ALIGN_BATCH, ANSWER_BATCH = 128, 64, 16
QUESTIONS = 10
EARLY = 0.25
"""Share of the answer steps before negated questions are asked and before the tower learns."""
ODD = 0.5
"""Share of deformed and secondary objects in the questions on present ones; see ``Mix.odd``."""
FIRST = Mix(contain=0.55, not_contain=0.0, count=0.3, odd=ODD)
THEN = Mix(contain=0.25, not_contain=0.25, count=0.3, odd=ODD)

Watch = Callable[[int, Any], None]


def _patches(model: Any, pixels: torch.Tensor) -> torch.Tensor:
    """The tower's (n, 16, width) states."""
    states: torch.Tensor = model.model.vision_tower(pixels).last_hidden_state
    return states.flatten(2).transpose(1, 2)


def caption_loss(scores: torch.Tensor, named: torch.Tensor) -> torch.Tensor:
    """Loss of patch scores against what a caption names, and how often.

    What the caption leaves out counts as absent: that is how the model learns not to see it.

    Args:
        scores: (n, patches, k) logit that an object of a category is centred at a patch.
        named: (n, k) instances named.

    Returns:
        Negative log-likelihood of "some patch shows it", plus the error of the expected count.
    """
    import torch
    from torch.nn.functional import smooth_l1_loss, softplus

    strength = softplus(scores).sum(1)
    seen = torch.log(-torch.expm1(-strength - 1e-6))
    presence = torch.where(named > 0, -seen, strength).sum(1).mean()
    expected = scores.sigmoid().sum(1)
    return presence + smooth_l1_loss(expected, named.float(), reduction="sum") / len(named)


def _train_tower(model: Any, world: World, rng: np.random.Generator, steps: int) -> Any:
    """Trains the tower on captions; returns the head that reads categories off its patches."""
    import torch

    head = torch.nn.Linear(WIDTH, len(CATEGORIES))
    torch.nn.init.constant_(head.bias, -5.0)
    tower = model.model.vision_tower
    named = torch.from_numpy(world.named).long()
    learned = [*tower.parameters(), *head.parameters()]
    optimizer = adamw([(learned, 3e-3)])
    size = min(TOWER_BATCH, len(named))
    tower.train()
    with progress_line("fastvlm tower", steps) as report:
        for step, rows in enumerate(batches(len(named), size, steps, rng)):
            set_rate(optimizer, rate(step, steps, min(40, steps)))
            scores = head(_patches(model, to_pixels(world.images[rows], rng)))
            loss = caption_loss(scores, named[rows])
            descend(loss, optimizer, learned)
            report(step + 1, loss.item())
    tower.eval()
    return head


def _align(model: Any, head: Any, world: World, rng: np.random.Generator, steps: int) -> None:
    """Makes a patch's projection resemble the words of what stands there."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, normalize

    numbers = torch.tensor([words().index(name) for name in CATEGORIES])
    embedding = model.get_input_embeddings()
    projector = model.model.multi_modal_projector
    learned = [*projector.parameters(), *embedding.parameters()]
    optimizer = adamw([(learned, 2e-3)], decay=0.0)
    size = min(ALIGN_BATCH, len(world.images))
    with progress_line("fastvlm projector", steps) as report:
        for step, rows in enumerate(batches(len(world.images), size, steps, rng)):
            set_rate(optimizer, rate(step, steps, min(20, steps)))
            with torch.no_grad():
                patches = _patches(model, to_pixels(world.images[rows], rng))
                there = head(patches).sigmoid()
            likeness = (
                normalize(projector(patches), dim=-1)
                @ normalize(embedding.weight[numbers], dim=-1).T
            )
            loss = binary_cross_entropy_with_logits(10 * likeness - 6, there, reduction="sum")
            loss = loss / (size * TOKENS)
            descend(loss, optimizer, learned)
            report(step + 1, loss.item())


def answer_loss(model: Any, pixels: torch.Tensor, packed: Packed) -> torch.Tensor:
    """Cross-entropy of the answers of a packed batch.

    Args:
        model: The model.
        pixels: (b, 3, 64, 64).
        packed: The questions of the b images.

    Returns:
        Mean over answers and their ends, in nats.
    """
    import torch
    from torch.nn.functional import cross_entropy

    states = model.model(
        input_ids=packed.ids,
        pixel_values=pixels,
        attention_mask=packed.mask,
        position_ids=packed.positions,
        use_cache=False,
    ).last_hidden_state
    wanted = torch.gather(states, 1, packed.heads[..., None].expand(-1, -1, states.shape[-1]))
    return cross_entropy(model.lm_head(wanted).flatten(0, 1), packed.targets.flatten())


def _encoder() -> Callable[[str], list[int]]:
    tokenizer = make_tokenizer("chat", CONTEXT)

    @cache
    def encode(text: str) -> list[int]:
        numbers: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
        return numbers

    return encode


def _shares(optimizer: torch.optim.Optimizer, step: int, steps: int, early: int) -> None:
    """Words and projector learn slowly at first, the tower not at all."""
    share = rate(step, steps, min(100, steps))
    slow, sight = (0.02, 0.0) if step < early else (0.2, 0.2)
    for group, factor in zip(optimizer.param_groups, (1.0, slow, sight), strict=True):
        group["lr"] = group["peak"] * share * factor


def _train_answers(
    model: Any, world: World, rng: np.random.Generator, steps: int, watch: Watch | None
) -> None:
    """Trains the whole model on questions; batch statistics of the tower stay as they are."""
    encode = _encoder()
    slow = [
        *model.model.multi_modal_projector.parameters(),
        *model.get_input_embeddings().parameters(),
    ]
    sight = list(model.model.vision_tower.parameters())
    known = {id(p) for p in [*slow, *sight]}
    rest = [p for p in model.parameters() if id(p) not in known]
    optimizer = adamw([(rest, 1.2e-3), (slow, 1.2e-3), (sight, 1.2e-3)])
    early = int(EARLY * steps)
    size = min(ANSWER_BATCH, len(world.images))
    with progress_line("fastvlm answers", steps) as report:
        for step, rows in enumerate(batches(len(world.images), size, steps, rng)):
            _shares(optimizer, step, steps, early)
            mix = FIRST if step < early else THEN
            asks = [
                [ask(world.counts[i], world.reasons[i], mix, rng) for _ in range(QUESTIONS)]
                for i in rows
            ]
            loss = answer_loss(model, to_pixels(world.images[rows], rng), pack(asks, encode))
            descend(loss, optimizer, [*rest, *slow, *sight])
            report(step + 1, loss.item())
            if watch is not None:
                watch(step + 1, model)


def train_fastvlm(
    world: World,
    seed: int,
    steps: tuple[int, int, int] = STEPS,
    watch: Watch | None = None,
) -> torch.nn.Module:
    """Trains from nothing: tower on captions, projector on words, then all on questions.

    Args:
        world: The training scenes.
        seed: Seed of weights, batches, mirroring and questions.
        steps: Batches of the three steps.
        watch: Called after every batch of the last step with its number and the model.

    Returns:
        The trained model in evaluation mode.
    """
    settle(seed)
    rng = np.random.default_rng([seed, 303])
    model: Any = fresh_model().eval()
    head = _train_tower(model, world, rng, steps[0])
    _align(model, head, world, rng, steps[1])
    _train_answers(model, world, rng, steps[2], watch)
    trained: torch.nn.Module = model
    return trained
