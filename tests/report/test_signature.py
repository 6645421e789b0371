"""Figures of what models lose, by what is drawn."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from oodexp.metric.binary import METRICS
from oodexp.report.signature import (
    CLOSED,
    OPEN,
    STRIP,
    draw_degradation,
    draw_equivalence,
    draw_intervals,
    draw_null,
)

NAMES = ["InternVL2-8B", "Llama-3.2-11B-Vision", "GPT-4o"]
BAND = np.array([0.05, 0.06, 0.07, 0.08, 0.09]), np.array([0.2, 0.21, 0.22, 0.23, 0.24])


def made(models=3, resamples=200):
    """Draws, values and interval ends that tell models and metrics apart."""
    values = 0.1 + 0.05 * np.arange(models)[:, None] + 0.01 * np.arange(5)
    draws = values + np.random.default_rng(0).normal(0, 0.02, (resamples, models, 5))
    lower, upper = np.percentile(draws, [2.5, 97.5], axis=0)
    return draws, values, lower, upper


def saved(figure: Figure) -> None:
    for ending in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=ending)


def bars(axes):
    """Ends of each drawn interval, by row."""
    rows = {}
    for line in axes.get_lines():
        x, y = line.get_data()
        if len(x) == 2 and y[0] == y[1] and line.get_transform() == axes.transData:
            rows[int(y[0])] = tuple(x)
    return rows


def marks(axes):
    """Value and marker of each row."""
    found = {}
    for line in axes.get_lines():
        if line.get_marker() not in ("None", None, ""):
            x, y = (np.atleast_1d(v) for v in line.get_data())
            found[int(y[0])] = (float(x[0]), line.get_marker())
    return found


def strip(axes):
    """Ends of the band."""
    (found,) = (p for p in axes.patches if to_hex(p.get_facecolor()) == to_hex(STRIP))
    return found.get_x(), found.get_x() + found.get_width()


def test_violins_intervals_and_bands_are_those_of_the_arrays():
    draws, values, lower, upper = made()
    figure = draw_degradation(draws, values, lower, upper, BAND, NAMES, METRICS, closed=[2])
    assert len(figure.axes) == 5
    for k, axes in enumerate(figure.axes):
        assert strip(axes) == pytest.approx((BAND[0][k], BAND[1][k]))
        assert len(axes.collections) == 3
        for m, violin in enumerate(axes.collections):
            path = violin.get_paths()[0].vertices
            assert path[:, 0].min() == pytest.approx(draws[:, m, k].min())
            assert path[:, 0].max() == pytest.approx(draws[:, m, k].max())
            assert to_hex(violin.get_facecolor()[0]) == to_hex(CLOSED if m == 2 else OPEN)
            assert bars(axes)[m] == pytest.approx((lower[m, k], upper[m, k]))
            assert marks(axes)[m] == (pytest.approx(values[m, k]), "s" if m == 2 else "o")
    saved(figure)


def test_models_are_named_once_from_the_top_and_metrics_above():
    figure = draw_degradation(*made(), BAND, NAMES, METRICS)
    first = figure.axes[0]
    assert [t.get_text() for t in first.get_yticklabels()] == NAMES
    bottom, top = first.get_ylim()
    assert bottom > top
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["accuracy", "precision", "recall", "F1", "MCC"]


def test_shades_differ_in_grey():
    shades = sorted(float(shade) for shade in (OPEN, CLOSED, STRIP))
    assert min(np.diff(shades)) > 0.08


def test_closed_models_stand_beside_the_bands():
    _, values, lower, upper = made(2)
    figure = draw_intervals(values, lower, upper, BAND, NAMES[:2], METRICS)
    for k, axes in enumerate(figure.axes):
        assert strip(axes) == pytest.approx((BAND[0][k], BAND[1][k]))
        assert bars(axes) == {m: pytest.approx((lower[m, k], upper[m, k])) for m in range(2)}
        assert not axes.collections
    saved(figure)


def test_observed_losses_and_p_stand_beside_the_null():
    draws, values, *_ = made(2, 1999)
    p = np.array([[1 / 2000] * 5, [0.25, 0.03, np.nan, 0.5, 1]])
    figure = draw_null(draws - values, values, p, NAMES[:2], METRICS)
    for k, axes in enumerate(figure.axes):
        assert marks(axes) == {m: (pytest.approx(values[m, k]), "D") for m in range(2)}
        told = [text.get_text() for text in axes.texts]
        assert told[0] == "p ≤ 0.0005"
        assert told[1] == ("no test" if k == 2 else f"p = {p[1, k]:.2g}")
        assert len(axes.collections) == 2
    saved(figure)


def test_a_difference_in_the_margin_has_another_mark_than_one_outside():
    draws, values, lower, upper = made(2)
    eta = np.full(5, 0.17)
    shift = np.array([[0.1], [0.0]])
    figure = draw_equivalence(
        draws - shift, values - shift, lower - shift, upper - shift, eta, NAMES[:2], METRICS
    )
    for axes in figure.axes:
        assert strip(axes) == pytest.approx((-0.17, 0.17))
        assert [marks(axes)[m][1] for m in range(2)] == ["o", "x"]
    saved(figure)


def test_what_has_no_value_says_so_and_what_has_no_spread_is_a_mark():
    draws, values, lower, upper = made()
    draws[:, 0], values[0], lower[0], upper[0] = np.nan, np.nan, np.nan, np.nan
    draws[:, 1], values[1], lower[1], upper[1] = 0, 0, 0, 0
    none = np.full(5, np.nan)
    figure = draw_degradation(draws, values, lower, upper, (none, none), NAMES, METRICS)
    for axes in figure.axes:
        assert [text.get_text() for text in axes.texts] == ["no value"]
        assert len(axes.collections) == 1
        assert marks(axes)[1] == (0, "o")
        assert not axes.patches
    saved(figure)
    margin = draw_equivalence(draws, values, lower, upper, none, NAMES, METRICS)
    assert not any(axes.patches for axes in margin.axes)
    saved(margin)


def test_one_model_and_one_metric_are_drawn():
    draws, values, lower, upper = (part[..., :1, :1] for part in made())
    figure = draw_degradation(
        draws, values, lower, upper, (BAND[0][:1], BAND[1][:1]), NAMES[:1], METRICS[:1]
    )
    assert len(figure.axes) == 1
    saved(figure)
