"""What holds for every reader and every text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oodexp.answer.base import is_legal
from oodexp.answer.count import Count
from oodexp.answer.paper import Paper
from oodexp.answer.yes_no import YesNo

QUESTIONS = [
    pytest.param(reader, polarity, id=f"{reader.name}-{polarity}")
    for reader, polarities in (
        (YesNo(), ("present", "absent")),
        (Paper(), ("present", "absent")),
        (Count(), ("count",)),
    )
    for polarity in polarities
]
WORDS = (
    "yes no No. Yes, dog dogs traffic-light a the there is are not isn't 3 two -1 3.5 1,000 or and "
    '<think> </think> ** answer: \\boxed{ } { [ ] " ? hundred dozen pair no-one several total '
    "about can't sorry I see image ( ) % <answer> ``` II n <| |> \u00bd \u4e94 \ue000 "
    "\ue001 \u0301 \u3000 ' _ ~"
)
PIECES = [*WORDS.split(" "), "\n"]
TEXTS = st.one_of(
    st.text(),
    st.builds(
        lambda parts, glue: glue.join(parts),
        st.lists(st.sampled_from(PIECES), max_size=15),
        st.sampled_from(["", " ", "\n"]),
    ),
)
CATEGORIES = st.one_of(
    st.sampled_from(["dog", "traffic light", "a*b(", "\\", ".", " ", "no", "\ue000"]), st.text()
)
BLANKS = st.text(alphabet=" \t\r\n\u00a0\u3000\u2003", max_size=5)


@pytest.mark.parametrize(("reader", "polarity"), QUESTIONS)
@given(text=TEXTS, category=CATEGORIES)
@settings(deadline=None)
def test_every_text_has_a_legal_reading(reader, polarity, text, category):
    assert is_legal(reader.read(text, polarity=polarity, category=category))


@pytest.mark.parametrize(("reader", "polarity"), QUESTIONS)
@given(text=TEXTS, before=BLANKS, after=BLANKS)
@settings(deadline=None)
def test_blanks_around_a_text_change_nothing(reader, polarity, text, before, after):
    bare = reader.read(text, polarity=polarity, category="dog")
    assert reader.read(before + text + after, polarity=polarity, category="dog") == bare


@given(text=TEXTS)
@settings(deadline=None)
def test_a_yes_no_reader_never_reads_a_number_nor_a_count_reader_a_word(text):
    assert YesNo().read(text, polarity="present", category="dog").value in {None, "yes", "no"}
    assert Count().read(text, polarity="count", category="dog").value not in {"yes", "no"}


@given(text=TEXTS)
@settings(deadline=None)
def test_what_is_read_from_sentences_turns_with_the_question(text):
    present = YesNo().read(text, polarity="present", category="dog")
    absent = YesNo().read(text, polarity="absent", category="dog")
    assert (present.flag == "by_content") == (absent.flag == "by_content")
    if present.flag == "by_content":
        assert {present.value, absent.value} == {"yes", "no"}


@pytest.mark.parametrize("mark", ["**", "`", "__", '"'])
@pytest.mark.parametrize("word", ["Yes", "No", "3"])
def test_formatting_around_an_answer_changes_nothing(mark, word):
    reader, polarity = (Count(), "count") if word == "3" else (YesNo(), "present")
    reading = reader.read(f"{mark}{word}{mark}", polarity=polarity, category="dog")
    assert reading == (word.lower(), "read", None)


REPEATED = [
    "a", "_", " ", "\n", "'", "<", "<think>", "yes ", "no dog ", "There is a dog. ", "dog-",
    "1,", "1 or ", "hundred and ", "{", '{"a":', "\\boxed{", "\\text{", "answer: ", "not a",
    "no big ", "cannot ", "\u0315\u0300", "½",
]  # fmt: skip


def _seconds(reader, polarity, text):
    start = time.process_time()
    reader.read(text, polarity=polarity, category="dog")
    return time.process_time() - start


@pytest.mark.parametrize("piece", REPEATED, ids=ascii)
@pytest.mark.parametrize(("reader", "polarity"), QUESTIONS)
def test_the_time_grows_no_faster_than_the_text(reader, polarity, piece):
    short, long = 5_000, 40_000
    before, after = (
        min(_seconds(reader, polarity, piece * (n // len(piece)) + "x") for _ in range(2))
        for n in (short, long)
    )
    # A quadratic reader takes 64 times as long, a linear one 8 times; 5 ms drown in noise.
    assert after < 24 * max(before, 0.005)


def test_an_answer_after_a_megabyte_of_reasoning_is_found():
    text = "<think>" + "Is it a dog? No, maybe yes. " * 36_000 + "</think>**Answer:** No"
    assert len(text) > 1_000_000
    assert YesNo().read(text, polarity="present", category="dog") == ("no", "read", None)


def test_an_answer_after_a_megabyte_of_prose_is_found():
    text = "The image shows a street with 2 cars. " * 27_000 + "Answer: 4"
    assert len(text) > 1_000_000
    assert Count().read(text, polarity="count", category="dog") == ("4", "read", None)
