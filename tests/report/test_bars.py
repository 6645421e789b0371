"""Accuracies by threshold, as the numbers of Table IV of OODBench (section V-H).

The paper prints numbers without intervals; bars, whiskers and brackets are ours. The gaps of the
test are those that the section states: 7.44, 1.86 and 1.73 points at T = 0.05, 0.01 and 0.005.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from oodexp.error import OodexpError
from oodexp.record import SPLITS
from oodexp.report.bars import FILLS, draw_bars
from oodexp.tracker.picture import picture

THRESHOLDS = (0.05, 0.01, 0.005)
GAPS = np.array([0.0744, 0.0186, 0.0173])


def made():
    values = np.stack([np.full(3, 0.9), 0.7 + GAPS, np.full(3, 0.7)], axis=1)
    return values, values - 0.02, values + 0.01


def panel(arrays, thresholds=THRESHOLDS):
    return draw_bars({"Llama-3.2-11B-Vision": arrays}, thresholds)


def whiskers(axes):
    return np.concatenate([lines.get_segments() for lines in axes.collections])


def test_bars_have_the_heights_given_by_split():
    values, *_ = made()
    (axes,) = panel(made()).axes
    assert [bars.get_label() for bars in axes.containers] == list(SPLITS)
    heights = [[bar.get_height() for bar in bars] for bars in axes.containers]
    np.testing.assert_array_equal(np.transpose(heights), values)
    assert [t.get_text() for t in axes.get_xticklabels()] == ["0.05", "0.01", "0.005"]
    assert axes.get_ylim()[0] == 0


def test_whiskers_end_at_the_ends_of_the_intervals_above_their_bars():
    _, lower, upper = made()
    (axes,) = panel(made()).axes
    ends = whiskers(axes).reshape(3, 3, 2, 2)  # split, threshold, end, (x, y)
    np.testing.assert_array_equal(ends[..., 0, 1].T, lower)
    np.testing.assert_array_equal(ends[..., 1, 1].T, upper)
    middles = [[b.get_x() + b.get_width() / 2 for b in bars] for bars in axes.containers]
    np.testing.assert_allclose(ends[..., 0, 0], middles)


def test_the_gap_is_told_in_points_over_the_two_bars():
    (axes,) = panel(made()).axes
    assert [t.get_text() for t in axes.texts] == ["+7.4", "+1.9", "+1.7"]
    for n, line in enumerate(axes.lines):
        hard, simple = axes.containers[2][n], axes.containers[1][n]
        assert line.get_xdata().min() == simple.get_x() + simple.get_width() / 2
        assert line.get_xdata().max() == pytest.approx(hard.get_x() + hard.get_width() / 2)
        assert line.get_ydata().min() > made()[2][n, 1:].max()


def test_a_gap_the_other_way_has_its_sign():
    values, *_ = made()
    values = values[:, [0, 2, 1]]
    (axes,) = panel((values, values, values)).axes
    assert axes.texts[0].get_text() == "\N{MINUS SIGN}7.4"


def test_an_undefined_value_has_a_word_and_no_bar_whisker_or_gap():
    arrays = made()
    for array in arrays:
        array[1, 2] = np.nan
    (axes,) = panel(arrays).axes
    assert [len(bars) for bars in axes.containers] == [3, 3, 2]
    assert sorted(t.get_text() for t in axes.texts) == ["+1.7", "+7.4", "undefined"]
    assert len(whiskers(axes)) == 8


def test_a_value_without_an_interval_has_a_bar_and_a_gap():
    values, *_ = made()
    nothing = np.full(values.shape, np.nan)
    (axes,) = panel((values, nothing, nothing)).axes
    assert not axes.collections
    assert len(axes.texts) == 3


def test_splits_differ_in_grey_and_hatch_and_every_bar_has_those_of_its_split():
    for a, b in itertools.combinations(FILLS.values(), 2):
        assert abs(float(a.shade) - float(b.shade)) >= 0.2
        assert a.hatch != b.hatch
    figure = panel(made())
    for split, bars in zip(SPLITS, figure.axes[0].containers, strict=True):
        for bar in [*bars, figure.legends[0].get_patches()[SPLITS.index(split)]]:
            assert to_rgb(bar.get_facecolor()) == to_rgb(FILLS[split].shade)
            assert (bar.get_hatch() or "") == FILLS[split].hatch


def test_a_panel_a_vlm_on_one_scale():
    figure = draw_bars({f"DeepSeek-VL-7B-Chat {n}": made() for n in range(5)}, THRESHOLDS)
    assert len(figure.axes) == 5
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    named = [axes.get_xlabel() for axes in figure.axes]
    assert named == ["", "", *["threshold T"] * 3]
    figure.draw_without_rendering()
    titles = [axes.title.get_window_extent() for axes in figure.axes]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(titles, 2))


@pytest.mark.parametrize("count", [1, 2, 8])
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(count, ending):
    panels = {str(n): made() for n in range(count)}
    first, again = (picture(draw_bars(panels, THRESHOLDS), ending) for _ in range(2))
    assert first == again


def test_what_does_not_fit_is_refused():
    values, lower, upper = made()
    with pytest.raises(OodexpError, match=r"values has the shape \(3, 3\), expected \(2, 3\)"):
        panel((values, lower, upper), THRESHOLDS[:2])
    with pytest.raises(OodexpError, match="at least one panel"):
        draw_bars({}, THRESHOLDS)
