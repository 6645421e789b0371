"""The SQLite file and the folder that MLflow keeps runs in."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from oodexp.error import OodexpError
from oodexp.scratch import replacing
from oodexp.tracker.address import local_path


def database_uri(path: Path) -> str:
    """The file's address as SQLAlchemy reads it, once it is known to be usable or absent.

    Raises:
        OodexpError: If the file is there but is no SQLite database, or may not be written.
    """
    _check(path)
    return _address(path)


def make_whole(path: Path, make: Callable[[str], object]) -> None:
    """Makes a database that is not there: it has its name once all of its tables are made.

    MLflow makes them in many steps, and cannot open what a killed process left between two of them.
    Nobody else may do so at the same moment.

    Args:
        path: The file.
        make: Makes all tables of the database at an address, and may keep it open.
    """
    if path.exists():
        return
    for left in path.parent.glob(f".{path.name}.*"):
        left.unlink()
    with replacing(path) as scratch:
        half = scratch.with_suffix(".half")
        try:
            make(_address(half))
            # A copy: what is still open has the name that it was opened by.
            with closing(sqlite3.connect(half)) as made, closing(sqlite3.connect(scratch)) as whole:
                made.backup(whole)
        finally:
            half.unlink(missing_ok=True)


def _address(path: Path) -> str:
    # These two mean something in an address.
    return "sqlite:///" + str(path).replace("%", "%25").replace("?", "%3F")


def check_files(experiment: str, location: str, usual: Path) -> None:
    """Refuses an experiment of a local database whose files could not be kept, or not be found.

    Args:
        experiment: Name of the experiment.
        location: Address of its files, as stored in the database.
        usual: Folder for the files of new experiments, which need not exist.

    Raises:
        OodexpError: If only a server can reach the files, or their folder is neither the usual
            one nor there.
    """
    folder = local_path(location)
    if location.startswith("mlflow-artifacts:"):
        raise OodexpError(
            f"experiment {experiment!r} keeps its files with a server ({location}); set "
            "`tracker.uri` to that server's address, or choose another experiment name"
        )
    if folder and Path(folder) != usual and not Path(folder).is_dir():
        raise OodexpError(
            f"experiment {experiment!r} keeps its files in {folder}, which is not there (MLflow "
            "stores the full path, and the runs folder seems to have moved); put the folder back, "
            "or choose another experiment name or runs folder"
        )


def _check(path: Path) -> None:
    # MLflow would go on trying to open an unusable file for a minute and a half.
    if not path.exists():
        return
    remedy = "choose another runs folder, move the file away, or use `tracker=folder`"
    if not os.access(path, os.W_OK):
        raise OodexpError(f"{path} may not be written; {remedy}")
    try:
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA schema_version")
    except sqlite3.OperationalError:
        return  # Busy with another process: MLflow waits for it.
    except sqlite3.DatabaseError as error:
        raise OodexpError(f"{path} is no MLflow database: {error}; {remedy}") from error
