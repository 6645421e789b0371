"""What a run left on the disk, read without the code that wrote it."""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

TIMES = ("seconds", "at", "run_id")
"""Columns that no two runs share."""

TRIALS = ("trials", "trial_values", "trial_mixes")
"""Tables whose rows are named by the number of a trial: a lost one moves the numbers of others."""


class Recorded(NamedTuple):
    """A tracked run."""

    run_id: str
    status: str
    tables: Path | None
    """Its folder of tables, if it has one."""


def in_folder(runs: Path) -> list[Recorded]:
    """Runs of `tracker=folder`, children too."""
    found = []
    for path in sorted((runs / "folder").rglob("run.json")):
        about = json.loads(path.read_text())
        below = path.parent / "tables"
        tables = below if below.is_dir() else None
        found.append(Recorded(about["run_id"], about["status"], tables))
    return found


def in_database(database: Path, artifacts: Path) -> list[Recorded]:
    """Runs of an MLflow database."""
    if not database.exists():
        return []
    with closing(sqlite3.connect(database)) as open_:
        if not open_.execute("select 1 from sqlite_master where name = 'runs'").fetchone():
            return []
        rows = open_.execute("select run_uuid, status from runs").fetchall()
    homes = {path.parents[1].name: path for path in artifacts.rglob("artifacts/tables")}
    return [Recorded(run_id, status, homes.get(run_id)) for run_id, status in rows]


def tables(folder: Path) -> dict[str, pa.Table | bytes]:
    """Each table: its bytes, or its rows where columns of times had to go."""
    found: dict[str, pa.Table | bytes] = {}
    for path in sorted(folder.rglob("*.parquet")):
        rows = pq.ParquetFile(path).read()
        name = path.relative_to(folder).with_suffix("").as_posix()
        timed = [column for column in TIMES if column in rows.column_names]
        # Metadata name the columns that have gone.
        found[name] = rows.drop_columns(timed).replace_schema_metadata() if timed else None
        found[name] = path.read_bytes() if not timed else found[name]
    for name in TRIALS:
        if name in found:
            found[name] = _by_settings(pq.ParquetFile(folder / f"{name}.parquet").read(), folder)
    return found


def rows_of(table: pa.Table | bytes) -> int:
    """Number of rows."""
    if isinstance(table, bytes):
        return pq.ParquetFile(pa.BufferReader(table)).metadata.num_rows
    return table.num_rows


def without_notes(problems: pa.Table | bytes) -> pa.Table:
    """The table `problems` without its notes on the store."""
    import pyarrow.compute as pc

    assert isinstance(problems, bytes)
    rows = pq.ParquetFile(pa.BufferReader(problems)).read()
    return rows.filter(pc.not_equal(rows["stage"], "store"))


def trials_left_running(journal: Path) -> list[int]:
    """Trials of an Optuna journal that nobody has ended."""
    import optuna

    if not journal.exists():
        return []
    backend = optuna.storages.journal.JournalFileBackend(str(journal))
    storage = optuna.storages.JournalStorage(backend)
    return [
        trial.number
        for study in storage.get_all_studies()
        for trial in storage.get_all_trials(study._study_id)
        if trial.state == optuna.trial.TrialState.RUNNING
    ]


def completions(store: Path) -> set[str]:
    """Keys of the answers that are on disk, those in whole lines of journals among them."""
    found = set()
    for path in (store / "completions").rglob("*.parquet"):
        with suppress(pa.ArrowInvalid, OSError):  # damaged by the fault
            rows = pq.ParquetFile(path).read(columns=["key", "status"]).to_pylist()
            found |= {row["key"] for row in rows if row["status"] != "error"}
    for path in (store / "completions").rglob("journal-*.jsonl"):
        found |= {row["key"] for row in _lines(path) if row["status"] != "error"}
    return found


def key(body: Mapping[str, Any]) -> str:
    """The store's key of a question as a server gets it: image bytes and prompt."""
    image, text = body["messages"][-1]["content"]
    content = base64.b64decode(image["image_url"]["url"].partition(",")[2])
    sha256 = hashlib.sha256(content).hexdigest()
    return hashlib.sha256(f"{sha256}\0{text['text']}".encode()).hexdigest()


def litter(runs: Path) -> list[str]:
    """Files that nobody will look at again: scratch files, journals that nobody folded."""
    names = ("*.tmp", "journal-*.jsonl")
    return [str(p.relative_to(runs)) for name in names for p in runs.rglob(name)]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            yield json.loads(line)
        except ValueError:
            continue


def _by_settings(rows: pa.Table, folder: Path) -> pa.Table:
    """Rows named by the settings of their trial, without the trials that were lost on the way."""
    trials = pq.ParquetFile(folder / "trials.parquet").read().to_pandas()
    names = trials.set_index(["study", "trial"])["settings"].to_dict()
    frame = rows.to_pandas()
    frame["trial"] = [names[at] for at in zip(frame["study"], frame["trial"], strict=True)]
    frame = frame.drop(columns=[c for c in TIMES if c in frame.columns])
    order = [c for c in frame.columns if frame[c].dtype == object or c in ("trial", "row")]
    frame = frame.sort_values(order, kind="stable").reset_index(drop=True)
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
