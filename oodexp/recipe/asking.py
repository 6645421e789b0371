"""The step that asks: every VLM about every source, and what it cost."""

from __future__ import annotations

import copy
from collections.abc import Sequence
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
    questions = desk.tables["questions"]
    found, requests, asked = [], [], 0
    for name, idle in parts.vlms.items():
        # What is loaded goes with the copy: two VLMs are never in memory at once.
        vlm = copy.copy(idle)
        for world, scores in zip(worlds, scored, strict=True):
            if isinstance(vlm, Calibrated):
                vlm.calibrate(calibration(world, scores.reasons))
            mine = questions[questions["source"] == world.source.name]
            done = answer(name, vlm, mine, world.images, world.source.read, parts.store, parts.loop)
            # A calibrated VLM is another one on each source.
            part = name if len(worlds) == 1 else f"{name}/{world.source.name}"
            desk.fingerprint(part, done.fingerprint)
            found.append(done.completions)
            requests.append(done.requests)
            asked += done.asked_questions
    desk.torn(parts.store.torn())
    completions = desk.keep("completions", table.concat(record.Completion, found))
    failed = completions[completions["status"] == "error"].merge(questions, on="question_id")
    rows = [
        record.Problem("vlm", r.vlm, r.source, r.image_id, r.question_id, str(r.reason))
        for r in failed.itertuples()
    ]
    desk.problem(table.frame(record.Problem, rows))
    desk.run.metrics({"asked_questions": float(asked)})
    if any(isinstance(vlm, Remote) for vlm in parts.vlms.values()):
        _account(desk, requests)


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
