"""Boxes of a COCO-like document: read when somebody wants to see them, and not before."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oodexp.source import stream

if TYPE_CHECKING:
    from oodexp.source.base import Box
    from oodexp.source.instances import Instances


class Boxes:
    """Boxes by image and category; 24 bytes an annotation.

    Args:
        document: The parsed JSON, or the path of a file.
        texts: Category text by annotated name; None for a dropped category.
    """

    def __init__(self, document: Path | dict[str, Any], texts: Mapping[str, str | None]) -> None:
        self._images: dict[str, int] = {}
        self._categories: dict[Any, int] = {}
        self._names: dict[Any, str | None] = {}
        self._texts = texts
        image, category, sides = array("i"), array("i"), array("f")

        def take(note: Any) -> None:
            sides.extend(_sides(note))
            of = note if isinstance(note, dict) else {}
            image.append(self._images.setdefault(str(of.get("image_id")), len(self._images)))
            known = self._categories
            category.append(known.setdefault(_plain(of.get("category_id")), len(known)))

        taps = {"annotations": take, "categories": self._name}
        if isinstance(document, Path):
            stream.read(document, taps)
        else:
            for name, tap in taps.items():
                for entry in document[name]:
                    tap(entry)
        self._image, self._category = np.array(image), np.array(category)
        self._sides = np.array(sides, dtype=np.float64).reshape(-1, 4)

    def of(self, image_id: str, category: str) -> list[Box]:
        """The boxes of a pair, in the order of the document; empty when none is annotated."""
        names = self._names
        wanted = [code for key, code in self._categories.items() if names.get(key) == category]
        mine = (self._image == self._images.get(image_id, -1)) & np.isin(self._category, wanted)
        found = self._sides[mine]
        return [tuple(box) for box in found[np.isfinite(found).all(axis=1)].tolist()]

    def _name(self, entry: dict[str, Any]) -> None:
        self._names[entry["id"]] = self._texts.get(str(entry["name"]))


class Boxed(ABC):
    """A source that reads its boxes from a COCO-like document."""

    _instances: Instances
    """Its annotations."""

    @abstractmethod
    def _document(self) -> Path | dict[str, Any]:
        """The annotation file, or what it holds."""

    def boxes(self, image_id: str, category: str) -> list[Box]:
        """See `source.base.Outlined`."""
        return self._boxes.of(image_id, category)

    @cached_property
    def _boxes(self) -> Boxes:
        return Boxes(self._document(), self._instances.texts)


def _plain(key: Any) -> Any:
    return key if isinstance(key, (int, str)) else None


def _sides(note: Any) -> list[float]:
    box = note.get("bbox") if isinstance(note, dict) else None
    if isinstance(box, list) and len(box) == 4 and all(isinstance(s, (int, float)) for s in box):
        try:
            return [float(side) for side in box]
        except OverflowError:  # a whole number of hundreds of digits
            pass
    return [math.nan] * 4
