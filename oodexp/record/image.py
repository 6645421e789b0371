"""What a data set holds: images, pairs of an image and a category, concepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Image:
    """An image of a source, with or without annotated objects."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id")

    source: str
    """Name of the data set, e.g. `coco`."""
    image_id: str
    """The data set's own id, as text; unique within the source."""
    file: str
    """Path below the image folder, with forward slashes."""
    sha256: str | None
    """Hex digest of the file's bytes; null when the file could not be read (see `problems`)."""
    width: int | None
    """Annotated width in pixels, before any orientation tag is applied."""
    height: int | None
    """Annotated height in pixels, before any orientation tag is applied."""
    objects: int
    """Number of annotated objects, crowd regions included; 0 for an empty image."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A category that is annotated as present in an image."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id", "category")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text, verbatim as shown to the models."""
    count: int | None
    """Number of instances, >= 1; null when it is not known."""
    count_reason: str | None
    """Why the count is null, e.g. `crowd`."""
    area: float | None
    """Area in square pixels of the largest instance, as annotated; null when not annotated."""
    planted: str | None
    """Drawn worlds only: why the pair is out of distribution (`canonical` when it is not).
    For validation; never an input of the division."""


@dataclass(frozen=True, slots=True)
class Concept:
    """An image collected for an open-world concept (OODConceptBench, 3): one phrase an image."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    phrase: str
    """The concept, verbatim as inserted into prompts, e.g. `origami elephant`."""
    category: str
    """Family of the concept: the paper has seven, e.g. `viewpoint and scale`."""
    acquisition: str
    """How the image was got, e.g. `crawled`, `generated`; `unknown` where nobody says."""
    licence: str | None
    """Licence of the image, e.g. `CC BY 4.0`; null where nobody says."""
    origin: str | None
    """Where the image is from: a page, a collection, a generator; null where nobody says."""
