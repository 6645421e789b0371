"""What a Cityscapes annotation shows: each object or group with its visible pixels."""

from __future__ import annotations

import io
import json
import math
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from oodexp.source.cityscapes_labels import PAINTED, Label, of

_LARGEST = 1 << 26  # pixels; a Cityscapes image has 2 million
_INSTANCES = 1000  # an instance image holds id * 1000 + number


class Visible(NamedTuple):
    """An object; or all groups of a class; or all of a class that is not counted."""

    label: Label
    """Its class."""
    group: bool
    """Whether it stands for objects of a counted class that were not told apart."""
    pixels: int
    """How many pixels of it are visible; 0 for one that others cover."""


class Shown(NamedTuple):
    """The annotation of one image."""

    size: tuple[int, int]
    """Width and height in pixels."""
    objects: list[Visible]
    """All that is annotated, whatever its class."""
    faults: list[tuple[str, str]]
    """What could not be used, and why."""


class UnreadableAnnotation(Exception):
    """The annotation file is not what it should be; the message says why."""


def from_instances(data: bytes) -> Shown:
    """Reads an instance image: `id * 1000 + n`, or the id alone for a group or a region.

    Args:
        data: The bytes of `*_gtFine_instanceIds.png`.

    Raises:
        UnreadableAnnotation: If they are no image of whole numbers.
    """
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as image:
            if image.mode not in ("I", "I;16", "I;16B", "L") or math.prod(image.size) > _LARGEST:
                raise UnreadableAnnotation(
                    f"mode {image.mode}, {image.width} x {image.height}; expected a 16-bit grey PNG"
                )
            size, values = image.size, np.asarray(image)
    except UnreadableAnnotation:
        raise
    except Exception as error:  # Pillow's decoders raise many kinds on damaged files
        raise UnreadableAnnotation(f"not a readable PNG ({error})") from error
    if values.min(initial=0) < 0:
        raise UnreadableAnnotation("negative values; expected id * 1000 + n")
    numbers, pixels = _counted(values)
    found, faults = [], []
    for value, many in zip(numbers, pixels, strict=True):
        one = value >= _INSTANCES
        place = value // _INSTANCES if one else value
        label = PAINTED[place] if place < len(PAINTED) else None
        if label is None or (one and not label.counted):
            faults.append((f"value {value}", f"{many} pixels of no known class"))
        else:
            found.append(Visible(label, label.counted and not one, many))
    return Shown(size, found, faults)


def from_polygons(data: bytes) -> Shown:
    """Paints the polygons in their order, later ones over earlier ones, and counts what is left.

    Objects marked as deleted are passed over; those without a number of their own (license plates)
    cover nothing.

    Args:
        data: The bytes of `*_gtFine_polygons.json`.

    Raises:
        UnreadableAnnotation: If they are no polygon file.
    """
    size, entries = _document(data)
    canvas = Image.new("I", size, 0)
    pen = ImageDraw.Draw(canvas)
    drawn: list[tuple[Label, bool]] = []
    faults = []
    for number, entry in enumerate(entries):
        if isinstance(entry, dict) and entry.get("deleted"):
            continue
        read = _object(entry)
        if isinstance(read, str):
            faults.append((f"object {number}", read))
            continue
        label, group, outline = read
        drawn.append((label, group))
        if label.number >= 0:
            pen.polygon(outline, fill=len(drawn))
    pixels = np.bincount(np.asarray(canvas).ravel(), minlength=len(drawn) + 1)[1:].tolist()
    return Shown(size, _together(drawn, pixels), faults)


def _together(drawn: list[tuple[Label, bool]], pixels: list[int]) -> list[Visible]:
    """Objects one by one; groups, and regions, of one class as one, as instance images have it."""
    merged: dict[tuple[Label, bool], int] = {}
    found = []
    for (label, group), many in zip(drawn, pixels, strict=True):
        if label.counted and not group:
            found.append(Visible(label, group, many))
        else:
            merged[label, label.counted] = merged.get((label, label.counted), 0) + many
    return found + [Visible(label, group, many) for (label, group), many in merged.items()]


def _counted(values: np.ndarray) -> tuple[list[int], list[int]]:
    """The distinct values and how often each occurs; counting is ten times faster than sorting."""
    top = len(PAINTED) * _INSTANCES
    if values.max(initial=0) < top:
        many = np.bincount(values.ravel(), minlength=1)
        return np.flatnonzero(many).tolist(), many[many > 0].tolist()
    numbers, pixels = np.unique(values, return_counts=True)
    return numbers.tolist(), pixels.tolist()


def _document(data: bytes) -> tuple[tuple[int, int], list[Any]]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableAnnotation(f"not JSON ({error})") from error
    fields = document if isinstance(document, dict) else {}
    width, height, objects = (fields.get(f) for f in ("imgWidth", "imgHeight", "objects"))
    if not (isinstance(width, int) and isinstance(height, int) and isinstance(objects, list)):
        raise UnreadableAnnotation("expected imgWidth, imgHeight and the list objects")
    if min(width, height) < 1 or width * height > _LARGEST:
        raise UnreadableAnnotation(f"imgWidth {width} and imgHeight {height}: expected pixels")
    return (width, height), objects


def _object(entry: Any) -> tuple[Label, bool, list[tuple[float, float]]] | str:
    """Class, whether a group, and outline; or what is wrong."""
    text = entry.get("label") if isinstance(entry, dict) else None
    found = of(text) if isinstance(text, str) else None
    if found is None:
        return f"label {text!r} is no label of Cityscapes"
    points = entry.get("polygon")
    if not isinstance(points, list) or len(points) < 3 or not all(map(_is_point, points)):
        return f"{text}: expected polygon with three or more points [x, y]"
    return *found, [(x, y) for x, y in points]


def _is_point(point: Any) -> bool:
    return (
        isinstance(point, list)
        and len(point) == 2
        and all(isinstance(v, (int, float)) and abs(v) < _LARGEST for v in point)
    )
