"""Recognition as Figures 4, 5, C1 and C2 of OODConceptBench draw it, read from the artists.

The paper draws no intervals.
"""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from oodexp.error import OodexpError
from oodexp.report.concept_recognition_figures import (
    RANGES,
    draw_matrix,
    draw_models,
    draw_years,
)
from oodexp.tracker.picture import picture

NAMES = ["B/32", "L/14", "So400m", "B/16"]
FAMILIES = ["OpenAI CLIP", "OpenAI CLIP", "SigLIP2", "OpenAI CLIP"]
LEVELS = ("L1", "L2")


def made(seed=0):
    values = np.random.default_rng(seed).uniform(0.2, 0.8, (4, 2))
    return values, values - 0.03, values + 0.03


def models(arrays, **options):
    return draw_models(*arrays, NAMES, FAMILIES, LEVELS, **options)


def marks(axes):
    """Row and values of the marks of each level."""
    found = [line for line in axes.lines if line.get_marker() in ("o", "s")]
    return [
        {float(line.get_ydata()[0]): float(line.get_xdata()[0]) for line in found
         if line.get_marker() == marker}
        for marker in ("o", "s")
    ]  # fmt: skip


def test_models_stand_by_family_in_the_order_of_their_first_model():
    (axes,) = models(made(), marked=[3]).axes
    labels = [t.get_text() for t in axes.get_yticklabels()]
    assert labels == ["OpenAI CLIP", "B/32", "L/14", "* B/16", "SigLIP2", "So400m"]
    bold = [t.get_text() for t in axes.get_yticklabels() if t.get_fontweight() == "bold"]
    assert bold == ["OpenAI CLIP", "SigLIP2"]
    assert axes.yaxis_inverted()


def test_marks_and_intervals_are_the_numbers_given():
    values, lower, upper = made()
    (axes,) = models((values, lower, upper)).axes
    first, second = marks(axes)
    for row, n in zip((1, 2, 3, 5), (0, 1, 3, 2), strict=True):
        assert (first[row], second[row]) == tuple(values[n])
    drawn = {tuple(line.get_xdata()) for line in axes.lines if line.get_label() == "_interval"}
    assert drawn == {tuple(p) for p in np.stack([lower, upper], -1).reshape(-1, 2)}


def test_a_model_without_a_value_says_so_and_one_level_may_be_missing():
    values, lower, upper = made()
    values[0] = np.nan
    values[1, 1] = np.nan
    figure = models((values, lower, upper))
    (axes,) = figure.axes
    (text,) = [t for t in axes.texts if t.get_text() == "no value is defined"]
    assert text.get_position()[1] == 1
    assert marks(axes)[0][2] == values[1, 0]
    picture(figure, "png")


def test_the_levels_differ_by_shape_and_fill():
    (legend,) = models(made(), marked=[0]).legends
    assert [t.get_text() for t in legend.get_texts()] == [
        "L1", "L2", "95 %", "* built the benchmark",
    ]  # fmt: skip
    one, two = legend.legend_handles[:2]
    assert one.get_marker() != two.get_marker()
    assert to_rgb(one.get_markerfacecolor()) != to_rgb(two.get_markerfacecolor())


def years():
    rng = np.random.default_rng(1)
    panels = {}
    for title in ("all", "time-lagged", "fog"):
        values = rng.uniform(0.3, 0.7, (2, 3))
        panels[title] = (values, values - 0.05, values + 0.05)
    return panels


def test_years_are_lines_of_both_levels_from_0_to_100_percent_on_bands():
    given = years()
    figure = draw_years(given, ["2021", "2023", "2025"], LEVELS)
    assert [axes.get_title() for axes in figure.axes] == list(given)
    for axes, (values, _, _) in zip(figure.axes, given.values(), strict=True):
        lines = [line for line in axes.lines if not line.get_label().startswith("_")]
        np.testing.assert_array_equal([line.get_ydata() for line in lines], values)
        assert axes.get_ylim() == (0, 1)
        bands = [(p.get_y(), p.get_y() + p.get_height()) for p in axes.patches]
        assert bands == [(low, high) for low, high, _ in RANGES]


def test_a_matrix_tells_every_rate_readably_and_the_lower_the_darker():
    values = np.array([[0.05, 0.415, 0.43], [0.999, np.nan, 0.6]])
    (axes,) = draw_matrix(values, ["a", "b"], ["x", "y", "z"], "L2").axes
    told = {t.get_position(): t for t in axes.texts}
    assert [told[c, r].get_text() for r in range(2) for c in range(3)] == [
        "5.0", "41.5", "43.0", "99.9", "-", "60.0",
    ]  # fmt: skip
    (image,) = axes.images
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            shade = image.cmap(image.norm(value))[0]
            ink = to_rgb(told[column, row].get_color())[0]
            assert abs(shade - ink) > 0.45
    shades = image.cmap(image.norm(np.linspace(0, 1, 20)))[:, 0]
    assert (np.diff(shades) > 0).all()


def test_percent_other_shapes_and_no_model_are_refused():
    values, lower, upper = made()
    with pytest.raises(OodexpError, match="divide percent by 100"):
        models((values * 100, lower, upper))
    with pytest.raises(OodexpError, match="one family for each"):
        draw_models(values, lower, upper, NAMES, FAMILIES[:2], LEVELS)
    with pytest.raises(OodexpError, match="at least one model"):
        draw_models(values[:0], lower[:0], upper[:0], [], [], LEVELS)
    with pytest.raises(OodexpError, match="divide percent by 100"):
        draw_matrix(values * 100, NAMES, ["a", "b"], "t")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(ending):
    for draw in (
        lambda: models(made(), marked=[1]),
        lambda: draw_years(years(), ["2021", "2023", "2025"], LEVELS),
        lambda: draw_matrix(made()[0], NAMES, ["a", "b"], "t"),
    ):
        assert picture(draw(), ending) == picture(draw(), ending)
