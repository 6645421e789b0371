"""Whether the processes of a run are those that its settings ask for."""

from __future__ import annotations

from oodexp.error import OodexpError
from oodexp.predict import ranks


def check_started(devices: int | str, nodes: int) -> None:
    """Checks the processes that srun or torchrun started.

    Args:
        devices: Devices on a machine, or `auto`.
        nodes: Number of machines.

    Raises:
        OodexpError: If there are not as many as devices.
    """
    wanted = ranks.size() // nodes if isinstance(devices, str) else devices
    if nodes * wanted != ranks.size():
        raise OodexpError(
            f"predict.num_nodes={nodes}, predict.devices={devices}: {ranks.size()} processes were "
            "started by srun or torchrun; start one a device on every node (the head of "
            "conf/predict/slurm.yaml shows how)"
        )


def check_alone(devices: int | str, nodes: int) -> None:
    """Checks that nobody else started processes, each of which would do all of the work.

    Args:
        devices: Any number; this process starts the others.
        nodes: Number of machines.

    Raises:
        OodexpError: If there are several machines or processes.
    """
    if nodes > 1:
        raise OodexpError(f"predict.num_nodes={nodes}: predict=slurm runs on several machines")
    if ranks.rank() > 0:
        raise OodexpError(
            f"this is process {ranks.rank()} of {ranks.size()} that srun or torchrun started, and "
            "each would do all of the work: choose predict=slurm, or start one process"
        )
