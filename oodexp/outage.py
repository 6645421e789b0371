"""Waiting for a server that is away for a while: restarted, moved, or out of reach."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from oodexp.error import OodexpError, Paused

P = ParamSpec("P")
T = TypeVar("T")

LONGEST = 300.0
"""Seconds that a server may be away while a run goes on."""

AT_THE_START = 15.0
"""Seconds that it may be away before it has answered once: its address may be wrong."""

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0  # seconds between two tries


class Patience:
    """Makes calls to one server, and makes them again while it is away.

    Once it was away for too long, no later call waits: a run that ends has many things to record,
    and would wait with each of them.

    Args:
        server: What is called, for people, e.g. `the MLflow server http://host:5000`.
        remedy: What to do when it stays away.
        is_away: Whether an error says that the server is away, and not that it refuses.
        longest: Seconds that it may be away.
        given_up: What is raised then; `Paused` where the same command goes on later.
        now: Seconds from any start.
        sleep: Waits so many seconds.
    """

    def __init__(
        self,
        server: str,
        remedy: str,
        is_away: Callable[[Exception], bool],
        longest: float = LONGEST,
        given_up: type[OodexpError] = Paused,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._server, self._remedy, self._is_away = server, remedy, is_away
        self._longest, self._given_up = longest, given_up
        self._now, self._sleep = now, sleep

    def __call__(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a call gives that may be made twice: its second time changes nothing.

        Raises:
            OodexpError: If the server stays away.
        """
        return self.once(lambda: call(*args, **kwargs), lambda: None)

    def once(self, make: Callable[[], T], made: Callable[[], T | None]) -> T:
        """What a call gives that must not come through twice.

        Args:
            make: The call.
            made: Looks for what an earlier try made although its reply was lost; None if nothing.

        Raises:
            OodexpError: If the server stays away.
        """
        end, wait = self._now() + self._longest, _FIRST_WAIT
        while True:
            try:
                found = made() if wait > _FIRST_WAIT else None
                return make() if found is None else found
            except Exception as error:
                if not self._is_away(error):
                    raise
                self._tell(error, end, first=wait == _FIRST_WAIT)
            self._sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    def _tell(self, error: Exception, end: float, first: bool) -> None:
        reason = self._reason(error)
        if self._now() >= end:
            seconds, self._longest = self._longest, 0.0
            since = f" for {seconds:g} s" if seconds else ""
            raise self._given_up(
                f"{self._server} does not answer{since} ({reason}); {self._remedy}"
            ) from error
        if first:
            # Hydra switches loggers off that were made before its own start.
            logging.getLogger(__name__).warning(
                "%s does not answer (%s); waiting up to %.0f s for it", self._server, reason,
                end - self._now(),
            )  # fmt: skip

    def _reason(self, error: Exception) -> str:
        """What was wrong in the first place, in a line: the others tell where it passed through."""
        found = chain(error)
        plain: list[BaseException] = [e for e in found if isinstance(e, OSError)]
        first = (plain or [e for e in found if isinstance(e, Exception) and self._is_away(e)])[-1]
        return (str(first).strip().splitlines() or [type(first).__name__])[0]


def is_database_away(error: Exception) -> bool:
    """Whether a database did not answer or cut a connection off, rather than refuse a statement."""
    from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

    return any(
        isinstance(e, (OperationalError, InterfaceError))
        or (isinstance(e, DBAPIError) and e.connection_invalidated)
        for e in chain(error)
    )


def chain(error: BaseException | None) -> list[BaseException]:
    """An error and those that led to it, the last one first."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found
