"""The calibration curve of a run: a table and a figure a VLM."""

from __future__ import annotations

import pandas as pd

from oodexp import table
from oodexp.record import Calibration
from oodexp.report.calibration import draw


def test_each_split_has_a_line_of_its_own_that_is_told_apart_without_colour():
    rows = [Calibration("m", "existence", s, 0.0, 0.1, 0.05, 0.1, 4) for s in ("ID", "OOD-H")]
    axes = draw(table.frame(Calibration, rows)).axes[0]
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["ID (n = 4)", "OOD-H (n = 4)"]
    lines = [line for line in axes.get_lines() if line.get_label()[0] != "_"]
    assert len({(line.get_marker(), line.get_linestyle()) for line in lines}) == 2
    assert all(pd.Series(float(line.get_color())).between(0, 1).all() for line in lines)
