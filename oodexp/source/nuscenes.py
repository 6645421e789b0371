"""nuScenes: the key frames of one camera, with the boxes that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from oodexp.error import OodexpError
from oodexp.escape import Links, check_links
from oodexp.record import ABSENT, UNKNOWN
from oodexp.source.annotated import Below
from oodexp.source.cells import Cells, empty, marked
from oodexp.source.instances import Instances, assemble
from oodexp.source.labels import Given, Labels, suggestion
from oodexp.source.need import Need
from oodexp.source.nuscenes_boxes import Boxes, read_boxes
from oodexp.source.nuscenes_frames import Frame, Lost, read_frames
from oodexp.source.nuscenes_labels import LABELS, SPLITS
from oodexp.source.nuscenes_rows import TABLES, named
from oodexp.source.nuscenes_view import Inside, Rule, Seen, look


class NuScenes(Below):
    """Key frames of a nuScenes camera and the categories of the boxes that they show.

    Presence and count are of boxes that pass the rule; nothing tests whether one object hides
    another. Every other category is absent (OODBench, appendix A).

    Args:
        root: The folder that holds `v1.0-trainval/` (tables) and `samples/` (images).
        version: Folder of the tables: `v1.0-trainval` or `v1.0-mini`.
        scenes: `val`, `mini_val`, `all`, scene names, or a text file with a name a line.
        camera: Channel of the camera.
        inside: `any` (a corner in the image), `all` (all corners) or `hull` (any part).
        min_depth: Metres; corners (with `hull`: parts) that are nearer do not count.
        min_height: Pixels of height that the image shows of the box.
        min_area: Square pixels that the image shows of the box.
        min_visibility: `visibility_token` 1 ... 4, of all six cameras together; 0 for no test.
        min_points: Lidar and radar points in the box.
        left_out: What a category is of which the image shows boxes, but none that passes:
            `absent` or `unknown`.
        labels: Texts by category name, which go before the built-in ones; null drops a category.
        name: Name of the data set in every table.
        links: Where links below the image folder may lead: `inside` it, or `anywhere`.

    Raises:
        OodexpError: If a folder or table is not there, or a setting is not what it should be.
    """

    def __init__(
        self, root: str, version: str = "v1.0-trainval", scenes: str | Sequence[str] = "val",
        camera: str = "CAM_FRONT", inside: Inside = "any", min_depth: float = 1.0,
        min_height: float = 0.0, min_area: float = 0.0, min_visibility: int = 0,
        min_points: int = 0, left_out: Literal["absent", "unknown"] = "absent",
        labels: Given = None, name: str = "nuscenes", links: Links = "inside",
    ) -> None:  # fmt: skip
        given = Labels.of(labels)
        self._given = given.table if given else {}
        self._table = LABELS | self._given
        super().__init__(name, self._table)
        self._tables, self._root = _folders(Path(root).expanduser(), version, camera)
        self._camera, self._links = camera, check_links(links)
        self._scenes = _scenes(scenes)
        self._rule = Rule(inside, min_depth, min_height, min_area, min_visibility, min_points)
        if left_out not in ("absent", "unknown"):
            raise OodexpError(f"source.left_out={left_out}: expected absent or unknown")
        self._otherwise = UNKNOWN if left_out == "unknown" else ABSENT

    @staticmethod
    def needs(
        root: str, version: str = "v1.0-trainval", camera: str = "CAM_FRONT", **_: Any
    ) -> list[Need]:
        """The tables and the camera's key frames, as `source.need.Planned` says."""
        page = "nuscenes.org, nuScenes, Downloads, Full dataset (v1.0): "
        mini = version == "v1.0-mini"
        tables = "Mini" if mini else "Trainval, Metadata"
        images = "Mini" if mini else "Trainval, keyframe blobs of parts 1 to 10 (camera only)"
        frames = 404 if mini else 34_149
        return [
            Need("the 13 tables", page + tables, f"{root}/{version}", 13, login=True),
            Need(
                f"key frames of {camera}", page + images, f"{root}/samples/{camera}", frames,
                login=True,
            ),
        ]  # fmt: skip

    def _parse(self) -> Instances:
        self._check_names()
        scenes = self._scenes
        frames, lost = read_frames(
            self._tables, self._camera, lambda name: scenes is None or name in scenes
        )
        boxes, unplaced = read_boxes(self._tables, frames)
        seen = look(frames, boxes, self._rule)
        lost += unplaced + self._lacking() + _unlabelled(boxes, seen, self._table)
        cells, presence = self._cells(len(frames), boxes, seen)
        names = list(self._table)
        texts = Labels(self._table, "labels").texts(names, self.name)
        listed = [(f.token, self._below(f), *f.size) for f in frames]
        return assemble(self.name, listed, names, texts, cells, presence, lost)

    def _lacking(self) -> list[Lost]:
        have = {row["name"] for row in named(self._tables, "scene", "name")}
        lacking = [scene for scene in self._scenes or () if scene not in have]
        if not lacking:
            return []
        shown = ", ".join(lacking[:5]) + (", ..." if len(lacking) > 5 else "")
        return [("", "scenes", f"{len(lacking)} asked for, but not in scene.json: {shown}")]

    def _check_names(self) -> None:
        known = LABELS | {row["name"]: None for row in named(self._tables, "category", "name")}
        for name in self._given:
            if name not in known:
                raise OodexpError(
                    f"source.labels: nuScenes has no category {name!r}"
                    f"{suggestion(name, list(known))}"
                )

    def _cells(self, frames: int, boxes: Boxes, seen: Seen) -> tuple[Cells, np.ndarray]:
        place = {name: n for n, name in enumerate(self._table)}
        column = np.array([place.get(name, -1) for name in boxes.category], dtype=np.int64)
        row = np.array(boxes.frame, dtype=np.int64)
        presence = empty(frames, len(place))
        shown = seen.touches & (column >= 0)
        presence[row[shown], column[shown]] = self._otherwise
        good = seen.passes & (column >= 0)
        one_by_one = np.zeros(int(good.sum()), dtype=bool)
        cells = Cells.of(row[good], column[good], one_by_one, seen.area[good], {}, len(place))
        return cells, marked(cells, presence)

    def _below(self, frame: Frame) -> str:
        """The path below the folder of the camera's images."""
        return frame.file.removeprefix(f"samples/{self._camera}/")


