"""Drawings beyond the 22 categories: shapes of a later time, and rare ones for the long tail."""

from __future__ import annotations

from math import cos, pi, sin

from oodexp.miniature.icon import ICONS, Icon, Mark, Point


def _ring(cx: float, cy: float, rx: float, ry: float, start: float, end: float) -> list[Point]:
    turns = [pi / 180 * (start + (end - start) * step / 20) for step in range(21)]
    return [(cx + rx * cos(turn), cy + ry * sin(turn)) for turn in turns]


def _round(role: str, cx: float, cy: float, rx: float, ry: float | None = None) -> Mark:
    return Mark(role, tuple(_ring(cx, cy, rx, rx if ry is None else ry, 0, 360)))


def _area(role: str, *corners: Point) -> Mark:
    return Mark(role, corners)


def _box(role: str, left: float, top: float, right: float, bottom: float) -> Mark:
    return _area(role, (left, top), (right, top), (right, bottom), (left, bottom))


def _bar(role: str, width: int, *points: Point) -> Mark:
    return Mark(role, points, width)


def _bow(
    role: str, width: int, cx: float, cy: float, rx: float, ry: float, start: float, end: float
) -> Mark:
    return Mark(role, tuple(_ring(cx, cy, rx, ry, start, end)), width)


def _spokes(role: str, width: int, reach: float, number: int) -> tuple[Mark, ...]:
    turns = [2 * pi * step / number for step in range(number)]
    return tuple(
        _bar(role, width, (48, 48), (48 + reach * cos(t), 48 + reach * sin(t))) for t in turns
    )


# fmt: off
NEW_SHAPES: dict[str, Icon] = {
    "drone": Icon((90, 100, 120), (60, 200, 160), (
        _bar("main", 7, (18, 26), (78, 70)), _bar("main", 7, (78, 26), (18, 70)),
        _round("second", 18, 26, 16, 9), _round("second", 78, 26, 16, 9),
        _round("second", 18, 70, 16, 9), _round("second", 78, 70, 16, 9),
        _round("dark", 48, 48, 14),
    )),
    "robot": Icon((150, 165, 185), (255, 120, 60), (
        _bar("dark", 5, (48, 4), (48, 20)), _box("main", 22, 18, 74, 56),
        _round("second", 36, 36, 8), _round("second", 60, 36, 8), _box("main", 30, 60, 66, 92),
        _bar("dark", 8, (30, 66), (10, 84)), _bar("dark", 8, (66, 66), (86, 84)),
    )),
    "rocket": Icon((235, 235, 240), (220, 50, 60), (
        _area("second", (34, 60), (14, 90), (36, 82)),
        _area("second", (62, 60), (82, 90), (60, 82)),
        _area("main", (48, 2), (64, 28), (64, 82), (32, 82), (32, 28)), _round("dark", 48, 40, 9),
        _area("second", (40, 84), (56, 84), (48, 96)),
    )),
    "phone": Icon((45, 50, 65), (120, 200, 255), (
        _box("main", 24, 2, 72, 94), _box("second", 30, 12, 66, 76), _round("second", 48, 85, 5),
    )),
    "scooter": Icon((60, 180, 90), (240, 200, 60), (
        _bar("main", 8, (68, 10), (76, 74)), _bar("dark", 7, (54, 10), (80, 10)),
        _bar("main", 10, (20, 78), (76, 78)), _round("dark", 18, 82, 11),
        _round("dark", 78, 82, 11),
        _round("second", 78, 82, 5), _round("second", 18, 82, 5),
    )),
    "headset": Icon((70, 60, 160), (230, 90, 200), (
        _bow("main", 10, 48, 50, 36, 40, 180, 360), _box("second", 4, 46, 26, 82),
        _box("second", 70, 46, 92, 82), _bar("dark", 5, (80, 82), (62, 92), (50, 92)),
    )),
    "satellite": Icon((200, 205, 215), (50, 90, 200), (
        _bar("dark", 5, (6, 48), (90, 48)), _box("second", 2, 30, 32, 66),
        _box("second", 64, 30, 94, 66), _box("main", 38, 30, 58, 66),
        _bow("main", 6, 48, 16, 18, 12, 20, 160), _bar("dark", 3, (12, 30), (12, 66)),
        _bar("dark", 3, (22, 30), (22, 66)), _bar("dark", 3, (74, 30), (74, 66)),
        _bar("dark", 3, (84, 30), (84, 66)),
    )),
    "turbine": Icon((240, 245, 250), (200, 205, 215), (
        _area("second", (45, 40), (51, 40), (55, 94), (41, 94)),
        _area("main", (44, 38), (52, 38), (48, 2)), _area("main", (50, 34), (46, 42), (90, 60)),
        _area("main", (46, 34), (50, 42), (6, 60)), _round("dark", 48, 38, 6),
    )),
    "laptop": Icon((170, 175, 185), (90, 160, 235), (
        _box("main", 14, 12, 82, 64), _box("second", 20, 18, 76, 58),
        _area("main", (14, 66), (82, 66), (95, 86), (1, 86)), _bar("dark", 3, (18, 76), (78, 76)),
    )),
    "camera": Icon((60, 60, 70), (200, 210, 230), (
        _box("main", 34, 14, 62, 30), _box("main", 4, 28, 92, 80), _round("second", 48, 54, 22),
        _round("dark", 48, 54, 12), _round("second", 80, 38, 5),
    )),
}

