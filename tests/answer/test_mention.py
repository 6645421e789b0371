import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp.answer.mention import MENTION, forms, mask


@pytest.mark.parametrize(
    ("category", "text"),
    [
        ("dog", "Dogs"),
        ("bus", "buses"),
        ("person", "people"),
        ("knife", "knives"),
        ("baby", "babies"),
        ("potato", "potatoes"),
        ("sheep", "sheep"),
        ("skis", "ski"),
        ("scissors", "scissors"),
        ("couch", "couches"),
        ("wine glass", "wine glasses"),
        ("cell phone", "cellphone"),
        ("traffic_light", "traffic lights"),
        ("Pedestrian with Stroller", "pedestrians with strollers"),
        ("Straße", "STRASSE"),
        ("\uff44\uff4f\uff47", "dog"),
    ],
)
def test_a_form_of_the_category_is_a_mention(category, text):
    assert mask(text, category) == MENTION


@pytest.mark.parametrize(
    ("category", "text"),
    [
        ("dog", "hot dog"),
        ("dog", "doghouse"),
        ("dog", "dog's"),
        ("dog", "toy dog"),
        ("bear", "teddy bears"),
        ("bus", "bus stop"),
        ("bus", "bu"),
        ("car", "scar"),
        ("a.c", "abc"),
        ("(", "["),
        ("", "anything"),
        (" \u200b", "anything"),
    ],
)
def test_a_longer_word_or_another_thing_is_no_mention(category, text):
    assert MENTION not in mask(text, category)


def test_a_digit_may_stand_before_a_mention_but_no_letter():
    assert mask("3dogs xdogs", "dog") == f"3{MENTION} xdogs"


def test_quotation_marks_around_a_mention_go():
    assert mask("no 'dog' here", "dog") == f"no {MENTION} here"


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=12))
def test_no_name_is_a_pattern(category):
    assert forms(category)
    assert mask("\x00", category) == "\x00"
