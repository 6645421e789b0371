"""Searches that outlive their process and are shared by several."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from oodexp.error import OodexpError
from oodexp.outage import LONGEST
from oodexp.search.base import Evaluate, Trial
from oodexp.search.claim import Workers, exclusive
from oodexp.search.helper import Helpers
from oodexp.search.sampling import Grid, Tpe
from oodexp.search.shift import Shift
from oodexp.search.space import Space, study_name
from oodexp.search.study import Study, database, journal


class Studies:
    """Keeps studies in a journal file, or in a database; see `Searcher` for what it does.

    Workers of one machine, and all workers of one journal or sqlite file, take turns by a lock
    file; a killed one is noticed at once. Workers on several machines that share only a server
    are weaker: the server's own order of trials decides between two that took the same settings
    (the later one is recorded as reused, without value), and a worker that was killed on another
    machine is noticed after `patience` seconds only; a trial that takes longer than that may be
    evaluated twice.
    """

    def __init__(
        self,
        folder: str,
        url: str | None = None,
        sampler: Literal["grid", "tpe"] = "grid",
        trials: int = 100,
        seed: int = 0,
        workers: int = 1,
        retry: bool = False,
        patience: float = 600.0,
        outage: float = LONGEST,
    ) -> None:
        """Nothing is opened yet.

        Args:
            folder: Where the journal and the lock files are kept.
            url: A database in place of the journal.
            sampler: `grid` or `tpe`.
            trials: How many different settings a study shall have in the end (tpe).
            seed: Of all random choices (tpe), from 0.
            workers: Processes on a study, this one included; worth it when one trial takes
                seconds.
            retry: Whether to evaluate anew, once, what failed or had no value before.
            patience: Seconds after which the trial of an unseen machine is taken for lost.
            outage: Seconds that a database may be away while a search goes on.

        Raises:
            OodexpError: If a number is out of range.
        """
        for name, value, least in (
            ("trials", trials, 1),
            ("seed", seed, 0),
            ("workers", workers, 1),
        ):
            if value < least:
                raise OodexpError(f"search.{name}={value}: expected a whole number from {least}")
        if sampler not in ("grid", "tpe"):
            raise OodexpError(f"search.sampler={sampler}: expected grid or tpe")
        self._folder, self._url = Path(folder), url
        self._sampler, self._trials, self._seed = sampler, trials, seed
        self._helpers = Helpers(workers - 1)
        self._forgiven = self._helpers.since if retry else 0.0
        self._patience, self._outage = patience, outage

    def search(
        self,
        name: str,
        space: Space,
        directions: Mapping[str, str],
        evaluate: Evaluate,
        fingerprint: str = "",
    ) -> list[Trial]:
        """Evaluates what the study still lacks, and gives all of it; see `Searcher`."""
        full = study_name(name, space, directions, fingerprint)
        sampler = Grid(space) if self._sampler == "grid" else Tpe(space, self._trials, self._seed)
        root = _root(self._folder, self._url)
        lock = root / "locks" / full
        with exclusive(root / "locks" / "opening"):
            storage = journal(root) if self._url is None else database(self._url, self._outage)
            study = Study(storage, full, space, directions)
        shared = self._url is None or root != self._folder
        workers = Workers(root / "workers", shared, self._patience)
        self._helpers.start(root / "workers")
        with workers.enter() as worker:
            shift = Shift(study, sampler, workers, worker, lock, directions, self._forgiven)
            return shift.work(evaluate)

    def join(self) -> list[str]:
        """Waits for the helper processes; one line for each that failed."""
        return self._helpers.join()


def _root(folder: Path, url: str | None) -> Path:
    """Where lock files lie: beside an sqlite file, whose users then all see them."""
    if url is None or not url.startswith("sqlite:///") or ":memory:" in url:
        return folder
    return Path(url.removeprefix("sqlite:///").partition("?")[0]).absolute().parent
