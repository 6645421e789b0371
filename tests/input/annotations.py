"""Annotation files of every source, with mistakes."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from PIL import Image

from oodexp.pixel import decode
from oodexp.predict.content import scan
from oodexp.record import PRESENT
from oodexp.source.base import Source
from oodexp.source.boxes import Boxed
from oodexp.source.cityscapes import Cityscapes
from oodexp.source.coco import Coco
from oodexp.source.concepts import Concepts
from oodexp.source.hub import Hub
from oodexp.source.lvis import Lvis
from oodexp.source.manifest import Manifest
from oodexp.source.nuscenes import NuScenes
from oodexp.text import broken
from tests.input.kind import Kind, Result
from tests.input.odd import changed, damaged, dumped
from tests.input.tables import listed, parquet, tabular
from tests.source import cityscapes_made, made, nuscenes_made, test_concepts


def consistent(source: Source) -> Result:
    """Checks the tables of a source against one another, and reads every image."""
    images, pairs, presence = source.images(), source.pairs(), source.presence()
    names = source.categories()
    assert presence.shape == (len(images), len(names))
    rows, columns = np.nonzero(presence == PRESENT)
    ids = images["image_id"].to_numpy()[rows]
    cells = list(zip(ids, np.array(names, dtype=object)[columns], strict=True))
    assert cells == list(zip(pairs["image_id"], pairs["category"], strict=True))
    assert (pairs["count"].dropna() >= 1).all()
    assert ((pairs["area"].dropna() >= 0) & np.isfinite(pairs["area"].dropna())).all()
    assert all(name.strip() for name in names)
    seen = scan(images, source.read)
    unread = set(seen.images.loc[seen.images["sha256"].isna(), "image_id"])
    assert unread <= set(seen.problems["image_id"])
    for image_id in set(images["image_id"]) - unread:
        decode(source.read(image_id))
    if isinstance(source, Boxed):
        for pair in pairs.head(5).itertuples():
            for box in source.boxes(pair.image_id, pair.category):
                assert np.isfinite(box).all()
    problems = source.problems()
    assert problems["reason"].str.len().between(1, 400).all()
    # Some of the stand-ins for photographs are smaller than they are annotated.
    told = seen.problems[~seen.problems["reason"].str.startswith("note: annotated as")]
    return "named" if len(problems) or len(told) else "right"


@cache
def template(name: str) -> Path:
    """A valid data set of a kind, made once."""
    folder = Path(mkdtemp(prefix="oodexp-input-"))
    _MADE[name](folder)
    return folder


def copied(name: str, folder: Path) -> Path:
    shutil.copytree(template(name), folder, dirs_exist_ok=True)
    return folder


def coco(random: Random, folder: Path) -> Result:
    copied("coco", folder)
    licences = [{"id": n, "name": f"CC {n}", "url": "//cc.example"} for n in range(2)]
    document = _document("coco") | ({"licenses": licences} if random.random() < 0.3 else {})
    for image in document["images"]:
        image["license"] = random.randint(0, 2)
    data = damaged(dumped(changed(document, random), random), random)
    (folder / "annotations.json").write_bytes(data)
    source = Coco(str(folder / "annotations.json"), str(folder / "images"))
    result = consistent(source)
    assert not any(map(broken, source.licences().values()))
    _nothing_lost(source, data)
    return result


def lvis(random: Random, folder: Path) -> Result:
    copied("lvis", folder)
    data = damaged(dumped(changed(_document("lvis"), random), random), random)
    (folder / "annotations.json").write_bytes(data)
    source = Lvis(str(folder / "annotations.json"), str(folder / "images"))
    result = consistent(source)
    _nothing_lost(source, data)
    return result


def _nothing_lost(source: Any, data: bytes) -> None:
    """Every image and annotation of the document is in a table or in `problems`."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except ValueError:  # a mistake within an outline, which is passed over
        return
    parsed = source._parse()
    lost = parsed.problems["subject"].str.fullmatch(r"annotation \d+").sum()
    assert parsed.images["objects"].sum() + lost == len(document["annotations"])
    assert len(parsed.images) == len(document["images"])
    refused = len(source.problems()) - len(parsed.problems)
    assert len(source.images()) + refused == len(document["images"])


