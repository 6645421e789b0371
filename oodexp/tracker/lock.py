"""One process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oodexp.error import OodexpError


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Holds a lock file while the body runs; others wait, and a killed holder lets go.

    Without `fcntl` (Windows) there is no lock.

    Raises:
        OodexpError: If the lock file cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("a")
    except OSError as error:
        raise OodexpError(f"runs cannot be kept in {path.parent}: {error}") from error
    with handle:
        try:
            import fcntl
        except ImportError:
            yield
            return
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
