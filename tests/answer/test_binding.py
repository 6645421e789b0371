import pytest

from oodexp.answer.binding import uses
from oodexp.answer.mention import mask


def kinds(text):
    return [(use.answer, use.kind) for use in uses(mask(text, "dog"))]


@pytest.mark.parametrize(
    "text",
    ["3 dogs", "3dogs", "3 big brown dogs", "dogs: 3", "dogs = 3", "the dogs are 3", '"dog": 3'],
)
def test_a_number_beside_the_category_is_bound(text):
    assert kinds(text) == [("3", "bound")]


@pytest.mark.parametrize(
    "text", ["3 cats", "3 men with dogs", "3 hot dogs", "3 people walking dogs"]
)
def test_a_number_of_other_things_is_other(text):
    assert kinds(text) == [("3", "other")]


@pytest.mark.parametrize(
    "text", ["3", "3 visible", "3 of them", "3 objects", "i see 3 in the image"]
)
def test_a_number_of_nothing_named_is_free(text):
    assert kinds(text) == [("3", "free")]


def test_no_and_vague_words_count_the_category():
    assert kinds("no big dogs, 2 cats") == [("0", "bound"), ("2", "other")]
    assert kinds("several dogs, 2 cats") == [("unknown", "bound"), ("2", "other")]
    assert kinds("a large number of dogs") == [("unknown", "bound")]
    assert kinds("no other dogs") == []


def test_a_category_is_counted_once():
    assert kinds("four dogs: one brown") == [("4", "bound"), ("1", "other")]


@pytest.mark.parametrize("text", ["5 in total", "a total of 5", "so there are 5", "altogether 5"])
def test_a_conclusion_is_a_total(text):
    assert [use.total for use in uses(text)] == [True]


@pytest.mark.parametrize("text", ["5 on the left", "there are 5", "also 5"])
def test_a_statement_is_no_total(text):
    assert [use.total for use in uses(text)] == [False]
