"""What a bundle adds to the tables of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class BundledImage:
    """An image of a bundle: the fields of `Image`, where its file lies, and what may be done."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    file: str
    """Path below the image folder of the source."""
    sha256: str | None
    """Hex digest of the file's bytes; null when the run could not read it."""
    width: int | None
    """Annotated width in pixels."""
    height: int | None
    """Annotated height in pixels."""
    objects: int
    """Number of annotated objects."""
    stored: str | None
    """Path of the file below the bundle; null when it is not in it."""
    licence: str | None
    """Licence of the image as its data set words it; null when it is not known."""
