"""Any COCO-format instance file plus an image folder."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from oodexp import table
from oodexp.error import OodexpError
from oodexp.record import Problem
from oodexp.source.instances import Instances, parse
from oodexp.source.need import Need

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


class Coco:
    """Images and presence of a COCO-format data set: what is not annotated is absent.

    Args:
        annotations: The instance file, e.g. `instances_val2017.json`.
        images: The folder that `file_name` starts from.
        name: Name of the data set in every table.

    Raises:
        OodexpError: If the file or the folder is not there, or is not what it should be.
    """

    def __init__(self, annotations: str, images: str, name: str = "coco") -> None:
        self.name = name
        self._file = Path(annotations).expanduser()
        self._root = Path(images).expanduser()
        if not self._file.is_file():
            raise OodexpError(
                f"source annotations={annotations}: no such file; expected COCO's instance file "
                "(instances_val2017.json from annotations_trainval2017.zip; experiment=fetch "
                "source=coco tells where it comes from)"
            )
        if not self._root.is_dir():
            raise OodexpError(
                f"source images={images}: no such folder; expected the images that "
                f"{self._file.name} names (val2017/)"
            )

    @staticmethod
    def needs(annotations: str, images: str, **_: str) -> list[Need]:
        """COCO val2017, as `source.need.Planned` says."""
        page = "cocodataset.org, Dataset, Download: "
        return [
            Need("2017 val images, 0.8 GB", page + "2017 Val images", images, 5000),
            Need("annotations, 0.24 GB", page + "2017 Train/Val annotations", annotations),
        ]

    def images(self) -> pd.DataFrame:
        """See `source.base.Source`."""
        return self._checked[0].images

    def categories(self) -> list[str]:
        """See `source.base.Source`."""
        return self._checked[0].categories

    def pairs(self) -> pd.DataFrame:
        """See `source.base.Source`."""
        return self._checked[0].pairs

    def presence(self) -> np.ndarray:
        """See `source.base.Source`."""
        return self._checked[0].presence

    def problems(self) -> pd.DataFrame:
        """See `source.base.Source`."""
        return self._checked[0].problems

    def read(self, image_id: str) -> bytes:
        """See `source.base.Source`."""
        return self._checked[1][image_id].read_bytes()

    @cached_property
    def _checked(self) -> tuple[Instances, dict[str, Path]]:
        try:
            document = json.loads(self._file.read_bytes())
        except ValueError as error:
            raise OodexpError(f"{self._file}: not JSON ({error})") from error
        found = parse(document, self.name, str(self._file))
        return keep_safe(found, self._root, self.name)


def keep_safe(found: Instances, root: Path, source: str) -> tuple[Instances, dict[str, Path]]:
    """The annotations of images whose path stays below `root`, and those paths by image id.

    An annotation file may come from anyone: a path that leads out of the folder (`..`, absolute, a
    link, a backslash) would let it make this program open, and send to a model, any file of the
    machine. Such images are left out with a row in `problems`, and never opened.
    """
    paths, refused = {}, {}
    home = root.resolve()
    for image_id, file in zip(found.images["image_id"], found.images["file"], strict=True):
        reason = _escape(file, root, home)
        if reason is None:
            paths[image_id] = root / file
        else:
            refused[image_id] = (file, reason)
    if not refused:
        return found, paths
    keep = ~found.images["image_id"].isin(list(refused))
    rows = [Problem("source", "", source, i, f, why) for i, (f, why) in refused.items()]
    safe = Instances(
        images=found.images[keep].reset_index(drop=True),
        categories=found.categories,
        pairs=found.pairs[~found.pairs["image_id"].isin(list(refused))].reset_index(drop=True),
        presence=found.presence[keep.to_numpy()],
        problems=table.concat(Problem, [found.problems, table.frame(Problem, rows)]),
    )
    return safe, paths


def _escape(file: str, root: Path, home: Path) -> str | None:
    if "\\" in file or "\0" in file:
        return "path with a backslash or a null character"
    if PurePosixPath(file).is_absolute():
        return "absolute path"
    try:
        inside = (root / file).resolve().is_relative_to(home)
    except (OSError, RuntimeError) as error:  # a link that leads to itself
        return f"path cannot be followed: {error}"
    return None if inside else "path leads out of the image folder"
