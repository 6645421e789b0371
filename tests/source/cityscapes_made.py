"""Small data sets in the layout of Cityscapes: rectangles, painted pixel by pixel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from oodexp.source.cityscapes import Cityscapes
from oodexp.source.cityscapes_labels import KNOWN, of

SIZE = (64, 32)
STEM = "ulm_000000_000019"
LABELS = ("car", "person", "rider", "road", "traffic sign", "polegroup", "cargroup", "bicycle")


def rectangle(label: str, box: tuple[int, int, int, int], **more: Any) -> dict[str, Any]:
    """An object whose outline runs through the corners x0, y0, x1, y1."""
    x0, y0, x1, y1 = box
    return {"label": label, "polygon": [[x0, y0], [x1, y0], [x1, y1], [x0, y1]], **more}


def painted(objects: list[dict[str, Any]]) -> np.ndarray:
    """Number (from 1) of the object on top at each pixel, corners included; 0 for none."""
    canvas = np.zeros(SIZE[::-1], dtype=np.int64)
    for number, entry in enumerate(objects, start=1):
        (x0, y0), _, (x1, y1), _ = entry["polygon"]
        found = of(entry["label"])
        if not entry.get("deleted") and found and found[0].number >= 0:
            canvas[y0 : y1 + 1, x0 : x1 + 1] = number
    return canvas


def instance_ids(objects: list[dict[str, Any]]) -> np.ndarray:
    """The instance image of the objects: id * 1000 + n, the id alone for groups and regions."""
    canvas = painted(objects)
    values = np.zeros_like(canvas)
    count = dict.fromkeys(KNOWN, 0)
    for number, entry in enumerate(objects, start=1):
        label, group = of(entry["label"]) or (KNOWN["unlabeled"], False)
        value = label.number
        if label.counted and not group:
            value = value * 1000 + count[label.name]
            count[label.name] += not entry.get("deleted")
        values[canvas == number] = max(value, 0)
    return values


def write(
    root: Path, stem: str, objects: list[dict[str, Any]], ids: bool = False, polygons: bool = True
) -> Path:
    """Writes an image and its annotation files below `root`, which it returns."""
    city = stem.partition("_")[0]
    truth, photos = root / "gtFine/val" / city, root / "leftImg8bit/val" / city
    truth.mkdir(parents=True, exist_ok=True)
    photos.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", SIZE).save(photos / f"{stem}_leftImg8bit.png")
    if polygons:
        document = {"imgWidth": SIZE[0], "imgHeight": SIZE[1], "objects": objects}
        (truth / f"{stem}_gtFine_polygons.json").write_text(json.dumps(document))
    if ids:
        values = instance_ids(objects).astype(np.uint16)
        Image.fromarray(values).save(truth / f"{stem}_gtFine_instanceIds.png")
    return root


def drawn(rng: np.random.Generator, objects: int = 12) -> list[dict[str, Any]]:
    """Rectangles anywhere, some of them deleted, some covered by later ones."""
    found = []
    for _ in range(objects):
        x, y = rng.integers(0, SIZE[0], 2), rng.integers(0, SIZE[1], 2)
        box = (*map(int, (x.min(), y.min(), x.max(), y.max())),)
        gone = {"deleted": 1} if rng.random() < 0.1 else {}
        found.append(rectangle(str(rng.choice(LABELS)), box, **gone))
    return found


CAR, HIDDEN = rectangle("car", (2, 4, 8, 12)), rectangle("rider", (3, 5, 6, 8))
"""An object of 63 pixels, and one of 16 that it covers when it comes later."""


def opened(root: Path, objects, ids: bool = False, **settings) -> Cityscapes:
    """One image on disk as a source."""
    return Cityscapes(str(write(root, STEM, objects, ids)), **settings)


def pairs(source: Cityscapes) -> dict[str, tuple]:
    """Count, reason and area of each present category."""
    table = source.pairs().astype(object).where(lambda t: t.notna(), None)
    return {p.category: (p.count, p.count_reason, p.area) for p in table.itertuples()}
