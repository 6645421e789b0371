"""The report page of an earlier run, from its tables (`experiment=report run=ID`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import pandas as pd

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.recipe import step
from oodexp.recipe.base import Desk, each_source
from oodexp.recipe.page import NAME, drawn, tell, title
from oodexp.report.page import NEEDED, summary
from oodexp.tracker.base import Past, Run

if TYPE_CHECKING:
    from oodexp.recipe.base import Build
    from oodexp.source.base import Source


@dataclass(frozen=True, slots=True)
class Reported:
    """An earlier run and its sources."""

    past: Past
    """The run."""
    sources: dict[str, Source]
    """By their own names; empty when they could not be made."""
    lack: str
    """Why there are no sources; empty when there are."""

    @classmethod
    def of(cls, build: Build) -> Self:
        """The run that `run` names, with the sources of its own configuration.

        Raises:
            OodexpError: If no run is named, or it cannot be read.
        """
        run_id = build("run")
        if run_id is None:
            raise OodexpError("run=null: expected the id of the run to report, as in run=ID")
        past = build("tracker").past(run_id)
        try:
            sources = {s.name: s for s in each_source(build("source", past.config)).values()}
        except OodexpError as error:  # moved photographs are no reason to have no page
            return cls(past, {}, str(error))
        return cls(past, sources, "")


def main(run: Run, parts: Reported) -> bool:
    """Reads the tables that the page shows, and keeps the page.

    Returns:
        Whether something was left out.
    """
    desk, past = Desk(run), parts.past
    if parts.lack:
        told = record.Problem("report", "", "", "", "images", parts.lack)
        desk.problem(table.frame(record.Problem, [told]))
    with desk.stage("read"):
        kept = set(past.tables())
        tables = {name: past.table(name, kind) for name, kind in NEEDED.items() if name in kept}
    if "memberships" not in tables:
        raise OodexpError(
            f"run={past.run_id}: a run of experiment={past.experiment} with the tables "
            f"{sorted(kept)}; a page shows a run that divided pairs (table memberships)"
        )
    with desk.stage("page"):
        run.text(NAME, drawn(tables, _meta(past, tables), parts.sources, past.figures()))
    run.tags({"of": past.run_id})
    run.describe(f"page of {past.name}", summary(tables, str(past.config["answer"]["reader"])))
    desk.notes.append(f"report of run {past.run_id} ({past.name})")
    lost = step.finish(desk)
    tell(desk)
    return lost


def _meta(past: Past, tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    config = past.config
    vlms = tables["completions"]["vlm"].unique().tolist() if "completions" in tables else []
    sources = tables["memberships"]["source"].unique().tolist()
    labels = {
        name.removeprefix("source/"): value
        for name, value in past.tags.items()
        if name.startswith("source/")
    }
    return {
        "title": title(vlms, sources), "reader": str(config["answer"]["reader"]),
        "run": past.run_id, **labels, **past.provenance,
    }  # fmt: skip
