"""A data set in the layout of the Hugging Face hub: files by split, and a data card.

`parquet` has a row for each question, with the image inside. `imagefolder` has files and a
`metadata.jsonl` with a row for each image, its questions as lists: loaders of image folders keep
one row a file, so that a row for each question would lose all but one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.export.base import Content, files_below, opened
from oodexp.export.card import card, write_card
from oodexp.export.files import write_images
from oodexp.export.index import place, write_index, write_lines
from oodexp.export.naming import slug
from oodexp.export.part import Bytes, parts
from oodexp.export.shard import LIMIT, TEXTS, row, write_shards

if TYPE_CHECKING:
    from oodexp.export.index import Place
    from oodexp.export.part import Item, Part

LAYOUTS = ("parquet", "imagefolder")

_OF_IMAGE = ("image_id", "image_sha256", "source")

_USE = """\
```python
from datasets import load_dataset

load_dataset("FOLDER", "{first}")  # one configuration for each kind; splits by OOD level
```

Give completions back as JSONL with `question_id` and `completion`."""


class Hub:
    """Writes `data/<kind>/...` by split, and `README.md` whose front matter names the files.

    Args:
        name: Name of the data set in the card.
        population: `drawn` or `all` questions (see `part.parts`).
        layout: `parquet` or `imagefolder`.
        licence: For the front matter, by the hub's own names; the images keep their own.
        shard_bytes: Bytes of images in a Parquet file, about.

    Raises:
        OodexpError: If the layout is neither.
    """

    def __init__(
        self, name: str = "oodexp", population: str = "drawn", layout: str = "parquet",
        licence: str = "other", shard_bytes: int = LIMIT,
    ) -> None:  # fmt: skip
        if layout not in LAYOUTS:
            raise OodexpError(f"export layout={layout}: expected one of {LAYOUTS}")
        self._name = name
        self._population = population
        self._layout = layout
        self._licence = licence
        self._limit = shard_bytes

    def write(self, folder: Path, content: Content) -> list[Path]:
        """See `base.Exporter`."""
        found = parts(content, self._name, self._population)
        read = Bytes(content)
        places: list[Place] = []
        opened(folder)
        for part in found:
            if self._layout == "parquet":
                home = folder / "data" / slug(part.kind)
                write_shards(home, slug(part.split), part.items, read, self._limit)
                places += place(part.items, part.name, None)
            else:
                places += _image_folder(folder, part, read)
        front = front_matter(self._name, self._licence, found, self._layout)
        use = _USE.format(first=slug(found[0].kind))
        write_card(folder, card(self._name, found, content.about, use, front=front))
        write_index(folder, places)
        return files_below(folder)


def front_matter(name: str, licence: str, found: Sequence[Part], layout: str) -> str:
    """The YAML lines above the card: a configuration for each kind, a split for each OOD level."""
    configs: dict[str, list[dict[str, str]]] = {}
    for part in found:
        kind, split = slug(part.kind), slug(part.split)
        files = (
            f"data/{kind}/{split}-*.parquet" if layout == "parquet" else f"data/{kind}/{split}/*"
        )
        configs.setdefault(kind, []).append({"split": split, "path": files})
    told = {
        "pretty_name": name, "license": licence, "task_categories": ["visual-question-answering"],
        "configs": [{"config_name": k, "data_files": files} for k, files in configs.items()],
    }  # fmt: skip
    # JSON is YAML, and quotes every text.
    return "\n".join(["---", *(f"{k}: {json.dumps(v)}" for k, v in told.items()), "---", "", ""])


def _image_folder(folder: Path, part: Part, read: Bytes) -> list[Place]:
    below = f"data/{slug(part.kind)}/{slug(part.split)}"
    write_images(folder / below, part.items, read)
    write_lines(folder / below / "metadata.jsonl", _of_images(part.items))
    return place(part.items, part.name, below)


def _of_images(items: Sequence[Item]) -> Iterator[dict[str, Any]]:
    for picture, group in groupby(items, key=lambda item: item.picture):
        rows = [row(item) for item in group]
        once = {name: rows[0][name] for name in _OF_IMAGE}
        lists = {name: [r[name] for r in rows] for name in TEXTS if name not in once}
        yield {"file_name": picture.file} | once | lists
