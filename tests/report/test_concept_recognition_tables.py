"""Tables of recognition: numbers of Tables C1 to C8 of OODConceptBench come out as printed."""

from __future__ import annotations

import math

from oodexp.report.concept_recognition_tables import (
    Contrast,
    Recognised,
    Variants,
    Year,
    category_table,
    contrast_table,
    falls,
    overall_table,
    variant_table,
    year_table,
)
from oodexp.report.concept_value import Value
from tests.report.printed import printed, rows, said

LEVELS = ("L1", "L2")
CATEGORIES = (
    "time-lagged", "synthetic / fictional", "cultural blindspots", "fine-grained / texture",
    "environmental shift", "viewpoint / scale", "typographic conflict",
)  # fmt: skip
C2 = [0.499, 0.922, 0.831, 0.632, 0.758, 0.786, 0.865]
C3 = [0.373, 0.807, 0.516, 0.295, 0.526, 0.582, 0.645]
LOST = Value(math.nan, reason="no image")


def recognised(model, first, second, family="ConvNeXt-CLIP"):
    """Both levels of a model."""
    return [
        Recognised(model, family, 2022, "convnext_base_w", 0.375, level, overall,
                   dict(zip(CATEGORIES, map(Value, rates), strict=True)), images)
        for level, overall, rates, images in (
            ("L1", Value(first), C2, 30752), ("L2", Value(second), C3, 14285),
        )
    ]  # fmt: skip


def test_models_stand_below_their_family_with_threshold_and_both_levels():
    made = [*recognised("Base-W", 0.759, 0.516), *recognised("B/16", 0.6, 0.4, "DFN-CLIP"),
            *recognised("Large-D", 0.778, 0.557)]  # fmt: skip
    assert rows(overall_table(made, LEVELS, "a rule")) == [
        ["ConvNeXt-CLIP", "", "", "", "", ""],
        ["Base-W", "2022", "convnext_base_w", "0.3750", "75.9", "51.6"],
        ["Large-D", "2022", "convnext_base_w", "0.3750", "77.8", "55.7"],
        ["DFN-CLIP", "", "", "", "", ""],
        ["B/16", "2022", "convnext_base_w", "0.3750", "60.0", "40.0"],
    ]
    text = said(overall_table(made, LEVELS, "a rule"))
    assert "L1: 30,752 images, L2: 14,285 images" in text
    assert "Q95: a rule." in text


def test_both_intervals_stand_below_the_overall_rate():
    (first, second) = recognised("m", 0.5, 0.25)
    first = first._replace(overall=Value(0.5, 0.45, 0.55), over_concepts=(0.4, 0.6))
    cells = [row[4] for row in rows(overall_table([first, second], LEVELS, "r"))]
    assert cells[1:] == ["50.0", "45.0..55.0", "[40.0..60.0]"]


def test_a_family_in_brackets_is_no_markup():
    text = printed(overall_table(recognised("m", 0.5, 0.2, "[bold] family"), LEVELS, "r"))
    assert "[bold] family" in text


def test_it_is_told_for_which_models_recognition_does_not_fall():
    down, up = recognised("down", 0.7, 0.5), recognised("up", 0.4, 0.4)
    gone = [r._replace(overall=LOST) for r in recognised("gone", 0, 0)]
    assert falls(down, LEVELS) == "Recognition is lower on L2 for 1 of 1 models."
    assert falls([*down, *up], LEVELS).endswith("for 1 of 2 models; not for up.")
    assert falls([*down, *gone], LEVELS).endswith("for 1 of 2 models; 1 cannot be compared.")
    assert "not for up" in said(overall_table([*down, *up], LEVELS, "r"))


def test_categories_are_columns_with_the_printed_rates():
    made = recognised("Base-W", 0.759, 0.516)
    for level, rates, overall in (("L1", C2, "75.9"), ("L2", C3, "51.6")):
        (_, row) = rows(category_table(made, level))
        assert row == ["Base-W", *(f"{100 * r:.1f}" for r in rates), overall]


def test_seven_categories_with_intervals_fit_into_a_pipe():
    made = [
        r._replace(
            overall=Value(0.5, 0.45, 0.55),
            categories={c: Value(0.5, 0.101, 0.999) for c in CATEGORIES},
        )
        for r in recognised("a model", 0.5, 0.5)
    ]
    text = printed(category_table(made, "L2"))
    assert text.count("10.1..99.9") == 7  # none is folded
    assert "time-lagged" in text


def test_a_category_that_is_undefined_says_why():
    made = recognised("m", 0.5, 0.4)
    made[1] = made[1]._replace(categories=dict(made[1].categories) | {CATEGORIES[2]: LOST})
    assert "m, cultural blindspots: no image" in said(category_table(made, "L2"))


def test_years_are_printed_as_in_table_c5():
    row = Year(2021, 5, (Value(0.616), Value(0.228), Value(0.388)),
               (Value(0.607), Value(0.153), Value(0.424)))  # fmt: skip
    none = Year(2022, 0, *[(Value(math.nan, reason="no model"),) * 3] * 2)
    assert rows(year_table([row, none], LEVELS)) == [
        ["2021", "5", "61.6", "60.7", "22.8", "15.3", "+38.8", "+42.4"],
        ["2022", "0", *["undefined"] * 6],
    ]
    assert "2022: no model" in said(year_table([row, none], LEVELS))


def test_variants_are_printed_as_in_table_c6():
    row = Variants("OpenAI CLIP", "B/32 variants", "B/16 variants", Value(0.136), Value(0.366),
                   Value(0.23), "Patch size differs.")  # fmt: skip
    assert rows(variant_table([row], "L2")) == [
        ["OpenAI CLIP", "B/32 variants", "B/16 variants", "Patch size differs.", "13.6", "36.6",
         "+23.0"],
    ]  # fmt: skip


def test_two_groups_are_printed_as_in_table_c7_with_the_direction():
    made = [
        Contrast("L1", "Cultural", Value(0.778), Value(0.662), Value(-0.116)),
        Contrast("L1", "Time", Value(0.304), Value(0.542), Value(0.238)),
        Contrast("L2", "Time", Value(0.3), LOST, LOST),
    ]
    table = contrast_table("t", ("2021 (n = 5)", "2025 (n = 4)"), made)
    assert rows(table) == [
        ["L1", "Cultural", "77.8", "66.2", "-11.6"],
        ["", "Time", "30.4", "54.2", "+23.8"],
        ["L2", "Time", "30.0", "undefined", "undefined"],
    ]
    assert "2025 (n = 4) minus 2021 (n = 5)" in said(table)
    assert "L2, Time: no image" in said(table)
