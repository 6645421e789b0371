"""A made concept set whose truth is planted: some images near common things, some near phrases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from oodexp import table
from oodexp.concept.bench import Bench, Reference, built, named
from oodexp.concept.protocol import Protocol
from oodexp.record import Concept

WIDTH = 16
FEW = {"resamples": 100, "shots": [1, 3], "repeats": 2, "points": 30}


def unit(points: np.ndarray) -> np.ndarray:
    return np.float32(points / np.linalg.norm(points, axis=1, keepdims=True))


def concepts(images: int = 120, phrases: int = 6) -> pd.DataFrame:
    numbers = np.arange(images)
    return table.frame(
        Concept,
        {
            "source": ["made"] * images, "image_id": [f"i{n}" for n in numbers],
            "phrase": [f"phrase {n % phrases}" for n in numbers],
            "category": [f"family {(n % phrases) % 2}" for n in numbers],
            "acquisition": np.where(numbers % 3 == 0, "generated", "crawled"),
            "licence": ["CC0"] * images, "origin": ["drawn"] * images,
        },
    )  # fmt: skip


def make(seed: int = 0, images: int = 120, phrases: int = 6, **protocol: object) -> Bench:
    """Every fourth image lies near a common class; of the others every second near its phrase."""
    rng = np.random.default_rng(seed)
    rows = concepts(images, phrases)
    names = named(rows)
    common, texts = unit(rng.normal(size=(5, WIDTH))), unit(rng.normal(size=(phrases, WIDTH)))
    points = rng.normal(size=(images, WIDTH))
    near = np.arange(images) % 4 == 0
    points[near] = 6 * common[rng.integers(5, size=near.sum())] + 0.3 * points[near]
    own = ~near & (np.arange(images) % 2 == 1)
    points[own] += 4 * texts[names.phrase[own]]
    around = unit(common[rng.integers(5, size=80)] + 0.2 * rng.normal(size=(80, WIDTH)))
    reference = Reference(
        unit(points), texts, common, around, unit(rng.normal(size=(30, WIDTH))),
        unit(rng.normal(size=(3, WIDTH))), unit(rng.normal(size=(40, WIDTH))),
    )  # fmt: skip
    return built(names, reference, Protocol(**(FEW | protocol)))  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def bench() -> Callable[..., Bench]:
    """Makes a benchmark: `bench(seed=0, images=120, phrases=6, **protocol)`."""
    return make
