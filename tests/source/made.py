"""Small data sets in the official layouts, drawn at random."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from oodexp.source.coco import Coco
from oodexp.source.hub import Hub
from oodexp.source.lvis import Lvis
from oodexp.source.manifest import Manifest

LVIS_NAMES = ["aerosol_can", "bat_(animal)", "bat_(sports)", "car_(automobile)", "dog", "sofa_bed"]
LVIS_SYNONYMS = [
    ["aerosol_can", "spray_can"], ["bat_(animal)"], ["bat_(sports)", "club"],
    ["car_(automobile)", "auto_(automobile)", "automobile"], ["dog"], [],
]  # fmt: skip
HUB_NAMES = ["cup", "fork", "knife", "plate"]


def png(number: int) -> bytes:
    """A picture of one colour; another number is another colour."""
    data = io.BytesIO()
    Image.new("RGB", (8, 6), (number % 256, number // 256, 77)).save(data, "PNG")
    return data.getvalue()


def note(number: int, image: int, category: int, **more: Any) -> dict[str, Any]:
    box = [1.0, 2.0, 3.0 + number % 5, 4.0]
    outline = [[1.0, 2.0, 3.5, 2.0, 3.5, -6e-1]]
    return {
        "id": number, "image_id": image, "category_id": category, "bbox": box,
        "area": box[2] * box[3], "segmentation": outline,
    } | more  # fmt: skip


def coco_document(seed: int = 0, images: int = 12, categories: int = 5) -> dict[str, Any]:
    """COCO's instance format: gaps in the ids, crowds, an image without objects."""
    draw = np.random.default_rng(seed)
    ids = draw.choice(1000, images, replace=False).tolist()
    kinds = sorted(draw.choice(90, categories, replace=False).tolist())
    notes = []
    for number in range(4 * images):
        crowd = bool(draw.random() < 0.1)
        shape = {"counts": [4, 2, 6], "size": [3, 4]} if crowd else None
        image, kind = ids[draw.integers(1, images)], kinds[draw.integers(categories)]
        more = {"iscrowd": int(crowd)} | ({"segmentation": shape} if shape else {})
        notes.append(note(number + 1, image, kind, **more))
    return {
        "info": {"year": 2017, "segmentation": [1, 2]},
        "images": [
            {"id": i, "file_name": f"{i:012d}.png", "width": 8, "height": 6} for i in ids
        ],
        "annotations": notes,
        "categories": [{"id": k, "name": f"kind {k}", "supercategory": "x"} for k in kinds],
    }  # fmt: skip


def coco(folder: Path, **options: Any) -> Coco:
    document = coco_document()
    file = write(folder, document, [f"images/{i['file_name']}" for i in document["images"]])
    return Coco(str(file), str(folder / "images"), **options)


def lvis_document(seed: int = 0, images: int = 16) -> dict[str, Any]:
    """LVIS v1: half of the images in train2017, keys in the order of the released files."""
    draw = np.random.default_rng(seed)
    ids = sorted(draw.choice(10_000, images, replace=False).tolist())
    notes, listed = [], []
    for n, image in enumerate(ids):
        kinds = draw.permutation(len(LVIS_NAMES)) + 1
        present, absent = kinds[: draw.integers(0, 4)].tolist(), kinds[4:].tolist()
        for kind in present:
            for _ in range(draw.integers(1, 4)):
                notes.append(note(len(notes) + 1, image, kind))
        part = "train2017" if n % 2 else "val2017"
        listed.append(
            {
                "id": image, "coco_url": f"http://images.example/{part}/{image:012d}.jpg",
                "width": 8, "height": 6, "neg_category_ids": absent,
                "not_exhaustive_category_ids": [k for k in present if draw.random() < 0.3],
            }
        )  # fmt: skip
    draw.shuffle(notes)
    categories = [
        {"id": n + 1, "name": name, "synonyms": words, "frequency": "f"}
        for n, (name, words) in enumerate(zip(LVIS_NAMES, LVIS_SYNONYMS, strict=True))
    ]
    info = {"year": 2020}
    return {"info": info, "annotations": notes, "images": listed, "categories": categories}


def lvis(folder: Path, document: dict[str, Any] | None = None, **options: Any) -> Lvis:
    document = document or lvis_document()
    files = ["images/" + "/".join(str(i.get("coco_url")).split("/")[-2:])
             for i in document["images"]]  # fmt: skip
    for part in ("train2017", "val2017"):
        (folder / "images" / part).mkdir(parents=True, exist_ok=True)
    write(folder, document, files)
    return lvis_source(folder, **options)


