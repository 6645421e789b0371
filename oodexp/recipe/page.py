"""The report page of a run: its tables and images as one HTML file."""

from __future__ import annotations

import shlex
import sys

from oodexp.predict.ranks import rank
from oodexp.recipe.base import Desk, Parts
from oodexp.report.page import page
from oodexp.report.waiting import waiting
from oodexp.tracker.provenance import provenance

NAME = "report.html"
"""Artifact that holds the page."""


def keep_page(desk: Desk, parts: Parts) -> None:
    """Keeps `report.html`; processes other than the first, whose run is not kept, make none."""
    if rank() > 0:
        return
    sources = {source.name: source for source in parts.sources.values()}

    labels = {
        f"labels of {name}": source.labels_sha256
        for name, source in sources.items()
        if source.labels_sha256 is not None
    }
    meta = {
        "title": f"{', '.join(parts.vlms)} on {', '.join(sources)}",
        "reader": parts.reader,
        "command": shlex.join(["python", "-m", "oodexp.run", *sys.argv[1:]]),
        "run": desk.run.run_id,
        **labels,
        **provenance(),
    }
    shown = len(desk.tables["questions"][["source", "image_id"]].drop_duplicates())
    with waiting("report page", shown) as step:

        def read(source: str, image_id: str) -> bytes | None:
            step()
            try:
                return sources[source].read(image_id)
            except OSError:
                return None  # it is a row of `problems` already

        desk.run.text(NAME, page(desk.tables, meta, read, {}))
