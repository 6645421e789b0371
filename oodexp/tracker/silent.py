"""The run of a process that works for another one's: nothing is recorded, nothing printed."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from oodexp.tracker.base import Dataset


class Silent:
    """Takes everything and keeps nothing (see `oodexp.tracker.base.Run`)."""

    run_id = "silent"
    where = "nowhere: rank 0 keeps the run"

    def __init__(self) -> None:
        self._printed = redirect_stdout(_Nowhere())

    def params(self, values: Mapping[str, Any]) -> None:
        """Drops settings."""

    def tags(self, values: Mapping[str, str]) -> None:
        """Drops labels."""

    def describe(self, name: str, text: str) -> None:
        """Drops a description."""

    def datasets(self, values: Sequence[Dataset]) -> None:
        """Drops data sets."""

    def metrics(self, values: Mapping[str, float | None]) -> None:
        """Drops numbers."""

    def table(self, name: str, table: Path | pd.DataFrame) -> None:
        """Drops a table."""

    def text(self, name: str, content: str) -> None:
        """Drops a text."""

    def figure(self, name: str, figure: Figure) -> None:
        """Drops a drawing."""

    def child(self, name: str, tags: Mapping[str, str]) -> Silent:
        """Another silent run."""
        return Silent()

    def __enter__(self) -> Self:
        self._printed.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Lets errors through: they are told by the process that met them."""
        self._printed.__exit__(kind, error, trace)


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)
