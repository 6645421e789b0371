"""Which earlier trials count."""

from __future__ import annotations

import pytest

from oodexp.search.history import Attempt, standing


def attempts(*told: tuple[str, str]) -> list[Attempt]:
    """One trial a second for each (settings, state)."""
    return [
        Attempt(n, key, {"a": key}, state, {"gap": None}, started=float(n))
        for n, (key, state) in enumerate(told)
    ]


@pytest.mark.parametrize("state", ["complete", "running", "undefined", "failed"])
def test_such_a_trial_takes_its_settings(state):
    now = standing(attempts(("x", state)))
    assert now.taken["x"].state == state
    assert now.again == {}


@pytest.mark.parametrize("state", ["lost", "interrupted", "reused"])
def test_such_a_trial_leaves_its_settings_open(state):
    now = standing(attempts(("x", state)))
    assert now.taken == {}
    assert list(now.again) == ["x"]


def test_settings_lost_twice_are_given_up():
    now = standing(attempts(("x", "lost"), ("x", "lost")))
    assert now.again == {}
    assert (now.taken["x"].state, now.taken["x"].number) == ("lost", 1)


def test_settings_may_be_interrupted_any_number_of_times():
    now = standing(attempts(*[("x", "interrupted")] * 5, ("x", "lost")))
    assert list(now.again) == ["x"]


def test_the_complete_trial_counts_and_names_the_others():
    now = standing(attempts(("x", "lost"), ("y", "failed"), ("x", "complete"), ("x", "reused")))
    assert (now.taken["x"].number, now.taken["x"].earlier) == (2, (0, 3))
    assert now.running == []


def test_a_living_trial_is_running():
    now = standing(attempts(("x", "lost"), ("x", "running")))
    assert [trial.number for trial in now.running] == [1]


def test_what_failed_before_is_forgiven_but_not_what_failed_since():
    told = attempts(("x", "failed"), ("y", "undefined"), ("x", "failed"), ("z", "complete"))
    now = standing(told, forgiven_before=2.0)
    assert list(now.again) == ["y"]
    assert (now.taken["x"].number, list(now.taken)) == (2, ["x", "z"])
