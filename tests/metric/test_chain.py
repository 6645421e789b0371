"""Points of BAP against a loop in the paper's words, constant answers by brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.metric.chain import BREAKS, COLUMNS, Rule, breaks, constant, points

RULES = [
    Rule(*options)
    for options in product(
        ("both", "each", "present"), ("progressive", "independent"), ("mixed", "image")
    )
]
EVERY = np.array(list(product((False, True), repeat=7)))


def slow(answers, rule):
    """The points of one sample, with one answer a name."""
    p1, p2, a1, a2, n1, n2, greater = answers
    there = [p1, p2] if rule.existence == "present" else [p1 and a1, p2 and a2]
    e = [p1, p2, a1, a2] if rule.existence == "each" else list(there)
    c = [n1, n2]
    if rule.counting == "progressive":
        c = [n1 and there[0], n2 and there[1]]
    level = [bool(c[0] and c[1] and greater)]
    if rule.unit == "image":
        e, c = [all(e)], [all(c)]
    return {"e_acc": e, "c_acc": c, "l_acc": level}


@pytest.mark.parametrize("rule", RULES)
def test_points_are_those_of_a_loop_for_every_set_of_answers(rule):
    found = points(EVERY, rule)
    for n, answers in enumerate(EVERY):
        want = slow([bool(a) for a in answers], rule)
        assert {name: values[n].tolist() for name, values in found.items()} == want


@pytest.mark.parametrize("rule", [r for r in RULES if r.unit == "image"])
def test_an_advanced_point_of_an_image_needs_the_basic_ones(rule):
    found = points(EVERY, rule)
    assert (found["l_acc"] <= found["c_acc"]).all()
    if rule.counting == "progressive" and rule.existence != "each":
        assert (found["c_acc"] <= found["e_acc"]).all()


@pytest.mark.parametrize("rule", RULES)
def test_a_chain_breaks_once(rule):
    steps = np.concatenate([breaks(EVERY, rule)[name] for name in BREAKS], axis=1)
    assert (steps.sum(axis=1) == 1).all()
    complete = breaks(EVERY, rule)["complete"]
    assert (complete <= points(EVERY, rule)["l_acc"]).all()


@pytest.mark.parametrize("rule", RULES)
def test_no_constant_answer_earns_more(rule):
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 5, (30, 2))
    greater = counts[:, 0] > counts[:, 1]
    best = constant(counts, greater, rule)
    truths = np.tile([True, True, False, False], (30, 1))
    tried: dict[str, list[float]] = {name: [] for name in best}
    for yes, number, more in product((False, True), range(7), (False, True)):
        right = np.ones((30, 7), dtype=bool)
        existence = right.copy()
        existence[:, :4] = truths == yes
        counted = right.copy()
        counted[:, 4:6] = counts == number
        logic = right.copy()
        logic[:, 6] = greater == more
        for name, answers in zip(best, (existence, counted, logic), strict=True):
            tried[name].append(points(answers, rule)[name].mean())
    for name, values in best.items():
        assert values.mean() == pytest.approx(max(tried[name])), name


def test_an_option_that_is_none_is_named():
    with pytest.raises(OodexpError, match=r"metric\.unit=pair.*mixed, image"):
        Rule(unit="pair")


def test_the_columns_are_the_seven_questions():
    assert len(COLUMNS) == EVERY.shape[1]