def lvis_source(folder: Path, **options: Any) -> Lvis:
    return Lvis(str(folder / "annotations.json"), str(folder / "images"), **options)


def write(folder: Path, document: dict[str, Any], files: list[str]) -> Path:
    for number, file in enumerate(files):
        if ".." not in file:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(png(number))
    path = folder / "annotations.json"
    path.write_text(json.dumps(document))
    return path


ROWS: list[dict[str, Any]] = [
    {"image": "a.png", "category": "dog", "count": 2, "area": 12.5},
    {"image": "a.png", "category": "traffic light", "presence": "absent"},
    {"image": "sub/b.png", "category": "dog", "presence": "present"},
    {"image": "sub/b.png", "category": "cat", "presence": "unknown"},
    {"image": "c.png", "category": None},
    {"image": "d.png", "category": "cat", "count": 1, "presence": "present"},
]


def manifest(
    folder: Path, rows: list[dict[str, Any]] | None = None, form: str = "csv", **options: Any
) -> Manifest:
    rows = ROWS if rows is None else rows
    (folder / "images" / "sub").mkdir(parents=True, exist_ok=True)
    for number, row in enumerate(rows):
        if isinstance(row.get("image"), str) and ".." not in row["image"]:
            (folder / "images" / row["image"]).write_bytes(png(number))
    columns = list(dict.fromkeys(key for row in rows for key in row))
    file = folder / f"list.{form}"
    if form == "parquet":
        table = {c: [row.get(c) for row in rows] for c in columns}
        pq.write_table(pa.table(table), file)
    elif form == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        mark = "\t" if form == "tsv" else ","
        lines = [["" if row.get(c) is None else str(row[c]) for c in columns] for row in rows]
        file.write_text("".join(mark.join(line) + "\n" for line in [columns, *lines]))
    return Manifest(str(file), str(folder / "images"), **options)


def hub_rows(seed: int = 0, images: int = 11) -> list[dict[str, Any]]:
    """Rows with an image and its objects; the last image has none."""
    draw = np.random.default_rng(seed)
    rows = []
    for n in range(images):
        objects = [
            {
                "id": n * 10 + k, "category": int(draw.integers(len(HUB_NAMES))),
                "bbox": [1.0, 2.0, 3.0 + k, 4.0], "area": float(draw.integers(5, 50)),
            }
            for k in range(0 if n == images - 1 else int(draw.integers(0, 4)))
        ]  # fmt: skip
        rows.append(
            {
                "image_id": 100 + n, "image": {"bytes": png(n), "path": None}, "width": 8,
                "height": 6, "objects": objects,
            }
        )  # fmt: skip
    return rows


def hub_table(rows: list[dict[str, Any]], form: str, names: list[str] | None) -> pa.Table:
    """`struct` of lists as older, or `list` of structs as newer versions of `datasets` write."""
    rows = [dict(row) for row in rows]
    kind = (
        {"names": names, "_type": "ClassLabel"} if names else {"dtype": "int64", "_type": "Value"}
    )
    inner = {"category": kind, "bbox": {"feature": {"dtype": "float32"}, "_type": "Sequence"}}
    feature: Any = {"feature": inner, "_type": "Sequence"} if form == "struct" else [inner]
    if form == "struct":
        for row in rows:
            keys = row["objects"][0] if row["objects"] else ("id", "category", "bbox", "area")
            row["objects"] = {k: [o[k] for o in row["objects"]] for k in keys}
    features = {"image": {"_type": "Image"}, "objects": feature}
    described = json.dumps({"info": {"features": features}}).encode()
    return pa.Table.from_pylist(rows).replace_schema_metadata({b"huggingface": described})


def hub(
    folder: Path, rows: list[dict[str, Any]] | None = None, form: str = "struct",
    names: list[str] | None = HUB_NAMES, **options: Any,
) -> Hub:  # fmt: skip
    rows = hub_rows() if rows is None else rows
    (folder / "data").mkdir(parents=True, exist_ok=True)
    half = len(rows) // 2 + 1
    whole = hub_table(rows, form, names)
    for n, part in enumerate((whole.slice(0, half), whole.slice(half))):
        file = folder / f"data/validation-0000{n}-of-00002.parquet"
        pq.write_table(part, file, row_group_size=3)
    return Hub(str(folder), **options)
