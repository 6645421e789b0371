"""Reading LVIS annotations at the size of the full set, against plain `json.load`.

A file of 1.2 million outlined objects is generated in LVIS's layout. Each reader runs in a process
of its own and writes every cell (image, category, present, count, area); no ratio without the same
answers. Target: a tenth of the memory of `json.load`, in no more time.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.timing import Cost, json_file, of_command, publish

ANNOTATIONS = 1_200_000
IMAGES = 19_809
CATEGORIES = 1203
OUTLINES = 2000


def main() -> None:
    """Generates the file and reads it both ways."""
    json_file(__doc__ or "")  # before the work, so that --help answers at once
    with tempfile.TemporaryDirectory(prefix="oodexp-bench-") as name:
        folder = Path(name)
        file = generate(folder)
        rows = {"file_gb": file.stat().st_size / 1e9, "annotations": float(ANNOTATIONS)}
        costs = {}
        for reader in ("oodexp", "json_load"):
            costs[reader] = _timed(reader, folder)
            rows[f"{reader}_seconds"] = costs[reader].wall
            rows[f"{reader}_cpu_seconds"] = costs[reader].cpu
            rows[f"{reader}_peak_gb"] = costs[reader].memory
        if (folder / "oodexp").read_text() != (folder / "json_load").read_text():
            sys.exit("the two readers do not agree")
    ours, theirs = costs["oodexp"], costs["json_load"]
    rows["reading_speed"] = theirs.cpu / ours.cpu
    rows["reading_memory"] = theirs.memory / ours.memory
    notes = "reading_speed, reading_memory: json.load over oodexp, processor time and peak memory"
    publish(f"LVIS layout, {IMAGES:,} images x {CATEGORIES:,} categories", rows, notes, "")


def generate(folder: Path) -> Path:
    """Writes the annotation file and the empty image folders that a source wants.

    Args:
        folder: Where to.
    """
    draw = random.Random(0)
    outlines = [_outline(draw) for _ in range(OUTLINES)]
    for part in ("train2017", "val2017"):
        (folder / "images" / part).mkdir(parents=True)
    file = folder / "annotations.json"
    with file.open("w") as sink:
        sink.write('{"info": {"year": 2020}, "annotations": [')
        for number in range(ANNOTATIONS):
            x, y, w, h = (round(draw.uniform(1, 300), 2) for _ in range(4))
            sink.write(
                f'{", " if number else ""}{{"area": {round(w * h, 2)}, "id": {number + 1}, '
                f'"segmentation": {draw.choice(outlines)}, '
                f'"image_id": {1 + draw.randrange(IMAGES)}, "bbox": [{x}, {y}, {w}, {h}], '
                f'"category_id": {1 + int(CATEGORIES * draw.random() ** 3)}}}'
            )
        sink.write(f'], "images": {json.dumps([_image(draw, n) for n in range(1, IMAGES + 1)])}, ')
        sink.write(
            f'"categories": {json.dumps([_category(n) for n in range(1, CATEGORIES + 1)])}}}'
        )
    return file


def read_oodexp(folder: Path) -> str:
    """Digest of the cells as the source reads them.

    Args:
        folder: Where the file is.
    """
    from oodexp.record import ABSENT
    from oodexp.source.lvis import Lvis

    source = Lvis(str(folder / "annotations.json"), str(folder / "images"))
    pairs = source.pairs()
    pairs["count"] = pairs["count"].fillna(0)
    columns = (pairs[c].tolist() for c in ("image_id", "category", "count", "area"))
    cells = [f"{i} {c} {n or '-'} {a}" for i, c, n, a in zip(*columns, strict=True)]
    return _digest(cells, int((source.presence() == ABSENT).sum()))


def read_json_load(folder: Path) -> str:
    """Digest of the cells, by the plain way.

    Args:
        folder: Where the file is.
    """
    with (folder / "annotations.json").open() as file:
        document = json.load(file)
    names = {c["id"]: c["name"].replace("_", " ") for c in document["categories"]}
    objects: dict[tuple[int, int], list[float]] = defaultdict(list)
    for note in document["annotations"]:
        objects[note["image_id"], note["category_id"]].append(note["area"])
    cells, absent = [], 0
    for image in document["images"]:
        partial = set(image["not_exhaustive_category_ids"])
        for category, name in names.items():
            areas = objects.get((image["id"], category))
            if areas:
                count = "-" if category in partial else len(areas)
                cells.append(f"{image['id']} {name} {count} {max(areas)}")
        listed = set(image["neg_category_ids"])
        absent += sum((image["id"], c) not in objects for c in listed)
    return _digest(cells, absent)


def _digest(cells: list[str], absent: int) -> str:
    text = "\n".join(cells)
    return f"{len(cells)} {absent} {hashlib.sha256(text.encode()).hexdigest()}\n"


def _timed(reader: str, folder: Path) -> Cost:
    code = (
        "import sys; from pathlib import Path; from benchmarks import reading; "
        f"folder = Path({str(folder)!r}); "
        f"(folder / {reader!r}).write_text(reading.read_{reader}(folder))"
    )
    log = folder / "log"
    cost = of_command([sys.executable, "-c", code], log)
    if cost.status != 0:
        sys.exit(log.read_text())
    return cost


def _outline(draw: random.Random) -> str:
    points = 2 * int(12 + draw.expovariate(1 / 40))
    return json.dumps([[round(draw.uniform(0, 640), 2) for _ in range(points)]])


def _image(draw: random.Random, number: int) -> dict[str, Any]:
    part = "val2017" if number % 4 == 0 else "train2017"
    return {
        "id": number,
        "coco_url": f"http://images.example/{part}/{number:012d}.jpg",
        "width": 640,
        "height": 480,
        "neg_category_ids": draw.sample(range(1, CATEGORIES + 1), 12),
        "not_exhaustive_category_ids": draw.sample(range(1, CATEGORIES + 1), 2),
    }


def _category(number: int) -> dict[str, Any]:
    name = f"thing_number_{number}"
    return {"id": number, "name": name, "synonyms": [name], "frequency": "rcf"[number % 3]}


if __name__ == "__main__":
    main()
