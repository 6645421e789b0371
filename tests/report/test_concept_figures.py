"""Composition and scores as Figures 3 and A1 of OODConceptBench draw them, read from the artists.

The paper smooths its scores; histograms are drawn here.
"""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.report.concept_figures import Distribution, draw_composition, draw_scores
from oodexp.tracker.picture import picture

CATEGORIES = ["time-lagged", "fog", "texture"]
WAYS = ["crawled", "generated"]
LEVELS = ["L0", "L1", "L2"]


def counts():
    rng = np.random.default_rng(0)
    images = np.sort(rng.integers(1, 900, (3, 2, 3)), axis=-1)[..., ::-1]
    return images, np.sort(rng.integers(1, 80, (3, 3)), axis=-1)[..., ::-1]


def composition(images=None, concepts=None):
    made = counts()
    return draw_composition(
        made[0] if images is None else images, made[1] if concepts is None else concepts,
        CATEGORIES, WAYS, LEVELS,
    )  # fmt: skip


def widths(axes):
    """Widths of the bars of each set."""
    return [[bar.get_width() for bar in bars] for bars in axes.containers]


def test_bars_are_the_images_the_shares_and_the_concepts():
    images, concepts = counts()
    first, second, third = composition().axes
    np.testing.assert_array_equal(widths(first), images.sum(axis=1).T)
    np.testing.assert_array_equal(widths(third), concepts.T)
    share = images / images.sum(axis=1, keepdims=True)
    for way in range(2):
        np.testing.assert_allclose(widths(second)[way], share[:, way].ravel())
    right = [bar.get_x() + bar.get_width() for bar in second.containers[1]]
    np.testing.assert_allclose(right, 1)


def test_shares_stand_at_the_height_of_the_bars_they_belong_to():
    first, second, _ = composition().axes
    heights = np.array([[bar.get_y() for bar in bars] for bars in first.containers]).T.ravel()
    np.testing.assert_allclose([bar.get_y() for bar in second.containers[0]], heights)


def test_categories_run_from_the_top_down_and_the_legend_names_all_fills():
    figure = composition()
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert [t.get_text() for t in axes.get_yticklabels()] == CATEGORIES
    assert axes.yaxis_inverted()
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == [*LEVELS, *WAYS]
    looks = {(p.get_facecolor(), p.get_hatch()) for p in legend.get_patches()}
    assert len(looks) == 5
    assert not any(legend.get_window_extent().overlaps(a.get_tightbbox()) for a in figure.axes)


def test_a_level_without_images_says_so():
    images = counts()[0].copy()
    images[1, :, 2] = 0
    (text,) = composition(images).axes[1].texts
    assert text.get_text() == "no image"
    assert text.get_position()[1] == pytest.approx(1 + 0.28)


def test_other_shapes_and_too_many_levels_are_refused():
    images, concepts = counts()
    with pytest.raises(OodexpError, match=r"expected \(3, 2, 3\) and \(3, 3\)"):
        composition(images[:, :1])
    with pytest.raises(OodexpError, match="5 levels and 1 ways"):
        draw_composition(np.ones((1, 1, 5), int), np.ones((1, 5), int), ["a"], ["w"], list("12345"))
    assert concepts.shape == (3, 3)


def panel(**changed):
    rng = np.random.default_rng(0)
    concepts = np.append(rng.normal(0.74, 0.02, 900), [np.nan, np.inf])
    groups = {"ID": rng.normal(0.68, 0.02, 500), "concepts": concepts}
    return Distribution("rule 1", "S_1K", groups, 0.7175, "T1", "above")._replace(**changed)


def test_histograms_hold_every_finite_score():
    given = panel()
    (axes,) = draw_scores([given]).axes
    for stairs, values in zip(axes.patches[:2], given.groups.values(), strict=True):
        heights, edges, _ = stairs.get_data()
        known = values[np.isfinite(values)]
        np.testing.assert_allclose(heights * np.diff(edges) * len(known),
                                   np.histogram(known, edges)[0])  # fmt: skip
        assert (heights * np.diff(edges)).sum() == pytest.approx(1)
    labels = [t.get_text() for t in axes.get_legend().get_texts()]
    assert labels == ["ID (n = 500)", "concepts (n = 900, 2 without)"]
    assert len({p.get_linestyle() for p in axes.patches[:2]}) == 2


@pytest.mark.parametrize("keeps", ["above", "below"])
def test_the_kept_side_of_the_threshold_is_grey(keeps):
    (axes,) = draw_scores([panel(keeps=keeps)]).axes
    assert [line.get_xdata()[0] for line in axes.lines] == [0.7175]
    span = axes.patches[2]
    ends = (span.get_x(), span.get_x() + span.get_width())
    low, high = axes.get_xlim()
    assert ends == pytest.approx((0.7175, high) if keeps == "above" else (low, 0.7175))
    assert [t.get_text() for t in axes.texts] == ["T1 = 0.7175"]


def test_a_threshold_outside_the_scores_is_inside_the_panel():
    (axes,) = draw_scores([panel(threshold=0.95)]).axes
    assert axes.get_xlim()[1] > 0.95


def test_no_threshold_no_score_and_scores_without_spread_can_be_drawn():
    nothing = panel(groups={"a": np.array([np.nan])})
    alike = panel(groups={"a": np.full(9, 0.7175), "b": np.zeros(0)})
    figure = draw_scores([panel(threshold=np.nan), nothing, alike])
    assert not figure.axes[0].lines
    assert [t.get_text() for t in figure.axes[1].texts] == ["no score"]
    picture(figure, "png")


def test_nothing_and_too_many_groups_are_refused():
    with pytest.raises(OodexpError, match="no score to draw"):
        draw_scores([])
    with pytest.raises(OodexpError, match="6 groups, at most 5"):
        draw_scores([panel(groups={str(n): np.ones(2) for n in range(6)})])


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(ending):
    assert picture(composition(), ending) == picture(composition(), ending)
    assert picture(draw_scores([panel()] * 3), ending) == picture(
        draw_scores([panel()] * 3), ending
    )
