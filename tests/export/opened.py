"""Exports read as their programs read them, by other means than those that wrote them."""

from __future__ import annotations

import base64
import csv
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq


class Seen(NamedTuple):
    part: str
    row: int
    image: bytes
    prompt: str
    answer: str


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def index(folder: Path) -> list[dict[str, Any]]:
    return lines(folder / "index.jsonl")


def shards(pattern: list[Path], part: str) -> Iterator[Seen]:
    rows = [row for path in pattern for row in pq.read_table(path).to_pylist()]
    for number, row in enumerate(rows):
        yield Seen(part, number, row["image"]["bytes"], row["question"], row["answer"])


def lmms_eval(folder: Path) -> Iterator[Seen]:
    for task in folder.glob("*/*.yaml"):
        yield from shards(sorted((task.parent / "data").glob(f"{task.stem}-0*")), task.stem)


def vlmevalkit(folder: Path) -> Iterator[Seen]:
    for path in folder.glob("*.tsv"):
        with path.open(encoding="utf-8", newline="") as file:
            before = csv.field_size_limit(sys.maxsize)  # of the whole process
            rows = {row["index"]: row for row in csv.DictReader(file, delimiter="\t")}
            csv.field_size_limit(before)
        for number, row in rows.items():
            image = row["image"] if len(row["image"]) > 64 else rows[row["image"]]["image"]
            data = base64.b64decode(image, validate=True)
            yield Seen(path.stem, int(number), data, row["question"], row["answer"])


def pope(folder: Path) -> Iterator[Seen]:
    for path in set(folder.glob("*.jsonl")) - {folder / "index.jsonl"}:
        for row in lines(path):
            data = (folder / "images" / row["image"]).read_bytes()
            yield Seen(path.stem, row["question_id"], data, row["text"], row["label"])


def inspect(folder: Path) -> Iterator[Seen]:
    for path in set(folder.glob("*.jsonl")) - {folder / "index.jsonl"}:
        for number, row in enumerate(lines(path)):
            image, text = row["input"][0]["content"]
            kind, _, data = image["image"].partition(";base64,")
            assert kind.startswith("data:image/")
            yield Seen(path.stem, number, base64.b64decode(data), text["text"], row["target"])


def hub(folder: Path) -> Iterator[Seen]:
    parts = {row["question_id"]: (row["part"], row["row"]) for row in index(folder)}
    for path in folder.glob("data/*/*.parquet"):
        for row in pq.read_table(path).to_pylist():
            part, number = parts[row["question_id"]]
            yield Seen(part, number, row["image"]["bytes"], row["question"], row["answer"])


def bundle(folder: Path) -> Iterator[Seen]:
    rows = {row["question_id"]: row for row in index(folder)}
    for asked in pq.read_table(folder / "tables/questions.parquet").to_pylist():
        row = rows[asked["question_id"]]
        data = (folder / row["image"]).read_bytes()
        yield Seen(row["part"], row["row"], data, asked["prompt"], asked["target"])


READERS: dict[str, Callable[[Path], Iterator[Seen]]] = {
    "lmms_eval": lmms_eval, "vlmevalkit": vlmevalkit, "pope": pope, "inspect": inspect, "hub": hub,
    "bundle": bundle,
}  # fmt: skip
"""By name of the format."""
