"""What sources have in common: annotations that are read once, texts, and a folder of images."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from oodexp import table
from oodexp.error import OodexpError
from oodexp.escape import Links, check_links, escape, read_file
from oodexp.record import Problem
from oodexp.source.instances import Instances
from oodexp.source.labels import Given, Labels
from oodexp.text import mended

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


class Annotated(ABC):
    """A source whose annotations are parsed once, when first asked for.

    Args:
        name: Name of the data set in every table.
        labels: Texts to show instead of the annotated names (see `source.labels`).
    """

    def __init__(self, name: str, labels: Given) -> None:
        self.name = name
        self._labels = Labels.of(labels)
        self.labels_sha256 = self._labels.sha256 if self._labels else None
        """See `source.base.Source`."""

    @abstractmethod
    def _parse(self) -> Instances:
        """The annotations, under the texts of `labels`."""

    @abstractmethod
    def read(self, image_id: str) -> bytes:
        """See `source.base.Source`."""

    def images(self) -> pd.DataFrame:
        """See `source.base.Source`."""
        return self._instances.images

    def categories(self) -> list[str]:
        """See `source.base.Source`."""
        return self._instances.categories

    def pairs(self) -> pd.DataFrame:
        """See `source.base.Source`."""
        return self._instances.pairs

    def presence(self) -> np.ndarray:
        """See `source.base.Source`."""
        return self._instances.presence

    def problems(self) -> pd.DataFrame:
        """See `source.base.Source`."""
        return self._instances.problems

    def licences(self) -> Mapping[str, str]:
        """See `source.base.Licensed`."""
        return self._instances.licences

    @cached_property
    def _instances(self) -> Instances:
        return self._parse()


class Below(Annotated):
    """A source whose image paths start from a folder, and are not followed out of it."""

    _root: Path
    """The folder; set by the constructor."""
    _links: Links = "inside"
    """Where links below it may lead."""

    def read(self, image_id: str) -> bytes:
        """See `source.base.Source`."""
        return read_file(self._safe[1][image_id])

    @cached_property
    def _instances(self) -> Instances:
        return self._safe[0]

    @cached_property
    def _safe(self) -> tuple[Instances, dict[str, Path]]:
        return keep_safe(self._parse(), self._root, self.name, self._links)


class Folder(Below):
    """A source of an annotation file and a folder that its image paths start from.

    Args:
        annotations: The annotation file.
        images: The image folder.
        name: Name of the data set in every table.
        labels: Texts to show instead of the annotated names.
        form: What the annotation file should be, for messages.
        holds: What the folder should hold, for messages.
        links: Where links below the folder may lead: `inside` it or `anywhere`.

    Raises:
        OodexpError: If the file or the folder is not there.
    """

    def __init__(
        self, annotations: str, images: str, name: str, labels: Given, form: str, holds: str,
        links: str = "inside",
    ) -> None:  # fmt: skip
        super().__init__(name, labels)
        self._links = check_links(links)
        self._file = Path(annotations).expanduser()
        self._root = Path(images).expanduser()
        if not self._file.is_file():
            raise OodexpError(f"source annotations={annotations}: no such file; expected {form}")
        if not self._root.is_dir():
            raise OodexpError(
                f"source images={images}: no such folder; expected the images that "
                f"{self._file.name} names ({holds})"
            )


def keep_safe(
    found: Instances, root: Path, source: str, links: Links = "inside"
) -> tuple[Instances, dict[str, Path]]:
    """The annotations of images whose path stays below `root`, and those paths by image id.

    The others (see `source.inside`) are left out with a row in `problems`, and never opened.
    """
    paths, refused = {}, {}
    home = root.resolve()
    for image_id, file in zip(found.images["image_id"], found.images["file"], strict=True):
        reason = escape(file, root, home, links)
        if reason is None:
            paths[image_id] = root / file
        else:
            refused[image_id] = (file, reason)
    if not refused:
        return found, paths
    keep = ~found.images["image_id"].isin(list(refused))
    rows = [Problem("source", "", source, i, mended(f), why) for i, (f, why) in refused.items()]
    safe = replace(
        found,
        images=found.images[keep].reset_index(drop=True),
        pairs=found.pairs[~found.pairs["image_id"].isin(list(refused))].reset_index(drop=True),
        presence=found.presence[keep.to_numpy()],
        problems=table.concat(Problem, [found.problems, table.frame(Problem, rows)]),
    )
    return safe, paths
