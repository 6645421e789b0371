"""The few things that a tool must do so that runs can be kept in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oodexp.tracker.base import Dataset

RUNNING, FINISHED, FAILED, KILLED = "RUNNING", "FINISHED", "FAILED", "KILLED"
"""Statuses of a run: in progress, ended well, ended by an error, ended without a word."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The longest texts that a tool keeps whole, in characters; None for any length."""

    name: int
    """Names of parameters, tags and metrics."""
    param: int | None
    """Values of parameters."""
    tag: int | None
    """Values of tags."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A run as the tool has it."""

    run_id: str
    """The tool's own id."""
    name: str
    """Name for people; unique among the children of a run."""
    experiment: str
    """Name of the experiment."""
    status: str
    """One of the statuses above."""
    started: float
    """When it was created, in seconds since 1970."""
    parent: str | None
    """Id of the run above, if any."""
    deleted: bool
    """Whether a person deleted it, while its facts can still be read."""
    tags: Mapping[str, str]
    """All of its tags."""


class Store(Protocol):
    """Where runs are kept. Names and texts that arrive here are fit for it already."""

    limits: Limits
    note: str
    """Tag that the tool shows as the description of a run."""

    def create(self, experiment: str, name: str, parent: str | None, tags: dict[str, str]) -> str:
        """Adds a run that is RUNNING; returns its id."""

    def get(self, run_id: str) -> Stored | None:
        """The run of this id, or None."""

    def running(self, experiment: str) -> list[Stored]:
        """All RUNNING runs of an experiment, children too."""

    def children(self, run: Stored) -> list[Stored]:
        """The runs directly below a run."""

    def rename(self, run_id: str, name: str) -> None:
        """Changes the name for people."""

    def set_status(self, run_id: str, status: str) -> None:
        """Changes the status; any but RUNNING also records the time of the end."""

    def set_tags(self, run_id: str, tags: Mapping[str, str]) -> None:
        """Adds or replaces tags."""

    def drop_tag(self, run_id: str, name: str) -> None:
        """Removes a tag that the run has."""

    def add_params(self, run_id: str, params: Mapping[str, str]) -> None:
        """Adds parameters that the run does not have yet."""

    def params(self, run_id: str) -> dict[str, str]:
        """The run's parameters."""

    def add_datasets(self, run_id: str, datasets: Sequence[Dataset]) -> None:
        """Adds what the run is about; the same ones again change nothing."""

    def add_metrics(self, run_id: str, metrics: Sequence[tuple[str, float, int]]) -> None:
        """Adds (name, value, step) in as few calls as the tool allows."""

    def metrics(self, run_id: str) -> dict[str, float]:
        """The latest value of each of the run's metrics."""

    def next_step(self, run_id: str, metric: str) -> int:
        """The first step at which a metric has no value yet."""

    def copy(self, run_id: str, artifact: str, source: Path) -> None:
        """Keeps a copy of a file at a path below the run, replacing what was there."""

    def write(self, run_id: str, artifact: str, content: bytes) -> None:
        """Keeps a file of this content at a path below the run, replacing what was there."""

    def read(self, run_id: str, artifact: str) -> bytes | None:
        """The content of a kept file, or None when there is none."""

    def files(self, run_id: str, folder: str) -> list[str]:
        """Paths below the run of all files in a folder and its folders, in no fixed order."""

    def where(self, run_id: str) -> str:
        """A path or address at which a person can open the run."""
