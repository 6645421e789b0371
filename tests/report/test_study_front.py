"""Objectives against each other; the staircase against the definition of dominance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.report.study_front import draw_front, staircase
from oodexp.search.pareto import front
from oodexp.tracker.picture import picture

BOTH = [("maximize", "maximize"), ("maximize", "minimize"), ("minimize", "minimize"),
        ("minimize", "maximize")]  # fmt: skip


def made(objectives=2, trials=30, directions=("maximize",) * 3, seed=0):
    values = np.random.default_rng(seed).normal(size=(trials, objectives))
    values[5, 0] = np.nan
    names, directions = [f"o{n}" for n in range(objectives)], directions[:objectives]
    return np.arange(trials) + 100, values, names, directions, inside(values, directions)


def inside(values, directions):
    return front(values, [d == "maximize" for d in directions])


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def test_front_and_rest_are_all_trials_with_both_objectives():
    _, values, *_, within = made()
    figure = draw_front(*made())
    own = lines(figure.axes[0])
    np.testing.assert_array_equal(
        own["Pareto front, with trial number"].get_xydata(), values[within]
    )
    rest = ~within & np.isfinite(values).all(axis=1)
    np.testing.assert_array_equal(own["beaten by another trial"].get_xydata(), values[rest])
    assert len(within) == within.sum() + rest.sum() + 1
    assert figure.legends[0].get_title().get_text().startswith("1 without all objectives")
    assert len({own[name].get_marker() for name in own}) == 3


def test_each_trial_of_the_front_bears_its_number_and_no_number_hides_another():
    for seed in range(5):
        numbers, values, names, directions, within = made(seed=seed, trials=60)
        figure = draw_front(numbers, values, names, directions, within)
        (axes,) = figure.axes
        told = {int(t.get_text()): t for t in axes.texts}
        assert set(told) == set(numbers[within])
        for number, text in told.items():
            np.testing.assert_array_equal(text.xy, values[list(numbers).index(number)])
        figure.draw_without_rendering()
        boxes = [t.get_window_extent() for t in told.values()]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("directions", BOTH)
def test_the_staircase_parts_what_is_reached_from_what_is_not(directions):
    values = np.random.default_rng(2).normal(size=(40, 2))
    best = values[inside(values, directions)]
    stairs = staircase(best, directions[0] == "maximize")
    sign = np.where(np.array(directions) == "maximize", 1.0, -1.0)

    def reached(point):
        return bool(((best * sign) >= np.array(point) * sign - 1e-12).all(axis=1).any())

    legs = list(itertools.pairwise(stairs))
    assert len(stairs) == 2 * len(best) - 1
    assert {tuple(b) for b in best} <= {tuple(s) for s in stairs}
    for a, b in legs:
        middle = (a + b) / 2
        assert (a == b).any()
        assert reached(middle)
        assert not reached(middle + 1e-6 * sign)


def test_trials_at_one_place_share_a_label():
    values = np.array([[1.0, 1.0]] * 5 + [[0.0, 2.0]] * 2)
    figure = draw_front(np.arange(7), values, ["a", "b"], BOTH[0], np.ones(7, bool))
    assert sorted(t.get_text() for t in figure.axes[0].texts) == ["0, 1, 2 +2", "5, 6"]


def test_three_objectives_are_a_matrix_of_pairs():
    numbers, values, *_, within = made(3)
    figure = draw_front(*made(3))
    columns = {"o0": 0, "o1": 1, "o2": 2}
    found = [(a.get_xlabel(), a.get_ylabel()) for a in figure.axes]
    assert found == [
        ("", "o1 (maximize)"), ("o0 (maximize)", "o2 (maximize)"), ("o1 (maximize)", ""),
    ]  # fmt: skip
    for axes, pair in zip(figure.axes, [("o0", "o1"), ("o0", "o2"), ("o1", "o2")], strict=True):
        drawn = lines(axes)
        assert "_staircase" not in drawn
        np.testing.assert_array_equal(
            drawn["Pareto front, with trial number"].get_xydata(),
            values[within][:, [columns[name] for name in pair]],
        )
        assert {t.get_text() for t in axes.texts} == {str(n) for n in numbers[within]}


@pytest.mark.parametrize("objectives", [2, 3])
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_saved_without_a_warning_and_always_the_same(objectives, ending):
    first, again = (picture(draw_front(*made(objectives)), ending) for _ in range(2))
    assert first == again


def test_a_single_trial_is_its_own_front():
    figure = draw_front(np.array([4]), np.ones((1, 2)), ["a", "b"], BOTH[0], np.array([True]))
    assert [t.get_text() for t in figure.axes[0].texts] == ["4"]
    picture(figure, "png")


def test_one_objective_and_no_complete_trial_are_said_in_words():
    one = draw_front(np.arange(2), np.ones((2, 1)), ["a"], ["maximize"], np.array([True, True]))
    assert "needs two objectives" in one.texts[0].get_text()
    nothing = np.array([[np.nan, 1.0]])
    none = draw_front(np.arange(1), nothing, ["a", "b"], BOTH[0], np.array([False]))
    assert "no trial of 1 has all objectives" in none.texts[0].get_text()


def test_a_front_of_undefined_trials_or_of_numbers_is_refused():
    numbers, values, names, directions, within = made()
    wrong = within.copy()
    wrong[5] = True
    with pytest.raises(OodexpError, match="trial 105 is in the front and lacks an objective"):
        draw_front(numbers, values, names, directions, wrong)
    with pytest.raises(OodexpError, match="expected bool"):
        draw_front(numbers, values, names, directions, within.astype(int))
