"""A source as the steps see it: its images with their content, and its annotations as a matrix."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from oodexp.division.base import Matrix
from oodexp.error import OodexpError
from oodexp.pixel import decode
from oodexp.predict.content import scan
from oodexp.tracker.base import Dataset
from oodexp.vlm.base import Calibration

if TYPE_CHECKING:
    from PIL.Image import Image

    from oodexp.source.base import Source


@dataclass(frozen=True, slots=True)
class World:
    """One source of a run."""

    source: Source
    """Where bytes come from."""
    images: pd.DataFrame
    """`record.Image`, with content hashes."""
    pairs: pd.DataFrame
    """`record.Pair`."""
    problems: pd.DataFrame
    """`record.Problem` of the files."""
    matrix: Matrix
    """The annotations."""

    @property
    def dataset(self) -> Dataset:
        """What the source held, by its content."""
        ids = zip(self.images["image_id"], self.images["sha256"].fillna(""), strict=True)
        content = hashlib.sha256(json.dumps([*ids, *self.matrix.categories]).encode())
        content.update(self.matrix.presence.tobytes())
        content.update(json.dumps(self.pairs["count"].fillna(0).tolist()).encode())
        sizes = {
            "images": len(self.images), "pairs": len(self.pairs),
            "categories": len(self.matrix.categories),
        }  # fmt: skip
        return Dataset(self.source.name, content.hexdigest()[:32], sizes)


def look(source: Source) -> World:
    """Reads every file of a source once.

    Raises:
        OodexpError: If the source holds no pair, or no readable image.
    """
    content = scan(source.images(), source.read)
    pairs = source.pairs()
    if not len(pairs) or content.images["sha256"].isna().all():
        raise OodexpError(
            f"source {source.name}: {len(content.images)} images, {len(pairs)} pairs, "
            f"{len(content.problems)} problems (first: {_first(content.problems)}); nothing to "
            "divide: check source.annotations and source.images"
        )
    ids = content.images["image_id"].tolist()
    matrix = Matrix(source.name, ids, source.categories(), source.presence())
    return World(source, content.images, pairs, content.problems, matrix)


def undecodable(world: World) -> dict[str, str]:
    """Why images whose file is there cannot be shown, as the source itself says, by image id.

    A source that was a run before knows; otherwise scorers are the first to decode.
    """
    rows, images = world.source.problems(), world.images
    there = rows["image_id"].isin(images.loc[images["sha256"].notna(), "image_id"])
    told = rows[there & (rows["stage"] == "decode") & ~rows["reason"].str.startswith("note:")]
    return dict(zip(told["image_id"], told["reason"], strict=True))


def calibration(world: World, unreadable: Mapping[str, str]) -> Calibration:
    """The readable images of a source, for a VLM that sets its own decision value.

    Args:
        world: The source.
        unreadable: Images that could not be decoded, by id.
    """
    images, matrix = world.images, world.matrix
    whole = images["sha256"].notna() & ~images["image_id"].isin(list(unreadable))
    presence = matrix.presence[whole.to_numpy()]
    content = hashlib.sha256("\n".join([*images.loc[whole, "sha256"], *matrix.categories]).encode())
    content.update(presence.tobytes())
    opened = _Opened(world.source, images.loc[whole, "image_id"].tolist())
    return Calibration(content.hexdigest(), opened, matrix.categories, presence)


class _Opened:
    """Images opened one by one, as often as they are asked for."""

    def __init__(self, source: Source, image_ids: list[str]) -> None:
        self._source = source
        self._ids = image_ids

    def __iter__(self) -> Iterator[Image]:
        return (decode(self._source.read(image_id)) for image_id in self._ids)


def _first(problems: pd.DataFrame) -> str:
    if not len(problems):
        return "none"
    return f"{problems['subject'].iloc[0]}: {problems['reason'].iloc[0]}"
