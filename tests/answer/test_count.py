import pytest

from oodexp.answer.count import Count


def read(text, category="dog"):
    return Count().read(text, polarity="count", category=category)


def answer(text, category="dog"):
    reading = read(text, category)
    return reading.value or reading.status


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Dogs: 5, Cats: 3", "5"),
        ('{"dogs": 5, "cats": 3}', "5"),
        ("The number of dogs in the image is 5.", "5"),
        ("dogs (3)", "3"),
        ("I count four dogs: one brown, one white and two black.", "4"),
        ("I see 3 dogs. Two of them are brown.", "3"),
        ("There are two dogs, one on the left and one on the right.", "2"),
        ("There are no dogs, but 2 cats", "0"),
        ("one big brown dog and two cats", "1"),
    ],
)
def test_the_number_bound_to_the_category_is_read(text, right):
    assert answer(text) == right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("2 dogs on the left and 3 dogs on the right, so 5 dogs in total", "5"),
        ("There are 2 on the left and 1 behind, altogether 3", "3"),
        ("There are 5 animals in total: 2 dogs and 3 cats", "2"),
        ("2 dogs and 3 cats, 5 in total", "2"),
    ],
)
def test_a_total_is_read_unless_it_sums_other_things_too(text, right):
    assert answer(text) == right


@pytest.mark.parametrize(
    "text",
    [
        "There are 2 dogs on the left and 3 dogs on the right",
        "1, 2, 3",
        "I can see 3 or maybe 4 dogs",
        "from 3 to 5 dogs",
        "1/2",
    ],
)
def test_numbers_that_disagree_are_ambiguous(text):
    assert answer(text) == "ambiguous"


@pytest.mark.parametrize(
    "text",
    [
        "There are two cats.",
        "one cat",
        "3 people walking dogs",
        "There are 3 people and several dogs",
        "Two of the dogs are sleeping",
        "the 3rd",
        "100%",
        "10:30",
        "image 2",
        "x3",
        "No.",
        "V",
    ],
)
def test_a_number_of_something_else_is_no_count(text):
    assert answer(text) == "unknown"


@pytest.mark.parametrize(
    ("text", "value", "flag"),
    [
        ("There aren't any dogs.", "0", "by_content"),
        ("The image does not contain a dog.", "0", "by_content"),
        ("There is a dog.", "1", "article"),
        ("Not a single dog", "0", None),
        ("no more than 5", "5", "upper_bound"),
        ("no fewer than 5", "5", "lower_bound"),
        ("more than 7 dogs", "7", "lower_bound"),
        ("5+ dogs", "5", "lower_bound"),
        ("3 or more dogs", "3", "lower_bound"),
        ("~5", "5", "approximate"),
        ("Not sure, maybe 3", "3", "approximate"),
        ("٣", "3", "other_script"),
        ("XIV", "14", "roman"),
    ],
)
def test_a_reading_that_is_not_a_plain_number_is_flagged(text, value, flag):
    assert read(text) == (value, "read", flag)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("3.0", "3"),
        ("007", "7"),
        ("3.25", "invalid"),
        ("minus two", "invalid"),
        ("9" * 5000, "invalid"),
        ("2" * 18, "2" * 18),
    ],
)
def test_only_whole_numbers_of_a_sane_size_are_counts(text, right):
    assert answer(text) == right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("1. A brown dog\n2. A black dog\nAnswer: 2", "2"),
        ("First 1, then 5. \\boxed{4}", "4"),
        ('{"count": "7"}', "7"),
        ('{"answer": 4}', "4"),
        ("<answer>6</answer>", "6"),
    ],
)
def test_a_declared_count_outweighs_the_rest(text, right):
    assert answer(text) == right


@pytest.mark.parametrize(
    ("category", "text", "right"),
    [
        ("scissors", "a pair of scissors", "1"),
        ("scissors", "two pairs of scissors", "2"),
        ("person", "There are four people in the image.", "4"),
        ("traffic light", "2 traffic lights and 3 cars", "2"),
        ("C++ (book)", "5 C++ (book)s and 2 maps", "5"),
    ],
)
def test_plurals_and_odd_category_names_are_bound(category, text, right):
    assert answer(text, category) == right


def test_why_there_is_no_count_has_a_status():
    readings = [None, "", "<think>3", "I'm sorry, I can't help with that", "many"]
    assert [answer(text) for text in readings] == [
        "error",
        "empty",
        "truncated",
        "refused",
        "unknown",
    ]


def test_a_text_of_endless_numbers_is_ambiguous():
    assert answer("3 " * 5000) == "ambiguous"
