"""Thumbnails of the report page: each image once, small, and never more than there is room for."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

from oodexp import pixel

SIDE = 96
"""Longest side of a thumbnail in pixels."""
QUALITY = 70
"""WebP quality of a thumbnail, of 100."""


class Thumbnails(NamedTuple):
    """Thumbnails by number, and how many are lacking."""

    uris: list[str]
    """A data address each; empty where there is no thumbnail."""
    unreadable: int
    """Images that could not be shown."""
    over: int
    """Images that there was no room for."""

    @property
    def note(self) -> str:
        """What is lacking in a sentence; empty when nothing is."""
        parts = []
        if self.unreadable:
            parts.append(f"{self.unreadable:,} could not be read")
        if self.over:
            parts.append(f"{self.over:,} were left out to keep this file small")
        if not parts:
            return ""
        return f"Of {len(self.uris):,} images, {' and '.join(parts)}: their cards have no picture."


def shrink(data: bytes) -> bytes:
    """An image file as WebP of at most `SIDE` pixels a side, as a person would see it.

    Raises:
        UnreadableImage: If the bytes are no whole image (see `oodexp.pixel.decode`).
    """
    image = pixel.decode(data)
    image.thumbnail((SIDE, SIDE))
    kept = io.BytesIO()
    image.save(kept, format="WEBP", quality=QUALITY)
    return kept.getvalue()


def thumbnails(
    images: Sequence[tuple[str, str]], read: Callable[[str, str], bytes | None], room: int
) -> Thumbnails:
    """Thumbnails of the images in their order, until there is no room for the next.

    Args:
        images: Source and id of each image.
        read: Bytes of an image file of any size, or None when it cannot be read.
        room: Most bytes of all data addresses together.
    """
    uris: list[str] = []
    unreadable = used = 0
    for n, (source, image_id) in enumerate(images):
        uri = _uri(read(source, image_id))
        if used + len(uri) > room:
            over = len(images) - n
            return Thumbnails([*uris, *[""] * over], unreadable, over)
        used += len(uri) + 1
        unreadable += not uri
        uris.append(uri)
    return Thumbnails(uris, unreadable, 0)


def _uri(data: bytes | None) -> str:
    if data is None:
        return ""
    try:
        small = _is_small(data)
        kept = data if small else shrink(data)
    except pixel.UnreadableImage:
        return ""
    kind = "jpeg" if kept[:2] == b"\xff\xd8" else "webp"
    return f"data:image/{kind};base64,{base64.b64encode(kept).decode()}"


def _is_small(data: bytes) -> bool:
    """Whether the bytes are a thumbnail already: JPEG or WebP of at most `SIDE` pixels a side."""
    web = data[:2] == b"\xff\xd8" or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")
    return web and max(pixel.header(data).raw) <= SIDE
