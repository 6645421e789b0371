"""The drawings of the 22 categories, as polygons and strokes in a box of 96 by 96."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

Point = tuple[float, float]
Colour = tuple[int, int, int]
BOX = 96
DARK: Colour = (38, 38, 46)


@dataclass(frozen=True)
class Mark:
    """One mark of a drawing.

    Attributes:
        role: Which colour it takes: ``main``, ``second`` or ``dark``.
        points: Its corners, in the box of 96 by 96, y downwards.
        width: 0 for a filled polygon, otherwise the thickness of an open stroke.
    """

    role: str
    points: tuple[Point, ...]
    width: int = 0


@dataclass(frozen=True)
class Icon:
    """A category's drawing.

    Attributes:
        main: Its usual first colour.
        second: Its usual second colour.
        marks: What is drawn, from back to front.
    """

    main: Colour
    second: Colour
    marks: tuple[Mark, ...]


def _arc(
    cx: float, cy: float, rx: float, ry: float, start: float = 0.0, end: float = 360.0
) -> tuple[Point, ...]:
    """Points of an elliptic arc; degrees, clockwise on screen from the right."""
    steps = 24
    angles = [pi / 180 * (start + (end - start) * i / steps) for i in range(steps + 1)]
    return tuple((cx + rx * cos(a), cy + ry * sin(a)) for a in angles)


def _fill(role: str, *points: Point) -> Mark:
    return Mark(role, points)


def _disc(role: str, cx: float, cy: float, rx: float, ry: float | None = None) -> Mark:
    return Mark(role, _arc(cx, cy, rx, rx if ry is None else ry))


def _line(role: str, width: int, *points: Point) -> Mark:
    return Mark(role, points, width)


def _rect(role: str, left: float, top: float, right: float, bottom: float) -> Mark:
    return _fill(role, (left, top), (right, top), (right, bottom), (left, bottom))


def _heart() -> tuple[Point, ...]:
    turns = [2 * pi * i / 40 for i in range(40)]
    return tuple(
        (
            48 + 2.6 * 16 * sin(t) ** 3,
            44 - 2.6 * (13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)),
        )
        for t in turns
    )


def _petals() -> tuple[Mark, ...]:
    return tuple(
        _disc("main", 48 + 19 * cos(2 * pi * i / 5), 32 + 19 * sin(2 * pi * i / 5), 14)
        for i in range(5)
    )


# fmt: off
ICONS: dict[str, Icon] = {
    "apple": Icon((214, 40, 40), (60, 160, 60), (
        _disc("main", 34, 58, 26, 30), _disc("main", 62, 58, 26, 30),
        _line("dark", 6, (48, 34), (52, 10)), _disc("second", 66, 18, 14, 8),
    )),
    "ball": Icon((240, 130, 30), (250, 250, 250), (
        _disc("main", 48, 48, 42), _fill("second", *_arc(48, 48, 16, 42)),
        _line("dark", 4, (6, 48), (90, 48)),
    )),
    "bell": Icon((240, 200, 50), (200, 140, 30), (
        _disc("dark", 48, 82, 10),
        _fill("main", (48, 8), (66, 18), (72, 54), (88, 74), (8, 74), (24, 54), (30, 18)),
        _rect("second", 12, 64, 84, 74),
    )),
    "boat": Icon((140, 80, 40), (250, 250, 245), (
        _line("dark", 6, (44, 64), (44, 6)), _fill("second", (50, 8), (88, 54), (50, 54)),
        _fill("second", (38, 20), (38, 54), (12, 54)),
        _fill("main", (4, 62), (92, 62), (74, 90), (20, 90)),
    )),
    "book": Icon((120, 70, 180), (250, 245, 225), (
        _fill("main", (4, 16), (48, 26), (92, 16), (92, 82), (48, 92), (4, 82)),
        _fill("second", (12, 12), (48, 22), (48, 80), (12, 70)),
        _fill("second", (84, 12), (48, 22), (48, 80), (84, 70)),
        _line("dark", 3, (20, 32), (40, 37)), _line("dark", 3, (20, 48), (40, 53)),
        _line("dark", 3, (56, 37), (76, 32)), _line("dark", 3, (56, 53), (76, 48)),
    )),
    "bottle": Icon((40, 140, 80), (240, 230, 200), (
        _rect("dark", 38, 2, 58, 12),
        _fill("main", (40, 12), (56, 12), (56, 30), (70, 44), (70, 94), (26, 94), (26, 44),
              (40, 30)),
        _rect("second", 26, 54, 70, 78),
    )),
    "car": Icon((210, 50, 60), (180, 220, 245), (
        _fill("main", (20, 46), (32, 22), (66, 22), (78, 46)),
        _fill("second", (30, 44), (37, 28), (62, 28), (69, 44)),
        _fill("main", (2, 46), (94, 46), (94, 70), (2, 70)),
        _disc("dark", 24, 72, 13), _disc("dark", 72, 72, 13),
    )),
    "clock": Icon((250, 250, 250), (60, 90, 160), (
        _disc("second", 48, 48, 44), _disc("main", 48, 48, 34),
        _line("dark", 6, (48, 22), (48, 48), (66, 60)),
    )),
    "cloud": Icon((235, 240, 250), (200, 215, 235), (
        _disc("main", 26, 56, 22), _disc("main", 70, 56, 22), _disc("main", 46, 40, 26),
        _rect("main", 22, 50, 74, 78), _line("second", 6, (28, 66), (68, 66)),
    )),
    "cup": Icon((40, 150, 170), (110, 60, 30), (
        _line("dark", 8, *_arc(68, 52, 20, 18, -100, 100)),
        _fill("main", (10, 26), (72, 26), (66, 90), (16, 90)), _disc("second", 41, 26, 31, 9),
    )),
    "fish": Icon((250, 150, 60), (250, 220, 90), (
        _fill("second", (62, 48), (94, 22), (94, 74)),
        _fill("second", (30, 34), (56, 12), (58, 36)),
        _disc("main", 38, 50, 35, 24), _disc("dark", 20, 44, 5),
    )),
    "flower": Icon((235, 110, 170), (250, 220, 60), (
        _line("dark", 6, (48, 40), (48, 94)), *_petals(), _disc("second", 48, 32, 11),
    )),
    "heart": Icon((230, 40, 90), (250, 180, 200), (
        Mark("main", _heart()), _disc("second", 30, 28, 8),
    )),
    "house": Icon((235, 205, 150), (180, 60, 50), (
        _rect("main", 14, 42, 82, 92), _fill("second", (48, 4), (94, 44), (2, 44)),
        _rect("dark", 40, 60, 58, 92), _rect("dark", 22, 54, 34, 66),
    )),
    "key": Icon((220, 180, 40), (220, 180, 40), (
        _line("main", 12, *_arc(24, 48, 18, 18)), _line("main", 12, (42, 48), (94, 48)),
        _line("main", 10, (88, 48), (88, 72)), _line("main", 10, (70, 48), (70, 66)),
    )),
    "kite": Icon((70, 190, 220), (240, 90, 60), (
        _line("dark", 4, (48, 66), (38, 76), (56, 84), (44, 94)),
        _fill("main", (48, 2), (82, 32), (48, 72), (14, 32)),
        _fill("second", (48, 2), (82, 32), (48, 32)), _fill("second", (48, 32), (48, 72), (14, 32)),
    )),
    "ladder": Icon((170, 115, 60), (170, 115, 60), (
        _line("main", 9, (26, 2), (18, 94)), _line("main", 9, (70, 2), (78, 94)),
        _line("main", 8, (26, 18), (70, 18)), _line("main", 8, (24, 38), (72, 38)),
        _line("main", 8, (22, 58), (74, 58)), _line("main", 8, (20, 78), (76, 78)),
    )),
    "lamp": Icon((250, 225, 110), (90, 90, 110), (
        _line("second", 8, (48, 46), (48, 88)), _rect("second", 22, 84, 74, 94),
        _fill("main", (32, 4), (64, 4), (86, 50), (10, 50)),
    )),
    "moon": Icon((245, 230, 130), (225, 205, 100), (
        Mark("main", _arc(44, 48, 42, 44, 55, 305) + _arc(60, 48, 32, 34, 290, 70)),
        _disc("second", 18, 48, 6), _disc("second", 28, 70, 5),
    )),
    "mushroom": Icon((205, 60, 50), (250, 240, 225), (
        _fill("second", (36, 46), (60, 46), (66, 92), (30, 92)),
        Mark("main", _arc(48, 52, 44, 44, 180, 360)), _disc("second", 30, 34, 7),
        _disc("second", 54, 24, 8), _disc("second", 72, 42, 6),
    )),
    "tree": Icon((40, 120, 60), (120, 80, 50), (
        _rect("second", 41, 70, 55, 94), _fill("main", (48, 26), (84, 76), (12, 76)),
        _fill("main", (48, 2), (74, 46), (22, 46)),
    )),
    "umbrella": Icon((150, 60, 170), (240, 200, 70), (
        _line("dark", 6, (48, 8), (48, 84), (58, 92), (68, 82)),
        Mark("main", _arc(48, 50, 44, 42, 180, 360)),
        Mark("second", _arc(48, 50, 15, 42, 180, 360)),
    )),
}

# fmt: on

CATEGORIES: tuple[str, ...] = tuple(ICONS)
