"""A run while it is recorded, in whichever store it is kept."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from oodexp.error import OodexpError
from oodexp.tracker import process
from oodexp.tracker.name import FILE_LIMIT, clean
from oodexp.tracker.notes import CHECKSUMS, NAMES, UNDEFINED, Notes
from oodexp.tracker.provenance import sha256
from oodexp.tracker.settings import leaves
from oodexp.tracker.store import FAILED, FINISHED, KILLED, RUNNING, Store, Stored
from oodexp.tracker.value import as_text, cut, parted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from oodexp.tracker.base import Dataset

FAILURE = "failure"
"""Tag that holds the reason of a run that did not finish."""

CONFIG = "oodexp.config_sha256"
"""Tag with the hash of the settings."""

CUT = "oodexp.cut"
"""Tag that lists what was too long for the store and is kept whole as an artifact."""

RESUMED = "oodexp.resumed"
"""Tag that counts how often a run was taken up again."""


class TrackedRun:
    """Records into one RUNNING run of a store (see `oodexp.tracker.base.Run`).

    Args:
        store: Where the run is kept.
        run: The run.
        resumed: Whether it may hold something from an earlier process.
    """

    def __init__(self, store: Store, run: Stored, resumed: bool) -> None:
        self.run_id, self.where = run.run_id, store.where(run.run_id)
        self._store, self._run, self._resumed = store, run, resumed
        self._notes = Notes(store, run.run_id, resumed)
        self._params = store.params(run.run_id) if resumed else {}
        self._metrics = store.metrics(run.run_id) if resumed else {}
        self._children = {c.name: c for c in store.children(run)} if resumed else {}
        self._cut: set[str] = set(filter(None, run.tags.get(CUT, "").split(", ")))

    def params(self, values: Mapping[str, Any]) -> None:
        """Records settings, one value a name (see `Run.params`)."""
        limits = self._store.limits
        fresh: dict[str, str] = {}
        for name, value in leaves(values).items():
            key, text = clean(name, limits.name), as_text(value)
            short = cut(text, limits.param)
            if self._params.get(key, short) != short:
                raise OodexpError(
                    f"parameter {name!r} of run {self.run_id}: {self._params[key]!r} is stored, "
                    f"{short!r} was given; a run keeps the settings it began with"
                )
            if key not in self._params:
                fresh[key] = short
                self._keep_whole("params", key, text, short)
        self._store.add_params(self.run_id, fresh)
        self._params.update(fresh)
        self._flag_cut()

    def tags(self, values: Mapping[str, str]) -> None:
        """Records labels (see `Run.tags`)."""
        limits = self._store.limits
        fit: dict[str, str] = {}
        for name, value in values.items():
            key, text = clean(name, limits.name), as_text(value)
            fit[key] = cut(text, limits.tag)
            self._keep_whole("tags", key, text, fit[key])
        self._store.set_tags(self.run_id, fit)
        self._flag_cut()

    def describe(self, name: str, text: str) -> None:
        """Records a name for people, and what was found (see `Run.describe`)."""
        self._store.rename(self.run_id, f"{name} {self._run.tags.get(CONFIG, '')[:8]}".strip())
        self.tags({self._store.note: text})

    def datasets(self, values: Sequence[Dataset]) -> None:
        """Records what the numbers are about (see `Run.datasets`)."""
        self._store.add_datasets(self.run_id, values)

    def metrics(self, values: Mapping[str, float | None]) -> None:
        """Records finite numbers and lists the undefined ones (see `Run.metrics`)."""
        defined, undefined = parted(values)
        names = {name: clean(name, self._store.limits.name) for name in values}
        batch = [
            (names[name], value, self._step(names[name]))
            for name, value in defined.items()
            if self._metrics.get(names[name]) != value
        ]
        self._store.add_metrics(self.run_id, batch)
        self._metrics.update({key: value for key, value, _ in batch})
        self._notes.add(NAMES, {name: key for name, key in names.items() if key != name})
        self._notes.add(UNDEFINED, undefined, drop=defined)

    def table(self, name: str, table: Path | pd.DataFrame) -> None:
        """Keeps a Parquet table and its SHA-256 (see `Run.table`)."""
        artifact = f"tables/{clean(name, FILE_LIMIT)}.parquet"
        with tempfile.TemporaryDirectory() as scratch:
            path = table if isinstance(table, Path) else _written(table, Path(scratch))
            if not path.is_file():
                raise OodexpError(f"table {name!r}: {path} is no file; expected a Parquet file")
            self._store.copy(self.run_id, artifact, path)
            self._notes.add(CHECKSUMS, {artifact: sha256(path)})

    def text(self, name: str, content: str) -> None:
        """Keeps a text as an artifact (see `Run.text`)."""
        content_bytes = content.encode("utf-8", "backslashreplace")
        self._store.write(self.run_id, clean(name, FILE_LIMIT), content_bytes)

    def figure(self, name: str, figure: Figure) -> None:
        """Keeps a drawing as PNG and SVG (see `Run.figure`)."""
        from oodexp.tracker.picture import picture

        stem = f"figures/{clean(name, FILE_LIMIT)}"
        for ending in ("png", "svg"):
            self._store.write(self.run_id, f"{stem}.{ending}", picture(figure, ending))

    def child(self, name: str, tags: Mapping[str, str]) -> TrackedRun:
        """A run below this one, or the one that has this name already (see `Run.child`)."""
        if not name.strip():
            raise OodexpError(f"the child name {name!r} of run {self.run_id} is blank")
        known = self._children.get(name)
        if known is None:
            run = create(self._store, self._run.experiment, name, self.run_id, {})
        else:
            run = reopen(self._store, known)
        self._children[name] = run
        below = TrackedRun(self._store, run, resumed=known is not None)
        below.tags(tags)
        return below

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends the run as FINISHED, or as FAILED with the reason; lets the error through."""
        try:
            if error is not None:
                reason = f"{type(error).__name__}: {error}"
                self.tags({FAILURE: reason})
                self.text("failure.txt", "".join(traceback.format_exception(error)))
            if self._resumed:
                self._bury_forgotten_children()
            self._store.set_status(self.run_id, FINISHED if error is None else FAILED)
        except Exception as problem:
            if error is None:
                raise
            # What went wrong first is what the person has to see.
            error.add_note(f"the end of run {self.run_id} could not be recorded: {problem}")

    def _step(self, key: str) -> int:
        return self._store.next_step(self.run_id, key) if key in self._metrics else 0

    def _keep_whole(self, folder: str, key: str, text: str, short: str) -> None:
        if short != text:
            artifact = f"{folder}/{clean(key, FILE_LIMIT)}.txt"
            self._store.write(self.run_id, artifact, text.encode("utf-8", "backslashreplace"))
            self._cut.add(artifact)

    def _flag_cut(self) -> None:
        if self._cut:
            flag = cut(", ".join(sorted(self._cut)), self._store.limits.tag)
            self._store.set_tags(self.run_id, {CUT: flag})

    def _bury_forgotten_children(self) -> None:
        for child in self._store.children(self._run):
            if child.status == RUNNING:
                bury(self._store, child, "its parent went on without it")


