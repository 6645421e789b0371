"""Tables of validity: numbers of Tables D1, D3, D4 of OODConceptBench come out as printed."""

from __future__ import annotations

import math

from oodexp.report.concept_validity_tables import (
    Acquired,
    Detected,
    Probed,
    acquisition_table,
    detection_table,
    probe_table,
    protocol_table,
)  # fmt: skip
from oodexp.report.concept_value import Value
from tests.report.printed import printed, rows, said

PET = Detected(
    "Oxford-IIIT Pet", "L1", 3669, 30752,
    *map(Value, (0.263, 0.830, 0.650, 0.61, 0.420, 0.974, 0.187)),
)  # fmt: skip


def test_every_number_of_detection_has_its_column_and_aupr_its_chance():
    first, second = rows(detection_table([PET]))
    assert first == ["Oxford-IIIT Pet", "L1", "3,669", "30,752", "26.3", "83.0", "65.0", "61.0",
                     "42.0", "97.4", "18.7"]  # fmt: skip
    # Prevalences of Table D1: 3,669 of 34,421.
    assert second[8:10] == ["(10.7)", "(89.3)"]


def test_the_header_tells_the_orientation_of_each_number():
    head = printed(detection_table([PET]), 200).split("┡")[0]
    lines = [line.split("┃")[1:-1] for line in head.splitlines() if line[0] == "┃"]
    told = [" ".join(" ".join(column).split()) for column in zip(*lines, strict=True)]
    assert told[5:] == [
        "AUROC OOD scores higher", "FPR95-out ID called OOD, at 95 % OOD",
        "FPR95-in OOD called ID, at 95 % ID", "AUPR-in ID positive (chance)",
        "AUPR-out OOD positive (chance)", "ECE 15 bins",
    ]  # fmt: skip


def test_an_empty_id_set_is_undefined_with_its_reason():
    lost = Value(math.nan, reason="no ID image")
    row = PET._replace(id_images=0, images=0, auroc=lost, aupr_in=lost)
    assert "Oxford-IIIT Pet, L1: no ID image" in said(detection_table([row]))
    assert rows(detection_table([row]))[1][8] == "(-)"


def test_the_probe_has_a_row_for_each_number_of_shots():
    few = Value(math.nan, reason="20 images for 30 shots")
    made = [Probed("L1", 5, Value(0.779, 0.75, 0.8), Value(0.716), Value(0.879)),
            Probed("L1", 30, few, few, few)]  # fmt: skip
    assert rows(probe_table(made)) == [
        ["L1", "5", "77.9", "71.6", "87.9"],
        ["", "", "75.0..80.0", "", ""],
        ["L1", "30", "undefined", "undefined", "undefined"],
    ]
    assert "L1, 30 shots: 20 images for 30 shots" in said(probe_table(made))


def test_the_protocol_is_told_element_by_element():
    made = protocol_table({"classifier": "logistic regression", "shots": "1, 3, 5"})
    assert rows(made) == [["classifier", "logistic regression"], ["shots", "1, 3, 5"]]


def test_ways_of_acquisition_are_printed_as_in_table_d4_with_the_sign_of_gaps():
    row = Acquired("L1", "all", (14617, 16135), Value(0.046), Value(0.198), Value(0.036),
                   Value(-0.011))  # fmt: skip
    table = acquisition_table(("crawled", "generated"), [row])
    assert rows(table) == [
        ["L1", "all", "14,617", "16,135", "0.046", "0.198", "+0.036", "-0.011"],
    ]
    assert "mean of generated minus mean of crawled" in said(table)
