"""The concepts that are drawn: 70 phrases in seven families, and how more of each kind are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from oodexp.miniature.concept_icon import NEW_SHAPES, RARE_SHAPES
from oodexp.miniature.concept_pattern import ORNAMENTS, TEXTURES
from oodexp.miniature.icon import CATEGORIES

TIME, MIXED, CULTURE, FINE, WEATHER, VIEW, WORD = FAMILIES = (
    "time-lagged",
    "synthetic/fictional",
    "cultural",
    "fine-grained/texture",
    "environmental shift",
    "viewpoint/scale",
    "typographic conflict",
)
"""The paper's seven categories."""
COMMON, LONG_TAIL, NEGATIVE = "common", "long-tail", "negative"

AIRS = ("in fog", "in rain", "at night")
VIEWS = ("upside down", "close up", "far away")


@dataclass(frozen=True)
class Idea:
    """One concept.

    Attributes:
        phrase: As inserted into prompts.
        family: One of ``FAMILIES``, or ``COMMON``, ``LONG_TAIL``, ``NEGATIVE``.
        objects: Names of the drawings it shows; of an ornament, none; of a digit, the digit.
        manner: What is done with them: a texture, an air, a view, an ornament, a written word.
    """

    phrase: str
    family: str
    objects: tuple[str, ...]
    manner: str = ""

    @property
    def truths(self) -> tuple[str, ...]:
        """Phrases that hold for its pictures: its own; the object's, where it is one and whole."""
        plain = self.family in (FINE, WEATHER, VIEW, WORD)
        return (self.phrase, *(self.objects if plain else ()))


def plain(name: str) -> Idea:
    """An object as it usually looks.

    Args:
        name: One of ``CATEGORIES``, ``NEW_SHAPES`` or ``RARE_SHAPES``.
    """
    family = TIME if name in NEW_SHAPES else LONG_TAIL if name in RARE_SHAPES else COMMON
    return Idea(name, family, (name,))


def mixture(first: str, second: str) -> Idea:
    """An odd being: the left half of one object, the right half of another.

    Args:
        first: One of ``CATEGORIES``.
        second: Another one.
    """
    return Idea(f"half {first} half {second}", MIXED, (first, second))


def ornament(name: str) -> Idea:
    """A cloth with an ornament.

    Args:
        name: One of ``ORNAMENTS``.
    """
    return Idea(f"{name} ornament", CULTURE, (), name)


def textured(name: str, texture: str) -> Idea:
    """An object with a fine texture.

    Args:
        name: One of ``CATEGORIES``.
        texture: One of ``TEXTURES``.
    """
    return Idea(f"{texture} {name}", FINE, (name,), texture)


def weathered(name: str, air: str) -> Idea:
    """An object in bad weather or at night.

    Args:
        name: One of ``CATEGORIES``.
        air: One of ``AIRS``.
    """
    return Idea(f"{name} {air}", WEATHER, (name,), air)


def viewed(name: str, view: str) -> Idea:
    """An object from an unusual viewpoint or distance.

    Args:
        name: One of ``CATEGORIES``.
        view: One of ``VIEWS``.
    """
    return Idea(f"{name} {view}", VIEW, (name,), view)


def labelled(name: str, word: str) -> Idea:
    """An object that carries the written name of another.

    Args:
        name: One of ``CATEGORIES``.
        word: The other's name.
    """
    return Idea(f"{name} labelled {word}", WORD, (name,), word)


def _all(make: Callable[[str, str], Idea], *pairs: str) -> tuple[Idea, ...]:
    return tuple(make(*pair.split(" ", 1)) for pair in pairs)


CONCEPTS: tuple[Idea, ...] = (
    *map(plain, NEW_SHAPES),
    *_all(mixture, "fish tree", "car boat", "apple clock", "house mushroom", "lamp flower",
          "bottle key", "heart umbrella", "moon cup", "book kite", "bell ladder"),
    *map(ornament, ORNAMENTS),
    *_all(textured, "ball striped", "ball dotted", "cup checked", "cup hatched", "heart ribbed",
          "heart striped", "house dotted", "house checked", "boat hatched", "fish ribbed"),
    *_all(weathered, "boat in fog", "house in fog", "tree in fog", "car in fog", "car in rain",
          "umbrella in rain", "flower in rain", "boat at night", "house at night", "key at night"),
    *_all(viewed, "car upside down", "lamp upside down", "tree upside down", "bottle upside down",
          "clock close up", "mushroom close up", "fish close up", "house far away",
          "kite far away", "bell far away"),
    *_all(labelled, "apple car", "cup fish", "clock moon", "house boat", "ball tree", "book key",
          "heart bell", "lamp kite", "mushroom cup", "bottle ball"),
)  # fmt: skip
"""The benchmark's concepts, ten a family."""
CALIBRATION: dict[str, tuple[Idea, ...]] = {
    "id": tuple(map(plain, CATEGORIES)),
    "long_tail": tuple(map(plain, RARE_SHAPES)),
    "negatives": tuple(Idea(f"digit {digit}", NEGATIVE, (str(digit),)) for digit in range(10)),
}
"""What thresholds are calibrated with, by part of the source."""


def imagine(family: str, known: tuple[str, ...], rng: np.random.Generator) -> Idea:
    """Makes up a concept of a family, for training.

    Args:
        family: One of ``FAMILIES``, ``COMMON`` or ``NEGATIVE``.
        known: Names of the new shapes and ornaments that may occur.
        rng: The only source of chance.

    Returns:
        The concept; it may be one of ``CONCEPTS``.
    """
    first, second = (str(name) for name in rng.choice(CATEGORIES, size=2, replace=False))

    def one(names: tuple[str, ...]) -> str:
        return names[int(rng.integers(len(names)))]

    if family == TIME:
        return plain(one(tuple(n for n in NEW_SHAPES if n in known)))
    if family == CULTURE:
        return ornament(one(tuple(n for n in ORNAMENTS if n in known)))
    if family == NEGATIVE:
        return CALIBRATION["negatives"][int(rng.integers(10))]
    if family == MIXED:
        return mixture(first, second)
    if family == WORD:
        return labelled(first, second)
    made = {FINE: (textured, tuple(TEXTURES)), WEATHER: (weathered, AIRS), VIEW: (viewed, VIEWS)}
    if family in made:
        make, manners = made[family]
        return make(first, one(manners))
    return plain(first)
