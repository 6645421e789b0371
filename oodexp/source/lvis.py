"""LVIS v1: 1,203 categories on COCO's images, annotated federatedly.

Of an image, a category is known to be present where it is annotated, and known to be absent only
where it is listed as verified negative. Elsewhere nothing is known: most objects of most categories
are not annotated. Which of COCO's parts an image is from stands in its path.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from oodexp.error import OodexpError
from oodexp.escape import Links
from oodexp.record import ABSENT, UNKNOWN
from oodexp.source.annotated import Folder
from oodexp.source.boxes import Boxed
from oodexp.source.cells import Cells, empty, marked
from oodexp.source.document import Document, Id
from oodexp.source.instances import Instances, assemble, listing
from oodexp.source.labels import Given
from oodexp.source.need import Need
from oodexp.text import brief

_FORM = (
    "LVIS v1 (lvis_v1_val.json from lvis_v1_val.json.zip; experiment=fetch source=lvis tells where "
    "it comes from), whose images have coco_url, neg_category_ids and not_exhaustive_category_ids"
)
_NEGATIVE, _PARTIAL = "neg_category_ids", "not_exhaustive_category_ids"
_VAL, _TRAIN = "val2017", "train2017"
_NAMES = ("name", "synonym")


class Lvis(Boxed, Folder):
    """Images and presence of LVIS v1 val, or of its part on COCO val2017 (minival).

    The text of a category is its name with spaces for underscores, what stands in parentheses
    included: `bat (animal)`, since without it two categories would share a text. With
    `names=synonym` it is the first synonym without parentheses (`car_(automobile)` becomes
    `automobile`), and the name as before where there is none or two categories
    would share it. `labels` renames on top, by annotated name (`bat_(animal)`).

    Args:
        annotations: `lvis_v1_val.json`.
        images: The folder that holds `train2017/` and `val2017/`: val has images of both.
        minival: Only the images of COCO val2017 (4,809 of 19,809), which models trained on
            COCO's training images have not seen.
        names: `name` or `synonym`.
        name: Name of the data set in every table.
        labels: Texts to show instead: a mapping, or the path of a file (see `source.labels`).
        links: Where links below the image folder may lead: `inside` it, or `anywhere`.

    Raises:
        OodexpError: If the file or a folder is not there, or is not what it should be.
    """

    def __init__(
        self, annotations: str, images: str, minival: bool = False, names: str = "name",
        name: str = "lvis", labels: Given = None, links: Links = "inside",
    ) -> None:  # fmt: skip
        super().__init__(annotations, images, name, labels, _FORM, f"{_TRAIN}/ and {_VAL}/", links)
        if names not in _NAMES:
            raise OodexpError(f"source names={names}: expected one of {', '.join(_NAMES)}")
        for part in (_VAL,) if minival else (_VAL, _TRAIN):
            if not (self._root / part).is_dir():
                raise OodexpError(
                    f"source images={images}: no folder {part}/ in it; LVIS v1 val has images of "
                    "COCO's train2017 and val2017, minival=true those of val2017 only"
                )
        self._minival = minival
        self._names = names

    @staticmethod
    def needs(annotations: str, images: str, minival: bool | str = False, **_: Any) -> list[Need]:
        """LVIS v1 val with COCO's images, as `source.need.Planned` says."""
        page = "cocodataset.org, Dataset, Download: "
        val = Need("2017 val images, 0.8 GB", page + "2017 Val images", f"{images}/{_VAL}", 5000)
        train = Need(
            "2017 train images, 19 GB", page + "2017 Train images", f"{images}/{_TRAIN}", 118287
        )
        notes = Need(
            "LVIS v1 val annotations, 0.2 GB unpacked",
            "lvisdataset.org, Dataset, Validation set: Instance annotations", annotations,
        )  # fmt: skip
        return [notes, val] if minival else [notes, val, train]

    def _document(self) -> Path:
        return self._file

    def _parse(self) -> Instances:
        more = ("width", "height", "license")
        document = Document(
            str(self._file),
            _FORM,
            ("id", "coco_url", _NEGATIVE, _PARTIAL),
            more,
            also=("synonyms",),
        )
        document.read(self._file)
        left_out = self._keep_minival(document)
        cells, problems = document.cells(left_out)
        column = {key: n for n, key in enumerate(document.categories)}
        absent, astray = _cells_of(document, _NEGATIVE, column)
        partial, more_astray = _cells_of(document, _PARTIAL, column)
        problems += astray + more_astray + _contradictions(document, cells, absent)
        presence = empty(len(document.images), len(column), UNKNOWN)
        presence[absent // max(len(column), 1), absent % max(len(column), 1)] = ABSENT
        key = cells.row * len(column) + cells.column
        cells = cells.without_count(np.isin(key, partial), "not exhaustive")
        names = document.names
        texts = _texts(document, self._names)
        listed = [listing(i, _path(i["coco_url"])) for i in document.images.values()]
        shown = self._labels.texts(names, self.name, texts) if self._labels else texts
        presence = marked(cells, presence)
        found = assemble(self.name, listed, names, shown, cells, presence, problems)
        return replace(found, licences=document.licences())

    def _keep_minival(self, document: Document) -> list[Id]:
        """Takes images of COCO's other parts out of the document, and tells their ids."""
        if not self._minival:
            return []
        out = [
            key
            for key, image in document.images.items()
            if Path(_path(image["coco_url"])).parent.name != _VAL
        ]
        for key in out:
            del document.images[key]
        if not document.images:
            raise OodexpError(
                f"{self._file}: minival=true, but no coco_url leads into {_VAL}/; give the "
                "validation annotations (lvis_v1_val.json)"
            )
        return out


def _path(url: str) -> str:
    """`val2017/0000.jpg` of an image's address: its last two parts."""
    return "/".join(str(url).split("/")[-2:])


def _cells_of(
    document: Document, field: str, column: dict[Id, int]
) -> tuple[np.ndarray, list[tuple[str, str, str]]]:
    """Cells (row * categories + column) that a field of the images lists, and what is astray."""
    found, astray = [], []
    for row, (image_id, image) in enumerate(document.images.items()):
        listed = image[field]
        if not isinstance(listed, list):
            raise OodexpError(
                f"{document.where}: images: id {brief(image_id)} has {field} {brief(listed)}; "
                "expected a list of category ids"
            )
        for category in listed:
            place = column.get(category) if isinstance(category, (int, str)) else None
            if place is None:
                astray.append((str(image_id), field, f"category {brief(category)} is not listed"))
            else:
                found.append(row * len(column) + place)
    return np.array(found, dtype=np.int64), astray


def _contradictions(
    document: Document, cells: Cells, absent: np.ndarray
) -> list[tuple[str, str, str]]:
    """Categories that are annotated in an image and listed as absent from it; present holds."""
    images, categories = list(document.images), list(document.categories.values())
    key = cells.row * len(categories) + cells.column
    return [
        (str(images[cells.row[n]]), _NEGATIVE, f"{brief(categories[cells.column[n]]['name'])} is "
         "listed as absent but annotated; taken as present")
        for n in np.flatnonzero(np.isin(key, absent)).tolist()
    ]  # fmt: skip


def _texts(document: Document, names: str) -> list[str]:
    """The text of each category, by the setting `names`."""
    plain = _unless_shared([_spaced(name) for name in document.names], document.names)
    if names == "name":
        return plain
    first = []
    for category, text in zip(document.categories.values(), plain, strict=True):
        listed = category.get("synonyms") or []
        first.append(next((_spaced(str(s)) for s in listed if "(" not in str(s)), text))
    return _unless_shared(first, plain)


def _unless_shared(texts: list[str], others: list[str]) -> list[str]:
    """Each text, or what stands for it where another category has the text in either list."""
    used = Counter(texts) + Counter(o for t, o in zip(texts, others, strict=True) if t != o)
    return [t if used[t] == 1 else o for t, o in zip(texts, others, strict=True)]


def _spaced(name: str) -> str:
    return " ".join(name.replace("_", " ").split())
