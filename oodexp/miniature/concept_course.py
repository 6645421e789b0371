"""What each concept encoder was trained on: years differ in data, width, objective and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from oodexp.miniature.concept_icon import NEW_SHAPES
from oodexp.miniature.concept_idea import (
    COMMON,
    CULTURE,
    FINE,
    MIXED,
    NEGATIVE,
    TIME,
    VIEW,
    WEATHER,
    WORD,
    imagine,
)
from oodexp.miniature.concept_paint import CRAWLED, GENERATED
from oodexp.miniature.concept_pattern import ORNAMENTS
from oodexp.miniature.concept_scene import draw_idea
from oodexp.miniature.concept_world import SEEDS

TEMPLATES = ("a photo of a {}", "a picture of a {}", "a drawing of a {}", "{}")
USUAL = 0.7
"""Share of captions in the first template, the prompt of the scorers."""
WHOLE = 0.7
"""Share of captions that say the whole phrase; the others name the object alone."""


@dataclass(frozen=True)
class Course:
    """The dials of a training.

    Attributes:
        width: Width of the image tower's stem times two; output is 32 times as wide.
        loss: ``softmax``, the contrastive loss of CLIP, or ``sigmoid``, that of SigLIP.
        pictures: Training pictures.
        steps: Batches.
        shares: Weight of each family among the pictures.
        known: New shapes and ornaments that occur.
        generated: Share of pictures by the soft renderer.
        mirrored: Whether half of a batch is mirrored.
        seed: Added to the seed of the command line, so that two models do not start alike.
    """

    width: int
    loss: str
    pictures: int
    steps: int
    shares: Mapping[str, float]
    known: tuple[str, ...]
    generated: float
    mirrored: bool
    seed: int


def _first(new: int, ornaments: int) -> tuple[str, ...]:
    return (*islice(NEW_SHAPES, new), *islice(ORNAMENTS, ornaments))


_LATEST = {
    COMMON: 0.25, NEGATIVE: 0.05, TIME: 0.1, CULTURE: 0.1, MIXED: 0.12, FINE: 0.12, WEATHER: 0.1,
    VIEW: 0.1, WORD: 0.06,
}  # fmt: skip
COURSES: dict[str, Course] = {
    "concept_2021": Course(
        8, "softmax", 5_000, 600,
        {COMMON: 0.55, NEGATIVE: 0.05, CULTURE: 0.1, MIXED: 0.1, FINE: 0.1, WEATHER: 0.1},
        _first(0, 3), 0.1, False, 2021,
    ),
    "concept_2023": Course(
        8, "softmax", 14_000, 1_150,
        {COMMON: 0.35, NEGATIVE: 0.05, CULTURE: 0.1, MIXED: 0.15, FINE: 0.15, WEATHER: 0.15,
         VIEW: 0.05},
        _first(0, 6), 0.25, True, 2023,
    ),
    "concept_2025": Course(
        10, "sigmoid", 16_000, 1_100, _LATEST, _first(8, 8), 0.4, True, 2025
    ),
    "concept_2025_small": Course(
        8, "sigmoid", 8_000, 700, _LATEST, _first(8, 8), 0.4, True, 2026
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Lessons:
    """Training pictures and what holds for them; n pictures, k phrases.

    Attributes:
        images: (n, 64, 64, 3) uint8.
        phrases: k phrases.
        whole: (n,) number of each picture's own phrase.
        part: (n,) number of a shorter phrase that holds as well; its own where there is none.
        holds: (n, k) whether the phrase holds for the picture.
    """

    images: NDArray[np.uint8]
    phrases: tuple[str, ...]
    whole: NDArray[np.int64]
    part: NDArray[np.int64]
    holds: NDArray[np.bool_]


def draw_lessons(course: Course, number: int | None = None) -> Lessons:
    """Draws the pictures of a course; each from its own seed.

    Args:
        course: The dials.
        number: How many; the course's own number if None.

    Returns:
        The pictures, with every phrase that occurs.
    """
    families, weights = list(course.shares), np.array(list(course.shares.values()))
    images, truths = [], []
    for index in range(course.pictures if number is None else number):
        rng = np.random.default_rng([SEEDS["train"], index])
        family = families[int(rng.choice(len(families), p=weights / weights.sum()))]
        idea = imagine(family, course.known, rng)
        acquisition = GENERATED if rng.random() < course.generated else CRAWLED
        images.append(draw_idea(idea, acquisition, rng))
        truths.append(idea.truths)
    phrases = tuple(dict.fromkeys(phrase for told in truths for phrase in told))
    place = {phrase: number for number, phrase in enumerate(phrases)}
    holds = np.zeros((len(images), len(phrases)), bool)
    for row, told in enumerate(truths):
        holds[row, [place[phrase] for phrase in told]] = True
    whole, part = (np.array([place[told[end]] for told in truths]) for end in (0, -1))
    return Lessons(np.stack(images), phrases, whole, part, holds)


def captions(
    lessons: Lessons, rows: NDArray[np.int64], rng: np.random.Generator
) -> tuple[list[str], NDArray[np.bool_]]:
    """Writes a caption for each picture of a batch and marks where else it holds.

    Args:
        lessons: The pictures.
        rows: Numbers of the batch's n pictures.
        rng: Chance of the wording.

    Returns:
        n captions; and (n, n), True where the caption of the column holds for the row's picture.
    """
    said = np.where(rng.random(len(rows)) < WHOLE, lessons.whole[rows], lessons.part[rows])
    usual = rng.random(len(rows)) < USUAL
    other = rng.integers(len(TEMPLATES), size=len(rows))
    texts = [
        TEMPLATES[0 if plain else form].format(lessons.phrases[phrase])
        for phrase, plain, form in zip(said, usual, other, strict=True)
    ]
    return texts, lessons.holds[np.ix_(rows, said)]
