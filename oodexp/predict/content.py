"""Every image file read once before the expensive part: its sha256, and what is wrong with it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from oodexp import table
from oodexp.pixel import UnreadableImage, decode, header
from oodexp.predict.store import UNREADABLE
from oodexp.record import Image, Problem

if TYPE_CHECKING:
    import PIL.Image

THREADS = 4
"""Reading and hashing release the interpreter's lock; more threads gain nothing on one disk."""

WAITING = 1 << 12
"""Images that wait for a thread at once."""


class Content(NamedTuple):
    """The images of a source with their content hashes."""

    images: pd.DataFrame
    """`record.Image`, `sha256` filled in where the file could be read."""
    problems: pd.DataFrame
    """`record.Problem`: files that are missing, no image, too large, or of another size."""


class _Seen(NamedTuple):
    sha256: str | None
    reason: str | None
    note: str | None


def scan(images: pd.DataFrame, read: Callable[[str], bytes]) -> Content:
    """Hashes the files of a source and reads their headers; decodes nothing.

    Args:
        images: `record.Image` rows of one source.
        read: Gives an image's bytes by its id.
    """
    sizes = images[["width", "height"]].astype("float64").to_numpy()
    ids, seen = images["image_id"].tolist(), list[_Seen]()
    with ThreadPoolExecutor(THREADS) as pool:
        # All at once, each image would hold 2 kB until the last is done.
        for start in range(0, len(ids), WAITING):
            some = slice(start, start + WAITING)
            seen += pool.map(lambda i, s: _look(i, s, read), ids[some], sizes[some])
    rows = [
        Problem("decode", "", row.source, row.image_id, row.file, text)
        for row, look in zip(images.itertuples(), seen, strict=True)
        for text in (look.reason, look.note)
        if text
    ]
    return Content(
        table.check(Image, images.assign(sha256=[look.sha256 for look in seen])),
        table.frame(Problem, rows),
    )


def shown(read: Callable[[str], bytes], image_id: str) -> tuple[PIL.Image.Image | None, str | None]:
    """The pixels of an image, or why there are none.

    A file that is damaged is `UNREADABLE` for good; one that could not be read may be there the
    next time.
    """
    try:
        return decode(read(image_id)), None
    except UnreadableImage as error:
        return None, f"{UNREADABLE}{error}"
    except OSError as error:
        return None, f"file not read: {error.strerror or error}"


def _look(image_id: str, annotated: tuple[float, float], read: Callable[[str], bytes]) -> _Seen:
    try:
        data = read(image_id)
    except (OSError, KeyError) as error:
        return _Seen(None, f"{UNREADABLE}{getattr(error, 'strerror', None) or error}", None)
    try:
        found = header(data)
    except UnreadableImage as error:
        return _Seen(None, f"{UNREADABLE}{error}", None)
    note = None
    size = tuple(annotated)  # NaN where it is not annotated
    if found.raw != found.shown and size == found.raw:
        note = (
            f"note: shown {found.shown[0]} x {found.shown[1]} after its orientation tag; the "
            "annotated size is the raw size"
        )
    elif not any(map(math.isnan, size)) and size not in (found.raw, found.shown):
        note = (
            f"note: annotated as {size[0]:.0f} x {size[1]:.0f}, the file is "
            f"{found.raw[0]} x {found.raw[1]}: another image, or a resized one"
        )
    return _Seen(hashlib.sha256(data).hexdigest(), None, note)
