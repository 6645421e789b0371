import pytest

from oodexp.answer.interval import qualified
from oodexp.answer.numeral import numerals


def read(text):
    return [(n.value or n.status, n.flag) for n in qualified(text, numerals(text))]


@pytest.mark.parametrize(
    "text",
    ["2 or 3", "2-3", "2 to 3", "2/3", "between 2 and 3", "2, maybe 3", "two, or possibly three"],
)
def test_alternatives_are_one_ambiguous_number(text):
    assert read(text) == [("ambiguous", None)]


@pytest.mark.parametrize("text", ["three (3)", "3 (three)", "3 or 3", "three, that is, 3"])
def test_a_repetition_is_one_number(text):
    assert read(text) == [("3", None)]


@pytest.mark.parametrize("text", ["2 and 3", "2, 3", "2 (3)", "2 . 3", "2 on the left or 3"])
def test_other_numbers_stand_alone(text):
    assert read(text) == [("2", None), ("3", None)]


@pytest.mark.parametrize(
    ("flag", "texts"),
    [
        ("lower_bound", ["at least 7", ">7", ">= 7", "no less than 7", "7+", "7 or more"]),
        ("upper_bound", ["at most 7", "<7", "no more than 7", "up to 7", "7 or fewer"]),
        ("approximate", ["about 7", "~7", "7 or so", "maybe 7", "nearly 7"]),
        (None, ["7", "7 + 0 = 7"[:1], "exactly 7", "overall 7"]),
    ],
)
def test_what_stands_beside_a_number_flags_it(flag, texts):
    assert [read(text) for text in texts] == [[("7", flag)]] * len(texts)
