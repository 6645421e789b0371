"""Fields of annotations that are there but cannot be what they say: told once, with their number.

None of them keeps an object from being counted. An area that is none is that of the box, and not
known without one; a mark of a crowd that is neither 0 nor 1 leaves the count unknown.
"""

from __future__ import annotations

import math
from typing import Any

from oodexp.text import brief

_WIDEST = 1 << 31  # pixels


class Doubts:
    """Doubtful values, by what is wrong with them; memory does not grow with their number."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._often: dict[str, int] = {}

    def rows(self) -> list[tuple[str, str, str]]:
        """Image id (none), subject and reason of each kind of doubt."""
        return [
            ("", what, f"note: {self._often[what]:,} are none (first: {first})")
            for what, first in self._first.items()
        ]

    def side(self, name: str, value: Any, image: Any) -> int | None:
        """Annotated width or height of an image, None where it is not known.

        >>> doubts = Doubts()
        >>> [doubts.side("width", value, 7) for value in (640, 640.0, None, -1, "640")]
        [640, 640, None, None, None]
        """
        number = _number(value)
        if number is not None and number == round(number) and 0 < number < _WIDEST:
            return round(number)
        if value is not None:
            self._add(f"{name} in pixels", f"{brief(value)} of image {brief(image)}")
        return None

    def area(self, note: dict[str, Any], number: int) -> float:
        """Square pixels of the mask where annotated, else of the box; NaN where not known.

        >>> Doubts().area({"bbox": [0, 0, 3, 4]}, 0), Doubts().area({"area": -1}, 0)
        (12.0, nan)
        """
        given = note.get("area")
        area = _number(given)
        if area is not None and area >= 0:
            return area
        if given is not None:
            self._add("area in square pixels", f"{brief(given)} of annotation {number}")
        box = note.get("bbox")
        return math.nan if box is None else self._of_box(box, number)

    def crowd(self, value: Any, number: int) -> bool:
        """Whether an annotation is a region of many objects.

        >>> [Doubts().crowd(value, 0) for value in (None, 0, 1, False, 1.0, "0", 2)]
        [False, False, True, False, True, True, True]
        """
        if value is None or (isinstance(value, (int, float)) and value in (0, 1)):
            return bool(value)
        self._add("iscrowd as 0 or 1", f"{brief(value)} of annotation {number}, taken for 1")
        return True

    def _of_box(self, box: Any, number: int) -> float:
        given = box if isinstance(box, list) and len(box) == 4 else []
        sides = [n for v in given if (n := _number(v)) is not None]
        if len(sides) == 4 and min(sides[2:]) >= 0 and math.isfinite(sides[2] * sides[3]):
            return sides[2] * sides[3]
        self._add("bbox as x, y, width, height", f"{brief(box)} of annotation {number}")
        return math.nan

    def _add(self, what: str, first: str) -> None:
        self._first.setdefault(what, first)
        self._often[what] = self._often.get(what, 0) + 1


def _number(value: Any) -> float | None:
    """A finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # a whole number of hundreds of digits
        return None
