"""The report of a run as one HTML file that needs nothing else: no network, no second file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import pandas as pd

from oodexp import record, table
from oodexp.columns import Rows, different
from oodexp.process import give_back
from oodexp.report import page_chart, page_measure, page_more, page_split
from oodexp.report.page_gallery import embed, gallery, headline_reader
from oodexp.report.page_sentence import sentences
from oodexp.report.page_thumbnail import Thumbnails, thumbnails
from oodexp.stored import Tables

MOST_BYTES = 60_000_000
"""Size that thumbnails may not push the page over; what is lacking is said on the page."""
BLOCK = 240
"""Thumbnails that the page takes out of the file at a time."""
SCRIPTS = ("card.js", "list.js", "control.js")
"""Parts of the page's script, in order."""
BLOCK_MARGIN = 200
"""Bytes kept free for the element around a block, and for the note on what is lacking."""
NEEDED: Mapping[str, type] = {
    "pairs": record.Pair,
    "signals": record.Signal,
    "memberships": record.Membership,
    "questions": record.Question,
    "completions": record.Completion,
    "answers": record.Answer,
    "measurements": record.Measurement,
    "problems": record.Problem,
    "calibration": record.Calibration,
    "findings": record.Finding,
    "trials": record.Trial,
    "trial_values": record.TrialValue,
}
"""Tables that the page shows; one that the run does not have is taken for empty."""
BY_COLUMN = ("pairs", "signals", "questions", "completions", "answers")
"""Those that grow with the questions."""


class Picture(NamedTuple):
    """A figure of the run."""

    name: str
    """What it is called."""
    uri: str
    """The drawing as a data address: as an image, nothing in it can run or be loaded."""


def page(
    tables: Mapping[str, pd.DataFrame], meta: Mapping[str, str],
    thumbnail: Callable[[str, str], bytes | None], figures: Mapping[str, str],
) -> str:  # fmt: skip
    """The page; the same arguments give the same text.

    Args:
        tables: Tables of the run by name (`NEEDED`); others are not looked at.
        meta: How to reproduce the run, in the order shown: command, commit, seeds, checksums, ...
            `title` is the heading; `reader` names the reader of the headline, by default the
            first in `answers`.
        thumbnail: Bytes of an image by source and id, of any format and size that
            `oodexp.pixel` reads; None when there are none. Called once an image.
        figures: Drawings as SVG by name.
    """
    have = _all(tables)
    reader = headline_reader(have["answers"], meta.get("reader"))
    cards = gallery(have, reader)
    give_back()
    values = _values(have, meta, reader) | {
        "figures": [_picture(name, svg) for name, svg in figures.items()],
        "cards": embed(cards.data),
        "vlms": cards.data["vlms"],
        "scorers": [scorer["name"] for scorer in cards.data["scorers"]],
        "n_cards": len(cards.data["cards"]["split"]),
        "over": _left_out(cards.over) if cards.over else "",
    }
    bare = _render(values, Thumbnails([], 0, 0))
    margin = BLOCK_MARGIN * (len(cards.images) // BLOCK + 2)
    room = max(0, MOST_BYTES - margin - len(bare.encode()))
    return _render(values, thumbnails(cards.images, thumbnail, room))


def summary(tables: Mapping[str, pd.DataFrame], reader: str | None) -> str:
    """The sentences at the top of the page as plain text, what was found first.

    Args:
        tables: As for `page`.
        reader: Name of the reader of the headline.
    """
    asked, found, rests = sentences(_all(tables), reader)
    return "\n\n".join((found, asked, rests))


def images_asked(tables: Mapping[str, pd.DataFrame]) -> int:
    """How many images the questions are about, or the memberships where there are no questions."""
    name = "questions" if "questions" in tables else "memberships"
    return different(_rows(tables, name, NEEDED[name]), ["source", "image_id"])


def _all(tables: Mapping[str, pd.DataFrame]) -> dict[str, Rows]:
    return {name: _rows(tables, name, kind) for name, kind in NEEDED.items()}


def _rows(tables: Mapping[str, pd.DataFrame], name: str, kind: type) -> Rows:
    """A table; one of the large ones that lies on disk is read by column."""
    if name in BY_COLUMN and name in tables and isinstance(tables, Tables):
        return tables.stored(name)
    return tables[name] if name in tables else table.frame(kind)


def _left_out(cards: int) -> str:
    return f"{cards:,} pairs have no card, to keep this file small; the tables have all. "


def _values(
    have: Mapping[str, Rows], meta: Mapping[str, str], reader: str | None
) -> dict[str, Any]:
    """What the template shows above and below the gallery."""
    members = have["memberships"]
    return {
        "title": meta.get("title", "oodexp"),
        "sentences": sentences(have, reader),
        "measurements": list(page_measure.sheets(have["measurements"])),
        "sizes": page_split.sizes(members),
        "categories": list(
            page_split.by_category(have["questions"], have["answers"], members, reader)
        ),
        "distributions": page_chart.distributions(have["signals"], members),
        "calibration": page_chart.calibration(have["calibration"]),
        "findings": list(page_more.findings(have["findings"])),
        "trials": list(page_more.trials(have["trials"], have["trial_values"])),
        "problems": page_more.problems(have["problems"]),
        "splits": record.SPLITS,
        "sources": sorted(members["source"].astype(str).unique()),
        "meta": {name: text for name, text in meta.items() if name != "title"},
    }


def _picture(name: str, svg: str) -> Picture:
    return Picture(name, "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode())


def _blocks(uris: Sequence[str]) -> list[str]:
    return ["\n".join(uris[start : start + BLOCK]) for start in range(0, len(uris), BLOCK)]


def _static(name: str) -> str:
    return (files("oodexp.report") / "static" / name).read_text(encoding="utf-8")


def _render(values: Mapping[str, Any], shown: Thumbnails) -> str:
    from jinja2 import Environment, StrictUndefined

    style, template, *parts = (_static(name) for name in ("page.css", "page.html.j2", *SCRIPTS))
    # One function around all: the parts see one another, and the page's globals stay as they are.
    script = f'(function () {{\n"use strict";\n{"".join(parts)}}})();\n'
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.from_string(template).render(
        **values, style=style, script=script, script_sha256=digest,
        blocks=_blocks(shown.uris), block=BLOCK, lacking=f"{values['over']}{shown.note}".strip(),
    )  # fmt: skip
