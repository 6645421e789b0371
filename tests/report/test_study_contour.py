"""An objective over two dimensions; contours of a plane against the plane itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from oodexp.report.study_contour import CELLS, NONE, draw_contour
from oodexp.tracker.picture import picture


def made(trials=40, slope=1.0):
    """Settings and a value that is linear in log10 T and in cap."""
    rng = np.random.default_rng(5)
    settings = [
        {"T": float(10 ** rng.uniform(-3, -1)), "cap": int(rng.integers(100, 3000))}
        for _ in range(trials)
    ]
    values = np.array([slope * np.log10(s["T"]) + s["cap"] / 1000 for s in settings])
    return settings, values


def contour(settings, values, direction="maximize", log=("T",)):
    return draw_contour(settings, values, "gap", direction, log)


def panels(figure):
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def cells(axes):
    """Text by column and row."""
    return {t.get_position(): t.get_text() for t in axes.texts}


def test_contours_of_a_plane_lie_on_the_plane_of_the_drawn_axes():
    (axes,) = panels(contour(*made()))
    axes.figure.draw_without_rendering()
    assert axes.get_xscale() == "log"
    lines = axes.collections[1]
    back = (lines.get_transform() - axes.transData).transform
    seen = 0
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        if len(path.vertices):
            t, cap = back(path.vertices).T
            np.testing.assert_allclose(np.log10(t) + cap / 1000, level, atol=1e-6)
            seen += 1
    assert seen >= 5


def test_trials_lie_where_their_settings_are_and_the_best_has_a_star():
    settings, values = made()
    values[[3, 8]] = np.nan
    (axes,) = panels(contour(settings, values))
    own = {line.get_label(): line.get_xydata() for line in axes.lines}
    places = np.array([[s["T"], s["cap"]] for s in settings])
    np.testing.assert_array_equal(own["trial"], np.delete(places, [3, 8], axis=0))
    np.testing.assert_array_equal(own["no value"], places[[3, 8]])
    np.testing.assert_array_equal(own["best"], places[[np.nanargmax(values)]])
    (low,) = panels(contour(settings, values, "minimize"))
    star = {line.get_label(): line.get_xydata() for line in low.lines}["best"]
    np.testing.assert_array_equal(star, places[[np.nanargmin(values)]])


def test_categories_are_cells_with_the_best_of_the_trials_that_share_them():
    settings = [
        {"criterion": c, "templates": t}
        for c, t in itertools.product(("either", "rank"), (["a {}"], None))
    ]
    settings = settings * 2
    values = np.array([0.1, 0.2, np.nan, 0.4, 0.15, 0.05, np.nan, np.nan])
    (axes,) = panels(contour(settings, values, log=()))
    assert cells(axes) == {(0, 0): "0.15", (0, 1): "0.2", (1, 0): NONE, (1, 1): "0.4"}
    assert [t.get_text() for t in axes.get_xticklabels()] == ["either", "rank"]
    assert [t.get_text() for t in axes.get_yticklabels()] == ['["a {}"]', "null"]
    bold = [t.get_text() for t in axes.texts if t.get_weight() == "bold"]
    assert bold == ["0.4"]
    (low,) = panels(contour(settings, values, "minimize", ()))
    assert cells(low)[0, 0] == "0.1"
    assert cells(low)[0, 1] == "0.05"


@pytest.mark.parametrize(
    "caps", [[1, 2, 3], [1, 2, 3, 4], [1, 1, 1, 1]], ids=["three", "on a line", "constant"]
)
def test_numbers_without_a_triangle_mesh_are_cells(caps):
    settings = [{"T": float(t), "cap": cap} for t, cap in enumerate(caps, 1)]
    (axes,) = panels(contour(settings, np.arange(len(caps)) / 10, log=()))
    assert not axes.collections
    assert len(axes.texts) == len(caps)
    picture(axes.figure, "png")


def test_a_dimension_of_many_numbers_beside_categories_is_cut_into_parts():
    settings, values = made()
    for n, mine in enumerate(settings):
        mine["cap"] = (None, "all")[n % 2]
    (axes,) = panels(contour(settings, values))
    edges = np.geomspace(min(s["T"] for s in settings), max(s["T"] for s in settings), CELLS + 1)
    expected: dict[tuple[int, int], float] = {}
    for n, (mine, value) in enumerate(zip(settings, values, strict=True)):
        part = max(k for k in range(CELLS) if mine["T"] >= edges[k] * (1 - 1e-12))
        key = (part, n % 2)
        expected[key] = max(value, expected.get(key, -np.inf))
    assert cells(axes) == {key: f"{value:.3g}" for key, value in expected.items()}
    labels = [float(t.get_text().split()[1]) for t in axes.get_xticklabels()]
    np.testing.assert_allclose(labels, edges[:-1], rtol=0.05)


def test_text_on_a_cell_is_told_from_its_ground():
    """Contrast ratio of WCAG 2: (lighter + 0.05) / (darker + 0.05) of relative luminances."""

    def luminance(color):
        grey = to_rgb(color)[0]
        return grey / 12.92 if grey <= 0.04045 else ((grey + 0.055) / 1.055) ** 2.4

    settings = [{"a": str(n), "b": "x"} for n in range(30)]
    (axes,) = panels(contour(settings, np.linspace(0, 1, 30), log=()))
    for patch, text in zip(axes.patches, axes.texts, strict=True):
        dark, light = sorted([luminance(patch.get_facecolor()), luminance(text.get_color())])
        assert (light + 0.05) / (dark + 0.05) >= 4.2


def test_darker_is_larger_in_every_panel():
    settings = [{"a": "xyz"[n % 3], "b": n // 3, "c": "q"} for n in range(9)]
    figure = contour(settings, np.arange(9.0), log=())
    assert len(panels(figure)) == 3
    for axes in panels(figure):
        shown = sorted(
            (float(t.get_text()), to_rgb(p.get_facecolor())[0])
            for p, t in zip(axes.patches, axes.texts, strict=True)
        )
        assert (np.diff([grey for _, grey in shown]) < 0).all()


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(ending):
    first, again = (picture(contour(*made()), ending) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("trials", [1, 40])
def test_equal_values_are_drawn(trials):
    settings, _ = made(trials)
    picture(contour(settings, np.full(trials, 0.3)), "png")
    picture(contour(settings, np.zeros(trials)), "svg")


def test_what_cannot_be_drawn_is_said_in_words():
    one = contour([{"T": 0.1}, {"T": 0.2}], np.ones(2))
    assert "needs two dimensions" in one.texts[0].get_text()
    settings, values = made(3)
    none = contour(settings, values * np.nan)
    assert "no trial of 3 has a value of gap" in none.texts[0].get_text()
    assert "has 0" in contour([], np.array([])).texts[0].get_text()
