"""Drawings as files."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from oodexp.text import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture(figure: Figure, ending: str) -> bytes:
    """The drawing as a `png` or `svg` file, the same bytes for the same drawing.

    Its texts are shown as they are written: `$` in a name opens no formula, which could be a wrong
    one, and control characters, which SVG may not hold, are shown as their escapes.
    """
    import matplotlib as mpl

    # Unless told otherwise, SVG files carry the date and random ids.
    fixed = {"Date": None} if ending == "svg" else None
    sink = io.BytesIO()
    plain: Any = {
        "svg.hashsalt": "oodexp",
        "text.parse_math": False,
    }  # also of ticks made in drawing
    with mpl.rc_context(plain), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        _show_literally(figure)
        figure.savefig(sink, format=ending, bbox_inches="tight", metadata=fixed)
    return sink.getvalue()


def _show_literally(figure: Figure) -> None:
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        if isinstance(text, Text):
            text.set_parse_math(False)
            text.set_text(printable(text.get_text()))
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            for names in (axis.get_major_formatter(), axis.get_minor_formatter()):
                _print(names)


def _print(names: Any) -> None:
    """Lets a formatter of ticks, which is asked while drawing, give printable texts."""
    asked = names.format_ticks
    names.format_ticks = lambda values: [printable(text) for text in asked(values)]
