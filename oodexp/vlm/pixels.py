"""A digest of what an image shows, whatever file it came from."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image


def pixel_digest(image: Image) -> bytes:
    """sha256 of mode, size and pixels."""
    shape = f"{image.mode} {image.width} {image.height} ".encode()
    return hashlib.sha256(shape + image.tobytes()).digest()
