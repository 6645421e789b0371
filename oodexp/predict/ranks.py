"""The processes of a loop: which one this is, and where they meet: at its start and its end.

Processes are connected through gloo, on GPUs too: all that they exchange is what is to be done and
that it is done. Gloo notices at once when a process is gone, so that waiting needs no short limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from oodexp.error import OodexpError

if TYPE_CHECKING:
    from lightning_fabric.plugins.environments.cluster_environment import ClusterEnvironment

T = TypeVar("T")

LONGEST = timedelta(days=7)
"""How long a process waits for the slowest one; one that died ends the waiting before."""

MEETING = timedelta(minutes=30)
"""How long it waits for all to be there in the beginning: one that died before, nobody notices."""


def rank() -> int:
    """Number of this process among those that torchrun or srun started; 0 where none did."""
    return _number("RANK", "SLURM_PROCID", 0)


def size() -> int:
    """Number of processes that torchrun or srun started; 1 where none did."""
    return _number("WORLD_SIZE", "SLURM_NTASKS", 1)


def local_rank() -> int:
    """Number of this process among those that torchrun or srun started on this machine."""
    return _number("LOCAL_RANK", "SLURM_LOCALID", 0)


def environment(outside: bool) -> ClusterEnvironment:
    """What tells Lightning about the processes.

    Args:
        outside: Whether torchrun or srun started them; else Lightning does, and it must not take a
            job of SLURM for its own.
    """
    from lightning_fabric.plugins.environments.lightning import LightningEnvironment
    from lightning_fabric.plugins.environments.slurm import SLURMEnvironment
    from lightning_fabric.plugins.environments.torchelastic import TorchElasticEnvironment

    if outside and "RANK" in os.environ:
        return TorchElasticEnvironment()
    if outside and "SLURM_PROCID" in os.environ:
        return SLURMEnvironment(auto_requeue=False)
    return LightningEnvironment()


def join(processes: ClusterEnvironment) -> None:
    """Connects this process with the others, once.

    Raises:
        OodexpError: If not all of them come within `MEETING`.
    """
    import torch.distributed as dist
    from torch.distributed.rendezvous import rendezvous

    if dist.is_initialized():
        return
    os.environ["MASTER_ADDR"] = processes.main_address
    os.environ["MASTER_PORT"] = str(processes.main_port)
    rank, size = processes.global_rank(), processes.world_size()
    try:
        store, _, _ = next(rendezvous("env://", rank, size, timeout=MEETING))
    except RuntimeError as error:
        raise OodexpError(
            f"not all of the {size} processes of this run came to {processes.main_address}:"
            f"{processes.main_port} within {MEETING.seconds / 60:g} minutes: one has ended before "
            "(its own message says why) or was not started. Start the same command again"
        ) from error
    store.set_timeout(LONGEST)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=LONGEST)


def agreed(make: Callable[[], T]) -> T:
    """What rank 0 makes, on every rank: what is still to do must not be seen at two moments.

    Args:
        make: Called on rank 0 only.

    Raises:
        OodexpError: If a process is gone.
    """
    import torch.distributed as dist

    join(environment(outside=True))
    box = [make() if dist.get_rank() == 0 else None]
    together(lambda: dist.broadcast_object_list(box, src=0))
    made: T = box[0]  # type: ignore[assignment]
    return made


def meet() -> None:
    """Waits until every process is here.

    Raises:
        OodexpError: If a process is gone.
    """
    import torch.distributed as dist

    together(dist.barrier)


def together(do: Callable[[], object]) -> None:
    """Does what needs every process.

    Raises:
        OodexpError: If a process is gone.
    """
    try:
        do()
    except RuntimeError as error:
        raise OodexpError(
            "another process of this run ended before its work was done (its own message says "
            "why). Start the same command again: it does the rest"
        ) from error


def _number(torchrun: str, slurm: str, alone: int) -> int:
    # An interactive shell of SLURM has the variables of a task, but nothing was started side by
    # side in it.
    if torchrun not in os.environ and os.environ.get("SLURM_JOB_NAME") in ("bash", "interactive"):
        return alone
    return int(os.environ.get(torchrun, os.environ.get(slurm, alone)))
