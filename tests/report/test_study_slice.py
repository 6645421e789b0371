"""Objectives against each dimension."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from oodexp.report.study_slice import draw_slice
from oodexp.tracker.picture import picture

OBJECTIVES, DIRECTIONS = ("gap", "pairs"), ("maximize", "maximize")


def made(trials=12):
    rng = np.random.default_rng(1)
    settings = [
        {"T": float(10 ** rng.uniform(-3, -1)), "criterion": ("either", "rank")[n % 2],
         "templates": (["a {}"], None)[n // 2 % 2], "cap": 1000 * (n % 3 + 1), "calibrated": n > 5}
        for n in range(trials)
    ]  # fmt: skip
    values = rng.normal(size=(trials, 2))
    values[3, 0] = np.nan
    return rng.permutation(trials), settings, values


def sliced(log=("T",)):
    return draw_slice(*made(), OBJECTIVES, DIRECTIONS, log)


def panels(figure):
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def test_each_objective_meets_each_dimension_once():
    figure = sliced()
    names = [axes.get_xlabel() for axes in panels(figure)]
    assert names == ["T", "criterion", "templates", "cap", "calibrated"] * 2
    assert [axes.get_xscale() for axes in panels(figure)] == (["log"] + ["linear"] * 4) * 2


def test_points_are_settings_and_values_and_undefined_ones_are_crosses():
    _, settings, values = made()
    figure = sliced()
    for axes, column in ((panels(figure)[0], 0), (panels(figure)[5], 1)):
        points = {tuple(p) for p in axes.collections[0].get_offsets().data}
        pairs = [(s["T"], v) for s, v in zip(settings, values[:, column], strict=True)]
        assert points == {(t, v) for t, v in pairs if np.isfinite(v)}
    (crosses,) = panels(figure)[0].lines
    np.testing.assert_array_equal(crosses.get_xdata(), [settings[3]["T"]])
    assert not panels(figure)[5].lines
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["no value"]


def test_categories_have_their_labels():
    figure = sliced()
    labels = [[t.get_text() for t in panels(figure)[n].get_xticklabels()] for n in (1, 2, 4)]
    assert labels == [["either", "rank"], ['["a {}"]', "null"], ["false", "true"]]


def test_later_trials_are_darker_and_lie_on_top():
    figure = sliced()
    figure.draw_without_rendering()
    dots = panels(figure)[5].collections[0]
    assert list(dots.get_array()) == sorted(made()[0])
    greys = [np.mean(to_rgb(c)) for c in dots.get_facecolors()]
    assert (np.diff(greys) < 0).all()


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(ending):
    assert picture(sliced(), ending) == picture(sliced(), ending)


@pytest.mark.parametrize("trials", [1, 2])
def test_one_dimension_and_few_trials_are_drawn(trials):
    settings = [{"T": 0.05}] * trials
    figure = draw_slice(np.arange(trials), settings, np.ones((trials, 1)), ["gap"], ["maximize"])
    assert len(panels(figure)) == 1
    picture(figure, "png")


@pytest.mark.parametrize("trials", [0, 2])
def test_without_any_value_it_says_so(trials):
    nothing = np.full((trials, 1), np.nan)
    figure = draw_slice(np.arange(trials), [{"T": 1}] * trials, nothing, ["gap"], ["maximize"])
    assert "nothing to slice" in figure.texts[0].get_text()
