"""Lines over the number of scorers, as Figure 5 of OODBench draws them (section V-G).

The paper draws no bands. What is drawn is read back from the artists.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.report.lines import check_fractions, draw_lines, draw_panels, style
from oodexp.tracker.picture import picture

STEPS = ("1\nopen_clip", "2\n+ blip2", "3\n+ groupvit", "4\n+ lit")
NAMES = [f"Llama-3.2-{n}B-Vision" for n in range(8)]


def made(lines=8, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.4, 0.9, (lines, len(STEPS)))
    width = rng.uniform(0.01, 0.03, values.shape)
    return values, values - width, values + width


def drawn(arrays, lines=8):
    return draw_lines(
        STEPS, *arrays, NAMES[:lines], ylabel="accuracy", xlabel="scorers", title="OOD-H"
    )


def named(axes):
    """The lines of VLMs, without the edges of their bands."""
    return [line for line in axes.lines if not line.get_label().startswith("_")]


def test_lines_and_edges_of_bands_are_the_numbers_given():
    values, lower, upper = made()
    (axes,) = drawn((values, lower, upper)).axes
    assert [line.get_label() for line in named(axes)] == NAMES
    for line, row in zip(named(axes), values, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), range(4))
        np.testing.assert_array_equal(line.get_ydata(), row)
    edges = [line.get_ydata() for line in axes.lines if line.get_label() == "_edge"]
    np.testing.assert_array_equal(edges, np.stack([lower, upper], axis=1).reshape(16, 4))
    for band, low, high in zip(axes.collections, lower, upper, strict=True):
        corners = {tuple(v) for v in band.get_paths()[0].vertices}
        assert {(n, low[n]) for n in range(4)} | {(n, high[n]) for n in range(4)} <= corners


def test_steps_and_percent_stand_on_the_axes():
    figure = drawn(made())
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert [t.get_text() for t in axes.get_xticklabels()] == list(STEPS)
    for tick in axes.yaxis.get_major_ticks():
        assert float(tick.label1.get_text().removesuffix(" %")) == pytest.approx(
            100 * tick.get_loc()
        )


def test_a_gap_stays_a_gap_and_a_lone_value_has_a_whisker():
    values, lower, upper = made(1)
    for array in (values, lower, upper):
        array[0, 1] = np.nan
    (axes,) = drawn((values, lower, upper), 1).axes
    assert np.isnan(named(axes)[0].get_ydata()[1])
    band, whisker = axes.collections
    assert all(path.vertices[:, 0].min() != 1 for path in band.get_paths())
    (segment,) = whisker.get_segments()
    np.testing.assert_array_equal(segment, [[0, lower[0, 0]], [0, upper[0, 0]]])


def test_a_value_without_an_interval_has_no_band():
    values, lower, _ = made(1)
    (axes,) = drawn((values, lower, np.full(values.shape, np.nan)), 1).axes
    assert not axes.collections
    assert len(axes.lines) == 1


def test_without_any_value_the_figure_says_so():
    nothing = np.full((8, 4), np.nan)
    figure = drawn((nothing, nothing, nothing))
    assert [t.get_text() for t in figure.axes[0].texts] == ["no value is defined"]
    picture(figure, "png")


def test_panels_share_one_legend_outside_and_end_columns_are_named():
    panels = {title: made(seed=n) for n, title in enumerate("abc")}
    figure = draw_panels(panels, STEPS, NAMES, ylabel="F1", xlabel="scorers")
    assert [axes.get_title() for axes in figure.axes] == ["a", "b", "c"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "scorers", "scorers"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["F1", "", "F1"]
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == NAMES
    figure.draw_without_rendering()
    box = legend.get_window_extent()
    assert not any(box.overlaps(axes.get_tightbbox()) for axes in figure.axes)
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1


def test_fifty_lines_differ_without_colour_and_none_is_too_light():
    styles = [style(n) for n in range(50)]
    assert len({(s.marker, s.dash) for s in styles}) == 50
    assert max(float(s.shade) for s in styles) <= 0.75
    (axes,) = drawn(made()).axes
    for a, b in itertools.combinations(named(axes), 2):
        assert a.get_marker() != b.get_marker()
    for line in named(axes):
        assert line.get_color() in {s.shade for s in styles}


@pytest.mark.parametrize("lines", [1, 2, 8])
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(lines, ending):
    first, again = (picture(drawn(made(lines), lines), ending) for _ in range(2))
    assert first == again


def test_percent_and_other_shapes_are_refused():
    values, lower, upper = made()
    with pytest.raises(OodexpError, match="divide percent by 100"):
        drawn((values * 100, lower, upper))
    with pytest.raises(OodexpError, match=r"'t': lower has the shape \(7, 4\), expected \(8, 4\)"):
        check_fractions("t", (values, lower[:7], upper), (8, 4))
    with pytest.raises(OodexpError, match="no line to draw"):
        draw_panels({}, STEPS, NAMES, ylabel="", xlabel="")
