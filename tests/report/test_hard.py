"""Figures of hard samples against OOD samples."""

from __future__ import annotations

import io

import numpy as np
import pytest

from oodexp.report.hard import Panel, draw_losses, draw_nulls

NAMES = ["one", "two", "three"]


def saved(figure) -> int:
    """Draws the figure for good: what only fails when drawn fails here; its size in bytes."""
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return len(file.getvalue())


def test_every_model_is_a_numbered_mark_at_its_losses_in_points():
    hard, ood = np.array([0.1, 0.2, 0.4]), np.array([0.3, 0.25, -0.1])
    figure = draw_losses(NAMES, hard, ood, ["Pearson r = -0.65"])
    axes, key = figure.axes
    np.testing.assert_allclose(axes.collections[0].get_offsets(), 100 * np.stack([hard, ood], 1))
    marks = {text.get_text(): text.xy for text in axes.texts}
    assert marks["3"] == pytest.approx((40, -10))
    assert key.texts[0].get_text() == "1  one\n2  two\n3  three\n\nPearson r = -0.65"
    assert saved(figure) > 5000


def test_the_identity_line_runs_through_both_corners():
    axes = draw_losses(NAMES, np.array([0.1, 0.2, 0.4]), np.array([0.3, 0.2, 0.1])).axes[0]
    (line,) = axes.lines
    np.testing.assert_array_equal(*line.get_data())
    assert axes.get_xlim() == axes.get_ylim() == tuple(line.get_xdata())
    assert axes.get_xlim()[0] < 10 < 40 < axes.get_xlim()[1]


@pytest.mark.parametrize("hard", [[np.nan] * 3, [0.2, np.nan, 0.2], [0.2, 0.2, 0.2]])
def test_losses_that_are_undefined_or_equal_are_drawn_as_far_as_they_go(hard):
    figure = draw_losses(NAMES, np.array(hard), np.array([0.2, 0.2, 0.2]))
    assert len(figure.axes[0].texts) == int((~np.isnan(hard)).sum())
    assert saved(figure) > 3000


def panels():
    draws = np.random.default_rng(0).normal(size=400)
    return [
        Panel("Variance", "variance", draws, -3.5, 1 / 401),
        Panel("Pearson", "correlation", np.zeros(0), np.nan, np.nan, "2 models, 3 are needed"),
    ]


def test_the_observed_value_and_the_tail_are_marked_in_the_law():
    first, second = panels()
    figure = draw_nulls([first, second])
    axes, bare = figure.axes
    at = sorted(line.get_xdata()[0] for line in axes.lines)
    assert at == pytest.approx([-3.5, np.quantile(first.draws, 0.05)])
    assert axes.get_title() == "Variance\np = 0.00249"
    assert axes.get_xlabel() == "variance"
    bars = axes.patches[0].get_xy()[:, 1].max()
    assert bars == np.histogram(first.draws, 30)[0].max()
    assert bare.get_title() == "Pearson\nno p: 2 models, 3 are needed"
    assert not bare.lines
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "5 % of the draws lie to the left", "observed",
    ]  # fmt: skip
    assert saved(figure) > 5000


def test_a_law_without_variation_and_no_law_at_all_can_be_drawn():
    flat = Panel("x", "x", np.full(9, 0.5), 0.5, 1.0)
    assert saved(draw_nulls([flat])) > 3000
    assert saved(draw_nulls(panels()[1:])) > 2000
