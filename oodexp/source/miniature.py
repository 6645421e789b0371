"""The drawn world of `oodexp.miniature` as a source: why a pair is out of distribution is known."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from dataclasses import replace
from functools import cached_property
from importlib import resources
from typing import Any

from oodexp.error import OodexpError
from oodexp.source.annotated import Annotated
from oodexp.source.boxes import Boxed
from oodexp.source.instances import Instances, parse

_SEEDS = ("test", "dev")
_SPLITS = ("test", "train")
_LICENCE = "Apache-2.0, drawn by oodexp"


class Miniature(Boxed, Annotated):
    """Scenes of the drawn world.

    The images of `test` and `dev` ship with the package. Those that the models were trained on do
    not: they are drawn again, the same bytes each time, at 4 ms of one core an image.

    Args:
        seed: `test` (reported) or `dev` (on which the dials of the world were set).
        name: Name of the data set in every table.
        limit: Take the first so many images only; None for all.
        split: `test` for the scenes of `seed`; `train` for the 26,000 that the shipped models were
            trained on, whatever the seed.
    """

    def __init__(
        self,
        seed: str = "test",
        name: str = "miniature",
        limit: int | None = None,
        split: str = "test",
    ) -> None:
        if seed not in _SEEDS:
            raise OodexpError(f"source.seed={seed}: expected one of {', '.join(_SEEDS)}")
        if limit is not None and limit < 1:
            raise OodexpError(f"source.limit={limit}: expected a number >= 1 or null")
        if split not in _SPLITS:
            raise OodexpError(f"source.split={split}: expected one of {', '.join(_SPLITS)}")
        super().__init__(name, labels=None)
        self._seed = "train" if split == "train" else seed
        self._limit = limit

    def read(self, image_id: str) -> bytes:
        """See `source.base.Source`."""
        if self._seed != "train":
            return self._bytes[image_id]
        if image_id not in self._known:
            raise OSError(f"the training world has no image {image_id!r}")
        return _drawn(int(image_id))

    def _parse(self) -> Instances:
        found = parse(self._document(), self.name, f"{self._seed}.json.gz")
        return replace(found, licences=dict.fromkeys(found.images["image_id"], _LICENCE))

    def _document(self) -> dict[str, Any]:
        data = resources.files("oodexp.miniature") / "data" / f"{self._seed}.json.gz"
        document = json.loads(gzip.decompress(data.read_bytes()))
        if self._limit is not None:
            document["images"] = document["images"][: self._limit]
            kept = {i["id"] for i in document["images"]}
            notes = document["annotations"]
            document["annotations"] = [n for n in notes if n["image_id"] in kept]
        return document

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._instances.images["image_id"])

    @cached_property
    def _bytes(self) -> dict[str, bytes]:
        # All of it at once (4 MB): an open archive can be shared with no other process.
        images = self._instances.images
        data = resources.files("oodexp.miniature") / "data" / f"{self._seed}.zip"
        with data.open("rb") as file, zipfile.ZipFile(file) as archive:
            return {
                i: archive.read(f) for i, f in zip(images["image_id"], images["file"], strict=True)
            }


def _drawn(number: int) -> bytes:
    """The image of a training scene as PNG; numbers of images count from 1, those of scenes from 0.

    Args:
        number: Number of the image.
    """
    from PIL import Image

    from oodexp.miniature.dial import SPLIT_SEED
    from oodexp.miniature.scene import scene_at

    buffer = io.BytesIO()
    Image.fromarray(scene_at(SPLIT_SEED["train"], number - 1).image).save(buffer, "PNG")
    return buffer.getvalue()
