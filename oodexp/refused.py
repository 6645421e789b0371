"""Errors that lie in the machine or its servers, not in the program: a full disk, a lost server."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

REFUSED = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO,
    errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.ENODEV, errno.ENOTCONN,
    errno.ECONNREFUSED, errno.ECONNRESET, errno.EPIPE, errno.ETIMEDOUT, errno.EHOSTUNREACH,
    errno.ENETUNREACH,
}  # fmt: skip
"""What a system answers that has no room, no right or no connection to give."""

AGAIN = "Once this is mended, start the same command again: it goes on where it stopped"


def refused(error: BaseException | None) -> str | None:
    """What the machine refused, in one line; None where the error is of another kind.

    Args:
        error: The error, which may have been raised while another was handled.
    """
    for one in _chain(error):
        said = _of_system(one) or _of_database(one) or _of_connection(one)
        if said is not None:
            return f"{said}. {AGAIN}"
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        hidden = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or hidden


def _of_system(error: BaseException) -> str | None:
    if not isinstance(error, OSError) or error.errno not in REFUSED:
        return None
    name = error.filename2 or error.filename
    # The texts of other libraries hold their own names of files.
    text = os.strerror(error.errno)
    return f"{os.fsdecode(name)}: {text}" if isinstance(name, str | bytes) else _first(error, text)


def _first(error: OSError, text: str) -> str:
    said = str(error.strerror or "").splitlines()
    return f"a file could not be read or written: {text}" + (
        f" ({said[0]})" if said and text not in said[0] else ""
    )


def _of_database(error: BaseException) -> str | None:
    """Sqlite has one class for all that its disk refuses, and for mistakes in a statement."""
    kind = type(error)
    if kind.__module__ != "sqlite3" or kind.__name__ != "OperationalError":
        return None
    words = ("full", "readonly", "disk I/O", "unable to open", "locked")
    return f"the database: {error}" if any(word in str(error) for word in words) else None


def _of_connection(error: BaseException) -> str | None:
    """Of `requests`, which MLflow asks its server through."""
    kind = type(error)
    lost = kind.__name__ in ("ConnectionError", "ReadTimeout", "ConnectTimeout", "RetryError")
    if not (kind.__module__.startswith("requests.") and lost):
        return None
    request = getattr(error, "request", None)
    address = getattr(request, "url", None) or "a server"
    return f"{address.partition('?')[0]} does not answer"
