"""Tables of relations: numbers of Tables D8 to D10 of OODConceptBench come out as printed."""

from __future__ import annotations

import math

from oodexp.report.concept_relation_tables import (
    Nearest,
    Related,
    Spread,
    nearest_table,
    relation_table,
    spread_table,
)  # fmt: skip
from oodexp.report.concept_value import Value
from tests.report.printed import printed, rows, said


def test_entropies_have_their_range_and_unit():
    row = Spread("L1", 7, Value(3.724), Value(3.494, 3.4, 3.5), Value(3.840), Value(0.697))
    table = spread_table([row], "nats")
    assert rows(table) == [["L1", "7", "3.724", "3.494..3.840", "0.697"]]
    assert "mean entropy, nats" in printed(table)


def test_similarities_have_four_digits():
    row = Nearest("all phrases", 560, Value(0.706922), Value(0.710037))
    assert rows(nearest_table([row])) == [["all phrases", "560", "0.7069", "0.7100"]]


def test_correlations_are_signed_and_an_undefined_one_says_why():
    row = Related("L2", 14285, Value(0.252504), Value(0.257976), Value(0.067633, 0.05, 0.08),
                  Value(math.nan, reason="all targets are the same"))  # fmt: skip
    table = relation_table([row])
    assert rows(table) == [
        ["L2", "14,285", "0.2525", "0.2580", "+0.068", "undefined"],
        ["", "", "", "", "+0.050..+0.080", ""],
    ]
    assert "L2: all targets are the same" in said(table)
