"""Questions with their images as Parquet shards that the `datasets` library opens as images.

The column `image` is a struct of the file's bytes and its name; the schema's metadata say under
`huggingface` that it is an image, without which a loader would hand on a dictionary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from oodexp.export.part import Bytes, Item, Picture

TEXTS = (
    "question_id", "image_id", "image_sha256", "source", "class_name", "ood_level", "kind",
    "question", "answer", "polarity", "pair_id",
)  # fmt: skip
"""Columns beside `image`; all of them are texts."""

LIMIT = 500_000_000
"""Bytes of images in a shard, about; a lone question always fits."""

_ROWS = 64


def schema() -> pa.Schema:
    """Columns and types, and what `datasets` needs to know of them."""
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    features: dict[str, dict[str, str]] = {"image": {"_type": "Image"}}
    features |= {name: {"dtype": "string", "_type": "Value"} for name in TEXTS}
    told = json.dumps({"info": {"features": features}})
    columns = [("image", image), *((name, pa.string()) for name in TEXTS)]
    return pa.schema(columns, metadata={"huggingface": told})


def write_shards(
    folder: Path, stem: str, items: Sequence[Item], read: Bytes, limit: int = LIMIT
) -> list[Path]:
    """Writes `<stem>-0000i-of-0000N.parquet`, rows in order over all shards.

    Args:
        folder: Where to.
        stem: First part of every name.
        items: Rows, those of an image side by side.
        read: Gives the bytes of an image.
        limit: Bytes of images in a shard; the questions of an image stay in one.

    Returns:
        The shards, in order.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shards = cut(items, limit, lambda picture, n: picture.size * n)
    paths = []
    for number, shard in enumerate(shards):
        path = folder / f"{stem}-{number:05d}-of-{len(shards):05d}.parquet"
        with pq.ParquetWriter(path, schema(), compression="zstd") as file:
            for batch in _batches(shard, read):
                file.write_table(pa.Table.from_pylist(batch, schema=schema()))
        paths.append(path)
    return paths


def cut(
    items: Sequence[Item], limit: int, cost: Callable[[Picture, int], float]
) -> list[list[Item]]:
    """The items in runs that stay within a limit; an image is in one run only.

    Args:
        items: Those of an image side by side.
        limit: Bytes of a run at the most, unless one image alone takes more.
        cost: Bytes that an image with so many questions takes.
    """
    runs: list[list[Item]] = []
    room = 0.0
    for picture, group in groupby(items, key=lambda item: item.picture):
        mine = list(group)
        size = cost(picture, len(mine))
        if not runs or size > room:
            runs.append([])
            room = float(limit)
        runs[-1] += mine
        room -= size
    return runs


def row(item: Item) -> dict[str, str]:
    """The texts of a question; a missing split is an empty text."""
    picture = item.picture
    return {
        "question_id": item.question_id, "image_id": picture.image_id,
        "image_sha256": picture.sha256, "source": picture.source, "class_name": item.category,
        "ood_level": item.split or "", "kind": item.kind, "question": item.prompt,
        "answer": item.target, "polarity": item.polarity, "pair_id": item.pair_id,
    }  # fmt: skip


def _batches(items: Sequence[Item], read: Bytes) -> Iterator[list[dict[str, Any]]]:
    """A few rows at a time: the images of a shard are never in memory together."""
    for number in range(math.ceil(len(items) / _ROWS)):
        yield list(_rows(items[number * _ROWS : (number + 1) * _ROWS], read))


def _rows(items: Iterable[Item], read: Bytes) -> Iterator[dict[str, Any]]:
    for picture, group in groupby(items, key=lambda item: item.picture):
        data = read(picture.source, picture.image_id)
        for item in group:
            yield {"image": {"bytes": data, "path": picture.file}} | row(item)
