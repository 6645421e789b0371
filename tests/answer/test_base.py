import pytest

from oodexp.answer.base import FLAGS, MAX_DIGITS, STATUSES, Reader, Reading, is_legal
from oodexp.answer.count import Count
from oodexp.answer.paper import Paper
from oodexp.answer.yes_no import YesNo


@pytest.mark.parametrize("status", sorted(STATUSES.keys() - {"read", "conflict"}))
def test_an_unread_status_allows_no_value(status):
    assert is_legal(Reading(None, status, None))
    assert not is_legal(Reading("yes", status, None))
    assert not is_legal(Reading(None, status, "by_content"))


@pytest.mark.parametrize("value", ["yes", "no", "0", "7", "9" * MAX_DIGITS])
def test_words_and_plain_integers_are_values(value):
    assert is_legal(Reading(value, "read", None))


@pytest.mark.parametrize("value", [None, "", "Yes", "maybe", "-1", "3.5", "07", "9" * 19, "٣"])
def test_other_texts_are_no_values(value):
    assert not is_legal(Reading(value, "read", None))


def test_an_unknown_status_or_flag_is_illegal():
    assert not is_legal(Reading(None, "shy", None))
    assert not is_legal(Reading("yes", "read", "hunch"))


def test_a_conflict_keeps_the_word_in_its_flag():
    assert is_legal(Reading(None, "conflict", "conflict:no"))
    assert not is_legal(Reading(None, "conflict", None))
    assert not is_legal(Reading("no", "read", "conflict:no"))


def test_all_flags_of_a_contradiction_begin_alike():
    assert {flag for flag in FLAGS if "conflict" in flag} == {
        flag for flag in FLAGS if flag.startswith("conflict")
    }


@pytest.mark.parametrize(
    ("reader", "name"), [(YesNo(), "yes_no"), (Paper(), "paper"), (Count(), "count")]
)
def test_each_reader_says_its_name(reader: Reader, name: str):
    assert reader.name == name
