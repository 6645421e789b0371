"""COCO's instance format in memory: a checked document to images, pairs and presence.

Nothing is looked up by annotation id: exporters restart it in every image. Ids are compared, never
tested for truth: 0 is an id like any other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.record import ABSENT, PRESENT, Image, Pair, Problem

Document = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Instances:
    """The annotations of one source, rows in the order of the document."""

    images: pd.DataFrame
    """`record.Image` rows, without content hashes."""
    categories: list[str]
    """Category texts, columns of `presence`."""
    pairs: pd.DataFrame
    """`record.Pair` rows."""
    presence: np.ndarray
    """Codes of `record`, uint8, (image, category)."""
    problems: pd.DataFrame
    """`record.Problem` rows: annotations that could not be placed."""


@dataclass(slots=True)
class _Cell:
    count: int = 0
    crowd: bool = False
    area: float | None = None
    planted: str | None = None


def parse(document: Any, source: str, where: str) -> Instances:
    """Reads a COCO instance document; every category that is not annotated is absent.

    Args:
        document: The parsed JSON.
        source: Name of the data set, written into every row.
        where: The file's name, for messages.

    Raises:
        OodexpError: If a section or field is missing, or an image id, category id or category
            name is repeated.
    """
    for section in ("images", "annotations", "categories"):
        if not isinstance(document, dict) or not isinstance(document.get(section), list):
            raise OodexpError(
                f"{where}: no list {section!r}; expected COCO's instance format with the lists "
                "images, annotations and categories (instances_val2017.json, not captions)"
            )
    images = _by_id(document["images"], ("id", "file_name"), f"{where}: images")
    categories = _by_id(document["categories"], ("id", "name"), f"{where}: categories")
    names = [str(c["name"]) for c in categories.values()]
    if len(set(names)) < len(names):
        twice = sorted({n for n in names if names.count(n) > 1})
        raise OodexpError(f"{where}: category names {twice} are repeated; give each its own name")
    cells, objects, lost = _cells(document["annotations"], images, categories)
    problems = [Problem("source", "", source, i, subject, why) for i, subject, why in lost]
    return Instances(
        images=table.frame(Image, [_image(i, source, objects) for i in images.values()]),
        categories=names,
        pairs=table.frame(Pair, _pairs(cells, source, images, categories)),
        presence=_presence(cells, images, categories),
        problems=table.frame(Problem, list(dict.fromkeys(problems))),
    )


def _by_id(rows: list[Any], need: tuple[str, ...], where: str) -> dict[Any, dict[str, Any]]:
    found: dict[Any, dict[str, Any]] = {}
    for number, row in enumerate(rows):
        lacking = [f for f in need if not isinstance(row, dict) or row.get(f) is None]
        if lacking:
            raise OodexpError(f"{where}: entry {number} has no {', '.join(lacking)}")
        if not isinstance(row["id"], (int, str)):
            raise OodexpError(f"{where}: entry {number} has id {row['id']!r}; expected a number")
        if row["id"] in found:
            raise OodexpError(f"{where}: id {row['id']!r} is repeated (entry {number})")
        found[row["id"]] = row
    return found


def _cells(
    annotations: list[Any], images: dict[Any, Any], categories: dict[Any, Any]
) -> tuple[dict[tuple[Any, Any], _Cell], dict[Any, int], list[tuple[str, str, str]]]:
    cells: dict[tuple[Any, Any], _Cell] = defaultdict(_Cell)
    objects: dict[Any, int] = defaultdict(int)
    lost = []
    for number, note in enumerate(annotations):
        image, category = _keys(note)
        if image not in images or category not in categories:
            unknown = "image_id" if image not in images else "category_id"
            shown = str(image) if image in images else ""
            value = note.get(unknown) if isinstance(note, dict) else note
            lost.append((shown, f"annotation {number}", f"{unknown} {value!r} is not listed"))
            continue
        objects[image] += 1
        _add(cells[image, category], note)
    return cells, objects, lost


def _keys(note: Any) -> tuple[Any, Any]:
    if not isinstance(note, dict):
        return None, None
    keys = note.get("image_id"), note.get("category_id")
    return keys if all(isinstance(k, (int, str)) for k in keys) else (None, None)


def _add(cell: _Cell, note: dict[str, Any]) -> None:
    planted = note.get("planted")
    # A pair is as easy as its easiest instance; "canonical" sorts before the other reasons, then
    # "variant: ..." is preferred to "secondary".
    if planted:
        cell.planted = min(filter(None, (cell.planted, planted)), key=_ease)
    if note.get("iscrowd", 0):
        cell.crowd = True
        return
    cell.count += 1
    area = _area(note)
    if area is not None:
        cell.area = max(area, cell.area or 0.0)


def _area(note: dict[str, Any]) -> float | None:
    """Square pixels of the mask where annotated, else of the box; None where neither is given."""
    box = note.get("bbox")
    sides = box[2:] if isinstance(box, list) and len(box) == 4 else [None]
    for factors in ([note.get("area")], sides):
        if all(isinstance(f, (int, float)) for f in factors):
            area = float(np.prod(np.array(factors, dtype=np.float64)))
            return area if np.isfinite(area) else None
    return None


def _ease(planted: str) -> tuple[bool, bool, str]:
    return planted != "canonical", planted == "secondary", planted


def _image(row: dict[str, Any], source: str, objects: dict[Any, int]) -> Image:
    width, height = (
        v if isinstance(v, int) else None for v in (row.get("width"), row.get("height"))
    )
    return Image(
        source, str(row["id"]), str(row["file_name"]), None, width, height, objects[row["id"]]
    )


def _pairs(
    cells: dict[tuple[Any, Any], _Cell], source: str, images: dict[Any, Any],
    categories: dict[Any, Any],
) -> list[Pair]:  # fmt: skip
    row = {i: n for n, i in enumerate(images)}
    column = {c: n for n, c in enumerate(categories)}
    pairs = []
    for image, category in sorted(cells, key=lambda k: (row[k[0]], column[k[1]])):
        cell = cells[image, category]
        count, reason = (None, "crowd") if cell.crowd else (cell.count, None)
        name = str(categories[category]["name"])
        pairs.append(Pair(source, str(image), name, count, reason, cell.area, cell.planted))
    return pairs


def _presence(
    cells: dict[tuple[Any, Any], _Cell], images: dict[Any, Any], categories: dict[Any, Any]
) -> np.ndarray:
    row = {i: n for n, i in enumerate(images)}
    column = {c: n for n, c in enumerate(categories)}
    presence = np.full((len(images), len(categories)), ABSENT, dtype=np.uint8)
    for image, category in cells:
        presence[row[image], column[category]] = PRESENT
    return presence
