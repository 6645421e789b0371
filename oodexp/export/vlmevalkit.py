"""TSV files for VLMEvalKit, images inside as base64 of their own bytes.

The first question about an image carries it; later ones carry that question's index, which the
kit takes for the image. Some versions of the kit unpack such images as `<index>.jpg` and thereby
compress them again; all do in a file of a gibibyte. Files named by absolute path reach the model as
they are. Right answers are `Yes`, `No` or a whole number.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`. Names of classes, which nobody
compares, get an apostrophe then; ids, questions and answers stay as they are, as the kit, the index
and `vlm=recorded` compare them, and the data card tells how many of them begin so.
"""

from __future__ import annotations

import base64
import csv
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oodexp.error import OodexpError
from oodexp.export.base import Content, files_below, opened
from oodexp.export.card import card, write_card
from oodexp.export.cell import inert, is_formula
from oodexp.export.files import write_images
from oodexp.export.index import place, write_index
from oodexp.export.part import Bytes, parts
from oodexp.export.shard import cut

if TYPE_CHECKING:
    from oodexp.export.index import Place
    from oodexp.export.part import Item, Part, Picture

COLUMNS = (
    "index", "image", "question", "answer", "category", "l2-category", "question_id", "image_id",
    "image_sha256", "class_name", "polarity", "pair_id", "ood_level",
)  # fmt: skip
"""`category` is the source and `l2-category` the class: the kit breaks its tables down by them."""

LIMIT = 900_000_000
"""Bytes of a file; from 2**30 on the kit rewrites it with pictures saved again."""

MOST = 20
"""Largest number that the kit's class for counting can read."""

IMAGES = ("embed", "path")

_ROW = 4_000  # bytes of the texts of a row, generously
_TRAPS = ("mme", "hallusion", "amber")
_SHORTEST = 64  # a shorter text in the column image is taken for an index

_USE = """\
Put the TSV files where `LMUData` points to, then

```
PRED_FORMAT=tsv python run.py --model MODEL --data {names} \\
    --data-config "$(cat data-config.json)" --judge exact_matching
```

A kit that knows no `--data-config` takes `--config FILE` in place of model and data: a JSON file
`{{"model": {{"MODEL": {{}}}}, "data": {{...}}}}` with the same configuration under `data`. Without
it the kit takes the files for open questions and has no evaluation for them.

Through xlsx, the default of `PRED_FORMAT`, the answer `None` is lost. Models with prompts of their
own change the question unless `use_custom_prompt` is false; the class for counting adds an
instruction of its own and reads no number above {most}; models behind an API get images that the
kit has saved again, and in some versions all models do, unless the images were exported by path
(`export.images=path`). Keep `MODEL_<NAME>.tsv` of each file."""


class VLMEvalKit:
    """Writes `<PART>.tsv`, `<PART>_p1.tsv`, ... and `data-config.json`.

    Args:
        name: Name of the data set: first word of every file. Some words switch on ratings of other
            benchmarks and are refused; `POPE` in it adds precision, recall and F1.
        population: `drawn` or `all` questions (see `part.parts`).
        images: `embed` puts their bytes into the file; `path` writes `images/` and names each by
            its absolute path: bound to the place, but never compressed again by the kit.
        file_bytes: Most bytes of a file, about; the questions of an image stay in one file.

    Raises:
        OodexpError: If the name would switch on something, the files would become too large, or
            `images` is neither.
    """

    def __init__(
        self, name: str = "oodexp", population: str = "drawn", images: str = "embed",
        file_bytes: int = LIMIT,
    ) -> None:  # fmt: skip
        if images not in IMAGES:
            raise OodexpError(f"export images={images}: expected one of {IMAGES}")
        trap = next((word for word in _TRAPS if word in name.lower()), None)
        if trap:
            raise OodexpError(
                f"export name={name}: VLMEvalKit takes a set with {trap!r} in its name for another "
                "benchmark; give another name"
            )
        if not 0 < file_bytes < 2**30:
            raise OodexpError(f"export file_bytes={file_bytes}: expected 1 to {2**30 - 1}")
        self._name = name
        self._population = population
        self._embed = images == "embed"
        self._limit = file_bytes

    def write(self, folder: Path, content: Content) -> list[Path]:
        """See `base.Exporter`."""
        found = parts(content, self._name, self._population)
        read = Bytes(content)
        places: list[Place] = []
        classes: dict[str, dict[str, str]] = {}
        home = opened(folder).resolve() / "images"
        for part in found:
            if not self._embed:
                write_images(home, part.items, read)
            for number, items in enumerate(cut(part.items, self._limit, _cost)):
                name = part.name.upper() + (f"_P{number}" if number else "")
                mine = place(items, name, None if self._embed else "images")
                _write(folder / f"{name}.tsv", mine, read if self._embed else home)
                classes[name] = {"class": _class(part), "dataset": name}
                places += mine
        told = json.dumps(classes, indent=1)
        (folder / "data-config.json").write_text(told + "\n", "utf-8", newline="\n")
        use = _USE.format(names=" ".join(classes), most=MOST) + _warning(places)
        write_card(folder, card(self._name, found, content.about, use))
        write_index(folder, places)
        return files_below(folder)


def _cost(picture: Picture, questions: int) -> float:
    """Bytes of the rows of an image: its base64 once, and the texts."""
    return 4 * math.ceil(picture.size / 3) + _ROW * questions


def _class(part: Part) -> str:
    return "ImageYORNDataset" if part.verdicts else "TallyQA"


def _write(path: Path, places: list[Place], images: Bytes | Path) -> None:
    """A file whose images are inside, or lie in a folder."""
    column = "image_path" if isinstance(images, Path) else "image"
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(column if name == "image" else name for name in COLUMNS)
        writer.writerows(_rows(places, images))


def _rows(places: list[Place], images: Bytes | Path) -> Iterator[list[str]]:
    carrier: dict[str, int] = {}
    for told in places:
        item = told.item
        first = carrier.setdefault(item.picture.sha256, told.row)
        if isinstance(images, Path):
            image = str(images / item.picture.file)
        else:
            image = _base64(item, images) if first == told.row else str(first)
        yield [
            str(told.row), image, item.prompt, _answer(item.target), inert(item.picture.source),
            inert(item.category), item.question_id, item.picture.image_id, item.picture.sha256,
            inert(item.category), item.polarity, item.pair_id, item.split or "",
        ]  # fmt: skip


def _base64(item: Item, read: Bytes) -> str:
    text = base64.b64encode(read(item.picture.source, item.picture.image_id)).decode("ascii")
    if len(text) <= _SHORTEST:
        raise OodexpError(
            f"image {item.picture.image_id!r}: {item.picture.size} bytes are too few; VLMEvalKit "
            "takes so short a text for the index of another row"
        )
    return text


def _warning(places: Sequence[Place]) -> str:
    """What the data card says of cells that must stay as they are; empty where there are none."""
    often = sum(
        is_formula(text)
        for item in (told.item for told in places)
        for text in (item.prompt, item.target, item.question_id, item.picture.image_id)
    )
    if not often:
        return ""
    return (
        f"\n\n**{often:,} cells begin with a sign that a spreadsheet takes for a formula.** They "
        "are as in the run, because other programs compare them: open the TSV files as text, not "
        "in a spreadsheet."
    )


def _answer(target: str) -> str:
    """The kit compares yes and no with a capital."""
    return target.capitalize()
