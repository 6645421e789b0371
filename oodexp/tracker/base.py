"""What a recipe may ask of a tracked run, whichever tool keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Dataset:
    """An annotated image set as a run used it."""

    name: str
    """Name of the source."""
    digest: str
    """32 hexadecimal digits, others for any other image or annotation."""
    counts: Mapping[str, int]
    """Numbers of images, pairs, categories."""


class Run(Protocol):
    """A run that is being recorded: a context manager that ends FINISHED or FAILED.

    A run that fails carries its reason in the tag `failure` and its traceback in `failure.txt`.
    """

    run_id: str
    """The tracker's own id of the run."""
    where: str
    """A path or address at which a person can open the run."""

    def params(self, values: Mapping[str, Any]) -> None:
        """Records settings, one value a name; nested mappings become dotted names.

        A value that is too long for the tracker is cut, its parameter says so and gives the
        SHA-256 of the full text, which is kept as `params/<name>.txt`.

        Raises:
            OodexpError: If a name already holds another value in this run.
        """

    def tags(self, values: Mapping[str, str]) -> None:
        """Records labels; a later value replaces an earlier one."""

    def describe(self, name: str, text: str) -> None:
        """Records a name for people, and in a few sentences what was found.

        The name the run shows from then on ends in the first digits of its configuration's hash.
        """

    def datasets(self, values: Sequence[Dataset]) -> None:
        """Records what the run's numbers are about."""

    def metrics(self, values: Mapping[str, float | None]) -> None:
        """Records numbers; None and NaN are listed in `metrics/undefined.json` instead.

        A name that the tracker refuses is stored under another one, never shared with a third;
        `metrics/names.json` maps it.

        Raises:
            OodexpError: If a value is infinite or no number; nothing is recorded then.
        """

    def table(self, name: str, table: Path | pd.DataFrame) -> None:
        """Keeps a table as `tables/<name>.parquet` and its SHA-256 in `checksums.json`.

        Args:
            name: Name of the table, e.g. `memberships` or `scores/open_clip_miniature`.
            table: A Parquet file, kept byte for byte, or a table to be written as one.
        """

    def text(self, name: str, content: str) -> None:
        """Keeps a text as the artifact `name` (with its ending, e.g. `report.html`)."""

    def figure(self, name: str, figure: Figure) -> None:
        """Keeps a drawing as `figures/<name>.png` and `figures/<name>.svg`."""

    def child(self, name: str, tags: Mapping[str, str]) -> Run:
        """A run below this one; within a resumed run, the child that had this name before."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Past(Protocol):
    """A run that has ended, to be read."""

    run_id: str
    """The tracker's own id of the run."""
    name: str
    """Its name for people."""
    experiment: str
    """Name of the experiment that it belongs to."""
    status: str
    """`FINISHED`, `FAILED` or `KILLED`."""
    tags: Mapping[str, str]
    """All labels."""
    where: str
    """A path or address at which a person can open the run."""

    @property
    def provenance(self) -> Mapping[str, str]:
        """Labels that say on what its numbers rest: command, `git.commit`, `version.*`, ..."""

    @property
    def config(self) -> Mapping[str, Any]:
        """The whole configuration, resolved.

        Raises:
            OodexpError: If it was not kept, as for a run below another one.
        """

    def tables(self) -> list[str]:
        """Names of its tables, in alphabetical order."""

    def table(self, name: str, record: type) -> pd.DataFrame:
        """A table by the name it was kept under, checked.

        Raises:
            OodexpError: If the run has no such table, or it is none of this record.
        """

    def text(self, name: str) -> str | None:
        """A text by the name it was kept under, or None."""

    def figures(self) -> Mapping[str, str]:
        """Its drawings by name, as SVG."""


class Tracker(Protocol):
    """Opens runs in one folder or on one server."""

    def past(self, run_id: str) -> Past:
        """A run that has ended.

        Raises:
            OodexpError: If there is no such run, or it has not ended.
        """

    def open(self, *, experiment: str, config: dict[str, Any]) -> Run:
        """Starts a run, or goes on with one that was cut off.

        Args:
            experiment: Name under which comparable runs are kept together.
            config: The whole configuration, resolved, of plain values.

        Raises:
            OodexpError: If the run to resume is not there, is alive, or had other settings.
        """
