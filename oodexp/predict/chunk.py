"""Chunks of a loop's items, fixed by their order alone: whoever computes a chunk, it is the same.

A batch of other neighbours is rounded differently in its last digits. Shares are therefore whole
batches, and not items as in the samplers of torch and Lightning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from torch.utils.data import DataLoader


class Items(Protocol):
    """What a loop runs over."""

    def __len__(self) -> int: ...

    def __getitems__(self, indices: Sequence[int]) -> Any:
        """The items of a batch, decoded."""


class Chunks:
    """Items in batches, as a torch data set whose elements are whole batches.

    Args:
        items: The items.
        size: Items a chunk; the last one may have fewer.
    """

    def __init__(self, items: Items, size: int) -> None:
        self._items = items
        self._size = size

    def __len__(self) -> int:
        return -(-len(self._items) // self._size)

    def __getitem__(self, number: int) -> Any:
        start = number * self._size
        return self._items.__getitems__(range(start, min(start + self._size, len(self._items))))


class Turns:
    """Numbers of the chunks of this process: of W processes, number r takes r, r + W, r + 2W, ...

    Nothing is repeated to make the shares equal; one may be empty. Rank and number of processes
    are asked for only when iterated, in the process that does so.

    Args:
        chunks: Number of all chunks.
        shared: Whether the processes share them; else this one takes all, connected or not.
    """

    def __init__(self, chunks: int, shared: bool) -> None:
        self._chunks = chunks
        self._shared = shared

    def __iter__(self) -> Iterator[int]:
        return iter(self._mine())

    def __len__(self) -> int:
        return len(self._mine())

    def _mine(self) -> range:
        rank, size = _place() if self._shared else (0, 1)
        return range(rank, self._chunks, size)


def loader(chunks: Chunks, workers: int, pinned: bool, shared: bool) -> DataLoader[Any]:
    """Gives this process its chunks in turn.

    Args:
        chunks: All chunks.
        workers: Processes that decode ahead while the model works; 0 decodes in this one.
        pinned: Whether to put tensors where a GPU can fetch them by itself.
        shared: Whether the processes of this run share the chunks.
    """
    from torch.utils.data import DataLoader

    items: Any = chunks
    return DataLoader(
        items, batch_size=None, sampler=Turns(len(chunks), shared), num_workers=workers,
        collate_fn=_same, pin_memory=pinned,
    )  # fmt: skip


def _place() -> tuple[int, int]:
    """Rank of this process, and number of processes."""
    import torch.distributed as dist

    if not (dist.is_available() and dist.is_initialized()):
        return 0, 1
    return dist.get_rank(), dist.get_world_size()


def _same(chunk: Any) -> Any:
    return chunk
