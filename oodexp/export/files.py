"""Image files of an export, byte for byte, each once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oodexp.export.part import Bytes, Item


def write_images(folder: Path, items: Iterable[Item], read: Bytes) -> None:
    """Writes the file of each item's image into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in dict.fromkeys(item.picture for item in items):
        (folder / picture.file).write_bytes(read(picture.source, picture.image_id))