def nuscenes(random: Random, folder: Path) -> Result:
    copied("nuscenes", folder)
    file = random.choice(sorted((folder / "v1.0-trainval").glob("*.json")))
    rows = changed(json.loads(file.read_text()), random)
    file.write_bytes(damaged(dumped(rows, random), random))
    return consistent(NuScenes(str(folder), scenes=random.choice(["all", "val"])))


def cityscapes(random: Random, folder: Path) -> Result:
    copied("cityscapes", folder)
    file = random.choice(sorted((folder / "gtFine/val/ulm").iterdir()))
    data = file.read_bytes()
    if file.suffix == ".json":
        data = dumped(changed(json.loads(data), random), random)
    elif random.random() < 0.3:
        data = _grey(random)
    file.write_bytes(damaged(data, random))
    if random.random() < 0.2:
        bad = random.choice([b"ulm_\xff_000019", b"ulm_\x1b[31m_000019"])
        ending = b"_gtFine_polygons.json"
        (file.parent / os.fsdecode(bad + ending)).write_bytes(data)
    return consistent(Cityscapes(str(folder)))


def _grey(random: Random) -> bytes:
    """An image in the place of an instance image, of any mode and value."""
    draw = np.random.default_rng(random.getrandbits(32))
    kind = random.choice([np.uint8, np.uint16, np.int32])
    values = draw.integers(0, np.iinfo(kind).max, (8, 16), dtype=kind)
    image = Image.fromarray(values)
    if random.random() < 0.3:
        image = Image.new(random.choice(["RGB", "P", "1", "RGBA", "LA"]), (9, 7))
    sink = io.BytesIO()
    image.save(sink, "TIFF" if image.mode == "I" else random.choice(["PNG", "TIFF"]))
    return sink.getvalue()


def manifest(random: Random, folder: Path) -> Result:
    copied("manifest", folder)
    file = tabular(changed(made.ROWS, random), random, folder)
    rest = random.choice(["absent", "unknown"])
    return consistent(Manifest(str(file), str(folder / "images"), rest=rest))


def concepts(random: Random, folder: Path) -> Result:
    copied("concepts", folder)
    file = tabular(changed(test_concepts.ROWS, random), random, folder)
    source = Concepts(str(file), str(folder / "images"))
    source.concepts()
    return consistent(source)


def hub(random: Random, folder: Path) -> Result:
    rows = changed(made.hub_rows(images=6), random, 2)
    rows = [row for row in listed(rows) if isinstance(row, dict)]
    columns = list(dict.fromkeys(str(key) for row in rows for key in row))
    (folder / "data").mkdir()
    data = parquet(rows, columns, random)
    if random.random() < 0.4:
        data = _described(rows, random) or data
    (folder / "data/validation-0.parquet").write_bytes(damaged(data, random))
    categories = random.choice([None, made.HUB_NAMES])
    return consistent(Hub(str(folder), categories=categories))


def _described(rows: list[dict[str, Any]], random: Random) -> bytes | None:
    """With a description of the classes in the file's metadata, which may be damaged, too."""
    try:
        found = made.hub_table(rows, random.choice(["list", "struct"]), made.HUB_NAMES)
    except Exception:  # rows that no such file could hold
        return None
    meta = dict(found.schema.metadata)
    meta[b"huggingface"] = damaged(
        dumped(changed(json.loads(meta[b"huggingface"]), random), random), random
    )
    sink = io.BytesIO()
    pq.write_table(found.replace_schema_metadata(meta), sink)
    return sink.getvalue()


def _make_cityscapes(folder: Path) -> None:
    draw = np.random.default_rng(0)
    for number in range(3):
        objects = cityscapes_made.drawn(draw)
        cityscapes_made.write(folder, f"ulm_00000{number}_000019", objects, ids=number % 2 == 0)


_MADE: dict[str, Callable[[Path], object]] = {
    "coco": made.coco,
    "lvis": made.lvis,
    "nuscenes": lambda folder: nuscenes_made.drawn().write(folder),
    "cityscapes": _make_cityscapes,
    "manifest": made.manifest,
    "concepts": test_concepts.made,
}


@cache
def _document(name: str) -> Any:
    return json.loads((template(name) / "annotations.json").read_text())


KINDS = [
    Kind("annotations: coco", coco, 1.5),
    Kind("annotations: lvis", lvis, 1.5),
    Kind("annotations: nuscenes", nuscenes),
    Kind("annotations: cityscapes", cityscapes),
    Kind("annotations: manifest", manifest),
    Kind("annotations: concepts", concepts),
    Kind("annotations: hub", hub),
]
