"""Settings by name, and the refusal of names that are none."""

from __future__ import annotations

import pytest

from oodexp.ablation.chosen import check_objectives, check_space, setting
from oodexp.ablation.regroup import Setting, named, regroup
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError

BASE = Setting(("s0", "s1"), CrossValidation(0.3, thresholds={"s1": 0.4}, rule="mean"), "mine")


def test_what_is_not_chosen_stays():
    found = setting(BASE, {"criterion": "score"})
    assert found.scorers == BASE.scorers
    assert found.reader == "mine"
    changed = BASE.division.settings | {"criterion": "score"}
    assert found.division.settings == changed


def test_a_common_threshold_replaces_those_of_single_scorers():
    found = setting(BASE, {"threshold": 0.1}).division.settings
    assert (found["threshold"], found["thresholds"]) == (0.1, {})
    found = setting(BASE, {"threshold": 0.1, "threshold.s0": 0.2}).division.settings
    assert (found["threshold"], found["thresholds"]) == (0.1, {"s0": 0.2})
    found = setting(BASE, {"threshold.s0": 0.2}).division.settings
    assert (found["threshold"], found["thresholds"]) == (0.3, {"s0": 0.2, "s1": 0.4})


def test_thresholds_of_scorers_that_do_not_divide_are_left_out():
    found = setting(BASE, {"scorers": ["s0"]})
    assert found.scorers == ("s0",)
    assert found.division.settings["thresholds"] == {}


def test_a_template_names_other_scores_and_keeps_the_thresholds():
    found = setting(BASE, {"template": "{}"})
    assert found.scorers == ("s0 [{}]", "s1 [{}]")
    assert found.division.settings["thresholds"] == {"s1 [{}]": 0.4}


def test_reader_and_convention_are_chosen(made):
    found = setting(BASE, {"reader": "theirs", "convention": "read"})
    assert (found.reader, found.convention) == ("theirs", "read")
    assert regroup(made().stock(), found).setting is found


def test_a_dimension_that_is_none_is_refused_with_the_nearest():
    check_space(["threshold.s1", "cap", "template"], BASE.scorers)
    with pytest.raises(OodexpError, match=r"space\.threshhold.*did you mean threshold\?"):
        check_space(["threshhold"], BASE.scorers)
    with pytest.raises(OodexpError, match=r"threshold\.s9"):
        check_space(["threshold.s9"], BASE.scorers)


def test_every_number_of_a_trial_is_an_objective_and_nothing_else_is(made):
    stock = made().stock()
    numbers = named(stock, regroup(stock, BASE))
    wanted = {n: "maximize" for n in numbers if not n.endswith("unasked")}
    assert check_objectives(wanted, stock.vlms) == wanted
    with pytest.raises(OodexpError, match="did you mean mean/gap/accuracy"):
        check_objectives({"mean/gap/acuracy": "maximize"}, stock.vlms)
    with pytest.raises(OodexpError, match="none given"):
        check_objectives({}, stock.vlms)
