"""Cases with a planted truth: models that lose on OOD or do not, features that differ or do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from oodexp.evidence.base import Answers, Case, Sample

CATEGORIES = ["cup", "hot dog", "sail"]


def sample(rng: np.random.Generator, name: str, images: int, shift: float) -> Sample:
    """1 to 4 pairs an image; OOD-H features lie `shift` from those of ID."""
    image = np.repeat(np.arange(images), rng.integers(1, 5, images))
    split = rng.choice(3, len(image), p=[0.4, 0.25, 0.35])
    whole = np.zeros(images)
    np.maximum.at(whole, image, split / 2)
    features = rng.normal(size=(images, 3)) + shift * whole[:, None]
    return Sample(
        [name], [str(n) for n in range(images)], [f"{n}.png" for n in range(images)],
        np.zeros(images, np.int64), image, CATEGORIES, rng.integers(0, 3, len(image)), split,
        np.ones(len(image), bool), rng.random(len(image)), features.astype(np.float32),
    )  # fmt: skip


def answers(rng: np.random.Generator, test: Sample, skill: Mapping[str, list[float]]) -> Answers:
    """Two questions a pair; `skill` is the chance of a right answer on ID, OOD-S, OOD-H."""
    counts = np.zeros((len(skill), len(test.image), 4), dtype=np.int64)
    for v, chances in enumerate(skill.values()):
        chance = np.array(chances)[test.split]
        positive, negative = (rng.random(len(chance)) < chance for _ in range(2))
        counts[v, :, 0], counts[v, :, 2] = positive, ~positive
        counts[v, :, 3], counts[v, :, 1] = negative, ~negative
    none = np.full(counts.shape[:2], np.nan)
    return Answers(list(skill), counts, np.zeros(counts.shape[:2], np.int64), none)


SKILL = {"strong": [0.97, 0.85, 0.6], "weak": [0.9, 0.7, 0.4], "steady": [0.8, 0.8, 0.8]}


def make(
    images: int = 300, seed: int = 0, skill: Mapping[str, list[float]] | None = None,
    shift: float = 1.0, train_shift: float | None = None,
) -> Case:  # fmt: skip
    rng = np.random.default_rng(seed)
    test = sample(rng, "test", images, shift)
    train = sample(rng, "train", images, shift if train_shift is None else train_shift)
    return Case(test, train, answers(rng, test, SKILL if skill is None else skill))


@pytest.fixture(scope="session")
def case() -> Callable[..., Case]:
    """Makes a case: `case(images=300, seed=0, skill=SKILL, shift=1.0, train_shift=None)`."""
    return make
