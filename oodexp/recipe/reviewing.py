"""What is reviewed: an earlier run, or the division of this configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from oodexp.error import OodexpError
from oodexp.metric.base import Evidence
from oodexp.recipe import step
from oodexp.recipe.base import RECORDS, Desk, Parts, each_source
from oodexp.source.base import Outlined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oodexp.metric.base import Metric
    from oodexp.recipe.base import Build
    from oodexp.review.local import Local
    from oodexp.source.base import Box, Source
    from oodexp.tracker.base import Past

EVIDENCE = tuple(f.name for f in fields(Evidence))
"""Tables that measurements rest on."""


@dataclass(frozen=True, slots=True)
class Reviewing:
    """The review, and what it is of."""

    review: Local
    """Settings, page and verdicts."""
    past: Past | None
    """The run that is reviewed; None for what `line` divides."""
    line: Parts | None
    """The main line without VLMs, where no run is named."""
    sources: dict[str, Source]
    """By their own names; none where no page is opened on an earlier run."""
    metric: Metric
    """Of the run."""
    reader: str
    """Of the run's headline."""

    @classmethod
    def of(cls, build: Build) -> Self:
        """The run that `run` names, or all parts up to a division."""
        review, run_id = build("review"), build("run")
        if run_id is None:
            line = Parts.unasked(build)
            named = {source.name: source for source in line.sources.values()}
            return cls(review, None, line, named, line.metric, line.reader)
        past = build("tracker").past(run_id)
        config = past.config
        # Files of verdicts need no image, and photographs may have moved.
        made = each_source(build("source", config)) if review.serves else {}
        sources = {source.name: source for source in made.values()}
        return cls(review, past, None, sources, build("metric", config), config["answer"]["reader"])

    def read(self, source: str, image_id: str) -> bytes:
        """Bytes of an image; raises OSError."""
        return self.sources[source].read(image_id)

    def outline(self, source: str, image_id: str, category: str) -> Sequence[Box] | None:
        """Boxes of a pair; None where its source knows of none."""
        held: Any = self.sources[source]
        return held.boxes(image_id, category) if isinstance(held, Outlined) else None


def tables(desk: Desk, parts: Reviewing) -> Mapping[str, pd.DataFrame]:
    """Images, memberships and, of a run that asked VLMs, what its measurements rest on.

    Raises:
        OodexpError: If the run divided nothing.
    """
    if parts.line is not None:
        _divide(desk, parts.line)
        return desk.tables
    past = parts.past
    assert past is not None
    kept = set(past.tables())
    lacking = [name for name in ("images", "memberships") if name not in kept]
    if lacking:
        raise OodexpError(
            f"run={past.run_id}: a run of experiment={past.experiment} without the tables "
            f"{lacking}; a review is of a run that divided pairs, as experiment=main does"
        )
    wanted = ["images", "memberships"]
    if kept.issuperset(EVIDENCE):
        wanted = list(dict.fromkeys([*wanted, *EVIDENCE]))
    desk.run.tags({"of": past.run_id})
    return {name: past.table(name, RECORDS[name]) for name in wanted}


def _divide(desk: Desk, parts: Parts) -> None:
    with desk.stage("check"):
        step.at_hand(parts)
    with desk.stage("source"):
        worlds = step.annotate(desk, parts.sources)
    with desk.stage("score"):
        scored = step.score(desk, parts, worlds)
    with desk.stage("divide"):
        step.divide(desk, parts, worlds, scored)
