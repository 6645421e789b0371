"""The pairs that any trial can select."""

from __future__ import annotations

import pandas as pd
import pytest

from oodexp.ablation.regroup import Setting, regroup
from oodexp.ablation.stock import stock
from oodexp.ablation.union import union
from oodexp.division.cross_validation import CrossValidation
from oodexp.question.base import Known
from oodexp.question.existence import Existence

KEY = ["source", "image_id", "category"]


def settings(**options) -> list[Setting]:
    return [
        Setting(scorers, CrossValidation(t, cap=6, **options), "mine")
        for t in (0.05, 0.3, 0.6)
        for scorers in (("s0", "s1"), ("s1", "s2"))
    ]


def keys(rows: pd.DataFrame) -> set[tuple[str, ...]]:
    return set(rows[KEY].itertuples(index=False, name=None))


@pytest.mark.parametrize("pool", ["present", "random", "balanced"])
def test_drawn_pairs_are_those_that_any_division_draws(made, pool):
    world = made(seed=30, sources=2, lost=0.02)
    found = union(world.lots(), settings(id_pool=pool))
    want = set()
    for setting in settings(id_pool=pool):
        rows = world.memberships(setting.scorers, setting.division)
        want |= keys(rows[rows["drawn"]])
    assert keys(found[found["drawn"]]) == want
    assert len(want) < len(found[found["present"]])
    assert (pool == "present") == found["present"].all()


@pytest.mark.parametrize("pool", ["present", "balanced"])
def test_after_asking_about_the_union_no_listed_trial_lacks_an_answer(made, pool):
    world = made(seed=31, lost=0.02)
    rows = union(world.lots(), settings(id_pool=pool))
    ask = Existence({"present": "is there {}?", "absent": "is there no {}?"}, "drawn")
    asked = ask.ask(Known(rows, world.pairs, []))
    assert 0 < len(asked) < len(world.questions) / 2
    answers = world.answers[world.answers["question_id"].isin(asked["question_id"])]
    small = stock(world.lots(), world.pairs, asked, answers)
    whole = world.stock()
    for setting in settings(id_pool=pool):
        found, want = regroup(small, setting), regroup(whole, setting)
        assert not found.unasked.any()
        assert (found.counts == want.counts).all()
    # Another trial may choose pairs outside.
    other = Setting(("s0",), CrossValidation(0.1, cap=None, id_size="all"), "mine")
    assert regroup(small, other).unasked.any()


def test_all_scored_pairs_are_enough_for_any_trial_with_present_pairs(made):
    world = made(seed=32, lost=0.02, absent=False)
    rows = union(world.lots(), settings())
    ask = Existence({"present": "is there {}?", "absent": "is there no {}?"}, "all")
    asked = ask.ask(Known(rows, world.pairs, []))
    answers = world.answers[world.answers["question_id"].isin(asked["question_id"])]
    small = stock(world.lots(), world.pairs, asked, answers)
    for threshold in (0.0, 0.11, 0.77, 1.0):
        division = CrossValidation(threshold, cap=None, id_size="all", rule="majority")
        assert not regroup(small, Setting(("s0", "s1"), division, "mine")).unasked.any()


def test_a_pair_that_no_setting_can_place_says_so(made):
    world = made(seed=33, lost=0.1)
    one = [Setting(("s0",), CrossValidation(), "mine")]
    found = union(world.lots(), one)
    lost = found[found["split"].isna()]
    assert len(lost) > 0
    assert (lost["reason"] == "in no split by any setting").all()
    assert not lost["drawn"].any()
    more = union(world.lots(), [*one, Setting(("s1",), CrossValidation(), "mine")])
    assert more["split"].isna().sum() < len(lost)


def test_the_split_of_a_drawn_pair_is_that_of_the_first_setting_that_draws_it(made):
    world = made(seed=34)
    chosen = settings()
    found = union(world.lots(), chosen).set_index(KEY)
    left = set(found[found["drawn"]].index)
    for setting in chosen:
        rows = world.memberships(setting.scorers, setting.division).set_index(KEY)
        for key in left & set(rows[rows["drawn"]].index):
            assert found.loc[key, "split"] == rows.loc[key, "split"]
            left.remove(key)
    assert not left
