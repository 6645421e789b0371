"""The studies that each ablation consists of, against their trials listed by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from oodexp.ablation.base import MOST_LISTED
from oodexp.ablation.identity import identity
from oodexp.ablation.regroup import Setting
from oodexp.ablation.scorer_count import ScorerCount
from oodexp.ablation.scorer_type import ScorerType
from oodexp.ablation.search import Search
from oodexp.ablation.threshold import Threshold
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError

BASE = Setting(("s0", "s1", "s2"), CrossValidation(0.3, thresholds={"s1": 0.4}, cap=7), "mine")
UP = {"mean/gap/accuracy": "maximize"}


def settings_of(plan):
    return [s.division.settings for s in plan.listed()]


def test_each_reading_of_table_iv_is_a_study_of_the_same_thresholds():
    plans = Threshold(uncalibrated=["s1"], range=None).plans(BASE, ["a"])
    assert [p.name for p in plans] == ["threshold-score", "threshold-either", "threshold-bare"]
    for plan in plans:
        assert [s["threshold"] for s in settings_of(plan)] == [0.05, 0.01, 0.005]
        assert all(s["thresholds"] == {} and s["cap"] == 7 for s in settings_of(plan))
    criteria = [settings_of(p)[0]["criterion"] for p in plans]
    assert criteria == ["score", "either", "either"]
    assert plans[0].listed()[0].scorers == BASE.scorers
    assert plans[2].listed()[0].scorers == ("s0", "s1 (bare)", "s2")


def test_the_range_gives_each_scorer_thresholds_even_on_a_log_scale():
    (plan,) = Threshold(readings=["score"], range=[0.01, 1.0], points=3).plans(BASE, ["a"])[1:]
    found = [tuple(s["thresholds"].values()) for s in settings_of(plan)]
    assert found == list(itertools.product([0.01, 0.1, 1.0], repeat=3))
    assert {s["criterion"] for s in settings_of(plan)} == {"score"}
    (free,) = Threshold(readings=["score"], points=None).plans(BASE, ["a"])[1:]
    assert free.listed() is None
    assert free.scorers() == {BASE.scorers}


def test_groups_are_compared_in_their_order():
    groups = {"I": ["s0", "s1"], "II": ["s1", "s2"]}
    (plan,) = ScorerType(groups).plans(BASE, ["a"])
    assert [s.scorers for s in plan.listed()] == [("s0", "s1"), ("s1", "s2")]
    assert [plan.label(c) for c in plan.space.cells()] == ["I", "II"]
    (plan,) = ScorerType().plans(BASE, ["a"])
    assert [s.scorers for s in plan.listed()] == list(itertools.combinations(BASE.scorers, 2))


def test_counts_follow_the_order_and_subsets_hold_every_order():
    rules = ["all", "parity"]
    (plan,) = ScorerCount(["s2", "s0", "s1"], rules).plans(BASE, ["a"])
    found = [(s.division.settings["rule"], s.scorers) for s in plan.listed()]
    prefixes = [("s2",), ("s2", "s0"), ("s2", "s0", "s1")]
    assert found == list(itertools.product(rules, prefixes))
    (plan,) = ScorerCount(rules=["all"], over="subsets").plans(BASE, ["a"])
    sets = [frozenset(s.scorers) for s in plan.listed()]
    assert len(sets) == len(set(sets)) == 7
    for order in itertools.permutations(BASE.scorers):
        assert all(frozenset(order[:k]) in sets for k in (1, 2, 3))


def test_a_search_knows_every_set_of_scorers_that_it_may_divide_by():
    space = {
        "scorers": [["s0"], ["s0", "s2"]], "template": ["{}", "a {}"],
        "threshold": {"low": 0.01, "high": 0.5},
    }  # fmt: skip
    (plan,) = Search(space, UP).plans(BASE, ["a"])
    assert plan.listed() is None
    assert plan.scorers() == {
        ("s0 [{}]",), ("s0 [a {}]",), ("s0 [{}]", "s2 [{}]"), ("s0 [a {}]", "s2 [a {}]"),
    }  # fmt: skip


def test_a_large_grid_is_not_listed_beforehand():
    many = list(np.linspace(0.01, 0.9, MOST_LISTED + 1))
    (plan,) = Search({"threshold": many}, UP).plans(BASE, ["a"])
    assert plan.listed() is None


@pytest.mark.parametrize(
    ("ablation", "said"),
    [
        (lambda: Threshold(), r"ablation\.uncalibrated.*\[blip2\]"),
        (lambda: Threshold(readings=["both"]), r"readings=\['both'\]"),
        (lambda: Threshold(readings=["score"], range=[0.5, 0.1]), "0 < lowest < highest"),
        (lambda: Threshold(readings=["score"], points=1), "points=1"),
        (lambda: Threshold(uncalibrated=["s9"]).plans(BASE, ["a"]), "s9"),
        (lambda: ScorerType({"I": ["s0"]}).plans(BASE, ["a"]), "two groups or more"),
        (
            lambda: ScorerType({"I": ["s0"], "II": ["s9"]}).plans(BASE, ["a"]),
            r"scorer=\[s0,s1,s2,s9",
        ),
        (lambda: ScorerCount(rules=["most"]), r"rules=\['most'\]"),
        (lambda: ScorerCount(["s0", "s0"]).plans(BASE, ["a"]), "each once"),
        (lambda: ScorerCount(over="all"), "over=all"),
        (lambda: Search({"scorers": ["s0"]}, UP).plans(BASE, ["a"]), "'s0' is no list"),
        (lambda: Search({"rule": ["all"]}, {}).plans(BASE, ["a"]), "none given"),
        (lambda: ScorerCount(resamples=10), "resamples=10"),
        (lambda: ScorerCount(seed=-1), "seed=-1"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named_before_anything_runs(ablation, said):
    with pytest.raises(OodexpError, match=said):
        ablation()


def test_other_answers_scores_or_fixed_settings_are_another_study(made):
    whole = made().stock()
    mark = identity(whole, BASE)
    assert identity(made().stock(), BASE) == mark
    answered = made().stock()
    answered.readings["mine"][0, 0, 0] = 1 - answered.readings["mine"][0, 0, 0]
    assert identity(answered, BASE) != mark
    scored = made().stock()
    scored.lots[0].scores["s0"][0] /= 2
    assert identity(scored, BASE) != mark
    other = Setting(BASE.scorers, BASE.division.changed(cap=8), "mine")
    assert identity(whole, other) != mark
