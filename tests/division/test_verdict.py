"""From S and Delta of K scorers to a split."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oodexp.division.verdict import CRITERIA, ID, OOD_H, OOD_S, RULES, UNASSIGNED, verdicts

T = 0.05


@st.composite
def judged(draw, least=1, most=4):
    """Scores and margins of 12 pairs by K scorers; thresholds of each."""
    shape = (12, draw(st.integers(least, most)))
    some = arrays(np.float32, shape, elements=st.sampled_from([0.0, 0.04, 0.05, 0.06, 0.5, np.nan]))
    signs = arrays(np.float32, shape, elements=st.sampled_from([-0.5, -0.01, 0.0, 0.01, 0.5]))
    limits = st.lists(st.sampled_from([0.0, 0.05, 0.2]), min_size=shape[1], max_size=shape[1])
    return draw(some), draw(signs), draw(limits)


def flags(*rows):
    """Scores that are low (1) or not (0), and margins to go with them: rows of pairs."""
    low = np.array(rows, dtype=bool)
    return np.where(low, 0.01, 0.9).astype(np.float32), np.zeros(low.shape, np.float32)


@given(judged(), st.sampled_from(CRITERIA))
def test_hard_and_simple_are_disjoint_and_together_all_flagged_pairs(drawn, criterion):
    scores, margins, limits = drawn
    found = verdicts(scores, margins, limits, criterion=criterion)
    whole = found.scored.all(axis=1)
    hard, simple = found.split == OOD_H, found.split == OOD_S
    assert not (hard & simple).any()
    assert np.array_equal((hard | simple)[whole], found.flagged.any(axis=1)[whole])
    assert np.array_equal(hard[whole], found.flagged.all(axis=1)[whole])
    assert (found.split[~whole] == UNASSIGNED).all()


@given(judged(least=2, most=2))
def test_two_scorers_give_the_intersection_and_the_symmetric_difference(drawn):
    found = verdicts(*drawn)
    one, two = found.flagged.T
    whole = found.scored.all(axis=1)
    assert np.array_equal((found.split == OOD_H)[whole], (one & two)[whole])
    assert np.array_equal((found.split == OOD_S)[whole], (one ^ two)[whole])
    assert np.array_equal((found.split == ID)[whole], ~(one | two)[whole])


@given(judged(least=1, most=1), st.sampled_from(RULES))
def test_a_lone_scorer_knows_hard_and_id_only(drawn, rule):
    found = verdicts(*drawn, rule=rule)
    want = np.where(found.flagged[:, 0], OOD_H, ID)
    assert np.array_equal(found.split, np.where(found.scored[:, 0], want, UNASSIGNED))


@given(judged(), st.permutations(range(12)))
def test_the_verdict_of_a_pair_does_not_depend_on_the_other_pairs(drawn, order):
    scores, margins, limits = drawn
    turned = verdicts(scores[order], margins[order], limits)
    assert np.array_equal(turned.split, verdicts(scores, margins, limits).split[order])


@given(judged(most=3), st.sampled_from(["all", "majority"]))
def test_one_criterion_for_all_scorers_is_a_part_of_any_criterion_for_each(drawn, rule):
    each = verdicts(*drawn, rule=rule).split == OOD_H
    same = verdicts(*drawn, rule=rule, combine="per_criterion").split == OOD_H
    assert not (same & ~each).any()


def test_a_pair_that_fails_one_scorer_by_score_and_the_other_by_rank_tells_the_readings_apart():
    scores, margins = np.float32([[0.01, 0.9]]), np.float32([[0.1, -0.1]])
    assert verdicts(scores, margins, [T, T]).split == [OOD_H]
    assert verdicts(scores, margins, [T, T], combine="per_criterion").split == [OOD_S]


@pytest.mark.parametrize(
    ("criterion", "flagged"),
    [
        ("either", [True, True, True, False]),
        ("score", [True, True, False, False]),
        ("rank", [True, False, True, False]),
        ("both", [True, False, False, False]),
    ],
)
def test_each_criterion_by_hand(criterion, flagged):
    scores, margins = np.float32([[0.01], [0.01], [0.9], [0.9]]), np.float32([[-1], [1], [-1], [1]])
    found = verdicts(scores, margins, [T], criterion=criterion)
    assert found.flagged[:, 0].tolist() == flagged


@pytest.mark.parametrize(
    ("rule", "by_flags"),
    [
        ("all", [ID, OOD_S, OOD_S, OOD_H]),
        ("majority", [ID, OOD_S, OOD_H, OOD_H]),
        ("parity", [ID, OOD_S, UNASSIGNED, OOD_H]),
    ],
)
def test_three_scorers_by_hand(rule, by_flags):
    scores, margins = flags([0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1])
    assert verdicts(scores, margins, [T] * 3, rule=rule).split.tolist() == by_flags


@pytest.mark.parametrize(
    ("rule", "by_flags"),
    [
        ("all", [ID, OOD_S, OOD_S, OOD_S, OOD_H]),
        ("majority", [ID, OOD_S, OOD_S, OOD_H, OOD_H]),
        ("parity", [ID, OOD_S, UNASSIGNED, OOD_S, OOD_H]),
    ],
)
def test_four_scorers_by_hand(rule, by_flags):
    scores, margins = flags(*([1] * n + [0] * (4 - n) for n in range(5)))
    assert verdicts(scores, margins, [T] * 4, rule=rule).split.tolist() == by_flags


def test_the_mean_rule_by_hand():
    # Means .03 (low), .455 (not), .045 (low though one scorer is not), margins all >= 0.
    scores = np.float32([[0.01, 0.05], [0.01, 0.9], [0.0, 0.09], [0.9, 0.9]])
    found = verdicts(scores, np.zeros((4, 2), np.float32), [T, T], rule="mean")
    assert found.split.tolist() == [OOD_H, OOD_S, OOD_H, ID]


def test_the_mean_rule_takes_the_mean_margin_for_rank():
    margins = np.float32([[-0.3, 0.1], [-0.1, 0.3], [0.1, 0.1]])
    found = verdicts(np.full((3, 2), 0.9, np.float32), margins, [T, T], rule="mean")
    assert found.split.tolist() == [OOD_H, OOD_S, ID]


@pytest.mark.parametrize("threshold", [0.05, 0.01, 0.005, 1 / 3, 0.1])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scorers", [1, 2, 3, 5])
def test_a_score_of_exactly_the_threshold_is_not_below_it(threshold, rule, scorers):
    at = np.full((1, scorers), threshold, dtype=np.float32)
    limits, margins = [threshold] * scorers, np.zeros_like(at)
    assert verdicts(at, margins, limits, rule=rule).split == [ID]
    below = np.nextafter(at, np.float32(0))
    assert verdicts(below, margins, limits, rule=rule).split == [OOD_H]


def test_each_scorer_has_its_own_threshold():
    scores, margins = np.float32([[0.3, 0.3]]), np.zeros((1, 2), np.float32)
    found = verdicts(scores, margins, [0.5, 0.1])
    assert found.flagged.tolist() == [[True, False]]
    assert found.split == [OOD_S]


def test_a_score_that_is_nan_is_not_in_distribution(shared):
    case = shared / "cases/g15-nan-score"
    expected = json.loads((case / "expected.json").read_text())
    rows = [json.loads(line) for line in (case / "scores.jsonl").read_text().splitlines()]
    images, models = (list(dict.fromkeys(r[k] for r in rows)) for k in ("image", "model"))
    scores = np.full((len(images), len(models)), np.nan, np.float32)
    for row in rows:
        scores[images.index(row["image"]), models.index(row["model"])] = row["score"]
    limits = [expected["T"]] * len(models)
    found = verdicts(scores, np.zeros_like(scores), limits, criterion="score")
    by_split = {
        name: [[i, "fox"] for i, s in zip(images, found.split, strict=True) if s == code]
        for name, code in (("ID", ID), ("OOD-S", OOD_S), ("OOD-H", OOD_H))
    }
    assert by_split == {name: expected[name] for name in by_split}
    unscored = [
        [images[i], "fox", f"{models[k]}: NaN"] for i, k in np.argwhere(~found.scored).tolist()
    ]
    assert unscored == expected["unscored"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("combine", ["per_model", "per_criterion"])
def test_a_missing_score_or_margin_is_in_no_split_by_any_rule(rule, combine):
    scores, margins = np.float32([[np.nan, 0.01], [0.01, 0.01]]), np.float32([[0, 0], [0, np.nan]])
    found = verdicts(scores, margins, [T, T], rule=rule, combine=combine)
    assert found.split.tolist() == [UNASSIGNED, UNASSIGNED]
    assert found.flagged.tolist() == [[False, True], [True, False]]