RARE_SHAPES: dict[str, Icon] = {
    "anchor": Icon((60, 75, 110), (150, 160, 180), (
        _round("second", 48, 14, 10), _bar("main", 9, (48, 20), (48, 88)),
        _bar("main", 8, (26, 34), (70, 34)), _bow("main", 9, 48, 54, 38, 34, 10, 170),
    )),
    "crown": Icon((240, 195, 40), (210, 40, 80), (
        _area("main", (8, 84), (4, 24), (28, 52), (48, 12), (68, 52), (92, 24), (88, 84)),
        _round("second", 48, 66, 8), _round("second", 24, 68, 6), _round("second", 72, 68, 6),
    )),
    "drum": Icon((200, 50, 50), (245, 235, 210), (
        _box("main", 12, 30, 84, 80), _round("second", 48, 30, 36, 14),
        _bar("dark", 3, (14, 40), (30, 78), (48, 44), (66, 78), (82, 40)),
    )),
    "guitar": Icon((190, 110, 50), (110, 60, 30), (
        _bar("second", 8, (50, 44), (86, 6)), _round("main", 30, 66, 26),
        _round("main", 48, 48, 17),
        _round("dark", 38, 58, 9),
    )),
    "hammer": Icon((165, 115, 65), (120, 125, 135), (
        _bar("main", 12, (48, 26), (48, 94)), _box("second", 14, 8, 74, 30),
        _area("second", (74, 8), (92, 24), (74, 30)),
    )),
    "kettle": Icon((80, 150, 170), (60, 60, 70), (
        _bow("second", 8, 46, 34, 26, 26, 180, 360), _round("main", 46, 62, 34, 30),
        _area("main", (72, 52), (94, 30), (92, 44), (78, 70)), _round("dark", 46, 32, 6),
    )),
    "saw": Icon((190, 195, 205), (150, 90, 40), (
        _area("main", (4, 40), (70, 30), (70, 62), (60, 56), (52, 64), (44, 56), (36, 62), (28, 54),
              (20, 60), (12, 52)), _bow("second", 12, 78, 50, 12, 20, 0, 360),
    )),
    "sword": Icon((205, 210, 220), (170, 120, 30), (
        _area("main", (48, 2), (56, 14), (54, 66), (42, 66), (40, 14)),
        _bar("second", 8, (26, 68), (70, 68)), _bar("dark", 8, (48, 70), (48, 88)),
        _round("second", 48, 90, 6),
    )),
    "candle": Icon((245, 240, 220), (255, 150, 30), (
        _box("main", 34, 38, 62, 92), _bar("dark", 4, (48, 38), (48, 28)),
        _area("second", (48, 2), (58, 20), (48, 32), (38, 20)),
    )),
    "bucket": Icon((70, 130, 200), (160, 170, 180), (
        _bow("second", 5, 48, 34, 36, 30, 180, 360), _area("main", (12, 34), (84, 34), (72, 92),
                                                           (24, 92)),
        _round("second", 48, 34, 36, 9),
    )),
    "spoon": Icon((185, 190, 200), (185, 190, 200), (
        _bar("main", 8, (48, 40), (48, 94)), _round("main", 48, 24, 18, 22),
    )),
    "wheel": Icon((150, 95, 50), (110, 70, 40), (
        _bow("main", 10, 48, 48, 40, 40, 0, 360), *_spokes("second", 6, 40, 8),
        _round("dark", 48, 48, 10),
    )),
}
# fmt: on

DRAWN: dict[str, Icon] = {**ICONS, **NEW_SHAPES, **RARE_SHAPES}
"""Every drawing by its name."""
