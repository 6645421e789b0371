"""Trains a second, weaker FastVLM: the same class, another seed, fewer scenes, fewer batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oodexp.miniature.train_fastvlm import train_fastvlm
from oodexp.miniature.world import World

if TYPE_CHECKING:
    import torch

SEED = 1
"""Added to the seed asked for, so that it never starts from the first model's weights."""
SCENES = 1_500
"""Training scenes; the first model has 26,000."""
STEPS = (150, 150, 900)
"""Batches of tower, projector and answers; the first model has 500, 250 and 3,600."""


def train_fastvlm_weak(
    world: World, seed: int, steps: tuple[int, int, int] = STEPS
) -> torch.nn.Module:
    """Trains from nothing on the first scenes of the world only.

    Args:
        world: The training scenes, or as many of them as this model uses.
        seed: As for the first model, which starts elsewhere from the same one.
        steps: Batches of the three steps.

    Returns:
        The trained model in evaluation mode.
    """
    return train_fastvlm(world.first(SCENES), SEED + seed, steps)