def _folders(root: Path, version: str, camera: str) -> tuple[Path, Path]:
    """The folders of the tables and of the images."""
    tables, images = root / version, root / "samples" / camera
    hint = (
        f"source.root to be the folder that holds {version}/ (tables) and samples/{camera}/ "
        "(images), as the nuScenes archives unpack"
    )
    if not tables.is_dir():
        raise OodexpError(f"source.root={root}: no folder {version}/ in it; expected {hint}")
    lacking = [f"{name}.json" for name in TABLES if not (tables / f"{name}.json").is_file()]
    if lacking:
        raise OodexpError(f"source.root={root}: no {', '.join(lacking)} in {version}/; expected "
                          f"{hint}")  # fmt: skip
    if not images.is_dir():
        raise OodexpError(f"source.root={root}: no folder samples/{camera}/ in it; expected {hint}")
    return tables, images


def _scenes(asked: str | Sequence[str]) -> tuple[str, ...] | None:
    """Scene names, each once; None for all."""
    if not isinstance(asked, str):
        return tuple(dict.fromkeys(asked))
    if asked == "all" or asked in SPLITS:
        return SPLITS.get(asked)
    file = Path(asked).expanduser()
    if not file.is_file():
        raise OodexpError(
            f"source.scenes={asked}: expected {', '.join(SPLITS)}, all, a list of scene names, or "
            "a text file with one a line"
        )
    return tuple(dict.fromkeys(file.read_text(encoding="utf-8").split()))


def _unlabelled(boxes: Boxes, seen: Seen, table: dict[str, str | None]) -> list[Lost]:
    """Categories in view that have no text."""
    images: dict[str, set[int]] = {}
    for n in np.flatnonzero(seen.passes):
        if boxes.category[n] not in table:
            images.setdefault(boxes.category[n], set()).add(boxes.frame[n])
    return [
        ("", f"category {name}", f"in {len(where)} images, but without a text: left out; give it "
         "one in source.labels, or null")
        for name, where in images.items()
    ]  # fmt: skip
