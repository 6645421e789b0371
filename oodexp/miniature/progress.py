"""What the three trainings share: threads, seeds, a learning rate's course, a progress line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import cos, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Report = Callable[[int, float], None]


def settle(seed: int) -> None:
    """Makes torch repeatable: one thread, one seed.

    Args:
        seed: The seed, 0 or more.
    """
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)


def rate(step: int, steps: int, warmup: int) -> float:
    """Gives the share of the peak learning rate at a step.

    Args:
        step: Step, from 0.
        steps: Steps in all.
        warmup: Steps of the linear rise; a cosine to zero follows.

    Returns:
        A share in (0, 1].
    """
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + cos(pi * (step - warmup) / max(1, steps - warmup))) + 1e-3


def set_rate(optimizer: torch.optim.Optimizer, share: float) -> None:
    """Sets each group's learning rate to a share of its ``peak``.

    Args:
        optimizer: An optimizer whose groups carry the key ``peak``.
        share: The share, as ``rate`` gives it.
    """
    for group in optimizer.param_groups:
        group["lr"] = group["peak"] * share


def adamw(groups: list[tuple[Any, float]], decay: float = 0.02) -> torch.optim.Optimizer:
    """Makes an AdamW with a peak learning rate for each group of parameters.

    Args:
        groups: Parameters and their peak learning rate.
        decay: Weight decay.

    Returns:
        The optimizer.
    """
    import torch

    return torch.optim.AdamW(
        [{"params": list(p), "lr": peak, "peak": peak} for p, peak in groups],
        weight_decay=decay,
        betas=(0.9, 0.98),
    )


def descend(loss: torch.Tensor, optimizer: torch.optim.Optimizer, learned: list[Any]) -> None:
    """Takes one step down the gradient, clipped to length 1.

    Args:
        loss: A scalar.
        optimizer: The optimizer of the parameters.
        learned: All parameters that learn.
    """
    import torch

    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(learned, 1.0)
    optimizer.step()


def batches(
    number: int, size: int, steps: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Draws shuffled batches, epoch after epoch.

    Args:
        number: Examples in all; at least ``size``.
        size: Examples in a batch.
        steps: Batches to give.
        rng: The only source of chance.

    Yields:
        Indices of one batch.
    """
    order, start = rng.permutation(number), 0
    for _ in range(steps):
        if start + size > number:
            order, start = rng.permutation(number), 0
        yield order[start : start + size]
        start += size


def to_pixels(images: NDArray[np.uint8], rng: np.random.Generator | None = None) -> torch.Tensor:
    """Turns images into what the models see; with a generator, mirrors half of them.

    Args:
        images: (n, side, side, 3).
        rng: Chance of the mirroring; None leaves the images as they are.

    Returns:
        (n, 3, side, side) float32 in [-1, 1].
    """
    import torch

    array = images
    if rng is not None:
        flip = rng.random(len(images)) < 0.5
        array = np.where(flip[:, None, None, None], images[:, :, ::-1], images)
    return torch.from_numpy(np.ascontiguousarray(array)).permute(0, 3, 1, 2).float() / 127.5 - 1


@contextmanager
def progress_line(name: str, steps: int) -> Iterator[Report]:
    """Shows one line of progress: name, bar, step, loss, time left.

    Args:
        name: What is being trained.
        steps: Steps in all.

    Yields:
        A function to be called with the steps done and the latest loss.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description:<18}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.3f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, refresh_per_second=2) as bar:
        task = bar.add_task(name, total=steps, loss=float("nan"))
        yield lambda done, loss: bar.update(task, completed=done, loss=loss)
