"""Cityscapes: the left camera's images, with the objects that can be seen in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from oodexp.error import OodexpError
from oodexp.escape import Links, check_links, read_file
from oodexp.record import ABSENT, UNKNOWN
from oodexp.source.annotated import Below
from oodexp.source.cells import Cells, empty, marked
from oodexp.source.cityscapes_labels import OBJECTS, PAINTED, TRAINED
from oodexp.source.cityscapes_visible import (
    Shown,
    UnreadableAnnotation,
    Visible,
    from_instances,
    from_polygons,
)
from oodexp.source.instances import Instances, Listed, assemble
from oodexp.source.labels import Given, Labels
from oodexp.source.need import Need

_PHOTO = "_leftImg8bit.png"
_READERS: dict[str, Callable[[bytes], Shown]] = {
    "_gtFine_instanceIds.png": from_instances,
    "_gtFine_polygons.json": from_polygons,
}  # the first one there is
_CLASSES = {"objects": OBJECTS, "train": TRAINED}


class Cityscapes(Below):
    """Images of Cityscapes and the classes visible in them; every other class is absent.

    Pixels come from the instance image (`*_gtFine_instanceIds.png`), or where there is none from
    the polygons, painted in their order. A group (`cargroup`) makes its class present and the count
    unknown; so does a class whose instances are not annotated one by one (traffic sign, road).

    Args:
        root: The folder that holds `gtFine/` and `leftImg8bit/`.
        split: `val` or `train`.
        classes: `objects` (12 kinds of things) or `train` (the 19 training classes).
        min_pixels: Visible pixels that an object or group must have. With 0, an object of a polygon
            file counts even where later ones cover all of it.
        left_out: What a class is of which there are objects, but none with so many pixels:
            `absent` or `unknown`.
        labels: Texts by class name, which go before the built-in ones; null drops a class.
        name: Name of the data set in every table.
        links: Where links below the image folder may lead: `inside` it, or `anywhere`.

    Raises:
        OodexpError: If a folder is not there, or a setting is not what it should be.
    """

    def __init__(
        self, root: str, split: str = "val", classes: Literal["objects", "train"] = "objects",
        min_pixels: int = 0, left_out: Literal["absent", "unknown"] = "absent",
        labels: Given = None, name: str = "cityscapes", links: Links = "inside",
    ) -> None:  # fmt: skip
        if classes not in _CLASSES:
            raise OodexpError(f"source.classes={classes}: expected {' or '.join(_CLASSES)}")
        if left_out not in ("absent", "unknown"):
            raise OodexpError(f"source.left_out={left_out}: expected absent or unknown")
        if min_pixels < 0:
            raise OodexpError(f"source.min_pixels={min_pixels}: expected a number >= 0")
        self._table = _table(_CLASSES[classes], Labels.of(labels))
        super().__init__(name, self._table)
        self._truth, self._root = _folders(Path(root).expanduser(), split)
        self._min_pixels, self._links = min_pixels, check_links(links)
        self._otherwise = UNKNOWN if left_out == "unknown" else ABSENT

    @staticmethod
    def needs(root: str, split: str = "val", **_: Any) -> list[Need]:
        """Annotations and images of the split, as `source.need.Planned` says."""
        page, images = "cityscapes-dataset.com, Download: ", 2975 if split == "train" else 500
        return [
            Need(
                "fine annotations, 0.24 GB", page + "gtFine_trainvaltest.zip",
                f"{root}/gtFine/{split}", 4 * images, login=True,
            ),
            Need(
                "images of the left camera, 11 GB", page + "leftImg8bit_trainvaltest.zip",
                f"{root}/leftImg8bit/{split}", images, login=True,
            ),
        ]  # fmt: skip

    def _parse(self) -> Instances:
        listed: list[Listed] = []
        seen: list[tuple[int, Visible]] = []
        lost: list[tuple[str, str, str]] = []
        for city, stem in self._stems():
            image = f"{city}/{stem}{_PHOTO}"
            file, shown = self._shown(city, stem)
            if isinstance(shown, str):
                lost.append((stem, file or image, f"left out: {shown}"))
                continue
            seen += [(len(listed), visible) for visible in shown.objects]
            lost += [(stem, f"{file}: {what}", why) for what, why in shown.faults]
            listed.append((stem, image, *shown.size))
        names = list(self._table)
        texts = Labels(self._table, "labels").texts(names, self.name)
        cells, presence = self._cells(seen, len(listed))
        return assemble(self.name, listed, names, texts, cells, presence, lost)

    def _stems(self) -> list[tuple[str, str]]:
        """City and name, without ending, of all that is annotated or photographed; sorted."""
        annotated = {found for ending in _READERS for found in _files(self._truth, ending)}
        if not annotated:
            raise OodexpError(
                f"{self._truth}: no annotation in it; expected files such as "
                "frankfurt/frankfurt_000000_000294_gtFine_instanceIds.png (gtFine_trainvaltest.zip)"
            )
        return sorted(annotated | set(_files(self._root, _PHOTO)))

    def _shown(self, city: str, stem: str) -> tuple[str, Shown | str]:
        """The annotation and the file it comes from, or what is wrong."""
        for ending, reader in _READERS.items():
            file = f"{city}/{stem}{ending}"
            try:
                return file, reader(read_file(self._truth / file))
            except FileNotFoundError:
                continue
            except OSError as error:
                return file, f"cannot be read ({error.strerror})"
            except UnreadableAnnotation as error:
                return file, str(error)
        wanted = " or ".join(f"{stem}{ending}" for ending in _READERS)
        return "", f"not annotated; expected {wanted} in {self._truth / city}"

    def _cells(self, seen: Sequence[tuple[int, Visible]], images: int) -> tuple[Cells, np.ndarray]:
        place = {name: n for n, name in enumerate(self._table)}
        rows = [
            (image, place[v.label.name], v.pixels, v.group, v.label.counted)
            for image, v in seen
            if v.label.name in place
        ]
        row, column, pixels, group, counted = np.array(rows, dtype=np.int64).reshape(-1, 5).T
        presence = empty(images, len(place))
        presence[row, column] = self._otherwise
        good = pixels >= self._min_pixels
        area = np.where(counted & ~group & 1, pixels, np.nan)
        one_by_one = np.zeros(int(good.sum()), dtype=bool)
        cells = Cells.of(row[good], column[good], one_by_one, area[good], {}, len(place))
        key, of_cell = row * len(place) + column, cells.row * len(place) + cells.column
        for mine, why in ((group == 1, "group"), (counted == 0, "not counted")):
            cells = cells.without_count(np.isin(of_cell, key[good & mine]), why)
        return cells, marked(cells, presence)


def _table(classes: Sequence[str], given: Labels | None) -> dict[str, str | None]:
    """Text by class name, asked classes first."""
    rest = [label.name for label in PAINTED if label.name not in classes]
    if given:
        given.texts([*classes, *rest], "Cityscapes")
    own: dict[str, str | None] = {name: name for name in classes} | dict.fromkeys(rest)
    return own | (given.table if given else {})


def _folders(root: Path, split: str) -> tuple[Path, Path]:
    """The folders of the annotations and of the images."""
    if split == "test":
        raise OodexpError(
            "source.split=test: its annotations are not public; expected val or train"
        )
    found = root / "gtFine" / split, root / "leftImg8bit" / split
    for folder in found:
        if not folder.is_dir():
            raise OodexpError(
                f"source.root={root}: no folder {folder.relative_to(root)}/ in it; expected "
                f"source.root to be the folder that holds gtFine/{split}/<city>/ (annotations) "
                f"and leftImg8bit/{split}/<city>/ (images), as the Cityscapes archives unpack"
            )
    return found


def _files(folder: Path, ending: str) -> Iterator[tuple[str, str]]:
    for path in folder.glob(f"*/*{ending}"):
        yield path.parent.name, path.name.removesuffix(ending)
