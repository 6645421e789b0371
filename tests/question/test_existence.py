"""Two questions a pair, in the paper's words."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp import table
from oodexp.error import OodexpError
from oodexp.question.base import Known
from oodexp.question.existence import Existence
from oodexp.record import Membership, Pair

WORDS = {
    "present": "Does this image contain a {}? (yes or no)",
    "absent": "Does this image not contain a {}? (yes or no)",
}


def pair(image_id="1", category="dog", *, present=True, split="ID", drawn=True, source="s"):
    reason = None if split else "NaN"
    return Membership(source, image_id, category, present, split, 0, 2, drawn, reason)


def known(memberships):
    """What an existence question rests on: memberships alone."""
    return Known(memberships, table.frame(Pair, []), [])


def ask(*pairs, population="all"):
    return Existence(WORDS, population).ask(known(table.frame(Membership, pairs)))


def test_the_questions_are_in_the_papers_words():
    found = ask(pair(category="traffic light"))
    assert found["prompt"].tolist() == [
        "Does this image contain a traffic light? (yes or no)",
        "Does this image not contain a traffic light? (yes or no)",
    ]
    assert found["polarity"].tolist() == ["present", "absent"]
    assert (found["kind"] == "existence").all()


def test_the_configuration_that_ships_has_the_same_words(request):
    from omegaconf import OmegaConf

    shipped = OmegaConf.load(request.config.rootpath / "conf/question/existence.yaml")
    assert OmegaConf.to_container(shipped.templates) == WORDS


def test_the_two_targets_of_a_pair_are_opposite():
    found = ask(pair("1", present=True), pair("2", present=False))
    assert found["target"].tolist() == ["yes", "no", "no", "yes"]


@pytest.mark.parametrize(
    "category",
    [
        "{}",
        "{0}",
        "{category}",
        'the "x"',
        "it's",
        "Pushable/Pullable Object",
        "apple",
        "a\\1",
        " b",
    ],
)
def test_a_category_is_inserted_verbatim(category):
    found = ask(pair(category=category))
    assert found["prompt"].iloc[0] == "Does this image contain a " + category + "? (yes or no)"
    assert found["category"].tolist() == [category] * 2


def test_every_slot_of_a_template_is_filled():
    words = {"present": "A {}? Really a {}?", "absent": "No {}?"}
    found = Existence(words).ask(known(table.frame(Membership, [pair()])))
    assert found["prompt"].tolist() == ["A dog? Really a dog?", "No dog?"]


NAMES = st.text("a/", min_size=1, max_size=3)


def test_a_slash_in_an_id_does_not_make_two_pairs_one():
    found = ask(pair("a", "b/c"), pair("a/b", "c"), pair("a%2Fb", "c"))
    assert found["question_id"].is_unique


@given(st.sets(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=8))
def test_every_question_has_an_id_of_its_own(keys):
    found = ask(*(pair(i, c, source=s) for s, i, c in keys))
    assert found["question_id"].is_unique
    assert len(found) == 2 * len(keys)


def test_an_id_names_the_pair_for_a_reader():
    found = ask(pair("000139", "Pushable/Pullable Object", source="nu"))
    assert found["question_id"].iloc[0] == "nu/000139/Pushable/Pullable Object/existence/present"


def test_an_id_does_not_change_with_the_other_pairs():
    alone = ask(pair("2", "cat"))["question_id"].tolist()
    among = ask(pair("1", "dog"), pair("2", "cat"), pair("2", "dog"))["question_id"].tolist()
    assert among[2:4] == alone


def test_the_two_questions_of_a_pair_stand_side_by_side():
    found = ask(pair("1"), pair("2"), pair("1", "cat"))
    assert list(zip(found["image_id"], found["polarity"], strict=True)) == [
        ("1", "present"), ("1", "absent"), ("2", "present"), ("2", "absent"),
        ("1", "present"), ("1", "absent"),
    ]  # fmt: skip


def test_repeated_row_labels_do_not_shuffle_the_questions():
    rows = table.frame(Membership, [pair("1"), pair("2", present=False)]).set_axis([0, 0])
    found = Existence(WORDS).ask(known(rows))
    assert found["image_id"].tolist() == ["1", "1", "2", "2"]
    assert found["target"].tolist() == ["yes", "no", "no", "yes"]


PAIRS = [
    pair("1", drawn=True),
    pair("2", drawn=False, split="OOD-H"),
    pair("3", drawn=False, split=None),
]


@pytest.mark.parametrize(("population", "asked"), [("all", ["1", "2"]), ("drawn", ["1"])])
def test_the_population_is_all_divided_pairs_or_the_drawn_ones(population, asked):
    assert list(dict.fromkeys(ask(*PAIRS, population=population)["image_id"])) == asked


@pytest.mark.parametrize("population", ["all", "drawn"])
def test_nothing_to_ask_gives_no_question(population):
    assert len(ask(pair(split=None, drawn=False), population=population)) == 0
    assert len(ask(population=population)) == 0


@pytest.mark.parametrize(
    "templates",
    [
        {"present": "A {}?"},
        {"present": "A {}?", "absent": "No {}?", "count": "How many {}?"},
        {"present": "A {}?", "absent": "No dog?"},
        {},
    ],
)
def test_faulty_templates_are_refused(templates):
    with pytest.raises(OodexpError, match=r"question\.templates=.*present and absent"):
        Existence(templates)


def test_another_population_is_refused():
    with pytest.raises(OodexpError, match=r"question\.population=some: expected one of all, drawn"):
        Existence(WORDS, "some")


def test_memberships_are_not_changed():
    rows = table.frame(Membership, PAIRS)
    before = rows.copy(deep=True)
    Existence(WORDS).ask(known(rows))
    pd.testing.assert_frame_equal(rows, before)
