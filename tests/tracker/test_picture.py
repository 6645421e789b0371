"""Names in figures: letters, whatever they hold."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from oodexp.tracker.picture import picture

NAMES = ["$\\frac{", "a $x$ b", "\x00\x1b[31m", "\ud83d", "\uffff", "<b>&--></b>", "日本 😀"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_name_is_drawn_as_it_is_written(name, ending):
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label=name)
    axes.set_xticks([0, 1], [name, "dog"])
    axes.set_title(name)
    axes.legend()
    data = picture(figure, ending)
    assert axes.get_xticklabels()[0].get_parse_math() is False
    if ending == "svg":
        ElementTree.fromstring(data.decode("utf-8"))
    else:
        assert data.startswith(b"\x89PNG")
