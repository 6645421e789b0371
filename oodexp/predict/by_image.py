"""Questions in batches, with what their images need made once a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar, overload

import numpy as np
import pyarrow as pa

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


class Pending(Sequence[Row]):
    """Questions still to ask, held as columns: a million take 100 MB and not a gigabyte.

    Args:
        keys: Of each, text.
        image: Number of its image in `image_ids`, int32.
        image_ids: Ids of images.
        prompt: Number of its prompt in `prompts`, int32.
        prompts: Texts put to the model.
        most: Most new tokens of each reply, int64; negative for the VLM's own setting.
    """

    def __init__(
        self, keys: pa.Array, image: np.ndarray, image_ids: Sequence[str], prompt: np.ndarray,
        prompts: Sequence[str], most: np.ndarray,
    ) -> None:  # fmt: skip
        self.keys = keys
        self._image, self._image_ids = image, image_ids
        self._prompt, self._prompts = prompt, prompts
        self._most = most

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | Sequence[Row]:
        """A question, or a list of some."""
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        most = int(self._most[at])
        return Row(
            self.keys[at].as_py(), self._image_ids[self._image[at]],
            self._prompts[self._prompt[at]], None if most < 0 else most,
        )  # fmt: skip

    def select(self, rows: np.ndarray) -> Pending:
        """Some of the questions, by number or as bool."""
        keys = self.keys.filter(pa.array(rows)) if rows.dtype == bool else self.keys.take(rows)
        return Pending(
            keys, self._image[rows], self._image_ids, self._prompt[rows], self._prompts,
            self._most[rows],
        )  # fmt: skip

    def ordered(self) -> Pending:
        """Short replies first, questions of an image side by side: a batch goes on to its longest.

        Images in the order that they first stand in.
        """
        different, first, place = np.unique(self._image, return_index=True, return_inverse=True)
        most = np.where(self._most < 0, 0, self._most)
        return self.select(np.lexsort((first[place], most))) if len(different) else self


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
