"""What goes wrong in another process of a loop, told as if it had happened in this one."""

from __future__ import annotations

import logging
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oodexp.error import OodexpError

if TYPE_CHECKING:
    from pytorch_lightning import Trainer

_MARK = f"{OodexpError.__module__}.{OodexpError.__qualname__}: "
_NEXT = ("\n\nThe above exception was", "\n\nDuring handling of")


def hush() -> None:
    """Silences what Lightning and torch say to developers, in this process."""
    warnings.simplefilter("ignore")
    for name in ("pytorch_lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)


def mistake(trace: str) -> str | None:
    """The message of the last `OodexpError` of a printed traceback; None where there is none."""
    _, found, rest = f"\n{trace}".rpartition(f"\n{_MARK}")
    for end in _NEXT:
        rest = rest.partition(end)[0]
    return rest.strip() if found else None


@contextmanager
def told(title: str, trainer: Trainer) -> Iterator[None]:
    """Raises here what was raised in a spawned or decoding process, and leaves none behind.

    Args:
        title: What is being done.
        trainer: Runs in the block.

    Raises:
        OodexpError: The one that was raised there, or that a process was killed.
    """
    from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

    try:
        yield
    except ProcessRaisedException as error:
        message = mistake(str(error))
        if message is None:
            raise
        raise OodexpError(message) from error
    except ProcessExitedException as error:
        raise OodexpError(
            f"{title}: a worker died ({error}; the system kills one when memory runs out). Start "
            "the same command again: it does the rest"
        ) from error
    except OodexpError as error:
        # A decoding process puts its traceback in front of the message.
        raise type(error)(mistake(str(error)) or str(error)) from error
    finally:
        launcher = trainer.strategy.launcher
        if launcher is not None:
            launcher.kill(signal.SIGTERM)
