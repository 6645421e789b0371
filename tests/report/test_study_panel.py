"""Dimensions of a search as axes."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from oodexp.error import OodexpError
from oodexp.report.study_panel import (
    check_trials,
    dimensions,
    grid_shape,
    mark_undefined,
    set_axis,
    span,
    words,
)


def one(values, log=()):
    (found,) = dimensions([{"d": value} for value in values], log)
    return found


def test_numbers_are_their_own_places():
    found = one([3, 0.5, 3])
    assert found.labels is None
    np.testing.assert_array_equal(found.at, [3, 0.5, 3])


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["either", "rank", "either"], ("either", "rank")),
        ([True, False], ("true", "false")),
        ([1000, None], ("1000", "null")),
        ([["a {}"], ["a {}", "b {}"]], ('["a {}"]', '["a {}", "b {}"]')),
        ([{"a": 1}, {"a": 2}], ('{"a": 1}', '{"a": 2}')),
        ([None, "null"], ("null", '"null"')),
        ([1, True], ("1", "true")),
    ],
)
def test_all_else_is_categories_in_the_order_of_their_first_trial(values, labels):
    found = one(values)
    assert found.labels == labels
    again = one(values + values[::-1])
    assert again.labels == labels
    np.testing.assert_array_equal(again.at[len(values) :], again.at[: len(values)][::-1])


def test_categories_stand_on_the_axis_with_all_their_labels():
    axes = Figure().add_subplot()
    set_axis(axes, "y", one(["a", "b", "a", "c"]))
    assert [t.get_text() for t in axes.get_yticklabels()] == ["a", "b", "c"]
    np.testing.assert_array_equal(axes.get_yticks(), range(3))
    assert axes.get_ylim() == (-0.5, 2.5)
    assert axes.get_ylabel() == "d"


def test_long_labels_are_cut_and_still_differ():
    axes = Figure().add_subplot()
    long = [f"a photo of a {{}} number {n} in the {{}}" for n in range(3)]
    set_axis(axes, "x", one(long))
    texts = [t.get_text() for t in axes.get_xticklabels()]
    assert len(set(texts)) == 3
    assert max(map(len, texts)) <= 22


def test_a_logarithmic_axis_holds_all_values_with_equal_room():
    found = one([0.01, 1.0], log={"d"})
    axes = Figure().add_subplot()
    set_axis(axes, "x", found)
    assert axes.get_xscale() == "log"
    low, high = axes.get_xlim()
    assert (low, high) == span(found)
    assert 0.01 / low == pytest.approx(high / 1.0)
    assert low < 0.01


@pytest.mark.parametrize("log", [(), {"d"}])
def test_a_dimension_of_one_value_has_an_axis_around_it(log):
    low, high = span(one([0.05, 0.05], log))
    assert low < 0.05 < high


def test_a_logarithmic_dimension_needs_positive_values():
    with pytest.raises(OodexpError, match="d = 0: a logarithmic axis starts above 0"):
        one([0, 1], log={"d"})


def test_trials_of_different_spaces_are_refused():
    with pytest.raises(OodexpError, match="row 1 sets"):
        dimensions([{"a": 1}, {"b": 1}])


def test_shapes_and_directions_are_checked_and_infinite_is_undefined():
    np.testing.assert_array_equal(
        check_trials(np.array([[1.0], [np.inf]]), ["gap"], ["maximize"], 2), [[1.0], [np.nan]]
    )
    with pytest.raises(OodexpError, match=r"\(2, 1\), expected \(3, 1\)"):
        check_trials(np.zeros((2, 1)), ["gap"], ["maximize"], 3)
    with pytest.raises(OodexpError, match="'up'"):
        check_trials(np.zeros((2, 1)), ["gap"], ["up"], 2)


def test_crosses_lie_on_the_lower_edge_whatever_the_scale():
    axes = Figure().add_subplot(ylim=(500, 900))
    mark_undefined(axes, np.array([2.0, 3.0]))
    (line,) = axes.lines
    pixels = line.get_transform().transform(line.get_xydata())
    assert (np.abs(axes.transAxes.inverted().transform(pixels)[:, 1]) < 0.05).all()
    np.testing.assert_array_equal(line.get_xdata(), [2, 3])


def test_panels_fill_rows_of_four():
    assert [grid_shape(n) for n in (1, 4, 5, 9)] == [(1, 1), (1, 4), (2, 4), (3, 4)]


def test_words_are_a_figure():
    assert [t.get_text() for t in words("nothing").texts] == ["nothing"]
