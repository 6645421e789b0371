"""Samples for inspect_ai's JSON dataset reader: chat input with the image, target, metadata."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.export.base import Content, files_below, opened
from oodexp.export.card import card, write_card
from oodexp.export.files import write_images
from oodexp.export.index import place, write_index, write_lines
from oodexp.export.part import Bytes, parts

if TYPE_CHECKING:
    from oodexp.export.index import Place
    from oodexp.export.part import Item

_USE = (
    "Each `<part>.jsonl` is read by inspect's JSON dataset reader: `id`, `input`, `target`, "
    "`metadata`. Give the completions back as JSONL with `question_id` (the `id`) and `completion`."
)
IMAGES = ("embed", "path")


class Inspect:
    """Writes `<part>.jsonl`, and `images/` if the images are not inside.

    Args:
        name: Name of the data set: first word of every file.
        population: `drawn` or `all` questions (see `part.parts`).
        images: `embed` puts each image into its samples as a data URI, which every machine reads;
            `path` writes files and refers to them by absolute path: small, but bound to the place.

    Raises:
        OodexpError: If `images` is neither.
    """

    def __init__(
        self, name: str = "oodexp", population: str = "drawn", images: str = "embed"
    ) -> None:
        if images not in IMAGES:
            raise OodexpError(f"export images={images}: expected one of {IMAGES}")
        self._name = name
        self._population = population
        self._embed = images == "embed"

    def write(self, folder: Path, content: Content) -> list[Path]:
        """See `base.Exporter`."""
        found = parts(content, self._name, self._population)
        home = opened(folder).resolve() / "images"
        read = Bytes(content)
        places: list[Place] = []
        for part in found:
            mine = place(part.items, part.name, None if self._embed else "images")
            if not self._embed:
                write_images(home, part.items, read)
            write_lines(folder / f"{part.name}.jsonl", self._rows(mine, home, read))
            places += mine
        write_card(folder, card(self._name, found, content.about, _USE))
        write_index(folder, places)
        return files_below(folder)

    def _rows(self, places: list[Place], home: Path, read: Bytes) -> Iterator[dict[str, Any]]:
        last, address = None, ""
        for told in places:
            item = told.item
            if item.picture != last:  # questions of an image stand side by side
                last = item.picture
                address = _data_uri(item, read) if self._embed else str(home / last.file)
            yield _sample(item, address)


def _data_uri(item: Item, read: Bytes) -> str:
    data = read(item.picture.source, item.picture.image_id)
    return f"data:{item.picture.media};base64,{base64.b64encode(data).decode('ascii')}"


def _sample(item: Item, image: str) -> dict[str, Any]:
    picture = item.picture
    return {
        "id": item.question_id,
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "image", "image": image},
                    {"type": "text", "text": item.prompt},
                ],
            }
        ],
        "target": item.target,
        "metadata": {
            "source": picture.source, "image_id": picture.image_id, "image_sha256": picture.sha256,
            "category": item.category, "kind": item.kind, "polarity": item.polarity,
            "split": item.split, "pair_id": item.pair_id,
        },
    }  # fmt: skip
