"""Sizes of a division over T (the counts of Table IV of OODBench, section V-H, as shares).

The paper prints counts at three thresholds; shares over all T and the drawing are ours.
"""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from oodexp.error import OodexpError
from oodexp.record import SPLITS
from oodexp.report.area import APART, draw_area
from oodexp.report.bars import FILLS
from oodexp.tracker.picture import picture

T = np.geomspace(0.001, 0.2, 25)
TRIED = (0.005, 0.01, 0.05)


def made(hard=0.35, simple=0.25):
    h, s = hard * np.sqrt(T / T[-1]), simple * (T / T[-1]) ** 0.3
    return np.stack([1 - h - s, s, h], axis=1)


def bounds(band):
    """Lower and upper edge of an area at each T, read off its corners."""
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    rows = [corners[np.isclose(corners[:, 0], t), 1] for t in T]
    return np.array([[row.min(), row.max()] for row in rows])


def names(axes):
    return {t.get_text(): t for t in axes.texts if t.get_text() in SPLITS}


def test_bands_have_the_shares_given_and_stack_to_one():
    (axes,) = draw_area(T, made()).axes
    assert [band.get_label() for band in axes.collections] == list(SPLITS)
    edges = np.stack([bounds(band) for band in axes.collections])
    np.testing.assert_allclose((edges[..., 1] - edges[..., 0]).T, made(), atol=1e-12)
    np.testing.assert_array_equal(edges[0, :, 0], 0)
    np.testing.assert_allclose(edges[-1, :, 1], 1)
    np.testing.assert_allclose(edges[1:, :, 0], edges[:-1, :, 1])
    assert axes.get_xscale() == "log"


def test_every_name_stands_within_its_band_and_off_the_marks():
    figure = draw_area(T, made(), tried=TRIED)
    (axes,) = figure.axes
    assert set(names(axes)) == set(SPLITS)
    top = np.cumsum(made(), axis=1)
    for s, split in enumerate(SPLITS):
        t, y = names(axes)[split].get_position()
        upper = [np.interp(np.log10(t), np.log10(T), edge) for edge in top.T]
        assert ([0, *upper][s]) < y < upper[s]
    figure.draw_without_rendering()
    for text in names(axes).values():
        box = text.get_window_extent()
        marks = [axes.transData.transform((t, 0))[0] for t in TRIED]
        assert not any(box.x0 < mark < box.x1 for mark in marks)
        assert axes.bbox.x0 < box.x0
        assert box.x1 < axes.bbox.x1


@pytest.mark.parametrize("hard", [0.0, 0.01, 0.05])
def test_names_of_thin_bands_stand_beside_the_area_apart_from_each_other(hard):
    figure = draw_area(T, made(hard=hard, simple=0.04))
    (axes,) = figure.axes
    figure.draw_without_rendering()
    boxes = [names(axes)[split].get_window_extent() for split in SPLITS[1:]]
    assert all(box.x0 > axes.bbox.x1 for box in boxes)
    assert not boxes[0].overlaps(boxes[1])
    heights = [names(axes)[split].xyann[1] for split in SPLITS[1:]]
    assert heights[1] - heights[0] >= APART - 1e-9
    assert heights[1] <= 1


def test_tried_thresholds_are_marked_with_their_numbers():
    (axes,) = draw_area(T, made(), tried=TRIED).axes
    assert {line.get_xdata()[0] for line in axes.lines} == set(TRIED)
    marks = [t for t in axes.texts if t.get_text() not in SPLITS]
    assert [(t.get_text(), t.xy[0]) for t in marks] == [(f"{t:g}", t) for t in TRIED]
    (outside,) = draw_area(T, made(), tried=(0.5,)).axes
    assert outside.get_xlim()[1] == 0.5


def test_a_threshold_without_pairs_is_a_gap():
    shares = made()
    shares[10] = np.nan
    (axes,) = draw_area(T, shares).axes
    for band in axes.collections:
        assert len(band.get_paths()) == 2
        corners = np.concatenate([path.vertices for path in band.get_paths()])
        assert not np.isclose(corners[:, 0], T[10]).any()
        assert np.isfinite(corners).all()


def test_without_any_pair_the_figure_says_so():
    figure = draw_area(T, np.full((len(T), 3), np.nan))
    assert [t.get_text() for t in figure.axes[0].texts] == ["no pair at any threshold"]
    picture(figure, "png")


def test_one_threshold_is_a_stacked_bar():
    (axes,) = draw_area(np.array([0.05]), np.array([[0.6, 0.3, 0.1]])).axes
    bars = [bars[0] for bars in axes.containers]
    np.testing.assert_allclose([b.get_height() for b in bars], [0.6, 0.3, 0.1])
    np.testing.assert_allclose([b.get_y() for b in bars], [0, 0.6, 0.9])
    low, high = axes.get_xlim()
    assert low < 0.05 < high


def test_bands_differ_in_grey_and_hatch():
    (axes,) = draw_area(T, made()).axes
    for split, band in zip(SPLITS, axes.collections, strict=True):
        assert to_rgb(band.get_facecolor()[0]) == to_rgb(FILLS[split].shade)
        assert (band.get_hatch() or "") == FILLS[split].hatch
    assert len({band.get_hatch() for band in axes.collections}) == 3


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(ending):
    first, again = (picture(draw_area(T, made(), tried=TRIED, title="T"), ending) for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("at", "shares", "message"),
    [
        (T[::-1], made(), "above the one before"),
        (np.append(0.0, T[1:]), made(), "leave out 0"),
        (T, made() * 100, "divide the sizes by their sum"),
        (T, made()[:, :2], r"shape \(25, 2\), expected \(25, 3\)"),
        (T[:0], made()[:0], "at least one threshold"),
    ],
)
def test_what_does_not_fit_is_refused(at, shares, message):
    with pytest.raises(OodexpError, match=message):
        draw_area(at, shares)
