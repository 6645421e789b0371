"""The two renderers of concepts: `crawled` with sharp outlines, `generated` with soft shapes."""

from __future__ import annotations

from colorsys import hsv_to_rgb, rgb_to_hsv

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from oodexp.miniature.background import BACKGROUNDS, draw_background
from oodexp.miniature.icon import BOX, DARK, Colour, Icon

CRAWLED, GENERATED = ACQUISITIONS = ("crawled", "generated")
SIDE = 64
_OPAQUE = 110
"""Alpha above which a pixel belongs to an object."""
_GROUNDS = tuple(name for name in BACKGROUNDS if name != "night")
"""Night is an environmental shift here: on that ground a common object would be a concept."""


def _jittered(colour: Colour, rng: np.random.Generator) -> Colour:
    red, green, blue = np.clip(np.array(colour) + rng.integers(-16, 17, 3), 0, 255).tolist()
    return red, green, blue


def _pastel(colour: Colour, rng: np.random.Generator) -> Colour:
    """Another hue nearby, less of it, and lighter: the palette of the second renderer."""
    hue, amount, light = rgb_to_hsv(*(part / 255 for part in colour))
    hue = (hue + float(rng.uniform(-0.06, 0.06))) % 1
    made = hsv_to_rgb(hue, 0.75 * amount, 0.25 + 0.75 * light)
    red, green, blue = (round(255 * part) for part in made)
    return red, green, blue


def _shaded(picture: Image.Image) -> Image.Image:
    """Softens the edges and lets light fall from above."""
    pixels = np.asarray(picture.filter(ImageFilter.GaussianBlur(1.6)), np.float32).copy()
    pixels[..., :3] *= np.linspace(1.15, 0.75, len(pixels), dtype=np.float32)[:, None, None]
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def paint(icon: Icon, acquisition: str, rng: np.random.Generator) -> Image.Image:
    """Paints a drawing in its box.

    Args:
        icon: The drawing.
        acquisition: One of ``ACQUISITIONS``.
        rng: Source of small differences in colour.

    Returns:
        An RGBA picture of 96 by 96, transparent where nothing is drawn.
    """
    soft = acquisition == GENERATED
    tint = _pastel if soft else _jittered
    colours = {"main": tint(icon.main, rng), "second": tint(icon.second, rng), "dark": DARK}
    # Transparent pixels of the soft renderer carry a colour, or blurred edges would turn black.
    picture = Image.new("RGBA", (BOX, BOX), (*colours["main"], 0) if soft else (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    for mark in icon.marks:
        if mark.width:
            pen.line(list(mark.points), fill=colours[mark.role], width=mark.width, joint="curve")
            continue
        pen.polygon(list(mark.points), fill=colours[mark.role])
        if not soft:
            pen.line([*mark.points, mark.points[0]], fill=DARK, width=2)
    return _shaded(picture) if soft else picture


def ground(acquisition: str, rng: np.random.Generator) -> Image.Image:
    """Draws what things stand on: a pattern of the miniature, or a soft run of two colours.

    Args:
        acquisition: One of ``ACQUISITIONS``.
        rng: The only source of chance.

    Returns:
        An RGB picture of 64 by 64.
    """
    if acquisition == CRAWLED:
        return draw_background(str(rng.choice(_GROUNDS)), SIDE, rng)
    first, second = rng.integers(110, 246, size=(2, 3))
    run = np.linspace(0, 1, SIDE)[:, None, None]
    pixels = np.broadcast_to(first * (1 - run) + second * run, (SIDE, SIDE, 3))
    turned = np.rot90(pixels, int(rng.integers(4)))
    return Image.fromarray(np.ascontiguousarray(turned).astype(np.uint8))


def placed(
    picture: Image.Image,
    sprite: Image.Image,
    rng: np.random.Generator,
    height: tuple[float, float] = (0, 1),
) -> tuple[int, int]:
    """Pastes an object somewhere wholly inside a picture, in place.

    Args:
        picture: The picture.
        sprite: The object with its alpha, not larger than the picture.
        rng: Source of the place.
        height: Lowest and highest share of the free height above the object.

    Returns:
        Its left and top in pixels.
    """
    free_x, free_y = (p - s for p, s in zip(picture.size, sprite.size, strict=True))
    left = int(rng.integers(0, free_x + 1))
    top = round(float(rng.uniform(*height)) * free_y)
    picture.paste(sprite, (left, top), sprite)
    return left, top


def coloured(sprite: Image.Image, where: NDArray[np.bool_], colour: Colour) -> Image.Image:
    """Colours those pixels of an object that a mask marks.

    Args:
        sprite: RGBA.
        where: (height, width).
        colour: The colour.

    Returns:
        A new RGBA picture.
    """
    pixels = np.asarray(sprite).copy()
    inside = where & (pixels[..., 3] > _OPAQUE)
    pixels[inside, :3] = colour
    return Image.fromarray(pixels)
