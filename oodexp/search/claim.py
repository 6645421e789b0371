"""Who works on what: a lock that one process holds at a time, and one held for a worker's life.

The system lets go of `flock` when a process ends, however it ends; so a killed worker is known by
a lock file that is free.
"""

from __future__ import annotations

import os
import platform
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from oodexp.error import OodexpError


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Holds a lock file while the body runs; others wait.

    Raises:
        OodexpError: If the lock file cannot be made.
    """
    with _opened(path) as handle:
        _flock(handle, wait=True)
        yield


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as its trials name it."""

    lock: str
    """Path of the file that it holds locked as long as it lives."""
    host: str
    """Name of its machine."""


@dataclass(frozen=True, slots=True)
class Workers:
    """All workers whose lock files lie in one folder."""

    folder: Path
    shared: bool
    """Whether every worker of the study sees this folder (as with a journal that lies beside)."""
    patience: float
    """Seconds after which a trial of a machine that cannot be seen is taken for lost."""

    @contextmanager
    def enter(self) -> Iterator[Worker]:
        """A new worker that lives as long as the body runs."""
        name = f"{platform.node()}-{os.getpid()}-{uuid.uuid4().hex[:8]}.lock"
        path = self.folder.absolute() / name
        with exclusive(self.folder / "entrance"):  # a file not locked yet would be swept
            self._sweep()
            handle = _opened(path)
            _flock(handle, wait=False)
        with handle:
            try:
                yield Worker(str(path), platform.node())
            finally:
                path.unlink(missing_ok=True)

    def is_alive(self, worker: Worker | None, started: float) -> bool:
        """Whether a worker lives, as far as it can be known from here.

        Args:
            worker: The worker; None (a trial that names none) is not alive.
            started: When its trial started, in seconds since 1970.
        """
        if worker is None:
            return False
        # A shared folder may be mounted elsewhere on the other machine.
        for path in (Path(worker.lock), self.folder / Path(worker.lock).name):
            if path.exists():
                return _is_held(path)
        if self.shared or worker.host == platform.node():
            return False
        return time.time() - started < self.patience

    def _sweep(self) -> None:
        """Removes what killed workers of this machine left behind."""
        for path in self.folder.glob(f"{platform.node()}-*.lock"):
            if not _is_held(path):
                path.unlink(missing_ok=True)


class JournalLock:
    """Makes writes to a journal wait for one another.

    Unlike the lock files that optuna brings, it is free at once when its holder is killed. A line
    that a worker could not write whole (a full disk) is cut off before the next one is added: in
    the middle of a journal it would spoil all that follows.

    Args:
        journal: The file that is written; the lock file lies beside it.
    """

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._path = journal.with_suffix(".lock")
        self._handle: IO[str] | None = None

    def acquire(self) -> bool:
        """Waits until the lock is this process's."""
        self._handle = _opened(self._path)
        _flock(self._handle, wait=True)
        mend(self._journal)
        return True

    def release(self) -> None:
        """Lets go."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None


def mend(journal: Path) -> None:
    """Cuts off an unfinished last line; nobody may write at the same moment."""
    if not journal.exists():
        return
    with journal.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        while size > 0:
            start = max(size - 4096, 0)
            file.seek(start)
            end = file.read(size - start).rfind(b"\n")
            if end >= 0:
                file.truncate(start + end + 1)
                return
            size = start
        file.truncate(0)


def _opened(path: Path) -> IO[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a")
    except OSError as error:
        raise OodexpError(f"studies cannot be kept in {path.parent}: {error}") from error


def _flock(handle: IO[str], *, wait: bool) -> bool:
    """Whether the lock was got; always where there is no `flock` (Windows: one worker only)."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def _is_held(path: Path) -> bool:
    try:
        handle = path.open("r+")
    except FileNotFoundError:
        return False
    except OSError:
        return True  # of another user: it cannot be tried
    with handle:
        return not _flock(handle, wait=False)
