"""The images and annotations of a bundle, under the names that they had in the run that wrote it.

A bundle is untrusted: no path in it is followed out of its folder, and no image is given whose
bytes are not those of the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.bundle.folder import BundleFolder
from oodexp.bundle.layout import INCLUDE, MANIFEST
from oodexp.error import OodexpError
from oodexp.escape import escape, read_file
from oodexp.record import PRESENT, Image, Pair
from oodexp.source.annotated import Annotated
from oodexp.source.instances import Instances


class Bundle(Annotated):
    """A source of a bundle, or all of them.

    A bundle of a run over several sources is as many sources, each under its own name, in the order
    of that run; `part` takes one of them.

    Args:
        folder: The folder that `experiment=export export=bundle` wrote.
        part: Name of one source; None for all.
        images: Where the images lie that a bundle names by reference: the folder that their paths
            start from, or one for each source by name. A bundle with its images inside needs none.

    Raises:
        OodexpError: If the folder is no whole bundle, has no such part, or its images are not given
            or not needed.
    """

    def __init__(
        self, folder: str, part: str | None = None, images: str | Mapping[str, str] | None = None
    ) -> None:
        self._bundle = BundleFolder(folder)
        self._given = folder, images
        names = [source.name for source in self._bundle.manifest.sources]
        if part is None and len(names) == 1:
            part = names[0]
        self._names = names if part is None else [self._bundle.source(part).name]
        self._roots = _roots(self._bundle, self._names, images)
        super().__init__(" + ".join(self._names), labels=None)
        if len(self._names) == 1:
            self.labels_sha256 = self._bundle.source(self.name).labels_sha256

    def each(self) -> list[Bundle]:
        """See `source.base.Several`."""
        if len(self._names) == 1:
            return [self]
        folder, images = self._given
        return [Bundle(folder, name, images) for name in self._names]

    def read(self, image_id: str) -> bytes:
        """See `source.base.Source`; an image that is another one than that of the run is none."""
        wanted = self._files[image_id]
        if wanted is None:
            raise OSError("the run that wrote the bundle could not read it")
        data = read_file(wanted.path)
        digest = hashlib.sha256(data).hexdigest()
        if digest != wanted.sha256:
            raise OSError(f"sha256 {digest}, but the bundle is about {wanted.sha256}: put it back")
        return data

    def _parse(self) -> Instances:
        if len(self._names) > 1:
            raise OodexpError(
                f"bundle {self._bundle.path}: it holds the sources {self._names}; choose one, as "
                f"in source.bundle.part={self._names[0]}"
            )
        bundle, source = self._bundle, self._bundle.source(self.name)
        _ = self._files  # a path that leads out is refused before anything is read
        ids, presence = bundle.presence(source)
        listed, pairs = self._listed, bundle.table("pairs", self.name)
        _fits(f"bundle {bundle.path}, source {self.name!r}", listed, pairs, ids, presence,
              source.categories)  # fmt: skip
        columns = [field.name for field in fields(Image)]
        return Instances(
            images=table.check(Image, listed[columns].assign(sha256=None)),
            categories=source.categories,
            pairs=table.check(Pair, pairs),
            presence=presence,
            problems=bundle.table("problems", self.name),
            licences=listed.set_index("image_id")["licence"].dropna().to_dict(),
        )

    @cached_property
    def _listed(self) -> pd.DataFrame:
        return self._bundle.table("images", self.name)

    @cached_property
    def _files(self) -> dict[str, _File | None]:
        """Where each image lies; None for one that the run could not read."""
        root = self._roots[self.name]
        home = root.resolve()
        column = "stored" if self._bundle.manifest.images == INCLUDE else "file"
        rows = zip(*(self._listed[c] for c in ("image_id", column, "sha256")), strict=True)
        found: dict[str, _File | None] = {}
        for image_id, file, sha256 in rows:
            known = isinstance(file, str) and isinstance(sha256, str)
            why = escape(file, root, home) if known else None
            if why is not None:
                raise OodexpError(
                    f"bundle {self._bundle.path}: image {image_id!r}: {file!r}: {why}; expected "
                    f"a path that stays in {root}"
                )
            found[image_id] = _File(root / file, sha256) if known else None
        return found


class _File(NamedTuple):
    """An image file and the digest that its bytes must have."""

    path: Path
    sha256: str


def _roots(
    bundle: BundleFolder, names: list[str], images: str | Mapping[str, str] | None
) -> dict[str, Path]:
    """The folder that the image paths of each source start from."""
    if bundle.manifest.images == INCLUDE:
        if images is not None:
            raise OodexpError(
                f"source images={images}: the images are inside {bundle.path}; leave it out"
            )
        return dict.fromkeys(names, bundle.path)
    given = dict.fromkeys(names, images) if isinstance(images, str) else dict(images or {})
    for name in names:
        if name not in given or not Path(given[name]).expanduser().is_dir():
            raise OodexpError(
                f"source images={images}: {MANIFEST} of {bundle.path} names the images of {name!r} "
                "by their paths; expected the folder that these start from, "
                f"source.bundle.images=DIR or source.bundle.images={{NAME: DIR}} by source"
            )
    return {name: Path(given[name]).expanduser() for name in names}


def _fits(
    where: str, images: pd.DataFrame, pairs: pd.DataFrame, ids: list[str], presence: np.ndarray,
    categories: list[str],
) -> None:  # fmt: skip
    """Refuses tables that do not fit together.

    Raises:
        OodexpError: If the rows of presence are not the images, or its present cells not the pairs.
    """
    if images["image_id"].tolist() != ids:
        raise OodexpError(f"{where}: the rows of presence are not those of images; export it anew")
    rows, columns = np.nonzero(presence == PRESENT)
    present = [(ids[row], categories[column]) for row, column in zip(rows, columns, strict=True)]
    if list(zip(pairs["image_id"], pairs["category"], strict=True)) != present:
        raise OodexpError(
            f"{where}: the pairs are not the present cells of presence; export it anew"
        )
