"""Tables of an ablation: what is printed is what the tables hold."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console

from oodexp import table
from oodexp.record import Trial, TrialMix, TrialValue
from oodexp.report.agreement import Agreeing, agreement_table
from oodexp.report.orders import order_table
from oodexp.report.trials import common_table, front_table, lost_rows, mix_table, value_table


def printed(made) -> str:
    screen = Console(width=200, record=True, file=io.StringIO())
    screen.print(made)
    return screen.export_text()


@pytest.fixture
def trials():
    rows = [
        Trial("s", 0, "T=0.05", "{}", '{"gap": 0.25, "pairs": 30}', "complete", True, "r0", None),
        Trial("s", 1, "T=0.01", "{}", '{"gap": null, "pairs": 3}', "undefined", False, "r1",
              "gap is nan: no pair in OOD-S"),
    ]  # fmt: skip
    return table.frame(Trial, rows)


@pytest.fixture
def values():
    def row(trial, name, value, mix="own", covered=1.0):
        lower, upper = (None, None) if value is None else (value - 0.1, value + 0.1)
        return TrialValue("s", trial, "vlm_a", name, "none", mix, "accuracy", value, lower, upper,
                          10, 1, covered, None)  # fmt: skip

    rows = [row(0, r, v) for r, v in (("ID", 0.9), ("OOD-S", 0.6), ("OOD-H", 0.35), ("gap", 0.25))]
    rows += [row(1, "ID", 0.8), row(1, "OOD-S", None)]
    rows += [row(0, "ID", 0.7, "size"), row(0, "ID", 0.75, "planted", 0.5)]
    return table.frame(TrialValue, rows)


@pytest.fixture
def mixes():
    shares = json.dumps({"planted: secondary": 0.25, "size: small": 0.5})
    rows = [
        TrialMix("s", 0, split, pairs, pairs - 1, 7, 120.0, 1.5, 3.21, 9, shares, "{}")
        for split, pairs in (("ID", 50), ("OOD-S", 20), ("OOD-H", 30))
    ]
    return table.frame(TrialMix, rows)


def test_values_stand_in_percent_beside_the_sizes_of_the_splits(trials, values, mixes):
    text = printed(value_table("a title", trials, values[values["mix"] == "own"], mixes))
    assert "50 / 20 / 30" in text
    assert "90.0" in text
    assert "80.0..100.0" in text
    assert "15.0..35.0" in text  # of the gap
    assert "undefined" in text  # state of the second trial, and its OOD-S


def test_mixes_show_the_planted_groups_where_there_are_any(trials, mixes):
    text = printed(mix_table(trials, mixes))
    assert "secondary" in text
    assert "small" not in text
    assert "25" in text
    assert "3.21" in text


def test_the_common_mix_is_the_planted_one_and_tells_what_it_covers(trials, values):
    text = printed(common_table(trials, values))
    assert "(planted)" in text
    assert "75.0" in text
    assert "50" in text
    assert common_table(trials, values[values["mix"] == "own"]) is None


def test_the_front_is_listed_and_lost_trials_are_counted_with_their_reason(trials):
    text = printed(front_table("a study", trials))
    assert "Pareto front, 1 of 2 trials" in " ".join(text.split())
    assert "0.25" in text
    assert "1 complete, 1 undefined" in text
    assert list(lost_rows(trials)) == ["1 trials undefined: gap is nan: no pair in OOD-S"]


def test_agreement_shows_an_undefined_kappa_as_none():
    jaccard = {"ID": 1.0, "OOD-S": float("nan"), "OOD-H": 0.5}
    row = Agreeing("II", float("nan"), 0.875, jaccard, 40, 2, 1.25)
    text = printed(agreement_table("I", [row], 1200))
    assert "87.5" in text
    assert "0.500" in text
    assert text.count(" - ") == 2
    assert "1,200 images" in text


def test_orders_tell_mean_least_largest_and_rebounds():
    values = np.array([[[0.5], [0.2], [0.3]], [[0.7], [0.4], [0.3]], [[0.6], [np.nan], [0.3]]])
    text = printed(order_table("majority", ["vlm_a"], values))
    assert "60.0 (50.0..70.0)" in text
    assert "30.0 (20.0..40.0)" in text
    assert "1 of 2" in text
