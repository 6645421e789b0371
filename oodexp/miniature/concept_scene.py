"""A picture of a concept, by family: what is done with the objects that it shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from oodexp.miniature.concept_icon import DRAWN
from oodexp.miniature.concept_idea import (
    COMMON,
    CULTURE,
    FINE,
    LONG_TAIL,
    MIXED,
    NEGATIVE,
    TIME,
    VIEW,
    WEATHER,
    WORD,
    Idea,
)
from oodexp.miniature.concept_paint import (
    SIDE,
    coloured,
    ground,
    paint,
    placed,
)
from oodexp.miniature.concept_pattern import ORNAMENTS, TEXTURES, tiled, written
from oodexp.miniature.icon import BOX, DARK, Colour

_BILINEAR, _LANCZOS = Image.Resampling.BILINEAR, Image.Resampling.LANCZOS
_CLOTH: tuple[Colour, ...] = (
    (150, 30, 40), (30, 60, 120), (20, 110, 90), (200, 140, 30), (90, 40, 110), (40, 40, 44),
)  # fmt: skip


def _turned(sprite: Image.Image, low: float, high: float, rng: np.random.Generator) -> Image.Image:
    if rng.random() < 0.5:
        sprite = sprite.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return sprite.rotate(float(rng.uniform(low, high)), resample=_BILINEAR)


def _object(
    name: str, acquisition: str, sizes: tuple[int, int], rng: np.random.Generator
) -> Image.Image:
    """An upright object of a size in pixels."""
    size = int(rng.integers(sizes[0], sizes[1] + 1))
    sprite = _turned(paint(DRAWN[name], acquisition, rng), -8, 8, rng)
    return sprite.resize((size, size), resample=_LANCZOS)


def _plain(idea: Idea, acquisition: str, rng: np.random.Generator) -> Image.Image:
    picture = ground(acquisition, rng)
    placed(picture, _object(idea.objects[0], acquisition, (28, 46), rng), rng)
    return picture


def _mixture(idea: Idea, acquisition: str, rng: np.random.Generator) -> Image.Image:
    picture = ground(acquisition, rng)
    first, second = (np.asarray(paint(DRAWN[n], acquisition, rng)) for n in idea.objects)
    joined = Image.fromarray(np.concatenate([first[:, : BOX // 2], second[:, BOX // 2 :]], axis=1))
    size = int(rng.integers(34, 53))
    sprite = joined.rotate(float(rng.uniform(-8, 8)), resample=_BILINEAR)
    placed(picture, sprite.resize((size, size), resample=_LANCZOS), rng)
    return picture


def _ornament(idea: Idea, acquisition: str, rng: np.random.Generator) -> Image.Image:
    picture = ground(acquisition, rng)
    height, width = (int(v) for v in rng.integers(36, 57, size=2))
    shift = (int(rng.integers(16)), int(rng.integers(16)))
    dots = tiled(ORNAMENTS[idea.manner], height, width, 2, shift)
    one, two = rng.choice(len(_CLOTH), size=2, replace=False)
    pale = np.clip(np.array(_CLOTH[two]) + 110, 0, 255)
    cloth = np.where(dots[..., None], np.array(_CLOTH[one]), pale).astype(np.uint8)
    sprite = Image.fromarray(cloth).convert("RGBA")
    if acquisition == "generated":
        sprite = sprite.filter(ImageFilter.GaussianBlur(0.6))
    placed(picture, sprite, rng)
    return picture


def _textured(idea: Idea, acquisition: str, rng: np.random.Generator) -> Image.Image:
    picture = ground(acquisition, rng)
    sprite = _object(idea.objects[0], acquisition, (34, 52), rng)
    shift = (int(rng.integers(8)), int(rng.integers(8)))
    dots = tiled(TEXTURES[idea.manner], sprite.height, sprite.width, 1, shift)
    placed(picture, coloured(sprite, dots, DARK if rng.random() < 0.5 else (250, 250, 250)), rng)
    return picture


def _fog(pixels: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    above, below = rng.uniform(0.6, 0.9, size=2).tolist()
    thick = np.linspace(above, below, SIDE, dtype=np.float32)[:, None, None]
    grey = float(rng.uniform(195, 230))
    fogged: NDArray[np.float32] = pixels * (1 - thick) + grey * thick
    return fogged


def _night(pixels: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    dark = np.array([0.16, 0.2, 0.36], np.float32) * float(rng.uniform(0.8, 1.25))
    seen: NDArray[np.float32] = pixels * dark + np.array([6, 8, 22], np.float32)
    return seen


def _rain(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    pixels = np.asarray(picture, np.float32) * 0.6 + 30
    wet = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    pen, lean = ImageDraw.Draw(wet), int(rng.integers(2, 5))
    for x, y in rng.integers(-8, SIDE + 8, size=(95, 2)):
        pen.line([(int(x), int(y)), (int(x) - lean, int(y) + 9)], fill=(190, 205, 225), width=1)
    return wet


def _weathered(idea: Idea, acquisition: str, rng: np.random.Generator) -> Image.Image:
    picture = _plain(idea, acquisition, rng)
    if idea.manner == "in rain":
        return _rain(picture, rng)
    if idea.manner == "in fog":
        picture = picture.filter(ImageFilter.GaussianBlur(1.0))
    pixels = np.asarray(picture, np.float32)
    changed = _fog(pixels, rng) if idea.manner == "in fog" else _night(pixels, rng)
    return Image.fromarray(np.clip(changed, 0, 255).astype(np.uint8))


def _viewed(idea: Idea, acquisition: str, rng: np.random.Generator) -> Image.Image:
    picture, name = ground(acquisition, rng), idea.objects[0]
    if idea.manner == "upside down":
        sprite = _turned(paint(DRAWN[name], acquisition, rng), 150, 210, rng)
        size = int(rng.integers(28, 47))
        placed(picture, sprite.resize((size, size), resample=_LANCZOS), rng)
    elif idea.manner == "far away":
        placed(picture, _object(name, acquisition, (9, 13), rng), rng)
    else:
        sprite = _object(name, acquisition, (120, 170), rng)
        most = sprite.width - SIDE
        left, top = (int(v) for v in rng.integers(most // 5, most - most // 5, size=2))
        picture.paste(sprite, (-left, -top), sprite)
    return picture


def _labelled(idea: Idea, acquisition: str, rng: np.random.Generator) -> Image.Image:
    picture = ground(acquisition, rng)
    left, top = placed(picture, _object(idea.objects[0], acquisition, (34, 48), rng), rng)
    ink = written(idea.manner, 2 if len(idea.manner) > 5 else 3)
    plate = np.full((ink.shape[0] + 4, ink.shape[1] + 4, 3), 245, np.uint8)
    plate[2:-2, 2:-2][ink] = DARK
    label = Image.fromarray(plate)
    if acquisition == "generated":
        label = label.filter(ImageFilter.GaussianBlur(0.7))
    x = min(max(left - 4 + int(rng.integers(-6, 7)), 0), SIDE - label.width)
    y = min(top + int(rng.integers(8, 22)), SIDE - label.height)
    picture.paste(label, (max(x, 0), y))
    return picture


def _digit(idea: Idea, acquisition: str, rng: np.random.Generator) -> Image.Image:
    """A bright digit on black, like handwriting scanned small."""
    ink = Image.fromarray(written(idea.objects[0], 8).astype(np.uint8) * 255)
    ink = ink.rotate(float(rng.uniform(-18, 18)), resample=_BILINEAR, expand=True)
    high = int(rng.integers(34, 53))
    ink = ink.resize((round(high * float(rng.uniform(0.55, 0.8))), high), resample=_LANCZOS)
    ink = ink.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.8, 1.6))))
    picture = Image.new("RGB", (SIDE, SIDE), (0, 0, 0))
    corner = tuple(int(rng.integers(0, SIDE - length + 1)) for length in ink.size)
    picture.paste((240, 240, 240), (corner[0], corner[1]), ink)
    return picture


_DRAW: dict[str, Callable[[Idea, str, np.random.Generator], Image.Image]] = {
    COMMON: _plain, TIME: _plain, LONG_TAIL: _plain, NEGATIVE: _digit, MIXED: _mixture,
    CULTURE: _ornament, FINE: _textured, WEATHER: _weathered, VIEW: _viewed, WORD: _labelled,
}  # fmt: skip


def draw_idea(idea: Idea, acquisition: str, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draws a picture of a concept; the same generator state gives the same picture.

    Args:
        idea: The concept.
        acquisition: ``crawled`` or ``generated``, the renderer; digits have one of their own.
        rng: The only source of chance.

    Returns:
        (64, 64, 3) uint8.
    """
    return np.asarray(_DRAW[idea.family](idea, acquisition, rng), dtype=np.uint8)
