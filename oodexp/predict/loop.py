"""How the predict loops run: devices, batches, progress; Lightning is started here only."""

from __future__ import annotations

import copy
import gc
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from oodexp.error import OodexpError
from oodexp.predict import ranks
from oodexp.predict.started import check_alone, check_started

if TYPE_CHECKING:
    from pytorch_lightning import LightningModule, Trainer

    from oodexp.feature.base import Extractor
    from oodexp.predict.chunk import Items
    from oodexp.predict.store import Shelf

T = TypeVar("T")
E = TypeVar("E", bound="Extractor")

FILE_SYSTEM_LAG = 60.0
"""Seconds after which a network file system shows a file that another machine wrote."""


MOST_THREADS = 4096
"""The OpenMP library ends the process, without a word of ours, where it cannot have so many."""

ACCELERATORS = ("auto", "cpu", "gpu", "cuda")


class Loop:
    """Settings of both predict loops.

    Args:
        accelerator: `auto`, `cpu` or `gpu`, as Lightning names them.
        devices: Number of devices on a machine, or `auto` for all; more than one runs as processes.
        scoring_batch: Images a batch and shard of the scoring loop.
        answering_batch: Questions a batch and shard of the answering loop.
        workers: Processes a device that decode ahead; 0 decodes between the batches.
        progress: Whether to show a progress line.
        outside: Whether srun or torchrun starts a process a device; else this one does.
        num_nodes: Number of machines, if the processes are started from outside.
        threads: Threads of torch in each process, which the last digits depend on where a CPU runs
            the model; None for what torch takes by itself.
        refine: Whether images are scored again in float32 where a faster format leaves a verdict
            in doubt.

    Raises:
        OodexpError: If a number is too small, or is not that of the processes that were started.
    """

    def __init__(
        self, accelerator: str = "auto", devices: int | str = 1, scoring_batch: int = 64,
        answering_batch: int = 64, workers: int = 0, progress: bool = True, outside: bool = False,
        num_nodes: int = 1, threads: int | None = None, refine: bool = True,
    ) -> None:  # fmt: skip
        if isinstance(devices, str) and devices != "auto":
            raise OodexpError(f"predict.devices={devices}: expected a number or `auto`")
        least = (1 if isinstance(devices, str) else devices, scoring_batch, answering_batch)
        if min(*least, num_nodes, 1 if threads is None else threads) < 1 or workers < 0:
            raise OodexpError(
                "predict: devices, batches and threads are at least 1, workers at least 0"
            )
        if max(threads or 1, workers) > MOST_THREADS:
            raise OodexpError(
                f"predict.threads={threads}, predict.workers={workers}: expected {MOST_THREADS} at "
                "the most"
            )
        self.scoring_batch = scoring_batch
        self.answering_batch = answering_batch
        self.refine = refine
        self.patience = FILE_SYSTEM_LAG if num_nodes > 1 else 0.0
        """Seconds to wait for rows that another process says it wrote."""
        self._accelerator = accelerator
        self._devices = devices
        self._workers = workers
        self._progress = progress
        self._outside = outside
        self._nodes = num_nodes
        self._threads = threads
        self._loaded: list[Extractor] = []
        if accelerator not in ACCELERATORS:
            raise OodexpError(
                f"predict.accelerator={accelerator}: expected one of {', '.join(ACCELERATORS)}"
            )
        (check_started if outside else check_alone)(devices, num_nodes)

    def run(
        self, title: str, module: LightningModule, items: Items, batch: int,
        shelves: dict[str, Shelf],
    ) -> None:  # fmt: skip
        """Predicts over the items and puts the result of each batch on its shelf at once.

        Args:
            title: What the progress line says.
            module: `predict_step` returns Arrow tables by shelf name.
            items: Gives the items of a batch.
            batch: Items a batch: fixed in the order of the items, so that a batch, and with it its
                last digits, is the same whenever and wherever it is computed.
            shelves: Where results go, by name.

        Raises:
            OodexpError: If a process of the loop raised one, or died.
        """
        from oodexp.predict.child import hush, told
        from oodexp.predict.chunk import Chunks, loader

        chunks = Chunks(items, batch)
        self._set_threads()
        with warnings.catch_warnings():
            hush()
            trainer = self._trainer(title, len(items), batch, shelves)
            with told(title, trainer):
                several = self._shared or self._spawns
                ready = loader(chunks, self._workers, self.device() != "cpu", several)
                trainer.predict(module, ready, return_predictions=False)
        if self._shared:
            ranks.meet()

    def agreed(self, make: Callable[[], T]) -> T:
        """What `make` gives; made once, by rank 0, where processes were started from outside."""
        return ranks.agreed(make) if self._shared else make()

    def once(self, work: Callable[[Loop], None]) -> None:
        """Lets rank 0 do the work with a loop of one process; other ranks wait for its end."""
        if ranks.rank() == 0:
            alone = copy.copy(self)
            alone._accelerator, alone._devices, alone._outside = "cpu", 1, False
            work(alone)
        if self._shared:
            ranks.meet()

    def device(self) -> str:
        """The device of this process, as torch names it."""
        if not self._gpus:
            return "cpu"
        return f"cuda:{ranks.local_rank() if self._outside else 0}"

    def load(self, model: E) -> E:
        """The scorer or extractor, loaded in this process.

        Where other processes run the loop it is a copy: what lies on a device cannot be sent to
        them, and would take their place there.
        """
        self._set_threads()
        if self._spawns:
            model = copy.deepcopy(model)
            model.load(self.device())
        elif not any(model is other for other in self._loaded):
            model.load(self.device())
            self._loaded.append(model)
        return model

    def prepare(self, models: Iterable[Extractor]) -> bool:
        """Loads models here and now if this process runs the loop; whether it did.

        A spawned process loads its own, in Lightning's `setup`.
        """
        if self._spawns:
            _leave_devices()
            return False
        for model in models:
            self.load(model)
        return True

    def _trainer(self, title: str, total: int, batch: int, shelves: dict[str, Shelf]) -> Trainer:
        import torch
        from pytorch_lightning import Trainer

        from oodexp.predict.progress import ItemProgress
        from oodexp.predict.strategy import Ranks
        from oodexp.predict.writer import ShardWriter

        callbacks: list[Any] = [ShardWriter(shelves)]
        if self._progress:
            callbacks.append(ItemProgress(title, total, batch))
        several = self._spawns or self._shared
        count = self._count
        return Trainer(
            # Not Lightning's own choice, which takes devices that the models are not put on.
            accelerator="gpu" if self._gpus else "cpu",
            # A process without a chunk would load a model for nothing.
            devices=min(count, -(-total // batch)) if self._spawns else count,
            num_nodes=self._nodes,
            strategy=Ranks(self._spawns, torch.get_num_threads()) if several else "auto",
            plugins=[ranks.environment(self._shared)],
            use_distributed_sampler=False,
            logger=False,
            enable_checkpointing=False,
            enable_model_summary=False,
            enable_progress_bar=False,
            callbacks=callbacks,
        )

    def _set_threads(self) -> None:
        if self._threads is not None:
            import torch

            torch.set_num_threads(self._threads)

    @property
    def _shared(self) -> bool:
        return self._outside and ranks.size() > 1

    @property
    def _spawns(self) -> bool:
        return not self._outside and self._count > 1

    @property
    def _gpus(self) -> int:
        if self._accelerator not in ("auto", "gpu", "cuda"):
            return 0
        import torch

        if torch.cuda.is_available():
            return torch.cuda.device_count()
        if self._accelerator != "auto":
            raise OodexpError(
                f"predict.accelerator={self._accelerator}: torch sees no CUDA device; choose auto "
                "or cpu, or install a torch that fits the driver"
            )
        return 0

    @property
    def _count(self) -> int:
        """Devices on this machine."""
        if self._outside:
            return ranks.size() // self._nodes
        gpus = self._gpus
        if isinstance(self._devices, str):
            return max(1, gpus)
        if gpus and self._devices > gpus:
            raise OodexpError(
                f"predict.devices={self._devices}: {gpus} GPUs are visible; ask for as many, or "
                "for `auto`"
            )
        return self._devices


def _leave_devices() -> None:
    """Gives back what a scorer that is no longer used took on a device of this process."""
    import torch

    gc.collect()
    torch.cuda.empty_cache()  # does nothing where no GPU was used
