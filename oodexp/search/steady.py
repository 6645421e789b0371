"""A storage of Optuna whose calls outlive a restart of its database."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from oodexp.outage import Patience, is_database_away


def steady(storage: Any, url: str, outage: float) -> Any:
    """The storage, with every call made again while its database is away.

    A trial whose making came through although the database's word of it was lost is made a second
    time; `Shift` gives up the first.

    Args:
        storage: One in a database, opened.
        url: Its address, which may hold a password.
        outage: Seconds that it may be away.
    """
    again = "bring it back, then give the same command again: finished trials are kept"
    where = f"the database of studies {shown(url)}"
    return _Steady(storage, Patience(where, again, is_database_away, outage))


class _Steady:
    def __init__(self, storage: Any, patience: Patience) -> None:
        self._storage, self._patience = storage, patience

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._patience, getattr(self._storage, name))


def shown(url: str) -> str:
    """The address of a database without its password."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        return make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return "(no address of a database)"
