"""What a recipe works with: the parts of a run, and a desk that keeps each table and its time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

import pandas as pd

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.process import give_back
from oodexp.source.base import Several
from oodexp.stored import Stored, Tables, sliced
from oodexp.tracker.picture import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oodexp.answer.base import Reader
    from oodexp.division.base import Divider
    from oodexp.metric.base import Metric
    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.question.base import Questioner
    from oodexp.scorer.base import Pairwise, Scorer
    from oodexp.source.base import Source
    from oodexp.tracker.base import Dataset, Run
    from oodexp.vlm.base import Vlm


class Build(Protocol):
    """Makes what a configuration chose in a group: one part, or parts by name."""

    def __call__(self, group: str, of: Mapping[str, Any] | None = None) -> Any:
        """Of this run's configuration, or of an earlier run's (`Past.config`)."""


RECORDS: dict[str, type] = {
    "images": record.Image,
    "pairs": record.Pair,
    "scores": record.Score,
    "signals": record.Signal,
    "memberships": record.Membership,
    "questions": record.Question,
    "completions": record.Completion,
    "requests": record.Request,
    "answers": record.Answer,
    "measurements": record.Measurement,
    "calibration": record.Calibration,
    "estimates": record.Estimate,
    "asked": record.Membership,
    "trials": record.Trial,
    "trial_values": record.TrialValue,
    "trial_mixes": record.TrialMix,
    "findings": record.Finding,
    "concepts": record.Concept,
    "concept_scores": record.ConceptScore,
    "recognition": record.Recognition,
    "verdicts": record.Verdict,
    "reviews": record.Review,
    "confirmed": record.Membership,
    "problems": record.Problem,
}
"""Record of each table; `scores/<scorer>` are tables of their own."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that the configuration chose, ready to use.

    A recipe says by the type of its argument `parts` what is made for it.
    """

    sources: dict[str, Source]
    scorers: dict[str, Scorer | Pairwise]
    division: Divider
    question: Questioner
    vlms: dict[str, Vlm]
    readers: dict[str, Reader]
    metric: Metric
    loop: Loop
    store: Store
    reader: str
    """The reader of the headline."""

    @classmethod
    def of(cls, build: Build) -> Self:
        """All parts of the configuration."""
        answer = build("answer")
        return cls(
            each_source(build("source")),
            *judges(build),
            build("question"),
            build("vlm"),
            answer["readers"],
            build("metric"),
            build("predict"),
            build("store"),
            answer["reader"],
        )

    @classmethod
    def unasked(cls, build: Build) -> Parts:
        """All parts but VLMs, which are not made, as none is asked."""
        return Parts.of(lambda group, of=None: {} if group == "vlm" else build(group, of))


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources alone."""

    sources: dict[str, Source]

    @classmethod
    def of(cls, build: Build) -> Self:
        """The sources of the configuration; nothing else is made."""
        return cls(each_source(build("source")))


def each_source(chosen: Mapping[str, Source]) -> dict[str, Source]:
    """The chosen sources; a part that holds several gives each of them, in its order."""
    found: dict[str, Source] = {}
    for name, part in chosen.items():
        parts = part.each() if isinstance(part, Several) else [part]
        found |= {name if len(parts) == 1 else f"{name}/{one.name}": one for one in parts}
    return found


def judges(build: Build) -> tuple[dict[str, Scorer | Pairwise], Divider]:
    """The scorers, which may be none, and the division.

    Raises:
        OodexpError: If there is no scorer, and the division needs one.
    """
    scorers, division = build("scorer"), build("division")
    if not scorers and getattr(division, "NEEDS_SCORERS", True):
        raise OodexpError(
            "scorer=[]: the division judges by scorers; choose one or more, as in scorer=[clip_b32]"
        )
    return scorers, division


@dataclass(slots=True)
class Desk:
    """Keeps the tables of a run on disk and with its tracker, and times its stages."""

    run: Run
    """Where tables and metrics go."""
    tables: Tables = field(default_factory=Tables)
    """All tables so far, by name, but for the matrices `scores/<scorer>`."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by stage."""
    datasets: list[Dataset] = field(default_factory=list)
    """What the sources held."""
    figures: dict[str, str] = field(default_factory=dict)
    """Drawings as SVG, by name: the page shows them."""
    notes: list[str] = field(default_factory=list)
    """Lines that the report shows as they are."""
    _problems: list[pd.DataFrame] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times a stage and records `seconds/<name>`."""
        start = time.perf_counter()
        yield
        give_back()
        self.seconds[name] = time.perf_counter() - start

    def keep(self, name: str, rows: pd.DataFrame) -> pd.DataFrame:
        """Checks a table, keeps it as an artifact `tables/<name>.parquet`, and returns it."""
        self.keep_parts(name, sliced(rows))
        return rows

    def figure(self, name: str, figure: Figure, run: Run | None = None) -> None:
        """Keeps a drawing with the run, or with one below it whose name then begins `name`."""
        (run or self.run).figure(name if run is None else name.partition("/")[2], figure)
        self.figures[name] = picture(figure, "svg").decode()

    def keep_parts(self, name: str, parts: Iterable[pd.DataFrame]) -> Stored:
        """As `keep`, of a table that is made a part at a time and never is in memory whole."""
        kind = RECORDS[name.partition("/")[0]]
        stored = self.tables.keep(name, kind, parts)
        self.run.table(name, stored.path)
        if kind is record.Score:  # a whole matrix, gigabytes for a large vocabulary
            self.tables.drop(name)
        return stored

    def fingerprint(self, part: str, content: Mapping[str, Any]) -> None:
        """Keeps what a model's results rest on as `fingerprints/<part>.json`."""
        text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
        self.run.text(f"fingerprints/{part}.json", text + "\n")

    def problem(self, rows: pd.DataFrame) -> None:
        """Adds to what was left out."""
        if len(rows):
            self._problems.append(rows)

    def torn(self, names: Iterable[str]) -> None:
        """Notes stored files that could not be read."""
        # Their rows were computed again, or reading them would have ended the run.
        shard = "note: could not be read, was set aside as .torn and its rows were computed again"
        line = (
            "note: a line that a killed run was writing was left out, and its question asked again"
        )
        rows = [
            record.Problem("store", "", "", "", name, line if name.endswith(".jsonl") else shard)
            for name in names
        ]
        self.problem(table.frame(record.Problem, rows))

    @property
    def problems(self) -> pd.DataFrame:
        """All that was left out so far (`record.Problem`)."""
        return table.concat(record.Problem, self._problems).drop_duplicates(ignore_index=True)
