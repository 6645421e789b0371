"""A Hugging Face detection data set, read from its Parquet files without the library `datasets`.

Expected columns: the image (a struct of `bytes` and `path`, or plain bytes) and its objects (a
struct of lists or a list of structs, with a `category` and, if known, `bbox`, `area`, `iscrowd`).
Annotations are read without the images; images are read one row group at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from oodexp.error import OodexpError
from oodexp.escape import Links, check_links, escape, read_file
from oodexp.source.annotated import Annotated
from oodexp.source.cells import empty, marked
from oodexp.source.hub_files import locate, parquet_files
from oodexp.source.hub_objects import Columns, Objects
from oodexp.source.hub_schema import leaves
from oodexp.source.instances import Instances, assemble
from oodexp.source.labels import Given
from oodexp.source.manifest import CODES, unique
from oodexp.text import mended


class Hub(Annotated):
    """Images and presence of a detection data set of the Hugging Face hub.

    Args:
        data: A folder of Parquet files, or a hub id `owner/name`.
        split: Which files to read, by the hub's naming (`validation-*.parquet`); None for all.
        image: Column of the image.
        objects: Column of the objects.
        category: Field of an object's category: a text, or a number of `categories`.
        boxes: What `bbox` holds, for the area where no `area` is given: `xywh` or `xyxy`.
        categories: Class names in the order of their numbers; if None, those that the file's
            description gives (ClassLabel), or the sorted texts.
        rest: What holds where nothing is annotated: `absent`, or `unknown` for a data set in which
            not every object of every category is annotated.
        revision: Branch, tag or commit of a hub id.
        download: Whether to fetch a hub id that is not in the local cache.
        name: Name of the data set in every table.
        labels: Texts to show instead: a mapping, or the path of a file (see `source.labels`).
        links: Where links below the folder of `data` may lead, for images that are named by path:
            `inside` it, or `anywhere`.

    Raises:
        OodexpError: If the files are not there, or are not what they should be.
    """

    def __init__(
        self, data: str, split: str | None = None, image: str = "image", objects: str = "objects",
        category: str = "category", boxes: str = "xywh", categories: Sequence[str] | None = None,
        rest: str = "absent", revision: str | None = None, download: bool = False,
        name: str = "hub", labels: Given = None, links: Links = "inside",
    ) -> None:  # fmt: skip
        super().__init__(name, labels)
        for key, value, known in (
            ("rest", rest, ("absent", "unknown")), ("boxes", boxes, ("xywh", "xyxy"))
        ):  # fmt: skip
            if value not in known:
                raise OodexpError(f"source {key}={value}: expected {' or '.join(known)}")
        self._columns = Columns(image, objects, category, boxes)
        self._given = unique(categories)
        self._rest, self._links = rest, check_links(links)
        self._root = locate(data, revision, download)
        self._files = parquet_files(self._root, split)
        self._held: tuple[tuple[Path, int], pa.ChunkedArray] | None = None

    def read(self, image_id: str) -> bytes:
        """See `source.base.Source`; one row group of images is held in memory."""
        file, group, offset = self._place(self._objects.rows[image_id])
        held = self._held
        if held is None or held[0] != (file, group):
            held = (file, group), self._images_of(file, group)
            self._held = held
        try:
            value = held[1][offset].as_py()
        except ValueError as error:  # a text that is no UTF-8
            raise OSError(f"{file}: the image {mended(image_id)}: {error}") from error
        data, path = (
            (value.get("bytes"), value.get("path")) if isinstance(value, dict) else (value, None)
        )
        if isinstance(data, bytes):
            return data
        if data is not None or not isinstance(path, str):
            raise OSError(f"{file}: neither bytes nor path of the image {mended(image_id)}")
        reason = escape(path, self._root, self._root.resolve(), self._links)
        if reason is not None:
            raise OSError(f"{file}: {mended(path)}: {reason}")
        return read_file(self._root / path)

    def __getstate__(self) -> dict[str, Any]:
        """Another process reads its own row groups."""
        return self.__dict__ | {"_held": None}

    def _parse(self) -> Instances:
        found = self._objects
        names = found.names
        cells = found.cells()
        presence = marked(cells, empty(len(found.listed), len(names), CODES[self._rest]))
        texts = self._labels.texts(names, self.name) if self._labels else names
        return assemble(self.name, found.listed, names, texts, cells, presence, found.problems)

    @cached_property
    def _objects(self) -> Objects:
        found = Objects(self._columns, self._given)
        for file in self._files:
            found.read(file, file.relative_to(self._root).as_posix())
        return found

    @cached_property
    def _groups(self) -> tuple[list[int], list[tuple[Path, int]]]:
        """The first row of each row group, and where it lies."""
        starts, places, row = [], [], 0
        for file in self._files:
            described = pq.read_metadata(file)
            for group in range(described.num_row_groups):
                starts.append(row)
                places.append((file, group))
                row += described.row_group(group).num_rows
        return starts, places

    def _place(self, row: int) -> tuple[Path, int, int]:
        starts, places = self._groups
        at = bisect_right(starts, row) - 1
        return *places[at], row - starts[at]

    def _images_of(self, file: Path, group: int) -> pa.ChunkedArray:
        # Without Arrow's threads: they do not survive the fork of a loader's process.
        with pq.ParquetFile(file, pre_buffer=False) as opened:
            columns = leaves(opened, self._columns.image)
            try:
                return opened.read_row_group(group, columns=columns, use_threads=False).column(0)
            except (pa.ArrowException, ValueError) as error:
                raise OSError(f"{file}: row group {group} cannot be read ({error})") from error
