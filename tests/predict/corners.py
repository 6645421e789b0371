"""An extractor without weights, and what it gives by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from oodexp.pixel import decode
from oodexp.predict.content import scan
from oodexp.predict.features import Features, features
from oodexp.predict.loop import Loop
from oodexp.predict.store import Store
from oodexp.source.coco import Coco


class Corners:
    """An image's mean colour and its four corner pixels' red: 7 numbers, of any length.

    Args:
        gain: Factor.
    """

    def __init__(self, gain: float = 3.0) -> None:
        self.gain = gain
        self.loads: list[str] = []
        self.encoded: list[int] = []

    def fingerprint(self) -> dict[str, Any]:
        return {"kind": "corners", "gain": self.gain}

    def load(self, device: str) -> None:
        self.loads.append(device)

    def preprocess(self, image: Any) -> torch.Tensor:
        pixels = np.asarray(image.resize((32, 32)), dtype=np.float32) / 255
        return torch.from_numpy(pixels).permute(2, 0, 1).contiguous()

    def encode_images(self, batch: torch.Tensor) -> torch.Tensor:
        assert self.loads, "encode_images before load"
        self.encoded.append(len(batch))
        corners = batch[:, 0, [0, 0, -1, -1], [0, -1, 0, -1]]
        return self.gain * torch.cat([batch.mean(dim=(2, 3)), corners], dim=1)


def run(source: Coco, extractor: Any, store: Store, loop: Loop) -> Features:
    images = scan(source.images(), source.read).images
    return features(images, source.read, extractor, store, loop)


def by_hand(source: Coco, extractor: Any, ids: Any = None) -> np.ndarray:
    """The same vectors without store, loop or batches."""
    extractor.load("cpu")
    rows = [
        extractor.encode_images(extractor.preprocess(decode(source.read(image_id)))[None])[0]
        for image_id in (source.images()["image_id"] if ids is None else ids)
    ]
    return torch.stack(rows).numpy()


def refuse(image_id: str) -> bytes:
    raise AssertionError(f"{image_id} was read")
