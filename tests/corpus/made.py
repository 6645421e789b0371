"""Small corpora of each form, and what is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oodexp.corpus.base import Corpus
from oodexp.corpus.coco_captions import CocoCaptions
from oodexp.corpus.jsonl import Jsonl
from oodexp.corpus.llava import Llava
from oodexp.corpus.miniature import Miniature
from oodexp.corpus.refcoco import Refcoco
from oodexp.corpus.visual_genome import VisualGenome

TURNS = [{"from": "human", "value": "<image>\nWhat?"}, {"from": "gpt", "value": "A dog."}]


def write(folder: Path, name: str, document: Any) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(document))
    return str(path)


def lines(folder: Path, name: str, rows: list[Any]) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return str(path)


def llava(folder: Path) -> Corpus:
    rows = [
        {"id": "1", "image": "coco/train2017/000000000139.jpg", "conversations": TURNS},
        {"id": "2", "image": "gqa/images/139.jpg", "conversations": TURNS},
        {"id": "3", "conversations": TURNS},
    ]
    return Llava(write(folder, "mix.json", rows))


def coco_captions(folder: Path) -> Corpus:
    rows = [{"image_id": 139, "id": n, "caption": f"caption {n}"} for n in range(3)]
    images = [{"id": 139, "file_name": "a/street.jpg"}]
    return CocoCaptions(
        write(folder, "captions.json", {"info": {}, "images": images, "annotations": rows})
    )


def refcoco(folder: Path) -> Corpus:
    sentences = [{"sent": "the left dog", "raw": "The left dog."}, {"sent": "dog"}]
    row = {"file_name": "COCO_train2014_000000000139_7.jpg", "image_id": 139, "split": "train"}
    rows = [row | {"sentences": sentences}, row | {"split": "val", "sentences": sentences}]
    return Refcoco(write(folder, "refs.json", rows))


def visual_genome(folder: Path) -> Corpus:
    genome = write(
        folder,
        "image_data.json",
        [{"image_id": 1, "coco_id": 139}, {"image_id": 2, "coco_id": None}],
    )
    rows = [
        {"id": n, "regions": [{"region_id": 1, "image_id": n, "phrase": f"the dog {n}"}]}
        for n in (1, 2)
    ]
    return VisualGenome(write(folder, "region_descriptions.json", rows), genome)


def jsonl(folder: Path) -> Corpus:
    rows = [{"image": 139, "text": "a dog"}, {"image": "b.jpg", "texts": ["x", "y"]}]
    return Jsonl(lines(folder, "corpus.jsonl", rows))


def miniature(folder: Path) -> Corpus:
    return Miniature(limit=20)


MADE = {
    "llava": llava,
    "coco_captions": coco_captions,
    "refcoco": refcoco,
    "visual_genome": visual_genome,
    "jsonl": jsonl,
    "miniature": miniature,
}
