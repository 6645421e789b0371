"""Random annotations and logits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from oodexp.division.base import Matrix


class Drawn(NamedTuple):
    """A small source with the logits of some scorers."""

    matrix: Matrix
    logits: dict[str, np.ndarray]


def make(
    scorers: int = 2,
    images: int = 40,
    categories: int = 6,
    seed: int = 0,
    unknown: float = 0.0,
    strength: float = 3.0,
) -> Drawn:
    rng = np.random.default_rng(seed)
    presence = rng.choice(
        np.array([0, 1, 2], np.uint8),
        size=(images, categories),
        p=[0.7 - unknown, 0.3, unknown],
    )
    names = [f"c{n}" for n in range(categories)]
    matrix = Matrix("drawn", [f"i{n}" for n in range(images)], names, presence)
    signal = strength * (presence == 1)
    logits = {
        f"s{k}": (signal + rng.normal(0, 3, presence.shape)).astype(np.float32)
        for k in range(scorers)
    }
    return Drawn(matrix, logits)


@pytest.fixture(scope="session")
def drawn():
    """Makes a source: `drawn(scorers=2, images=40, categories=6, seed=0, unknown=0.0,
    strength=3.0)`."""
    return make
