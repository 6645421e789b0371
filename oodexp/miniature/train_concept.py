"""Trains the concept encoders, each by its course, from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oodexp.miniature.concept_course import COURSES, Course, Lessons, captions, draw_lessons
from oodexp.miniature.concept_model import CONTEXT, fresh_model, model_config
from oodexp.miniature.concept_vocabulary import make_concept_tokenizer
from oodexp.miniature.contrast import contrastive_loss
from oodexp.miniature.open_clip_folder import save_open_clip
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

if TYPE_CHECKING:
    import torch

BATCH = 128
PEAK = 2e-3
MOST_SCALE = 30.0
"""Largest logit scale."""


def sigmoid_loss(logits: torch.Tensor, fits: NDArray[np.bool_]) -> torch.Tensor:
    """SigLIP's loss: each pair of image and caption is a yes or no of its own.

    Mean over images of the sum over captions of -log sigmoid(+-logit) (Zhai et al. 2023, eq. 2),
    here with every caption that holds as a yes.

    Args:
        logits: (n, n) scaled cosines with bias, images by captions.
        fits: (n, n) where a caption holds.

    Returns:
        The loss, in nats.
    """
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    right = torch.from_numpy(fits).float()
    return binary_cross_entropy_with_logits(logits, right, reduction="sum") / len(logits)


def _loss(model: Any, course: Course, cosines: torch.Tensor, fits: NDArray[np.bool_]) -> Any:
    scaled = model.logit_scale.exp() * cosines
    if course.loss == "sigmoid":
        return sigmoid_loss(scaled + model.logit_bias, fits)
    return contrastive_loss(scaled, fits)


def train_concept(course: Course, lessons: Lessons, seed: int, steps: int) -> torch.nn.Module:
    """Trains one encoder from nothing on pictures and captions.

    Args:
        course: The dials.
        lessons: Its pictures.
        seed: Seed of weights, batches, captions and mirroring.
        steps: Batches to train on.

    Returns:
        The trained model in evaluation mode.
    """
    from math import log

    import torch

    settle(seed + course.seed)
    rng = np.random.default_rng([seed, course.seed])
    model: Any = fresh_model(course).train()
    tokenizer = make_concept_tokenizer(CONTEXT)
    learned = list(model.parameters())
    optimizer = adamw([(learned, PEAK)])
    size = min(BATCH, len(lessons.images))
    with progress_line(f"concept, width {course.width}", steps) as report:
        for step, rows in enumerate(batches(len(lessons.images), size, steps, rng)):
            set_rate(optimizer, rate(step, steps, min(60, steps)))
            texts, fits = captions(lessons, rows, rng)
            tokens = tokenizer(
                texts, padding="max_length", max_length=CONTEXT, return_tensors="pt"
            )["input_ids"]
            pixels = to_pixels(lessons.images[rows], rng if course.mirrored else None)
            image = model.encode_image(pixels, normalize=True)
            text = model.encode_text(tokens, normalize=True)
            loss = _loss(model, course, image @ text.T, fits)
            descend(loss, optimizer, learned)
            with torch.no_grad():
                model.logit_scale.clamp_(max=log(MOST_SCALE))
            report(step + 1, loss.item())
    trained: torch.nn.Module = model.eval()
    return trained


def train_concepts(
    out: Path, seed: int, steps: int | None = None, pictures: int | None = None
) -> None:
    """Trains all concept encoders and keeps each in a folder of its name.

    Args:
        out: Where the folders go.
        seed: Seed of the command line.
        steps: Batches of each, for a trial run; None for the courses' own numbers.
        pictures: Training pictures of each at most; None for the courses' own numbers.
    """
    for name, course in COURSES.items():
        number = min(course.pictures, pictures or course.pictures)
        lessons = draw_lessons(course, number)
        model = train_concept(course, lessons, seed, steps or course.steps)
        tokenizer = make_concept_tokenizer(CONTEXT)
        save_open_clip(model, model_config(course), tokenizer, out / name)
