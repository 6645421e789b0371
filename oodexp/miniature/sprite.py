"""One object as a small transparent picture: canonical, or deformed in a named way."""

from __future__ import annotations

from math import dist

import numpy as np
from PIL import Image, ImageDraw

from oodexp.miniature.icon import BOX, DARK, ICONS, Colour, Icon, Mark, Point

VARIANTS: tuple[str, ...] = ("colour", "stretch", "rotate", "outline", "sketch", "partial")
_STRANGE: tuple[Colour, ...] = (
    (255, 0, 220),
    (0, 235, 235),
    (130, 255, 0),
    (20, 20, 20),
    (40, 30, 255),
    (255, 60, 0),
)
_GREY: Colour = (95, 95, 95)


def _jitter(colour: Colour, rng: np.random.Generator) -> Colour:
    red, green, blue = (int(np.clip(c + rng.integers(-16, 17), 0, 255)) for c in colour)
    return red, green, blue


def _palette(icon: Icon, style: str, rng: np.random.Generator) -> dict[str, Colour]:
    if style == "colour":
        far = [c for c in _STRANGE if dist(c, icon.main) > 180]
        first, second = rng.choice(len(far), size=2, replace=False)
        return {"main": far[first], "second": far[second], "dark": DARK}
    return {"main": _jitter(icon.main, rng), "second": _jitter(icon.second, rng), "dark": DARK}


def _wobble(points: tuple[Point, ...], rng: np.random.Generator) -> list[Point]:
    shift = rng.uniform(-3.5, 3.5, size=(len(points), 2))
    return [(x + float(dx), y + float(dy)) for (x, y), (dx, dy) in zip(points, shift, strict=True)]


def _draw_mark(
    pen: ImageDraw.ImageDraw, mark: Mark, colour: Colour, style: str, rng: np.random.Generator
) -> None:
    closed = [*mark.points, mark.points[0]] if mark.width == 0 else list(mark.points)
    if style == "sketch":
        for _ in range(2):
            pen.line(_wobble(tuple(closed), rng), fill=_GREY, width=2)
    elif style == "outline":
        pen.line(closed, fill=colour, width=4)
    elif mark.width:
        pen.line(closed, fill=colour, width=mark.width, joint="curve")
    else:
        pen.polygon(closed, fill=colour)
        pen.line(closed, fill=DARK, width=2)


def draw_icon(category: str, style: str, rng: np.random.Generator) -> Image.Image:
    """Draws a category's icon in its box of 96 by 96.

    Args:
        category: One of ``CATEGORIES``.
        style: ``colour``, ``outline``, ``sketch``; any other word draws the usual look.
        rng: Source of the small differences between two drawings of one category.

    Returns:
        An RGBA picture of 96 by 96 pixels, transparent where nothing is drawn.
    """
    icon = ICONS[category]
    picture = Image.new("RGBA", (BOX, BOX), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    colours = _palette(icon, style, rng)
    for mark in icon.marks:
        _draw_mark(pen, mark, colours[mark.role], style, rng)
    return picture


def _keep_half(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Blanks one side of the picture, leaving 45 to 55 % of it."""
    pixels = np.asarray(picture).copy()
    keep = int(BOX * rng.uniform(0.45, 0.55))
    turn = int(rng.integers(4))
    turned = np.rot90(pixels, turn)
    turned[keep:] = 0
    return Image.fromarray(np.ascontiguousarray(np.rot90(turned, -turn)))


def _shape(kind: str, size: int, rng: np.random.Generator) -> tuple[int, int]:
    if kind != "stretch":
        return size, size
    long, short = round(size * 1.35), max(6, round(size * 0.45))
    return (long, short) if rng.random() < 0.5 else (short, long)


def make_sprite(category: str, kind: str, size: int, rng: np.random.Generator) -> Image.Image:
    """Draws one object at its final size.

    Args:
        category: One of ``CATEGORIES``.
        kind: ``canonical``, ``secondary``, or one of ``VARIANTS`` for a deformed object.
        size: Side of its box in pixels.
        rng: Source of mirroring, tilt, jitter and the deformation's strength.

    Returns:
        An RGBA picture about ``size`` pixels wide and high.
    """
    picture = draw_icon(category, kind, rng)
    if rng.random() < 0.5:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if kind == "partial":
        picture = _keep_half(picture, rng)
    tilt = rng.uniform(100, 260) if kind == "rotate" else rng.uniform(-8, 8)
    picture = picture.rotate(float(tilt), resample=Image.Resampling.BILINEAR)
    return picture.resize(_shape(kind, size, rng), resample=Image.Resampling.LANCZOS)
