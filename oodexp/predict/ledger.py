"""What asking a VLM through a network cost: every attempt on disk before the next is sent."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import pandas as pd
import pyarrow as pa

from oodexp import table
from oodexp.record import Request
from oodexp.vlm.base import Attempt

if TYPE_CHECKING:
    from oodexp.predict.store import Store

SCHEMA = pa.schema(
    [
        ("key", pa.string()), ("reason", pa.string()), ("question", pa.string()),
        ("attempt", pa.int64()), ("status", pa.string()), ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()), ("cost", pa.float64()), ("most_cost", pa.float64()),
        ("seconds", pa.float64()), ("at", pa.string()),
    ]
)  # fmt: skip


class Account:
    """The ledger of one account (see `vlm.base.Ledger`), over all runs of a store.

    A request is written before it is sent and again when it has ended: one that was cut off by a
    kill stays at its most.

    Args:
        store: Where it lies, as shelf of the kind `requests`.
        payee: Who is paid (see `vlm.base.Remote`).
    """

    def __init__(self, store: Store, payee: dict[str, Any]) -> None:
        self._shelf = store.shelf("requests", payee, SCHEMA)
        self._mine: list[Attempt] = []
        self._before = 0.0
        self._ended = 0.0
        self._going: dict[str, float] = {}

    @contextmanager
    def opened(self) -> Iterator[Self]:
        """Open for requests; one process at a time."""
        with self._shelf.claimed():
            self._before = _committed(self._shelf.rows())
            self._journal = self._shelf.journal()
            try:
                yield self
            finally:
                self._journal.fold()

    @property
    def committed(self) -> float:
        """See `vlm.base.Ledger`."""
        return self._before + self._ended + sum(self._going.values())

    def begin(self, key: str, attempt: int, most_cost: float, at: str) -> str:
        """See `vlm.base.Ledger`."""
        name = uuid.uuid4().hex
        row = Attempt(key, attempt, "sent", None, None, None, most_cost, 0.0, at)
        # Should the machine die before its next row is on disk, this one may be lost.
        self._write(name, row, flush=False)
        self._going[name] = most_cost
        return name

    async def end(self, name: str, attempt: Attempt) -> None:
        """See `vlm.base.Ledger`."""
        await asyncio.to_thread(self._write, name, attempt, flush=True)
        del self._going[name]
        self._ended += attempt.most_cost if attempt.cost is None else attempt.cost
        self._mine.append(attempt)

    def requests(self, vlm: str) -> pd.DataFrame:
        """The attempts of this run (`record.Request`), in the order that they ended in."""
        rows = [Request(vlm, n, *attempt) for n, attempt in enumerate(self._mine)]
        return table.frame(Request, rows)

    def _write(self, name: str, attempt: Attempt, flush: bool) -> None:
        row = attempt._asdict() | {"key": name, "question": attempt.key, "reason": None}
        self._journal.append(row, flush)


def _committed(rows: pa.Table) -> float:
    """What all requests cost together, the last row of each; an unknown cost counts at its most."""
    found = (
        rows.select(["key", "cost", "most_cost"]).to_pandas().drop_duplicates("key", keep="last")
    )
    return float(found["cost"].fillna(found["most_cost"]).sum())
