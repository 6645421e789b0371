"""Lightning's DDP without its start-up lines and without collectives while the loop runs."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
from pytorch_lightning.strategies import DDPStrategy

from oodexp.error import OodexpError
from oodexp.predict.child import hush
from oodexp.predict.ranks import join, meet, together
from oodexp.process import settle

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds in which the parent ends a spawned process that lost another; see `Ranks.barrier`."""


class Ranks(DDPStrategy):
    """One process a device, spawned by Lightning or started from outside.

    Args:
        spawned: Whether Lightning starts the processes.
        threads: Threads of torch in a spawned process. On a CPU the last digits depend on them, so
            Lightning's share of the cores would give other tables than one process.
    """

    def __init__(self, spawned: bool, threads: int) -> None:
        super().__init__(start_method="spawn" if spawned else "popen")
        self._spawned = spawned
        self._threads = threads

    def setup_environment(self) -> None:
        """The first thing that happens in a process."""
        settle()
        hush()
        torch.set_num_threads(self._threads)
        self._at_sigterm = signal.getsignal(signal.SIGTERM)
        super().setup_environment()

    def setup_distributed(self) -> None:
        """Connects the processes."""
        self.set_world_ranks()
        assert self.cluster_environment is not None
        join(self.cluster_environment)

    def barrier(self, *args: Any, **kwargs: Any) -> None:
        """Waits for the others; Lightning does so while it sets up.

        Raises:
            OodexpError: If one of them is gone.
        """
        # Lightning has set a handler that goes on, after a message of rank 0 that it waits for: a
        # process that is asked to end would work on, or wait for good.
        signal.signal(signal.SIGTERM, self._at_sigterm)
        if torch.distributed.is_initialized():
            with self._patient():
                meet()

    def broadcast(self, obj: T, src: int = 0) -> T:
        """What rank `src` has; Lightning asks for it while it sets up.

        Raises:
            OodexpError: If one of the others is gone.
        """
        box = [obj]
        with self._patient():
            together(lambda: torch.distributed.broadcast_object_list(box, src))
        return box[0]

    @contextmanager
    def _patient(self) -> Iterator[None]:
        try:
            yield
        except OodexpError:
            if self._spawned:
                # The parent reports the process that ends first: that must be the one to blame.
                time.sleep(PATIENCE)
            raise
