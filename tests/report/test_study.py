"""All plots of a search, from the space and the front that the search itself has."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.report.study import draw_study
from oodexp.search.pareto import front
from oodexp.search.space import Space
from oodexp.tracker.picture import picture

SPACE = {
    "threshold": [0.05, 0.01, 0.005],
    "templates": [["a {}"], ["a {}", "a photo of a {}"]],
    "cap": [1000, None],
    "calibrated": [True, False],
}


def grid(objectives, share=0.1):
    settings = list(Space.of(SPACE).cells())
    rng = np.random.default_rng(0)
    values = rng.normal(size=(len(settings), objectives))
    values[rng.random(len(settings)) < share] = np.nan
    names, directions = ["gap", "pairs", "F1"][:objectives], ["maximize"] * objectives
    inside = front(values, [True] * objectives)
    return np.arange(len(settings)), settings, values, names, directions, inside


@pytest.mark.parametrize(
    ("objectives", "contours"),
    [(1, ["contour"]), (2, ["contour_1", "contour_2"]), (3, [f"contour_{n}" for n in (1, 2, 3)])],
)
def test_a_grid_has_all_its_plots(objectives, contours):
    plots = draw_study(*grid(objectives), log=["threshold"])
    assert list(plots) == ["history", "slice", "front", *contours]
    for figure in plots.values():
        picture(figure, "png")
    assert len(plots["history"].axes) == objectives
    assert len(plots[contours[0]].axes) == 6 + 1  # pairs of four dimensions, and the bar


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_study_of_one_trial_has_plots_or_words(share):
    numbers, settings, values, names, directions, inside = grid(2, share)
    plots = draw_study(numbers[:1], settings[:1], values[:1], names, directions, inside[:1])
    for figure in plots.values():
        assert bool(figure.axes) == (share == 0)
        assert figure.axes or figure.texts
        picture(figure, "svg")


def test_each_contour_is_that_of_its_objective():
    plots = draw_study(*grid(2))
    bars = [plots[f"contour_{n}"].axes[-1].get_ylabel() for n in (1, 2)]
    assert bars == ["gap (maximize)", "pairs (maximize)"]
