"""Runs kept by MLflow: an SQLite file in the runs folder, or any server that MLflow knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oodexp.outage import LONGEST
from oodexp.tracker.database import database_uri, make_whole
from oodexp.tracker.lock import exclusive
from oodexp.tracker.mlflow_store import MlflowStore
from oodexp.tracker.past import PastRun, find
from oodexp.tracker.resume import AUTO, open_run
from oodexp.tracker.run import TrackedRun


@dataclass(frozen=True)
class Mlflow:
    """Opens runs in MLflow (see `oodexp.tracker.base.Tracker`)."""

    runs: str | Path
    """Folder of the database `mlflow.db`, the folder `artifacts` and a lock file."""
    uri: str | None = None
    """Address of another store, e.g. `http://host:5000` or `postgresql+psycopg2://...`."""
    resume: str = AUTO
    """`auto`, `never` or the id of a run (see `oodexp.tracker.resume.open_run`)."""
    outage: float = LONGEST
    """Seconds that a server may be away while a run goes on."""

    def open(self, *, experiment: str, config: dict[str, Any]) -> TrackedRun:
        """Starts a run, or goes on with one that was cut off (see `Tracker.open`)."""
        with self._store() as store:
            return open_run(store, experiment=experiment, config=config, resume=self.resume)

    def past(self, run_id: str) -> PastRun:
        """A run that has ended (see `Tracker.past`)."""
        with self._store() as store:
            return find(store, str(run_id))

    @contextmanager
    def _store(self) -> Iterator[MlflowStore]:
        folder = Path(self.runs).resolve()
        database, artifacts = folder / "mlflow.db", folder / "artifacts"
        uri = self.uri or database_uri(database)
        # Held while the database is made, too: MLflow lets two processes make it at once.
        with exclusive(folder / ".lock"):
            if self.uri is None:
                make_whole(database, lambda new: MlflowStore(new, artifacts, self.outage))
            yield MlflowStore(uri, artifacts, self.outage)
