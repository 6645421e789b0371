"""What Cityscapes calls its classes, by which numbers its images know them, and which are asked."""

from __future__ import annotations

from typing import NamedTuple


class Label(NamedTuple):
    """A class of Cityscapes."""

    name: str
    """Name in the polygon files."""
    number: int
    """Id in the label images; negative when it is painted in none."""
    counted: bool
    """Whether its instances are annotated one by one."""


_REGIONS = (
    "unlabeled", "ego vehicle", "rectification border", "out of roi", "static", "dynamic", "ground",
    "road", "sidewalk", "parking", "rail track", "building", "wall", "fence", "guard rail",
    "bridge", "tunnel", "pole", "polegroup", "traffic light", "traffic sign", "vegetation",
    "terrain", "sky",
)  # fmt: skip
_COUNTED = (
    "person", "rider", "car", "truck", "bus", "caravan", "trailer", "train", "motorcycle",
    "bicycle",
)  # fmt: skip

PAINTED: tuple[Label, ...] = (
    *(Label(name, number, False) for number, name in enumerate(_REGIONS)),
    *(Label(name, number, True) for number, name in enumerate(_COUNTED, start=len(_REGIONS))),
)
"""The classes of the label images; the id of each is its position."""

KNOWN: dict[str, Label] = {
    label.name: label for label in (*PAINTED, Label("license plate", -1, False))
}
"""All labels that a polygon file may use, by name, without the suffix `group`."""

OBJECTS: tuple[str, ...] = (
    "person", "rider", "car", "truck", "bus", "train", "motorcycle", "bicycle", "traffic light",
    "traffic sign", "caravan", "trailer",
)  # fmt: skip
"""Things that one can point at; background, void and stuff are left out (OODBench, appendix A)."""

TRAINED: tuple[str, ...] = (
    "road", "sidewalk", "building", "wall", "fence", "pole", "traffic light", "traffic sign",
    "vegetation", "terrain", "sky", "person", "rider", "car", "truck", "bus", "train",
    "motorcycle", "bicycle",
)  # fmt: skip
"""The 19 classes of the benchmark's training ids."""


def of(text: str) -> tuple[Label, bool] | None:
    """The class of a label in a polygon file, and whether it names a group of several objects.

    Args:
        text: E.g. `car`, `cargroup`; `polegroup` is a class of its own.
    """
    if text in KNOWN:
        return KNOWN[text], False
    single = text.removesuffix("group")
    return (KNOWN[single], True) if single != text and single in KNOWN else None
