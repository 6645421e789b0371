"""A progress line in items, with rate and time left."""

from __future__ import annotations

import sys
from typing import Any

from pytorch_lightning import Callback, LightningModule, Trainer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class ItemProgress(Callback):
    """Counts items, not batches, over all ranks.

    Args:
        title: What is being done.
        total: Number of items of the whole loop.
        batch: Items a batch.
    """

    def __init__(self, title: str, total: int, batch: int) -> None:
        super().__init__()
        self._title = title
        self._batch = batch
        self._total = total
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def on_predict_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Shows the line, on the first rank only."""
        if not trainer.is_global_zero:
            return
        self._bar = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"), TimeElapsedColumn(), TextColumn("left"),
            TimeRemainingColumn(), console=Console(file=sys.stderr),
        )  # fmt: skip
        self._bar.start()
        self._task = self._bar.add_task(self._title, total=self._total, rate="")

    def on_predict_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any,
        batch_idx: int, dataloader_idx: int = 0,
    ) -> None:  # fmt: skip
        """Advances by the batch, times the number of ranks."""
        if self._bar is None:
            return
        task = self._bar.tasks[self._task]
        done = min(self._total, task.completed + self._batch * trainer.world_size)
        rate = f"{done / task.elapsed:.1f}/s" if task.elapsed else ""
        self._bar.update(self._task, completed=done, rate=rate)

    def on_predict_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Takes the line down."""
        self._stop()

    def on_exception(
        self, trainer: Trainer, pl_module: LightningModule, exception: BaseException
    ) -> None:
        """Takes the line down, so that the message below it can be read."""
        self._stop()

    def _stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
