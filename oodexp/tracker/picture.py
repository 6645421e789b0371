"""Drawings as files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture(figure: Figure, ending: str) -> bytes:
    """The drawing as a `png` or `svg` file, the same bytes for the same drawing."""
    import matplotlib as mpl

    # Unless told otherwise, SVG files carry the date and random ids.
    fixed = {"Date": None} if ending == "svg" else None
    sink = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "oodexp"}):
        figure.savefig(sink, format=ending, bbox_inches="tight", metadata=fixed)
    return sink.getvalue()
