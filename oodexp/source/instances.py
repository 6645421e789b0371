"""The annotations of one source in memory, and COCO's instance format read into them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.error import OodexpError
from oodexp.record import Image, Pair, Problem
from oodexp.source.cells import NOT_KNOWN, Cells, empty, marked, merge
from oodexp.source.document import Document
from oodexp.source.labels import Labels
from oodexp.text import brief, broken, mended

_FORM = (
    "COCO's instance format with the lists images, annotations and categories "
    "(instances_val2017.json, not captions)"
)

Listed = tuple[str, str, int | None, int | None]
"""Id, file, annotated width and height of an image."""


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
    licences: Mapping[str, str] = field(default_factory=dict)
    """Licence by image id, where it is known."""
    texts: Mapping[str, str | None] = field(default_factory=dict)
    """Category text by annotated name; None for a dropped category."""


def parse(document: Any, source: str, where: str, labels: Labels | None = None) -> Instances:
    """Reads a COCO instance document; every category that is not annotated is absent.

    Args:
        document: The parsed JSON, or the path of a file, which is read entry by entry.
        source: Name of the data set, written into every row.
        where: The file's name, for messages.
        labels: Texts to show instead of the category names.

    Raises:
        OodexpError: If a section or field is missing, or an image id, category id or category
            name is repeated.
    """
    read = Document(where, _FORM, ("id", "file_name"), ("width", "height", "license"))
    if isinstance(document, Path):
        read.read(document)
    else:
        read.take(document)
    names = read.names
    cells, lost = read.cells()
    listed = [listing(row, str(row["file_name"])) for row in read.images.values()]
    presence = marked(cells, empty(len(listed), len(names)))
    texts = labels.texts(names, source) if labels else list(names)
    found = assemble(source, listed, names, texts, cells, presence, lost)
    return replace(found, licences=read.licences())


def listing(row: dict[str, Any], file: str) -> Listed:
    """An image of a COCO-like document.

    Args:
        row: The image's entry.
        file: Path below the image folder.
    """
    width, height = (row.get("width"), row.get("height"))
    return (
        str(row["id"]), file,
        width, height,
    )  # fmt: skip


def assemble(
    source: str, listed: Sequence[Listed], names: Sequence[str], texts: Sequence[str | None],
    cells: Cells, presence: np.ndarray, problems: Iterable[tuple[str, str, str]],
) -> Instances:  # fmt: skip
    """The tables of a source, its categories under the texts that models are shown.

    Args:
        source: Name of the data set, written into every row.
        listed: Its images.
        names: Annotated category names.
        texts: Text of each name (`Labels.texts`); None drops the category with its annotations.
        cells: Annotated cells of the names.
        presence: Codes of `record`, (image, name), annotated cells included.
        problems: Image id (or empty), subject and reason of what was left out.

    Raises:
        OodexpError: If an image id is repeated, a text is empty, or one cannot be written.
    """
    _check(source, listed, names, texts)
    categories = [text for text in texts if text is not None]
    if len(set(categories)) < len(texts):
        cells, presence, categories = merge(cells, presence, texts, names)
    images = _images(source, listed, cells)
    lost = [Problem("source", "", source, *map(mended, told)) for told in problems]
    return Instances(
        images=images,
        categories=categories,
        pairs=_pairs(source, images, categories, cells),
        presence=presence,
        problems=table.frame(Problem, list(dict.fromkeys(lost))),
        texts=dict(zip(names, texts, strict=True)),
    )


def _check(
    source: str, listed: Sequence[Listed], names: Sequence[str], texts: Sequence[str | None]
) -> None:
    """Refuses texts that no file, prompt or table could hold."""
    for image, file, *_ in listed:
        if broken(image) or broken(file):
            raise OodexpError(
                f"source {source}: image {brief(image)}, file {brief(file)}: half of a surrogate "
                "pair, which is no character; write the name anew"
            )
    for name, text in zip(names, texts, strict=True):
        if text is not None and (broken(text) or not text.strip()):
            raise OodexpError(
                f"source {source}: category {brief(name)}: the text {brief(text)} is empty, or "
                "holds half of a surrogate pair; give it another one in source.labels"
            )


def _images(source: str, listed: Sequence[Listed], cells: Cells) -> pd.DataFrame:
    ids, files, widths, heights = zip(*listed, strict=True) if listed else ((),) * 4
    objects = np.bincount(cells.row, weights=cells.objects, minlength=len(listed))
    columns = {
        "source": [source] * len(listed),
        "image_id": list(ids),
        "file": list(files),
        "sha256": [None] * len(listed),
        "width": pd.array(widths, dtype="Int64"),
        "height": pd.array(heights, dtype="Int64"),
        "objects": objects.astype(np.int64),
    }
    return table.frame(Image, columns)


def _pairs(
    source: str, images: pd.DataFrame, categories: Sequence[str], cells: Cells
) -> pd.DataFrame:
    count = pd.array(cells.count, dtype="Int64")
    count[cells.count == NOT_KNOWN] = pd.NA
    columns = {
        "source": [source] * len(cells.row),
        "image_id": images["image_id"].to_numpy(dtype=object)[cells.row],
        "category": np.array([*categories, None], dtype=object)[cells.column],
        "count": count,
        "count_reason": cells.reason,
        "area": cells.area,
        "planted": cells.planted,
    }
    return table.frame(Pair, columns)
