"""A run that was recorded before, read back from whichever store keeps it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.tracker.name import FILE_LIMIT, clean
from oodexp.tracker.provenance import belongs
from oodexp.tracker.store import RUNNING, Store, Stored

if TYPE_CHECKING:
    import pandas as pd

TABLES, FIGURES = "tables", "figures"
"""Folders of a run's tables and drawings."""


class PastRun:
    """Reads what a run left (see `oodexp.tracker.base.Past`).

    Args:
        store: Where the run is kept.
        run: The run.
    """

    def __init__(self, store: Store, run: Stored) -> None:
        self.run_id, self.name, self.experiment = run.run_id, run.name, run.experiment
        self.status, self.tags = run.status, dict(run.tags)
        self.where = store.where(run.run_id)
        self._store, self._run = store, run

    @property
    def provenance(self) -> dict[str, str]:
        """What the numbers rest on (see `Past.provenance`)."""
        return {name: value for name, value in sorted(self.tags.items()) if belongs(name)}

    @property
    def config(self) -> dict[str, Any]:
        """The whole configuration (see `Past.config`)."""
        kept = self._store.read(self.run_id, "config.json")
        if kept is None:
            raise OodexpError(
                f"run {self.run_id} ({self.name}): its configuration was not kept; name a run of "
                "its own, not a part of one"
            )
        return dict(json.loads(kept))

    def tables(self) -> list[str]:
        """Names of all tables (see `Past.tables`)."""
        return self._names(TABLES, ".parquet")

    def table(self, name: str, record: type) -> pd.DataFrame:
        """A table (see `Past.table`)."""
        from oodexp import table

        content = self._store.read(self.run_id, f"{TABLES}/{clean(name, FILE_LIMIT)}.parquet")
        if content is None:
            raise OodexpError(
                f"run {self.run_id} ({self.name}) has no table {name!r}; it has {self.tables()}"
            )
        with tempfile.TemporaryDirectory(prefix="oodexp-") as folder:
            path = Path(folder) / "table.parquet"
            path.write_bytes(content)
            try:
                return table.read(record, path)
            except (OodexpError, OSError, ValueError) as error:
                raise OodexpError(
                    f"run {self.run_id} ({self.name}), table {name!r}: {error}; was it written by "
                    "another version? then run its command again"
                ) from error

    def text(self, name: str) -> str | None:
        """A kept text (see `Past.text`)."""
        content = self._store.read(self.run_id, clean(name, FILE_LIMIT))
        return None if content is None else content.decode("utf-8")

    def figures(self) -> dict[str, str]:
        """Drawings as SVG (see `Past.figures`)."""
        found = {name: self.text(f"{FIGURES}/{name}.svg") for name in self._names(FIGURES, ".svg")}
        return {name: svg for name, svg in found.items() if svg is not None}

    def _names(self, folder: str, ending: str) -> list[str]:
        files = self._store.files(self.run_id, folder)
        return sorted(
            file.removeprefix(f"{folder}/").removesuffix(ending)
            for file in files
            if file.endswith(ending)
        )


def find(store: Store, run_id: str) -> PastRun:
    """The run of an id.

    Raises:
        OodexpError: If it is not there, was deleted, or is still being recorded.
    """
    run = store.get(run_id) if run_id else None
    if run is None or run.deleted:
        fate = "was deleted" if run else "is not there"
        raise OodexpError(
            f"run={run_id}: that run {fate}; expected the id of a run in this tracker, as each run "
            "prints it at its end (paths.runs and tracker say where runs are kept)"
        )
    if run.status == RUNNING:
        raise OodexpError(
            f"run={run_id}: that run ({run.name}) has not ended; wait for it, or give its command "
            "again if it was cut off"
        )
    return PastRun(store, run)