def create(
    store: Store, experiment: str, name: str, parent: str | None, tags: Mapping[str, str]
) -> Stored:
    """A new run that belongs to this process."""
    run_id = store.create(experiment, name, parent, {**process.current().tags(), **tags})
    return _there(store, run_id)


def reopen(store: Store, run: Stored) -> Stored:
    """Makes an existing run RUNNING again, as this process's."""
    count = run.tags.get(RESUMED, "0")
    again = str(int(count) + 1 if count.isdecimal() else 1)
    store.set_status(run.run_id, RUNNING)
    store.set_tags(run.run_id, {**process.current().tags(), RESUMED: again})
    if FAILURE in run.tags:
        store.drop_tag(run.run_id, FAILURE)
    return _there(store, run.run_id)


def bury(store: Store, run: Stored, reason: str) -> None:
    """Marks a run that nobody works on as KILLED, the RUNNING runs below it first."""
    for child in store.children(run):
        if child.status == RUNNING:
            bury(store, child, reason)
    store.set_tags(run.run_id, {FAILURE: cut(reason, store.limits.tag)})
    store.set_status(run.run_id, KILLED)


def _there(store: Store, run_id: str) -> Stored:
    run = store.get(run_id)
    if run is None:
        raise OodexpError(f"run {run_id} vanished while it was being opened")
    return run


def _written(table: pd.DataFrame, folder: Path) -> Path:
    import pyarrow as pa

    from oodexp.table import write_arrow

    path = folder / "table.parquet"
    write_arrow(pa.Table.from_pandas(table, preserve_index=False), path)
    return path
