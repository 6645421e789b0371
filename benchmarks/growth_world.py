"""A made-up data set of COCO's form and any size: small PNG files and one annotation file.

An image has one grey pixel a category: bright where the category is annotated, dark elsewhere, both
with noise, so that scorers that look at it divide the pairs into all three splits.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 10, 8
CATEGORIES = WIDTH * HEIGHT
"""As many as COCO has."""
PER_IMAGE = 2.5
"""Annotated categories an image; two questions about each."""
PER_FOLDER = 1000


def make(folder: Path, questions: int) -> int:
    """Writes `images/` and `annotations.json`.

    Args:
        folder: Where to.
        questions: Number of existence questions that the set gives rise to.

    Returns:
        Number of images.
    """
    images = round(questions / 2 / PER_IMAGE)
    rng = np.random.default_rng(0)
    per_image = np.tile([2, 3], -(-images // 2))[:images]
    listed, notes = [], list[dict[str, object]]()
    for number, count in enumerate(per_image.tolist()):
        present = np.sort(rng.choice(CATEGORIES, count, replace=False))
        name = f"{number // PER_FOLDER:04d}/{number:012d}.png"
        file = folder / "images" / name
        if number % PER_FOLDER == 0:
            file.parent.mkdir(parents=True)
        pixels = rng.integers(0, 120, CATEGORIES)
        pixels[present] = rng.integers(60, 256, count)
        Image.fromarray(pixels.astype(np.uint8).reshape(HEIGHT, WIDTH)).save(file)
        listed.append({"id": number, "file_name": name, "width": WIDTH, "height": HEIGHT})
        for category in present.tolist():
            box = [0, 0, *rng.integers(4, 300, 2).tolist()]
            notes.append({"id": len(notes), "image_id": number, "category_id": category,
                          "bbox": box, "area": box[2] * box[3], "iscrowd": 0})  # fmt: skip
    names = [{"id": n, "name": f"thing {n}"} for n in range(CATEGORIES)]
    document = {"images": listed, "annotations": notes, "categories": names}
    (folder / "annotations.json").write_text(json.dumps(document))
    return images
