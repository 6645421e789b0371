"""Which images of Visual Genome are COCO's: its own list, `image_data.json`."""

from __future__ import annotations

from pathlib import Path

from oodexp.corpus.entries import entries
from oodexp.error import OodexpError


def numbers(path: Path) -> dict[int, int]:
    """Visual Genome's number to COCO's, of the images that have both.

    Args:
        path: `image_data.json`: a list of objects with `image_id` (or `id`) and `coco_id`.

    Raises:
        OodexpError: If it is no such list.
    """
    found = {}
    for entry in entries(path):
        row = entry.value if isinstance(entry.value, dict) else {}
        mine, theirs = row.get("image_id", row.get("id")), row.get("coco_id")
        right = isinstance(theirs, int | None) and "coco_id" in row
        if not isinstance(mine, int) or not right:
            raise OodexpError(
                f"{path}: {entry.place}: expected image_id and coco_id; this must be Visual "
                "Genome's image_data.json, version 1.2 or newer"
            )
        if theirs is not None:
            found[mine] = theirs
    return found
