"""The report page of a run: its tables, drawings and images as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from oodexp.predict.ranks import rank
from oodexp.recipe.base import Desk, Parts
from oodexp.report.layout import console
from oodexp.report.page import images_asked, page, summary
from oodexp.report.waiting import waiting
from oodexp.tracker.provenance import provenance

if TYPE_CHECKING:
    from oodexp.source.base import Source

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
        "title": title(list(parts.vlms), list(sources)),
        "reader": parts.reader,
        "run": desk.run.run_id,
        **labels,
        **dict(sorted(provenance().items())),
    }
    desk.run.text(NAME, drawn(desk.tables, meta, sources, desk.figures))
    many = f"{len(parts.vlms)} VLMs"
    named = title(list(parts.vlms) if len(parts.vlms) == 1 else [many], list(sources))
    desk.run.describe(named, summary(desk.tables, parts.reader))
    tell(desk)


def tell(desk: Desk) -> None:
    """Prints where the page lies."""
    where = desk.run.where
    place = f"{NAME} among the run's artifacts" if "://" in where else f"{where}/{NAME}"
    console().print(f"page: {place}", soft_wrap=True, highlight=False)


def title(vlms: list[str], sources: list[str]) -> str:
    """Heading of a page."""
    return f"{', '.join(vlms)} on {', '.join(sources)}"


def drawn(
    tables: Mapping[str, pd.DataFrame], meta: Mapping[str, str], sources: Mapping[str, Source],
    figures: Mapping[str, str],
) -> str:  # fmt: skip
    """The page, with progress for its images (see `oodexp.report.page.page`).

    Args:
        tables: Tables of the run by name.
        meta: How to reproduce the run.
        sources: By their own names; of one that is not here, no image is shown.
        figures: Drawings as SVG by name.
    """
    with waiting("report page", images_asked(tables)) as step:

        def read(source: str, image_id: str) -> bytes | None:
            step()
            try:
                return sources[source].read(image_id) if source in sources else None
            except OSError:
                return None  # it is a row of `problems` already

        return page(tables, meta, read, figures)
