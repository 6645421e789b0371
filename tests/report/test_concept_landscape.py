"""The concept landscape of Figures 2 and C3 of OODConceptBench, read from the artists."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Circle
from matplotlib.text import Annotation

from oodexp.error import OodexpError
from oodexp.report.concept_landscape import MARK, Panel, _from_both_ends, draw_landscapes
from oodexp.tracker.picture import picture

CONCEPTS = 91
CATEGORIES = [f"category {n * 7 // CONCEPTS}" for n in range(CONCEPTS)]
PHRASES = [f"concept number {n}" for n in range(CONCEPTS)]


def panel(title="2025", seed=0):
    rates = np.random.default_rng(seed).beta(2, 2, CONCEPTS)
    angle = 2 * np.pi * (np.arange(CONCEPTS) + 0.5) / CONCEPTS
    points = (1 - rates)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Panel(title, points, rates)


def labels(axes):
    return [t for t in axes.texts if isinstance(t, Annotation)]


def test_marks_stand_at_the_points_given_by_category():
    given = panel()
    (axes,) = draw_landscapes([given], PHRASES, CATEGORIES).axes
    for line in axes.lines:
        mine = np.array(CATEGORIES) == line.get_label()
        np.testing.assert_array_equal(np.transpose(line.get_data()), given.points[mine])
    assert sum(len(line.get_xdata()) for line in axes.lines) == CONCEPTS


def test_seven_categories_differ_without_colour_and_alike_in_both_panels():
    figure = draw_landscapes([panel("a"), panel("b", 1)], PHRASES, CATEGORIES)
    looks = [{(line.get_label(), line.get_marker(), line.get_markerfacecolor())
              for line in axes.lines} for axes in figure.axes]  # fmt: skip
    assert looks[0] == looks[1]
    assert len({marker for _, marker, _ in looks[0]}) == 7
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == list(dict.fromkeys(CATEGORIES))


def test_rings_tell_the_recognition_that_stands_on_them():
    (axes,) = draw_landscapes([panel()], PHRASES, CATEGORIES).axes
    radii = [p.radius for p in axes.patches if isinstance(p, Circle)]
    told = [t for t in axes.texts if not isinstance(t, Annotation)]
    for radius, text in zip(radii, told, strict=True):
        assert np.hypot(*text.get_position()) == pytest.approx(radius)
        assert text.get_text() == f"{100 * (1 - radius):g} %"


@pytest.mark.parametrize("seed", range(4))
def test_no_label_covers_a_label_a_mark_or_the_edge(seed):
    given = panel(seed=seed)
    figure = draw_landscapes([given, panel("b", seed + 9)], PHRASES, CATEGORIES)
    renderer = FigureCanvasAgg(figure).get_renderer()
    for axes in figure.axes:
        boxes = [t.get_window_extent(renderer) for t in axes.texts]
        assert len(labels(axes)) >= 20
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
        inside = axes.get_window_extent(renderer)
        half = MARK / 2 * figure.dpi / 72
        for label in labels(axes):
            box = label.get_window_extent(renderer)
            assert box.x0 >= inside.x0
            assert box.x1 <= inside.x1
            for line in axes.lines:
                for x, y in axes.transData.transform(np.transpose(line.get_data())):
                    assert not (box.x0 - half < x < box.x1 + half
                                and box.y0 - half < y < box.y1 + half)  # fmt: skip


def test_a_label_stands_beside_the_mark_of_its_concept():
    given = panel()
    (axes,) = draw_landscapes([given], PHRASES, CATEGORIES).axes
    for label in labels(axes):
        np.testing.assert_array_equal(label.xy, given.points[PHRASES.index(label.get_text())])
        assert np.abs(label.get_position()).max() < 2 * MARK


def test_the_least_and_the_best_recognised_are_named_first():
    rates = np.array([0.5, 0.1, np.nan, 0.9, 0.3])
    assert list(_from_both_ends(rates)) == [1, 3, 4, 0]
    given = panel()
    (axes,) = draw_landscapes([given], PHRASES, CATEGORIES, most=1).axes
    (label,) = labels(axes)
    assert label.get_text() == PHRASES[int(given.rates.argmin())]


def test_no_labels_if_none_are_wanted():
    assert not labels(draw_landscapes([panel()], PHRASES, CATEGORIES, most=0).axes[0])


def test_concepts_without_a_rate_are_not_drawn_and_counted():
    given = panel()
    given.points[:2] = np.nan
    given.rates[:2] = np.nan
    figure = draw_landscapes([given], PHRASES, CATEGORIES)
    assert figure.axes[0].get_title() == "2025; 2 without a rate"
    picture(figure, "png")
    given.points[:] = np.nan
    picture(draw_landscapes([given], PHRASES, CATEGORIES), "png")


def test_long_phrases_are_cut():
    alone = Panel("t", np.zeros((1, 2)), np.ones(1))
    (axes,) = draw_landscapes(
        [alone], ["a very long phrase of a concept that goes on"], ["category"]
    ).axes
    assert labels(axes)[0].get_text() == "a very long phrase of a c…"


def test_points_outside_and_other_shapes_are_refused():
    given = panel()
    with pytest.raises(OodexpError, match="2 from the centre, expected at most 1"):
        draw_landscapes([given._replace(points=np.full((CONCEPTS, 2), [2.0, 0.0]))], PHRASES,
                        CATEGORIES)  # fmt: skip
    with pytest.raises(OodexpError, match=r"'2025': points and rates have the shapes"):
        draw_landscapes([given._replace(rates=given.rates[1:])], PHRASES, CATEGORIES)
    with pytest.raises(OodexpError, match="a category for each concept"):
        draw_landscapes([given], PHRASES, CATEGORIES[1:])
    with pytest.raises(OodexpError, match="at most 30 can be told apart"):
        draw_landscapes([given], PHRASES, PHRASES)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(ending):
    first, again = (
        picture(draw_landscapes([panel(), panel("b", 1)], PHRASES, CATEGORIES), ending)
        for _ in range(2)
    )
    assert first == again
