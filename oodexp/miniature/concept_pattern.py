"""Patterns as bitmaps of 8 by 8: ornaments, fine textures, letters and digits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]

# Eight rows of eight dots, a row a byte, the leftmost dot its highest bit.
ORNAMENTS: dict[str, tuple[int, ...]] = {
    "meander": (0xFF, 0x01, 0x7D, 0x45, 0x55, 0x5D, 0x41, 0x7F),
    "chevron": (0x81, 0xC3, 0x66, 0x3C, 0x18, 0x00, 0x00, 0x00),
    "lattice": (0x81, 0x42, 0x24, 0x18, 0x18, 0x24, 0x42, 0x81),
    "rosette": (0x18, 0x3C, 0x5A, 0xE7, 0xE7, 0x5A, 0x3C, 0x18),
    "scale": (0x81, 0x81, 0x42, 0x3C, 0x18, 0x18, 0x24, 0xC3),
    "basket": (0x0F, 0xFF, 0x0F, 0xFF, 0xF5, 0xF5, 0xF5, 0xF5),
    "cross": (0x18, 0x18, 0x18, 0xFF, 0xFF, 0x18, 0x18, 0x18),
    "spiral": (0x7E, 0x81, 0xBD, 0xA5, 0xAD, 0xA1, 0xBF, 0x80),
    "stair": (0xF0, 0xF0, 0x78, 0x3C, 0x0F, 0x0F, 0x1E, 0x3C),
    "diamond": (0x10, 0x38, 0x7C, 0xFE, 0x7C, 0x38, 0x10, 0x00),
}
TEXTURES: dict[str, tuple[int, ...]] = {
    "striped": (0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00),
    "dotted": (0x88, 0x00, 0x22, 0x00, 0x88, 0x00, 0x22, 0x00),
    "checked": (0xCC, 0xCC, 0x33, 0x33, 0xCC, 0xCC, 0x33, 0x33),
    "hatched": (0x11, 0x22, 0x44, 0x88, 0x11, 0x22, 0x44, 0x88),
    "ribbed": (0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC),
}
# Five rows of three dots each, top first: letters that names need, and the digits.
_GLYPHS = {
    "a": "25755", "b": "65656", "c": "34443", "d": "65556", "e": "74647", "f": "74644",
    "g": "34553", "h": "55755", "i": "72227", "j": "11152", "k": "55655", "l": "44447",
    "m": "57755", "n": "65555", "o": "25552", "p": "65644", "q": "25563", "r": "65655",
    "s": "34216", "t": "72222", "u": "55557", "v": "55552", "w": "55775", "x": "55255",
    "y": "55222", "z": "71247", "0": "75557", "1": "26227", "2": "71747", "3": "71717",
    "4": "55711", "5": "74717", "6": "74757", "7": "71122", "8": "75757", "9": "75717",
}  # fmt: skip


def tiled(
    bitmap: Sequence[int], height: int, width: int, scale: int, shift: tuple[int, int]
) -> Mask:
    """Repeats a bitmap over an area.

    Args:
        bitmap: Eight rows of eight dots, a byte each.
        height: Rows of the area in pixels.
        width: Its columns.
        scale: Pixels a dot, 1 or more.
        shift: Rows and columns that the pattern is moved up and left.

    Returns:
        (height, width), True where a dot is set.
    """
    dots = np.unpackbits(np.array(bitmap, np.uint8)[:, None], axis=1).astype(bool)
    rows = (np.arange(height) + shift[0]) // scale % 8
    columns = (np.arange(width) + shift[1]) // scale % 8
    return dots[np.ix_(rows, columns)]


def written(text: str, scale: int) -> Mask:
    """Draws a text in capitals of three by five dots.

    Args:
        text: Letters from a to z and digits, at least one.
        scale: Pixels a dot, 1 or more.

    Returns:
        (5 scale, (4 n - 1) scale) for n letters, True where there is ink.

    Raises:
        ValueError: If a letter has no drawing.
    """
    missing = sorted(set(text) - set(_GLYPHS))
    if missing or not text:
        raise ValueError(f"text {text!r}: letters {missing} are not drawn; use a-z and 0-9")
    dots = np.zeros((5, 4 * len(text) - 1), bool)
    for place, letter in enumerate(text):
        rows = np.array([int(row) for row in _GLYPHS[letter]])
        dots[:, 4 * place : 4 * place + 3] = rows[:, None] >> np.array([2, 1, 0]) & 1
    return np.kron(dots, np.ones((scale, scale), bool))
