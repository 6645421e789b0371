"""A tiny drawn world: six scenes of coloured shapes, three categories, two scorers without weights.

The categories are told apart by their colour alone, so that `Colour` sees what is large and misses
what is small or painted wrong; `Hashing` knows nothing at all and is sure of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageDraw

from oodexp.scorer.base import TextBank
from oodexp.source.coco import Coco

COLOURS = {"apple": (220, 30, 30), "leaf": (30, 200, 40), "lake": (30, 60, 220)}
CATEGORIES = list(COLOURS)
GREY = (128, 128, 128)
SIDE = 32

Shape = tuple[str, str, tuple[int, int, int, int], str]
"""Category, colour that it is painted in (of another category perhaps), box, planted reason."""

SCENES: dict[str, list[Shape]] = {
    "one.png": [("apple", "apple", (2, 2, 29, 29), "canonical")],
    "two.png": [("leaf", "leaf", (4, 4, 29, 29), "canonical")],
    "three.png": [("lake", "lake", (2, 6, 29, 27), "canonical")],
    "sub/four.png": [
        ("apple", "apple", (0, 0, 27, 27), "canonical"),
        ("leaf", "leaf", (28, 28, 31, 31), "secondary"),
    ],
    "sub/five.png": [("lake", "apple", (3, 3, 28, 28), "variant: colour")],
    "empty.png": [],
}


def picture(shapes: Sequence[Shape], noise: int = 0) -> Image.Image:
    """The scene; another `noise` gives other bytes that show the same."""
    image = Image.new("RGB", (SIDE, SIDE), GREY)
    draw = ImageDraw.Draw(image)
    for _, colour, box, _ in shapes:
        draw.rectangle(box, fill=COLOURS[colour])
    image.putpixel((SIDE - 1, 0), (128, 128, 128 - noise))
    return image


def document(scenes: dict[str, list[Shape]]) -> dict[str, Any]:
    """The scenes as COCO's instance format, image ids from 0."""
    notes = []
    for image_id, shapes in enumerate(scenes.values()):
        for category, _, (left, top, right, bottom), planted in shapes:
            width, height = right - left + 1, bottom - top + 1
            notes.append(
                {
                    "id": len(notes), "image_id": image_id, "iscrowd": 0, "planted": planted,
                    "category_id": CATEGORIES.index(category), "area": width * height,
                    "bbox": [left, top, width, height],
                }
            )  # fmt: skip
    return {
        "images": [
            {"id": n, "file_name": name, "width": SIDE, "height": SIDE}
            for n, name in enumerate(scenes)
        ],
        "categories": [{"id": n, "name": name} for n, name in enumerate(CATEGORIES)],
        "annotations": notes,
    }


def draw(folder: Path, scenes: dict[str, list[Shape]] = SCENES) -> Coco:
    """Writes the scenes below `folder` and opens them as a source."""
    root = folder / "images"
    for number, (name, shapes) in enumerate(scenes.items()):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        picture(shapes, number).save(root / name)
    return annotated(folder, document(scenes), root)


def annotated(folder: Path, annotations: dict[str, Any], images: Path, name: str = "world") -> Coco:
    """A source from a COCO document and an image folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "instances.json").write_text(json.dumps(annotations))
    return Coco(str(folder / "instances.json"), str(images), name)


class Colour:
    """Scores by the mean colour of an image; sees what fills the picture.

    Args:
        scale: Factor from cosine to logit.
    """

    link = "softmax"

    def __init__(self, scale: float = 20.0) -> None:
        self.scale = scale
        self.loads: list[str] = []
        self.encoded: list[int] = []

    def fingerprint(self) -> dict[str, Any]:
        return {"kind": "colour", "scale": self.scale}

    def load(self, device: str) -> None:
        self.loads.append(device)

    def preprocess(self, image: Image.Image) -> torch.Tensor:
        pixels = np.asarray(image.resize((8, 8), Image.Resampling.BOX), dtype=np.float32)
        return torch.from_numpy(pixels / 255).permute(2, 0, 1).contiguous()

    def encode_images(self, batch: torch.Tensor) -> torch.Tensor:
        assert self.loads, "encode_images before load"
        self.encoded.append(len(batch))
        # One by one: a reduction over a batch may add in another order.
        return torch.stack([_unit(image.mean(dim=(1, 2)) - 0.4) for image in batch])

    def encode_texts(self, categories: list[str]) -> TextBank:
        assert self.loads, "encode_texts before load"
        vectors = [_unit(torch.tensor(COLOURS[c]) / 255 - 0.4) for c in categories]
        return TextBank(torch.stack(vectors).numpy(), self.scale, 0.0)

    def logits(self, images: np.ndarray, bank: TextBank) -> np.ndarray:
        # Not a matrix product: it rounds differently for another number of rows.
        cosine = (images[:, None].astype(np.float64) * bank.embeddings).sum(axis=-1)
        return np.asarray(bank.scale * cosine + bank.bias, np.float32)


class Hashing(Colour):
    """Scores by digests of pixels and names: the same each time, and without any sense.

    Args:
        seed: Another seed is another scorer.
        width: Length of its vectors.
    """

    def __init__(self, seed: int = 0, width: int = 7, scale: float = 10.0) -> None:
        super().__init__(scale)
        self.seed = seed
        self.width = width

    def fingerprint(self) -> dict[str, Any]:
        return {"kind": "hashing", "seed": self.seed, "width": self.width, "scale": self.scale}

    def encode_images(self, batch: torch.Tensor) -> torch.Tensor:
        assert self.loads, "encode_images before load"
        self.encoded.append(len(batch))
        return torch.stack([self._vector(image.numpy().tobytes()) for image in batch])

    def encode_texts(self, categories: list[str]) -> TextBank:
        assert self.loads, "encode_texts before load"
        vectors = [self._vector(name.encode()).numpy() for name in categories]
        return TextBank(np.stack(vectors), self.scale, 0.5)

    def _vector(self, content: bytes) -> torch.Tensor:
        seed = int.from_bytes(hashlib.sha256(content + bytes([self.seed])).digest()[:8])
        return _unit(torch.from_numpy(np.random.default_rng(seed).normal(size=self.width)))


def _unit(vector: torch.Tensor) -> torch.Tensor:
    return (vector / torch.linalg.vector_norm(vector)).float()
