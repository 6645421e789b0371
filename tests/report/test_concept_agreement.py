"""Dual encoders beside chat models. OODConceptBench has no such table."""

from __future__ import annotations

import math

from oodexp.report.concept_agreement import Alone, Beside, agreement_table, alone_table
from oodexp.report.concept_value import Value
from tests.report.printed import printed, rows, said


def beside(**changed):
    row = Beside("clip", "chat", "L2", 30, 20, 40, 10, 3, Value(0.12, -0.1, 0.3), Value(0.07))
    return row._replace(**changed)


def test_shares_of_the_images_stand_beside_kappa_controls_and_unread_answers():
    (row, interval) = rows(agreement_table([beside()]))
    assert row == ["clip", "chat", "L2", "100", "30.0", "20.0", "40.0", "10.0", "0.12", "7.0", "3"]
    assert interval[8] == "-0.10..0.30"
    assert sum(map(float, row[4:8])) == 100


def test_no_image_gives_no_share_and_an_undefined_kappa_its_reason():
    undefined = Value(math.nan, reason="both say yes to all")
    row = beside(both=0, encoder_only=0, chat_only=0, neither=0, kappa=undefined)
    assert rows(agreement_table([row]))[0][3:9] == ["0", "-", "-", "-", "-", "undefined"]
    assert "clip and chat, L2: both say yes to all" in said(agreement_table([row]))


def test_controls_that_were_not_asked_are_told():
    row = beside(invented=Value(math.nan, reason="no control was asked"))
    assert "controls of chat, L2: no control was asked" in said(agreement_table([row]))


CONCEPTS = [
    Alone(f"p{n}", "fog", 10, Value(a), Value(b))
    for n, (a, b) in enumerate([(0.9, 0.1), (0.5, 0.5), (0.2, 0.9), (0.6, 0.5), (0.4, 0.8)])
]


def test_each_ones_concepts_are_listed_the_largest_difference_first():
    found = rows(alone_table("clip", "chat", CONCEPTS))
    assert [(row[0], row[5]) for row in found] == [
        ("p0", "+80.0"), ("p3", "+10.0"), ("p2", "-70.0"), ("p4", "-40.0"),
    ]  # fmt: skip


def test_few_and_large_differences_only_if_so_wanted():
    assert [r[0] for r in rows(alone_table("a", "b", CONCEPTS, most=1))] == ["p0", "p2"]
    assert [r[0] for r in rows(alone_table("a", "b", CONCEPTS, least=0.5))] == ["p0", "p2"]


def test_concepts_without_a_value_are_counted_and_phrases_are_no_markup():
    odd = Alone("a [red] fox", "fog", 2, Value(1), Value(0))
    gone = Alone("gone", "fog", 0, Value(math.nan, reason="no image"), Value(0.5))
    table = alone_table("clip", "chat", [odd, gone])
    assert "a [red] fox" in printed(table)
    assert "gone" not in printed(table)
    assert "of 2, difference above 0 points; 1 without a value of both" in said(table)
