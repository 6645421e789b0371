"""The concept miniature as rows, pictures and the one file that the package ships."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from oodexp.miniature.concept_idea import (
    CALIBRATION,
    CONCEPTS,
    CULTURE,
    MIXED,
    NEGATIVE,
    TIME,
    Idea,
)
from oodexp.miniature.concept_paint import ACQUISITIONS, CRAWLED, GENERATED
from oodexp.miniature.concept_scene import draw_idea

SEEDS: dict[str, int] = {"train": 20, "dev": 21, "test": 22}
"""Dials were set on dev; test is shipped."""
PARTS = ("concepts", *CALIBRATION)
FILE = "concept.zip"
TABLE = "concept.csv"
COLOURS = 64
"""Colours of a shipped picture: files half as large, and no difference by eye."""
_PICTURES = {"id": 12, "long_tail": 8, "negatives": 25}
_RENDERER = {CRAWLED: "sharp renderer", GENERATED: "soft renderer"}


@dataclass(frozen=True)
class Row:
    """A picture's entry in the table of the file.

    Attributes:
        image: Its name in the file.
        part: One of ``PARTS``.
        phrase: Its concept.
        category: The concept's family.
        acquisition: ``crawled`` or ``generated``.
        licence: Its licence.
        origin: What drew it.
    """

    image: str
    part: str
    phrase: str
    category: str
    acquisition: str
    licence: str
    origin: str


@dataclass(frozen=True)
class Drawn:
    """A picture with its entry.

    Attributes:
        row: The entry.
        png: The picture as the bytes of a PNG file.
    """

    row: Row
    png: bytes


def number_of(part: str, place: int) -> int:
    """How many pictures a concept has: 10 to 14 in the benchmark, so that weights differ.

    Args:
        part: One of ``PARTS``.
        place: Number of the concept within the part.
    """
    return 10 + 3 * place % 5 if part == "concepts" else _PICTURES[part]


def acquisition_of(idea: Idea, place: int) -> str:
    """Which renderer draws a picture; four families, as in the paper, come from both.

    Args:
        idea: The concept.
        place: Number of the picture within the concept.
    """
    if idea.family == MIXED:
        return GENERATED
    if idea.family in (TIME, CULTURE) or idea not in CONCEPTS:
        return CRAWLED
    return ACQUISITIONS[place % 2]


def as_png(pixels: np.ndarray) -> bytes:
    """A picture as PNG with few colours, the same bytes for the same pixels.

    Args:
        pixels: (64, 64, 3) uint8.
    """
    few = Image.fromarray(pixels).quantize(
        COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
    )
    buffer = io.BytesIO()
    few.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _origin(idea: Idea, acquisition: str) -> str:
    renderer = "digits" if idea.family == NEGATIVE else _RENDERER[acquisition]
    return f"oodexp.miniature, {renderer}"


def draw_part(part: str, split: str) -> list[Drawn]:
    """Draws all pictures of a part; each from its own seed.

    Args:
        part: One of ``PARTS``.
        split: ``dev`` or ``test``.

    Returns:
        The pictures, concept by concept.
    """
    ideas = CONCEPTS if part == "concepts" else CALIBRATION[part]
    found = []
    for place, idea in enumerate(ideas):
        for number in range(number_of(part, place)):
            acquisition = acquisition_of(idea, number)
            rng = np.random.default_rng([SEEDS[split], PARTS.index(part), place, number])
            name = f"{part}/{place:02d}_{number:02d}.png"
            row = Row(
                name, part, idea.phrase, idea.family, acquisition, "Apache-2.0",
                _origin(idea, acquisition),
            )  # fmt: skip
            found.append(Drawn(row, as_png(draw_idea(idea, acquisition, rng))))
    return found


def write_concepts(folder: Path, split: str = "test") -> None:
    """Draws all parts into one file, the same bytes each time: a table, and the pictures.

    Args:
        folder: Where the file goes; made if missing.
        split: ``dev`` or ``test``.
    """
    drawn = [one for part in PARTS for one in draw_part(part, split)]
    names = [field.name for field in fields(Row)]
    text = io.StringIO()
    table = csv.DictWriter(text, names, lineterminator="\n")
    table.writeheader()
    table.writerows({name: getattr(one.row, name) for name in names} for one in drawn)
    folder.mkdir(parents=True, exist_ok=True)
    entry = partial(zipfile.ZipInfo, date_time=(2026, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(folder / FILE, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(entry(TABLE), text.getvalue(), zipfile.ZIP_DEFLATED)
        for one in drawn:
            archive.writestr(entry(one.row.image), one.png)
