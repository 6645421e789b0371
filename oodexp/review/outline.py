"""Boxes as fractions of an image as it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Point = tuple[float, float]
Box = tuple[float, float, float, float]

_TURN: dict[int, Callable[[float, float], Point]] = {
    1: lambda x, y: (x, y),
    2: lambda x, y: (1 - x, y),
    3: lambda x, y: (1 - x, 1 - y),
    4: lambda x, y: (x, 1 - y),
    5: lambda x, y: (y, x),
    6: lambda x, y: (1 - y, x),
    7: lambda x, y: (1 - y, 1 - x),
    8: lambda x, y: (y, 1 - x),
}
"""Where a point of the stored image is shown, by orientation tag."""


def fractions(boxes: Iterable[Box], size: tuple[int, int], orientation: int) -> list[Box]:
    """Boxes in units of the shown image.

    Args:
        boxes: Left, top, width and height in pixels, as annotated.
        size: Width and height of the image that they were annotated on, >= 1.
        orientation: Orientation tag that turns that image into the shown one, 1 ... 8.

    Returns:
        Left, top, width and height in [0, 1]; what sticks out is cut off.
    """
    return [_fraction(box, size, orientation) for box in boxes]


def frame(
    annotated: tuple[int, int] | None, raw: tuple[int, int], shown: tuple[int, int], tag: int
) -> tuple[tuple[int, int], int]:
    """The size that boxes refer to, and the orientation that is still to be applied to them.

    Args:
        annotated: Annotated width and height; None where there is none.
        raw: Width and height as stored.
        shown: Width and height as shown.
        tag: Orientation tag of the file.
    """
    if annotated is None:
        return raw, tag
    upright = raw != shown and annotated == shown  # annotated on the turned image
    return annotated, 1 if upright else tag


def _fraction(box: Box, size: tuple[int, int], orientation: int) -> Box:
    left, top, width, height = box
    ends = ((left, top), (left + width, top + height))
    turned = [_TURN[orientation](_cut(x / size[0]), _cut(y / size[1])) for x, y in ends]
    (x0, x1), (y0, y1) = (sorted(side) for side in zip(*turned, strict=True))
    return x0, y0, x1 - x0, y1 - y0


def _cut(share: float) -> float:
    return min(1.0, max(0.0, share))
