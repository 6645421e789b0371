"""The map of Figure D2 of OODConceptBench, read from the artists."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.report.concept_scatter import draw_embedding
from oodexp.tracker.picture import picture

LEVELS, WAYS = ["L1 only", "L2"], ["crawled", "generated"]


def made(n=200):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), rng.integers(0, 2, n), rng.integers(0, 2, n)


def drawn(points, level, way):
    return draw_embedding(points, level, way, LEVELS, WAYS, "t-SNE, perplexity 30, seed 0")


def groups(axes):
    return {line.get_label(): line for line in axes.lines if line.get_label()[0] != "_"}


def test_every_image_stands_once_in_its_group():
    points, level, way = made()
    (axes,) = drawn(points, level, way).axes
    for a, b in np.ndindex(2, 2):
        mine = points[(level == a) & (way == b)]
        line = groups(axes)[f"{LEVELS[a]}, {WAYS[b]} (n = {len(mine)})"]
        np.testing.assert_array_equal(np.transpose(line.get_data()), mine)


def test_open_marks_are_the_centroids_with_the_level_beside():
    points, level, way = made()
    (axes,) = drawn(points, level, way).axes
    means = [points[(level == a) & (way == b)].mean(axis=0) for a, b in np.ndindex(2, 2)]
    marks = [line for line in axes.lines if line.get_label() == "_centroid"]
    at = np.array([np.ravel(line.get_data()) for line in marks])
    np.testing.assert_allclose(at, np.repeat(means, 2, axis=0))  # each with its rim
    assert {line.get_markerfacecolor() for line in marks} == {"none"}
    assert [t.get_text() for t in axes.texts] == ["L1 only", "L1 only", "L2", "L2"]


def test_grey_tells_the_level_and_the_marker_the_way():
    (axes,) = drawn(*made()).axes
    looks = [(line.get_markerfacecolor(), line.get_marker()) for line in groups(axes).values()]
    assert looks[0][0] == looks[1][0] != looks[2][0] == looks[3][0]
    assert looks[0][1] == looks[2][1] != looks[1][1] == looks[3][1]


def test_how_the_map_was_made_stands_below_and_axes_have_no_numbers():
    (axes,) = drawn(*made()).axes
    assert axes.get_xlabel() == "t-SNE, perplexity 30, seed 0"
    assert not len(axes.get_xticks())
    assert not len(axes.get_yticks())


def test_an_empty_group_a_lost_point_and_no_point_can_be_drawn():
    points, _, way = made()
    points[0] = np.nan
    figure = drawn(points, np.zeros(200, int), way)
    assert sum(len(line.get_xdata()) for line in groups(figure.axes[0]).values()) == 199
    nothing = drawn(np.zeros((0, 2)), np.zeros(0, int), np.zeros(0, int))
    assert [t.get_text() for t in nothing.axes[0].texts] == ["no image to draw"]
    picture(nothing, "png")
    assert picture(figure, "svg") == picture(figure, "svg")


def test_other_shapes_and_codes_are_refused():
    points, level, way = made()
    with pytest.raises(OodexpError, match="of the same images"):
        drawn(points, level[1:], way)
    with pytest.raises(OodexpError, match=r"way codes 0 \.\.\. 2: expected 0 \.\.\. 1"):
        drawn(points, level, way * 2)
    with pytest.raises(OodexpError, match="4 levels and 1 ways"):
        draw_embedding(points, level, way * 0, list("abcd"), ["w"], "")
