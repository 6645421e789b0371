"""The step that asks: every VLM about every source, and what it cost."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from oodexp import record, table
from oodexp.predict.answering import answer
from oodexp.recipe.world import World, calibration
from oodexp.vlm.base import Calibrated, Remote

if TYPE_CHECKING:
    from oodexp.predict.loop import Loop
    from oodexp.predict.scoring import Scored
    from oodexp.predict.store import Store
    from oodexp.recipe.base import Desk
    from oodexp.stored import Stored
    from oodexp.vlm.base import Vlm


class Asking(Protocol):
    """Whatever holds VLMs and how to run them."""

    @property
    def vlms(self) -> dict[str, Vlm]:
        """By name."""

    @property
    def store(self) -> Store:
        """Keeps completions."""

    @property
    def loop(self) -> Loop:
        """How to run."""


def ask(desk: Desk, parts: Asking, worlds: Sequence[World], scored: Sequence[Scored]) -> None:
    """Keeps `completions` of all VLMs; a failed question is a row in `problems`.

    What was sent through a network is kept as `requests`, and its cost tracked.
    """
    found = _Found()
    completions = desk.keep_parts("completions", _ask(desk, parts, worlds, scored, found))
    desk.torn(parts.store.torn())
    desk.problem(_failed(completions, desk.tables.stored("questions")))
    desk.run.metrics({"asked_questions": float(found.asked)})
    if any(isinstance(vlm, Remote) for vlm in parts.vlms.values()):
        _account(desk, found.requests)


@dataclass(slots=True)
class _Found:
    """What asking came to, besides completions."""

    requests: list[pd.DataFrame] = field(default_factory=list)
    asked: int = 0


def _ask(
    desk: Desk, parts: Asking, worlds: Sequence[World], scored: Sequence[Scored], found: _Found
) -> Iterator[pd.DataFrame]:
    """Asks one VLM after the other; the completions of each, some at a time."""
    for name, idle in parts.vlms.items():
        # What is loaded goes with the copy: two VLMs are never in memory at once.
        vlm = copy.copy(idle)
        for world, scores in zip(worlds, scored, strict=True):
            if isinstance(vlm, Calibrated):
                vlm.calibrate(calibration(world, scores.reasons))
            mine = _about(desk, world.source.name)
            done = answer(name, vlm, mine, world.images, world.source.read, parts.store, parts.loop)
            # A calibrated VLM is another one on each source.
            part = name if len(worlds) == 1 else f"{name}/{world.source.name}"
            desk.fingerprint(part, done.fingerprint)
            found.requests.append(done.requests)
            found.asked += done.asked_questions
            yield from done.parts()


def _about(desk: Desk, source: str) -> pd.DataFrame:
    """The questions about a source, in the columns that asking needs."""
    texts = ["source", "image_id", "prompt"]
    rows = desk.tables.stored("questions").coded([*texts, "question_id", "max_tokens"], texts)
    return rows[rows["source"] == source].reset_index(drop=True)


def _failed(completions: Stored, questions: Stored) -> pd.DataFrame:
    """A row of `problems` for each failed question."""
    rows = completions[["vlm", "question_id", "status", "reason"]]
    rows = rows[rows["status"] == "error"]
    if not len(rows):
        return table.frame(record.Problem)
    failed = rows.merge(questions[["question_id", "source", "image_id"]], on="question_id")
    return table.frame(
        record.Problem,
        [
            record.Problem("vlm", r.vlm, r.source, r.image_id, r.question_id, str(r.reason))
            for r in failed.itertuples()
        ],
    )


def _account(desk: Desk, requests: Sequence[pd.DataFrame]) -> None:
    """Keeps `requests` and what they cost."""
    sent = pd.concat(requests, ignore_index=True)
    sent["number"] = sent.groupby("vlm").cumcount()
    kept = desk.keep("requests", sent)
    for vlm, mine in kept.groupby("vlm"):
        desk.run.metrics(
            {
                f"requests/{vlm}/sent": float(len(mine)),
                f"requests/{vlm}/repeated": float((mine["attempt"] > 1).sum()),
                f"requests/{vlm}/cost": float(mine["cost"].sum()),
                f"requests/{vlm}/unknown_cost": float(mine["cost"].isna().sum()),
            }
        )
