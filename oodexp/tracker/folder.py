"""Runs kept as plain files: JSON and Parquet in one folder a run, no database."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.scratch import replacing
from oodexp.tracker.lock import exclusive
from oodexp.tracker.name import FILE_LIMIT, clean
from oodexp.tracker.notes import as_json
from oodexp.tracker.past import PastRun, find
from oodexp.tracker.resume import AUTO, open_run
from oodexp.tracker.run import TrackedRun
from oodexp.tracker.store import RUNNING, Limits, Stored

if TYPE_CHECKING:
    from oodexp.tracker.base import Dataset


@dataclass(frozen=True)
class Folder:
    """Opens runs in `<runs>/folder/<experiment>/<run id>` (see `Tracker`)."""

    runs: str | Path
    """Folder in which the folder `folder` is made."""
    uri: str | None = None
    """Another folder to use in place of `<runs>/folder`."""
    resume: str = AUTO
    """`auto`, `never` or the id of a run (see `oodexp.tracker.resume.open_run`)."""

    def open(self, *, experiment: str, config: dict[str, Any]) -> TrackedRun:
        """Starts a run, or goes on with one that was cut off (see `Tracker.open`)."""
        with exclusive(self._root / ".lock"):
            return open_run(
                FolderStore(self._root), experiment=experiment, config=config, resume=self.resume
            )

    def past(self, run_id: str) -> PastRun:
        """A run that has ended (see `Tracker.past`)."""
        return find(FolderStore(self._root), str(run_id))

    @property
    def _root(self) -> Path:
        return Path(self.uri or Path(self.runs) / "folder").resolve()


class FolderStore:
    """A `Store` of files.

    A run's id is the name of its folder; a child lies in the folder `children` of its parent, and
    its id is `<parent's id>/<name>`.

    Args:
        root: Folder with one folder an experiment.
    """

    limits = Limits(name=FILE_LIMIT, param=None, tag=None)
    note = "description"

    def __init__(self, root: Path) -> None:
        self._root = root

    def create(self, experiment: str, name: str, parent: str | None, tags: dict[str, str]) -> str:
        """Adds a run (see `Store`)."""
        now = datetime.now(UTC)
        if parent is None:
            run_id = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
            folder = self._root / clean(experiment, FILE_LIMIT, slash=False) / run_id
        else:
            part = clean(name, FILE_LIMIT, slash=False)
            run_id, folder = f"{parent}/{part}", self._folder(parent) / "children" / part
        if (folder / "run.json").exists():
            raise FileExistsError(f"run {run_id} is in {self._root} already")
        # Without that file, the folder belongs to a process that was killed while making it.
        folder.mkdir(parents=True, exist_ok=True)
        _write_json(folder / "tags.json", tags)
        about = {"run_id": run_id, "name": name, "experiment": experiment, "parent": parent}
        times = {"status": RUNNING, "started": now.isoformat(), "ended": None}
        _write_json(folder / "run.json", {**about, **times})
        return run_id

    def get(self, run_id: str) -> Stored | None:
        """The run of this id (see `Store`)."""
        folder = self._find(run_id)
        return None if folder is None else _stored(folder)

    def running(self, experiment: str) -> list[Stored]:
        """RUNNING runs, children not among them (see `Store`)."""
        home = self._root / clean(experiment, FILE_LIMIT, slash=False)
        return [run for run in map(_stored, _runs_in(home)) if run.status == RUNNING]

    def children(self, run: Stored) -> list[Stored]:
        """Runs directly below (see `Store`)."""
        return [_stored(folder) for folder in _runs_in(self._folder(run.run_id) / "children")]

    def rename(self, run_id: str, name: str) -> None:
        """Changes the name for people (see `Store`)."""
        self._merge(run_id, "run.json", {"name": name})

    def set_status(self, run_id: str, status: str) -> None:
        """Changes the status (see `Store`)."""
        path = self._folder(run_id) / "run.json"
        ended = None if status == RUNNING else datetime.now(UTC).isoformat()
        _write_json(path, {**_read_json(path), "status": status, "ended": ended})

    def set_tags(self, run_id: str, tags: Mapping[str, str]) -> None:
        """Adds or replaces tags (see `Store`)."""
        self._merge(run_id, "tags.json", tags)

    def drop_tag(self, run_id: str, name: str) -> None:
        """Removes a tag (see `Store`)."""
        path = self._folder(run_id) / "tags.json"
        _write_json(path, {key: v for key, v in _read_json(path).items() if key != name})

    def add_params(self, run_id: str, params: Mapping[str, str]) -> None:
        """Adds parameters (see `Store`)."""
        self._merge(run_id, "params.json", params)

    def params(self, run_id: str) -> dict[str, str]:
        """The run's parameters (see `Store`)."""
        return _read_json(self._folder(run_id) / "params.json")

    def add_datasets(self, run_id: str, datasets: Sequence[Dataset]) -> None:
        """Adds what the run is about (see `Store`)."""
        self._merge(
            run_id, "datasets.json", {d.name: {"digest": d.digest, **d.counts} for d in datasets}
        )

    def add_metrics(self, run_id: str, metrics: Sequence[tuple[str, float, int]]) -> None:
        """Adds metrics; of each, the latest value is kept (see `Store`)."""
        self._merge(run_id, "metrics.json", {name: value for name, value, _ in metrics})

    def metrics(self, run_id: str) -> dict[str, float]:
        """Latest values (see `Store`)."""
        return _read_json(self._folder(run_id) / "metrics.json")

    def next_step(self, run_id: str, metric: str) -> int:
        """Always 0: there are no steps in a folder (see `Store`)."""
        return 0

    def copy(self, run_id: str, artifact: str, source: Path) -> None:
        """Keeps a copy of a file (see `Store`)."""
        with replacing(self._folder(run_id) / artifact) as scratch:
            shutil.copyfile(source, scratch)

    def write(self, run_id: str, artifact: str, content: bytes) -> None:
        """Keeps a file of this content (see `Store`)."""
        _write(self._folder(run_id) / artifact, content)

    def read(self, run_id: str, artifact: str) -> bytes | None:
        """Content of a kept file (see `Store`)."""
        path = self._folder(run_id) / artifact
        return path.read_bytes() if path.is_file() else None

    def files(self, run_id: str, folder: str) -> list[str]:
        """Paths of the files in a folder (see `Store`)."""
        home = self._folder(run_id)
        found = (home / folder).rglob("*")
        return [path.relative_to(home).as_posix() for path in found if path.is_file()]

    def where(self, run_id: str) -> str:
        """The run's folder (see `Store`)."""
        return str(self._folder(run_id))

    def _find(self, run_id: str) -> Path | None:
        top, *below = run_id.split("/")
        if any(part.strip(".") == "" for part in (top, *below)):
            return None
        inner = "/".join(f"children/{part}" for part in below)
        homes = [home / top / inner for home in self._root.glob("*/")]
        return next((folder for folder in homes if (folder / "run.json").is_file()), None)

    def _folder(self, run_id: str) -> Path:
        folder = self._find(run_id)
        if folder is None:
            raise FileNotFoundError(f"run {run_id} is no longer in {self._root}")
        return folder

    def _merge(self, run_id: str, name: str, values: Mapping[str, Any]) -> None:
        if values:
            path = self._folder(run_id) / name
            _write_json(path, {**_read_json(path), **values})


def _runs_in(folder: Path) -> list[Path]:
    # A folder without run.json belongs to a process that was killed while making it.
    found = folder.iterdir() if folder.is_dir() else iter(())
    return sorted(path for path in found if (path / "run.json").is_file())


def _stored(folder: Path) -> Stored:
    about = _read_json(folder / "run.json")
    return Stored(
        run_id=about["run_id"],
        name=about["name"],
        experiment=about["experiment"],
        status=about["status"],
        started=datetime.fromisoformat(about["started"]).timestamp(),
        parent=about["parent"],
        deleted=False,
        tags=_read_json(folder / "tags.json"),
    )


def _read_json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_bytes())) if path.is_file() else {}


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    _write(path, as_json(values))


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as scratch:
        scratch.write_bytes(content)
