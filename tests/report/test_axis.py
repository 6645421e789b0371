"""Axes and legends that the figures share."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.figure import Figure

from oodexp.report.axis import legend_columns, name_edges, percent, plain_log


@pytest.mark.parametrize(
    ("low", "high"), [(0.001, 0.2), (0.005, 0.05), (0.04, 0.06), (1, 3000), (1e-6, 1), (0.1, 0.4)]
)
def test_a_log_axis_has_a_few_plain_numbers_that_are_its_ticks(low, high):
    figure = Figure(figsize=(2.5, 2.5), layout="constrained")
    axes = figure.add_subplot(xscale="log", xlim=(low, high))
    plain_log(axes.xaxis, low, high)
    figure.draw_without_rendering()
    shown = [
        (tick.get_loc(), tick.label1)
        for tick in axes.xaxis.get_major_ticks()
        if low <= tick.get_loc() <= high
    ]
    assert 2 <= len(shown) <= 7
    for place, text in shown:
        assert float(text.get_text()) == pytest.approx(place, rel=1e-4)
    boxes = [text.get_window_extent() for _, text in shown]
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))
    assert not any(tick.label1.get_text() for tick in axes.xaxis.get_minor_ticks())


def test_percent_is_a_hundred_times_the_fraction():
    axes = Figure().add_subplot(ylim=(0.705, 0.71))
    percent(axes.yaxis)
    axes.figure.draw_without_rendering()
    for tick in axes.yaxis.get_major_ticks():
        assert float(tick.label1.get_text()[:-2]) == pytest.approx(100 * tick.get_loc())


def test_a_legend_gets_the_columns_that_fit():
    assert legend_columns(["a"], 0.1) == 1
    assert legend_columns(["a", "b"], 50) == 2
    assert legend_columns(["Llama-3.2-11B-Vision"] * 8, 5.6) == 2
    assert legend_columns(["Llama-3.2-11B-Vision"] * 8, 8.8) == 3


def test_the_last_panel_of_each_column_bears_the_name_and_the_rest_is_removed():
    figure = Figure()
    grid = figure.subplots(2, 3, sharex=True, sharey=True)
    name_edges(grid, 4, "below", "left")
    assert len(figure.axes) == 4
    assert [a.get_xlabel() for a in figure.axes] == ["", "below", "below", "below"]
    assert [a.get_ylabel() for a in figure.axes] == ["left", "", "", "left"]
    figure.draw_without_rendering()
    for axes in figure.axes:
        labels = [t.get_text() for t in axes.get_xticklabels() if t.get_visible()]
        assert bool(np.size(labels)) == bool(axes.get_xlabel())
