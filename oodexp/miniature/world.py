"""Many scenes at once: the arrays that training reads, and the files that the package ships."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from oodexp.miniature.annotation import planted_reason, to_coco, write_coco
from oodexp.miniature.background import BACKGROUNDS
from oodexp.miniature.caption import named_counts, write_caption
from oodexp.miniature.dial import SPLIT_SEED
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.scene import Scene, scene_at

ABSENT, CANONICAL, VARIANT, SECONDARY = range(4)
_CODE = {"canonical": CANONICAL, "secondary": SECONDARY}


@dataclass(frozen=True)
class World:
    """Scenes as arrays; n scenes, k categories.

    Attributes:
        images: (n, side, side, 3) uint8.
        captions: n captions.
        named: (n, k) int8, instances that the caption names.
        counts: (n, k) int8, instances that are there.
        reasons: (n, k) int8, ``ABSENT``, ``CANONICAL``, ``VARIANT`` or ``SECONDARY``.
        grounds: (n,) int8, number of the background.
    """

    images: NDArray[np.uint8]
    captions: tuple[str, ...]
    named: NDArray[np.int8]
    counts: NDArray[np.int8]
    reasons: NDArray[np.int8]
    grounds: NDArray[np.int8]

    def first(self, number: int) -> World:
        """Keeps the first scenes; the same as drawing so many, since each has its own seed.

        Args:
            number: How many; all where there are fewer.

        Returns:
            A view of them.
        """
        rows = slice(number)
        return World(
            self.images[rows],
            self.captions[rows],
            self.named[rows],
            self.counts[rows],
            self.reasons[rows],
            self.grounds[rows],
        )


def captioned(seed: int, index: int) -> tuple[Scene, dict[str, int], str]:
    """Draws a scene and its caption.

    Args:
        seed: Seed of the split.
        index: Number of the scene in the split.

    Returns:
        The scene, the instances its caption names by category, and the caption.
    """
    scene = scene_at(seed, index)
    rng = np.random.default_rng([seed, index, 1])
    named = named_counts(scene, rng)
    return scene, named, write_caption(named, scene.background, rng)


def _draw_range(job: tuple[int, int, int]) -> list[tuple[Scene, dict[str, int], str]]:
    seed, start, stop = job
    return [captioned(seed, index) for index in range(start, stop)]


def draw_many(seed: int, number: int, workers: int) -> list[tuple[Scene, dict[str, int], str]]:
    """Draws the first scenes of a seed; the result does not depend on the number of workers.

    Args:
        seed: Seed of the split.
        number: How many scenes.
        workers: Processes to draw with.

    Returns:
        Scenes with what their captions name and the captions, in order.
    """
    jobs = [(seed, start, min(start + 500, number)) for start in range(0, number, 500)]
    if workers <= 1:
        return [row for job in jobs for row in _draw_range(job)]
    with ProcessPoolExecutor(workers) as pool:
        return [row for rows in pool.map(_draw_range, jobs) for row in rows]


def to_world(rows: Sequence[tuple[Scene, dict[str, int], str]]) -> World:
    """Stacks scenes into arrays.

    Args:
        rows: Scenes, named instances and captions, as ``draw_many`` gives them.

    Returns:
        The arrays.
    """
    shape = (len(rows), len(CATEGORIES))
    named, counts, reasons = (np.zeros(shape, np.int8) for _ in range(3))
    for row, (scene, spoken, _) in enumerate(rows):
        for name, number in spoken.items():
            named[row, CATEGORIES.index(name)] = number
        for name in {thing.category for thing in scene.things}:
            marks = [thing.planted for thing in scene.things if thing.category == name]
            column = CATEGORIES.index(name)
            counts[row, column] = len(marks)
            reasons[row, column] = _CODE.get(planted_reason(marks), VARIANT)
    images = np.stack([scene.image for scene, _, _ in rows])
    grounds = np.array([BACKGROUNDS.index(scene.background) for scene, _, _ in rows], np.int8)
    captions = tuple(text for _, _, text in rows)
    return World(images, captions, named, counts, reasons, grounds)


def draw_split(split: str, number: int, workers: int) -> World:
    """Draws a split as arrays.

    Args:
        split: ``train``, ``dev`` or ``test``.
        number: How many scenes.
        workers: Processes to draw with.

    Returns:
        The split as arrays.
    """
    return to_world(draw_many(SPLIT_SEED[split], number, workers))


def write_split(split: str, number: int, folder: Path, workers: int, *, with_images: bool) -> None:
    """Draws a split and writes its annotation file, and its images where asked.

    Args:
        split: ``train``, ``dev`` or ``test``.
        number: How many scenes.
        folder: Where the files go; made if missing.
        workers: Processes to draw with.
        with_images: Whether to write ``<split>.zip`` with one PNG file per image.
    """
    rows = draw_many(SPLIT_SEED[split], number, workers)
    coco = to_coco([row[0] for row in rows], [row[2] for row in rows], split)
    folder.mkdir(parents=True, exist_ok=True)
    write_coco(coco, folder / f"{split}.json.gz")
    if with_images:
        names = [image["file_name"] for image in coco["images"]]
        _write_zip(folder / f"{split}.zip", names, [row[0].image for row in rows])


def _write_zip(path: Path, names: list[str], images: list[NDArray[np.uint8]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, image in zip(names, images, strict=True):
            buffer = io.BytesIO()
            Image.fromarray(image).save(buffer, "PNG", optimize=True)
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), buffer.getvalue())
