"""Scenes as a COCO annotation file, and back to the planted reason of a pair."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.scene import Scene, Thing


def planted_reason(planted: Iterable[str]) -> str:
    """Says why an image-category pair is in or out of distribution.

    Args:
        planted: The marks of the pair's instances: ``canonical``, ``secondary``, ``variant:...``.

    Returns:
        ``canonical`` if any instance is; else the first ``variant:...``; else ``secondary``.

    Raises:
        ValueError: If there is no instance, or a mark is unknown.
    """
    marks = list(planted)
    deformed = [mark for mark in marks if mark.startswith("variant:")]
    odd = set(marks) - {"canonical", "secondary", *deformed}
    if odd or not marks:
        raise ValueError(
            f"marks {marks}: expected at least one of canonical, secondary, variant:<name>; "
            "read them from the annotations of one image and one category"
        )
    if "canonical" in marks:
        return "canonical"
    return deformed[0] if deformed else "secondary"


def reasons_by_pair(coco: dict[str, Any]) -> dict[tuple[int, int], str]:
    """Collects the planted reason of every present pair of an annotation file.

    Args:
        coco: The file as a dictionary.

    Returns:
        (image id, category id) to reason.
    """
    marks: dict[tuple[int, int], list[str]] = {}
    for row in coco["annotations"]:
        marks.setdefault((row["image_id"], row["category_id"]), []).append(row["planted"])
    return {pair: planted_reason(found) for pair, found in marks.items()}


def _annotation(number: int, image_id: int, thing: Thing) -> dict[str, Any]:
    return {
        "id": number,
        "image_id": image_id,
        "category_id": CATEGORIES.index(thing.category) + 1,
        "bbox": list(thing.box),
        "area": thing.area,
        "iscrowd": 0,
        "planted": thing.planted,
    }


def to_coco(scenes: Sequence[Scene], captions: Sequence[str], split: str) -> dict[str, Any]:
    """Writes scenes in the form of a COCO annotation file.

    Args:
        scenes: The scenes, in the order of their numbers.
        captions: One per scene.
        split: Name of the split, used in file names.

    Returns:
        A dictionary with ``images`` (with their caption), ``annotations`` (with ``planted``) and
        ``categories``; all ids count from 1.
    """
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for image_id, (scene, text) in enumerate(zip(scenes, captions, strict=True), start=1):
        height, width = scene.image.shape[:2]
        name = f"{split}_{image_id:05d}.png"
        images.append(
            {"id": image_id, "file_name": name, "width": width, "height": height, "caption": text}
        )
        for thing in scene.things:
            annotations.append(_annotation(len(annotations) + 1, image_id, thing))
    names = [{"id": i, "name": name} for i, name in enumerate(CATEGORIES, start=1)]
    return {"images": images, "annotations": annotations, "categories": names}


def write_coco(coco: dict[str, Any], path: Path) -> None:
    """Writes an annotation file, compressed, the same bytes for the same content.

    Args:
        coco: The annotations.
        path: Where to; ends in ``.json.gz``.
    """
    text = json.dumps(coco, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def read_coco(path: Path) -> dict[str, Any]:
    """Reads a compressed annotation file.

    Args:
        path: A ``.json.gz`` file.

    Returns:
        The annotations as a dictionary.
    """
    loaded: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return loaded
