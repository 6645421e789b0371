"""Tables of a build: the numbers of Tables A4, D6 and D7 of OODConceptBench come out as printed.

Table A4 prints no counts; here counts stand beside the shares.
"""

from __future__ import annotations

import pytest

from oodexp.report.concept_tables import (
    Composed,
    Expanded,
    Perturbed,
    Retained,
    composition_table,
    expansion_table,
    perturbation_table,
    retention_table,
)  # fmt: skip
from oodexp.report.concept_value import Value
from tests.report.printed import rows, said


def test_shares_that_are_kept_stand_with_counts_by_step():
    kept = [
        Retained("time", "L0", "L1", 5000, 3872, 0.76, 0.786),
        Retained("time", "L1", "L2", 3872, 2976),
        Retained("fog", "L0", "L1", 10, 0),
        Retained("fog", "L1", "L2", 0, 0),
    ]
    found = rows(retention_table(kept))
    assert found == [
        ["time", "77.44 (3,872 / 5,000)", "76.86 (2,976 / 3,872)"],
        ["", "76.00..78.60", ""],
        ["fog", "0.00 (0 / 10)", "undefined (0 / 0)"],
    ]
    assert "fog, L1 → L2: no image in L1" in said(retention_table(kept))


def test_a_step_that_a_category_lacks_is_a_dash():
    kept = [Retained("a", "L0", "L1", 2, 1), Retained("b", "L1", "L2", 2, 1)]
    assert [row[1:] for row in rows(retention_table(kept))] == [
        ["50.00 (1 / 2)", "-"], ["-", "50.00 (1 / 2)"],
    ]  # fmt: skip


def test_the_composition_adds_up_by_level():
    made = [
        Composed("L1", "time", {"crawled": 1500, "generated": 500}, 80),
        Composed("L2", "time", {"crawled": 30}, 60),
        Composed("L1", "fog", {"crawled": 0, "generated": 0}, 0),
        Composed("L2", "fog", {"crawled": 0, "generated": 0}, 0),
    ]
    assert rows(composition_table(made)) == [
        ["time", "L1", "2,000", "1,500 (75)", "500 (25)", "80"],
        ["", "L2", "30", "30 (100)", "0 (0)", "60"],
        ["fog", "L1", "0", "0", "0", "0"],
        ["", "L2", "0", "0", "0", "0"],
        ["all", "L1", "2,000", "1,500 (75)", "500 (25)", "80"],
        ["", "L2", "30", "30 (100)", "0 (0)", "60"],
    ]


def test_perturbations_are_printed_as_in_table_d6():
    one = Value(1.0)
    made = [
        Perturbed("fixed", 0, 0, 1, 14285, 14285, one, one, one),
        Perturbed("T1", -0.05, 0.05, 6, 4967, 16786, Value(0.348), Value(0.938), Value(0.760)),
        Perturbed("T2", -0.05, 0.05, 1, 0, 0, *[Value(float("nan"), reason="both empty")] * 3),
    ]
    assert rows(perturbation_table("L2", made)) == [
        ["fixed", "0 % to 0 %", "1", "14,285..14,285", "1.000", "1.000", "1.000"],
        ["T1", "-5 % to +5 %", "6", "4,967..16,786", "0.348", "0.938", "0.760"],
        ["T2", "-5 % to +5 %", "1", "0..0", *["undefined"] * 3],
    ]
    assert "T2: both empty" in said(perturbation_table("L2", made))


PAPER_D7 = [
    ("Time-lagged", 4299, 3747, 3728, "19", "87.16", "86.72", "0.44"),
    ("Synthetic / fictional", 3892, 3322, 3307, "15", "85.35", "84.97", "0.39"),
    ("Cultural blindspots", 3550, 1919, 1839, "80", "54.06", "51.80", "2.25"),
    ("Fine-grained / texture", 3626, 1231, 1156, "75", "33.95", "31.88", "2.07"),
    ("Environmental shift", 4106, 2930, 2885, "45", "71.36", "70.26", "1.10"),
    ("Viewpoint / scale", 4386, 2447, 2410, "37", "55.79", "54.95", "0.84"),
]


@pytest.mark.parametrize("row", PAPER_D7, ids=[row[0] for row in PAPER_D7])
def test_counts_of_table_d7_give_its_shares(row):
    name, images, before, after, *printed = row
    made = expansion_table([Expanded(name, images, before, after)], "WordNet")
    assert rows(made) == [[name, f"{images:,}", f"{before:,}", f"{after:,}", *printed]]


def test_a_category_without_images_has_undefined_shares():
    made = expansion_table([Expanded("none", 0, 0, 0)], "WordNet")
    assert rows(made)[0][5:] == ["undefined"] * 3
    assert "none: no image" in said(made)
