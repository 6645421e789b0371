"""Tables that compare models as a person reads them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from oodexp.report.comparison import Row, groups, pairs, verdict
from oodexp.report.layout import PIPE_WIDTH

NAN = float("nan")
BETTER = Row("fastvlm", "always_yes", 0.123, 0.081, 0.162, 0.041, 0.0002, 0.012, 0.003, None)
WORSE = BETTER._replace(difference=-0.123, lower=-0.162, upper=-0.081)
ALIKE = Row("fastvlm", "qwen2_vl", -0.014, -0.031, 0.008, 0.031, 0.0512, 0.102, 0.077, None)
NONE = Row("a", "b", *[NAN] * 7, "first: no negative answers")


def shown(table) -> str:
    screen = Console(width=PIPE_WIDTH, file=io.StringIO())
    screen.print(table)
    return screen.file.getvalue()


def cells(text: str) -> list[list[str]]:
    lines = [line.strip()[1:-1].split("│") for line in text.splitlines() if line.startswith("│")]
    return [[c.strip() for c in line] for line in lines]


def test_a_pair_is_a_row_with_its_interval_below():
    text = shown(pairs("Accuracy on OOD-H", [BETTER, ALIKE], 5012, 805, "McNemar"))
    assert cells(text) == [
        ["fastvlm", "always_yes", "+12.3", "4.1", "< 0.001", "0.012", "0.003", "fastvlm is better"],
        ["", "", "+8.1..+16.2", "", "", "", "", ""],
        ["fastvlm", "qwen2_vl", "-1.4", "3.1", "0.051", "0.102", "0.077", "not told apart"],
        ["", "", "-3.1..+0.8", "", "", "", "", ""],
    ]
    assert "5012 questions on 805 images" in text
    assert "3.1 to 4.1 points, median 3.6" in text
    assert "p: McNemar;" in text


def test_a_pair_that_could_not_be_tested_says_why():
    text = shown(pairs("MCC", [NONE], 10, 5, "exchange"))
    assert cells(text) == [
        ["a", "b", "undefined", "-", "-", "-", "-", "not tested: first: no negative answers"]
    ]
    assert "points, median" not in text


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (BETTER, "fastvlm is better"),
        (WORSE, "always_yes is better"),
        (BETTER._replace(holm=0.0501), "not told apart"),
        (BETTER._replace(holm=0.05), "fastvlm is better"),
        (ALIKE._replace(reason="the same answers"), "not told apart: the same answers"),
        (NONE, "not tested: first: no negative answers"),
    ],
)
def test_the_verdict_is_by_holm(row, words):
    assert verdict(row) == words


def test_models_stand_from_the_best_to_the_worst_with_their_letters():
    table = groups(
        "Accuracy", ["worst", "none", "best", "middle"], np.array([0.5, NAN, 0.875, 0.8]),
        ["b1", "", "a", "ab1"], [None, "no data", None, None],
    )  # fmt: skip
    assert cells(shown(table)) == [
        ["best", "87.5", "a"],
        ["middle", "80.0", "a b1"],
        ["worst", "50.0", "b1"],
        ["none", "undefined", "no data"],
    ]
