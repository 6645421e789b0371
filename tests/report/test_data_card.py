"""The data card: the same build gives the same text, and the text holds its numbers.

OODConceptBench has no data card; what Table E1 asks for stands in this one.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from oodexp import table
from oodexp.record import Concept
from oodexp.report.data_card import Card, Model, Rule, data_card
from oodexp.report.release import DECLARED, Duplicates, Release, Waiver

RULES = [
    Rule("T1", "S_1K > T1 keeps", 0.7175, "95th percentile", 3000),
    Rule("T3", "S_Txt < T3 keeps", math.nan, "ceiling", 0, "no negative image"),
]
MODELS = [Model("clip_b32", "construction", "0a1b2c")]


def concepts(n=40):
    rng = np.random.default_rng(0)
    return table.frame(
        Concept,
        {
            "source": "s", "image_id": [f"i{k}" for k in range(n)],
            "phrase": rng.choice(["foggy car", "foggy cup", "woven | basket"], n),
            "category": rng.choice(["fog", "texture"], n),
            "acquisition": rng.choice(["crawled", "generated"], n),
            "licence": rng.choice(["CC BY 4.0", "CC0", ""], n), "origin": None,
        },
    )  # fmt: skip


def release(rows, **options):
    inside = np.random.default_rng(1).random(len(rows)) < 0.7
    levels = {"L1": inside, "L2": inside & (np.arange(len(rows)) % 2 == 0)}
    return Release(rows, levels, **options)


def card(rows=None, **options):
    rows = concepts() if rows is None else rows
    return Card("A benchmark", "Drawn images.", release(rows, **options), RULES, MODELS, ["Small."])


def section(text, head, number=0):
    """Cells of a table of a section, with its header."""
    blocks = text.split(f"## {head}\n")[1].split("\n## ")[0].split("\n\n")
    tables = [b.strip().splitlines() for b in blocks if b.strip().startswith("|")]
    return [[c.strip() for c in line.strip("|").split(" | ")] for line in tables[number]]


@pytest.mark.parametrize(("number", "column"), enumerate(["category", "acquisition", "licence"]))
def test_images_and_phrases_are_counted_by_column_and_level(number, column):
    rows = concepts()
    text = data_card(card(rows))
    head, _, *found = section(text, "Composition", number)
    assert head == [column, "collected", "L1", "L2"]
    levels = release(rows).levels
    told = {"": "not said"}
    for name, *cells in found:
        masks = [np.ones(40, bool), *levels.values()]
        for cell, mask in zip(cells, masks, strict=True):
            mine = rows[mask]
            if name != "all":
                mine = mine[[told.get(v, v) == name for v in mine[column]]]
            assert cell == f"{len(mine)} ({len(set(mine['phrase']))})"
    assert len(found) == rows[column].nunique() + 1


def test_thresholds_stand_with_their_calibration_and_what_went_wrong():
    found = section(data_card(card()), "Thresholds")
    assert found[2:] == [
        ["T1", "S_1K > T1 keeps", "0.7175", "95th percentile", "3,000", ""],
        ["T3", "S_Txt < T3 keeps", "not said", "ceiling", "0", "no negative image"],
    ]


def test_models_and_near_duplicates_are_told():
    text = data_card(card(duplicates=Duplicates("feature cosine above 0.97", 2, 5, 3)))
    assert section(text, "Models")[2:] == [["clip_b32", "construction", "`0a1b2c`"]]
    assert section(text, "Near-duplicates")[2:] == [["2", "5", "3", "2"]]
    assert "Nobody looked for them" in data_card(card())


def test_what_is_missing_stands_at_the_top_and_who_waived_it_below():
    text = data_card(card())
    assert "**Not for release**: missing are origin, licence, near-duplicates" in text
    names = ("origin", "licence", "near-duplicates")
    full = {"declared": dict.fromkeys(DECLARED, "done")}
    text = data_card(card(waivers=[Waiver(n, "B. Owner", "a trial") for n in names], **full))
    assert "met or waived.** Waived: origin, licence, near-duplicates." in text
    found = {row[0]: row[1:] for row in section(text, "Release check")}
    assert found["origin"][0] == "waived"
    assert found["origin"][1].endswith("waived by B. Owner: a trial")


def test_intended_use_and_limits_are_told_or_that_nobody_said():
    said = data_card(card(declared={"intended use": "To study recognition."}))
    assert "* intended use: To study recognition." in said
    assert "* excluded uses: nobody declared what it is not for" in said
    assert "* limit: Small." in said


def test_the_order_of_the_images_changes_nothing():
    rows = concepts()
    order = np.random.default_rng(5).permutation(40)
    first = release(rows)
    turned = Release(
        table.check(Concept, rows.iloc[order]), {n: m[order] for n, m in first.levels.items()}
    )
    given = card(rows)
    assert data_card(given._replace(release=turned)) == data_card(given)
    assert data_card(given) == data_card(given)


def test_many_licences_are_counted_together_whatever_their_order():
    rows = concepts().assign(licence=[f"licence {n % 25:02}" for n in range(40)])
    texts = [
        data_card(card(table.check(Concept, r.reset_index(drop=True)))) for r in (rows, rows[::-1])
    ]
    found = [[row[0] for row in section(text, "Composition", 2)] for text in texts]
    assert found[0] == found[1]
    assert found[0][2] == "6 others"
    assert len(found[0]) == 2 + 20 + 1


def test_a_bar_or_a_line_break_ends_no_cell():
    rows = concepts().assign(category=["a | b\nc"] * 40)
    text = data_card(card(rows))
    assert "| a \\| b c | 40" in text
    assert all(line.endswith(" |") for line in text.splitlines() if line.startswith("|"))


def test_nothing_at_all_gives_a_card_that_says_so():
    empty = Release(table.frame(Concept), {"L1": np.zeros(0, bool)})
    text = data_card(Card("t", "w", empty, [], []))
    assert "No threshold was used." in text
    assert "No model was used." in text
    assert "missing are concepts" in text
