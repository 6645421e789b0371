"""Questions in batches, with what their images need made once a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

Opened = TypeVar("Opened")
Item = TypeVar("Item")


class Row(NamedTuple):
    """A question still to ask."""

    key: str
    """sha256 over image bytes and prompt."""
    image_id: str
    """Id of the image."""
    prompt: str
    """The text put to the model."""
    most: int | None
    """Most new tokens of the reply."""


class ByImage(Generic[Opened, Item]):
    """The questions still to ask (see `chunk.Items`); an image is opened once a batch.

    Args:
        rows: The questions, those of an image side by side.
        read: Gives an image's bytes by its id.
    """

    def __init__(self, rows: Sequence[Row], read: Callable[[str], bytes]) -> None:
        self._rows = rows
        self._read = read

    def __len__(self) -> int:
        return len(self._rows)

    def __getitems__(self, indices: Sequence[int]) -> list[Item]:
        """The questions of a batch."""
        rows = [self._rows[n] for n in indices]
        opened = {i: self._open(i) for i in dict.fromkeys(row.image_id for row in rows)}
        return [self._item(row, opened[row.image_id]) for row in rows]

    def _open(self, image_id: str) -> Opened:
        raise NotImplementedError

    def _item(self, row: Row, opened: Opened) -> Item:
        raise NotImplementedError
