"""Each batch of a predict loop on its shelf the moment it is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytorch_lightning import LightningModule, Trainer
from pytorch_lightning.callbacks import BasePredictionWriter

from oodexp.error import OodexpError
from oodexp.predict.store import Shelf
from oodexp.refused import refused


class ShardWriter(BasePredictionWriter):
    """Writes the Arrow tables that `predict_step` returns, one shard a batch and shelf.

    Rows carry their keys: nothing rests on the order of ranks or batches.

    Args:
        shelves: Shelves by name.
    """

    def __init__(self, shelves: dict[str, Shelf]) -> None:
        super().__init__(write_interval="batch")
        self._shelves = shelves

    def write_on_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, prediction: Any,
        batch_indices: Sequence[int] | None, batch: Any, batch_idx: int, dataloader_idx: int,
    ) -> None:  # fmt: skip
        """Puts each table on its shelf.

        Raises:
            OodexpError: If the disk takes none: of another process only the message comes through.
        """
        for name, rows in prediction.items():
            try:
                self._shelves[name].write(rows)
            except OSError as error:
                raise OodexpError(refused(error) or f"{name}: {error}") from error
