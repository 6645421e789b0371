"""Objectives by trial number; the best so far against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.report.study_history import draw_history
from oodexp.tracker.picture import picture

OBJECTIVES, DIRECTIONS = ("gap", "seconds"), ("maximize", "minimize")


def made(trials=20):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(trials, 2))
    values[4, 0] = values[7, 1] = values[9] = values[-1] = np.nan
    return rng.permutation(trials), values


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def test_trials_are_drawn_by_what_came_of_them():
    numbers, values = made()
    figure = draw_history(numbers, values, OBJECTIVES, DIRECTIONS)
    for n, axes in enumerate(figure.axes):
        own = lines(axes)
        given = {(number, row[n]) for number, row in zip(numbers, values, strict=True)}
        whole = set(numbers[np.isfinite(values).all(axis=1)])
        complete = {tuple(p) for p in own["complete"].get_xydata()}
        partial = {tuple(p) for p in own["lacks another objective"].get_xydata()}
        assert complete == {(x, y) for x, y in given if x in whole}
        assert partial == {(x, y) for x, y in given if x not in whole and np.isfinite(y)}
        assert set(own["no value"].get_xdata()) == set(numbers[np.isnan(values[:, n])])


def test_the_best_so_far_is_that_of_a_plain_loop():
    numbers, values = made()
    figure = draw_history(numbers, values, OBJECTIVES, DIRECTIONS)
    for n, (axes, pick) in enumerate(zip(figure.axes, (max, min), strict=True)):
        best, steps = None, []
        for at in np.argsort(numbers):
            if np.isfinite(values[at]).all():
                value = values[at, n]
                best = value if best is None else pick(best, value)
                steps.append((numbers[at], best))
        line = lines(axes)["best so far"]
        assert [tuple(p) for p in line.get_xydata()[:-1]] == steps
        assert tuple(line.get_xydata()[-1]) == (max(numbers), best)
        assert line.get_drawstyle() == "steps-post"


def test_marks_differ_in_shape_or_fill():
    own = lines(draw_history(*made(), OBJECTIVES, DIRECTIONS).axes[0])
    looks = [
        (own[name].get_marker(), own[name].get_markerfacecolor())
        for name in ("complete", "lacks another objective", "no value")
    ]
    assert len({marker for marker, _ in looks}) == 3


def test_the_legend_names_each_mark_once():
    figure = draw_history(*made(), OBJECTIVES, DIRECTIONS)
    texts = [t.get_text() for t in figure.legends[0].get_texts()]
    assert sorted(texts) == ["best so far", "complete", "lacks another objective", "no value"]


@pytest.mark.parametrize("trials", [0, 3])
def test_without_any_value_it_says_so(trials):
    figure = draw_history(np.arange(trials), np.full((trials, 1), np.nan), ["gap"], ["maximize"])
    assert f"no trial of {trials} has a value" in figure.texts[0].get_text()
    picture(figure, "svg")


def test_a_single_trial_is_drawn():
    figure = draw_history(np.array([7]), np.array([[0.3]]), ["gap"], ["maximize"])
    np.testing.assert_array_equal(lines(figure.axes[0])["complete"].get_xydata(), [[7, 0.3]])
    picture(figure, "png")
