"""The grounds the scenes stand on: flat colours with a pattern, so that PNG files stay small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

Pen = ImageDraw.ImageDraw
Colour = tuple[int, int, int]


def _dots(pen: Pen, side: int, colour: Colour, rng: np.random.Generator) -> None:
    for x, y in rng.integers(0, side, size=(26, 2)):
        pen.point([(int(x), int(y)), (int(x) + 1, int(y))], fill=colour)


def _waves(pen: Pen, side: int, colour: Colour, rng: np.random.Generator) -> None:
    start = int(rng.integers(8))
    for y in range(start, side, 8):
        points = [(x, y + (x // 4) % 2 * 2) for x in range(0, side + 4, 4)]
        pen.line(points, fill=colour, width=1)


def _blades(pen: Pen, side: int, colour: Colour, rng: np.random.Generator) -> None:
    for x, y in rng.integers(0, side, size=(30, 2)):
        pen.line([(int(x), int(y)), (int(x) + 1, int(y) - 4)], fill=colour, width=1)


def _bricks(pen: Pen, side: int, colour: Colour, rng: np.random.Generator) -> None:
    shift = int(rng.integers(12))
    for row, y in enumerate(range(0, side, 8)):
        pen.line([(0, y), (side, y)], fill=colour, width=1)
        for x in range(shift - 12 + row % 2 * 6, side, 12):
            pen.line([(x, y), (x, y + 8)], fill=colour, width=1)


def _planks(pen: Pen, side: int, colour: Colour, rng: np.random.Generator) -> None:
    for x in range(int(rng.integers(9)), side, 9):
        pen.line([(x, 0), (x, side)], fill=colour, width=1)


def _bands(pen: Pen, side: int, colour: Colour, rng: np.random.Generator) -> None:
    edge = int(rng.integers(side // 3, 2 * side // 3))
    pen.rectangle([0, edge, side, side], fill=colour)


GROUNDS: dict[str, tuple[Colour, Colour, Callable[[Pen, int, Colour, np.random.Generator], None]]]
GROUNDS = {
    "sand": ((226, 204, 150), (196, 170, 112), _dots),
    "water": ((84, 150, 206), (128, 186, 230), _waves),
    "grass": ((118, 176, 84), (84, 142, 60), _blades),
    "brick": ((168, 98, 78), (206, 176, 160), _bricks),
    "wood": ((188, 142, 96), (150, 106, 66), _planks),
    "sky": ((166, 208, 240), (190, 224, 248), _bands),
    "night": ((34, 38, 78), (190, 190, 160), _dots),
    "snow": ((232, 238, 246), (196, 208, 226), _dots),
}
BACKGROUNDS: tuple[str, ...] = tuple(GROUNDS)


def draw_background(name: str, side: int, rng: np.random.Generator) -> Image.Image:
    """Draws a ground.

    Args:
        name: One of ``BACKGROUNDS``.
        side: Side of the square picture in pixels.
        rng: Source of the shade and of the pattern's place.

    Returns:
        An RGB picture of ``side`` by ``side`` pixels.
    """
    base, mark, pattern = GROUNDS[name]
    shift = rng.integers(-12, 13, size=3)
    shades = [np.clip(np.array(c) + shift, 0, 255).astype(int).tolist() for c in (base, mark)]
    picture = Image.new("RGB", (side, side), tuple(shades[0]))
    pattern(ImageDraw.Draw(picture), side, tuple(shades[1]), rng)
    return picture
