"""How the predict loops run: devices, batches, progress; Lightning is started here only."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError

if TYPE_CHECKING:
    from pytorch_lightning import LightningModule
    from torch.utils.data import DataLoader, Dataset

    from oodexp.predict.store import Shelf
    from oodexp.scorer.base import Scorer


class Loop:
    """Settings of both predict loops.

    Args:
        accelerator: `auto`, `cpu` or `gpu`, as Lightning names them.
        devices: Number of devices; more than one runs as spawned processes.
        scoring_batch: Images a batch and shard of the scoring loop.
        answering_batch: Questions a batch and shard of the answering loop.
        workers: Processes that decode images; 0 decodes in the main process.
        progress: Whether to show a progress line.
    """

    def __init__(
        self, accelerator: str = "auto", devices: int = 1, scoring_batch: int = 64,
        answering_batch: int = 64, workers: int = 0, progress: bool = True,
    ) -> None:  # fmt: skip
        if min(devices, scoring_batch, answering_batch) < 1 or workers < 0:
            raise OodexpError("predict: devices and batches are at least 1, workers at least 0")
        self.scoring_batch = scoring_batch
        self.answering_batch = answering_batch
        self._accelerator = accelerator
        self._devices = devices
        self._workers = workers
        self._progress = progress
        self._loaded: list[Scorer] = []

    def run(
        self, title: str, module: LightningModule, dataset: Dataset[Any], batch: int, total: int,
        shelves: dict[str, Shelf],
    ) -> None:  # fmt: skip
        """Predicts over the dataset and puts the result of each batch on its shelf at once.

        Args:
            title: What the progress line says.
            module: `predict_step` returns Arrow tables by shelf name.
            dataset: Gives a list of items for a list of indices.
            batch: Items a batch: fixed in the order of the dataset, so that a batch, and with it
                its last digits, is the same whenever it is computed.
            total: Number of items, for the progress line.
            shelves: Where results go, by name.
        """
        from pytorch_lightning import Trainer

        from oodexp.predict.progress import ItemProgress
        from oodexp.predict.writer import ShardWriter

        callbacks: list[Any] = [ShardWriter(shelves)]
        # A rank without an item ends with an assertion while the others wait for it.
        devices = min(self._devices, total)
        if self._progress:
            callbacks.append(ItemProgress(title, total))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _quiet()
            trainer = Trainer(
                accelerator=self._accelerator,
                devices=devices,
                strategy="auto" if devices == 1 else "ddp_spawn",
                logger=False,
                enable_checkpointing=False,
                enable_model_summary=False,
                enable_progress_bar=False,
                callbacks=callbacks,
            )
            trainer.predict(module, self._loader(dataset, batch), return_predictions=False)

    def device(self) -> str:
        """The device of a single-process loop, as torch names it."""
        import torch

        wanted = self._accelerator in ("auto", "gpu", "cuda")
        return "cuda:0" if wanted and torch.cuda.is_available() else "cpu"

    def load(self, scorer: Scorer) -> None:
        """Loads a scorer in this process, once."""
        if not any(scorer is other for other in self._loaded):
            scorer.load(self.device())
            self._loaded.append(scorer)

    def prepare(self, scorers: Iterable[Scorer]) -> bool:
        """Loads scorers here and now if this process runs the loop; whether it did.

        With several devices each spawned process loads its own, in Lightning's `setup`.
        """
        if self._devices > 1:
            return False
        for scorer in scorers:
            self.load(scorer)
        return True

    def _loader(self, dataset: Dataset[Any], batch: int) -> DataLoader[Any]:
        from torch.utils.data import DataLoader

        return DataLoader(
            dataset, batch_size=batch, num_workers=self._workers, collate_fn=_same, shuffle=False
        )


def _same(items: list[Any]) -> list[Any]:
    return items


def _quiet() -> None:
    import logging

    for name in ("pytorch_lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
