"""Cards of the report page against the tables they are made of."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oodexp import record, table
from oodexp.record import SPLITS
from oodexp.report.page import page
from oodexp.report.page_gallery import embed
from tests.report.page_run import EVIL, META, Tree, make_tables, no_picture


@pytest.fixture(scope="module")
def tables():
    return make_tables()


@pytest.fixture(scope="module")
def data(tables):
    return json.loads(Tree(page(tables, META, no_picture, {})).raw["cards"])


def test_the_data_cannot_end_its_element_and_keeps_every_sign(data):
    assert "<" not in embed({"a": "</script>\u2028&"})
    assert json.loads(embed(["</script>\u2028&"])) == ["</script>\u2028&"]
    assert f"id {EVIL}" in data["strings"]
    assert f"cat {EVIL}" in data["strings"]
    assert f"yes {EVIL} 3" in data["strings"]


def test_cards_hold_signals_questions_completions_and_readings_as_the_tables_do(tables, data):
    strings, cards = data["strings"], data["cards"]
    assert len(cards["split"]) == 12
    assert cards["split"] == sorted(cards["split"])
    at = next(n for n in range(12) if strings[cards["image_id"][n]] == f"id {EVIL}"
              and strings[cards["category"][n]] == "dog")  # fmt: skip
    signal = tables["signals"].query("scorer == 'clip' and category == 'dog'")
    signal = signal[signal["image_id"] == f"id {EVIL}"].iloc[0]
    assert data["scorers"][0]["score"][at] == pytest.approx(signal["score"], abs=1e-4)
    assert data["scorers"][0]["margin"][at] == pytest.approx(signal["margin"], abs=1e-4)
    assert data["scorers"][0]["flagged"][at] == int(signal["flagged"])
    asked = [q for q, card in enumerate(data["questions"]["card"]) if card == at]
    assert [strings[data["questions"]["prompt"][q]] for q in asked] == [
        "Is a dog present?", "Is a dog absent?",
    ]  # fmt: skip
    mine = [a for a, q in enumerate(data["answers"]["question"]) if q == asked[1]]
    assert [data["answers"]["vlm"][a] for a in mine] == [0, 1]
    assert {strings[data["answers"]["completion"][a]] for a in mine} == {f"no {EVIL} 3"}
    assert {strings[data["answers"]["reading"][a]] for a in mine} == {"no"}


def test_verdicts_are_counted_as_the_headline_reader_counts(tables, data):
    mine = tables["answers"].query("reader == 'yes_no'")
    unread = mine["reading"].isna()
    want = [(~mine["correct"] & ~unread).sum(), mine["correct"].sum(), unread.sum()]
    got = np.bincount(data["answers"]["verdict"], minlength=3)
    assert got.tolist() == [int(n) for n in want]
    assert got.min() > 0


def test_the_reader_that_meta_names_is_shown(tables):
    other = Tree(page(tables, META | {"reader": "paper"}, no_picture, {}))
    readings = json.loads(other.raw["cards"])
    assert {readings["strings"][n] for n in readings["answers"]["reading"]} == {"no"}


def test_a_pair_that_was_asked_about_but_not_drawn_is_marked(data):
    marks = dict(zip(zip(data["cards"]["image_id"], data["cards"]["category"], strict=True),
                     data["cards"]["drawn"], strict=True))  # fmt: skip
    undrawn = [key for key, drawn in marks.items() if not drawn]
    assert [tuple(data["strings"][n] for n in key) for key in undrawn] == [("1", "chair")]


def test_an_absent_category_that_was_asked_about_has_a_card_without_signals(tables):
    mine = make_tables()
    extra = record.Question("q", "src", "0", "zebra", "polling", "present", "A zebra?", "no",
                            None, "OOD-S", "random")  # fmt: skip
    rows = table.frame(record.Question, [extra])
    mine["questions"] = table.concat(record.Question, [mine["questions"], rows])
    found = json.loads(Tree(page(mine, META, no_picture, {})).raw["cards"])
    at = found["cards"]["category"].index(found["strings"].index("zebra"))
    assert found["cards"]["present"][at] == 0
    assert found["cards"]["split"][at] == SPLITS.index("OOD-S")
    assert found["scorers"][0]["score"][at] is None
