import pytest

from oodexp.answer.explicit import CHOICE, explicit_words, mark_choices, sentences, synonym


def words(text):
    return [word.value for word in explicit_words(text, sentences(text))]


@pytest.mark.parametrize(
    "text",
    ["no", "no!", "no there is", "no, none", "so: no", '"no"', "no - none", "no because", "no\nx"],
)
def test_a_no_that_answers_is_found(text):
    assert words(text) == ["no"]


@pytest.mark.parametrize(
    "text",
    ["no dog", "no doubt", "no one", "bus no. 5", "no-brainer", "piano", "no1", "xno", "noo"],
)
def test_a_no_that_does_not_answer_is_passed_over(text):
    assert words(text) == []


def test_a_leading_yes_answers_whatever_follows():
    assert words("yes dog") == ["yes"]
    assert words("a yes sign") == []


@pytest.mark.parametrize(
    "text", ["yes or no", "yes/no", "no and yes", '"yes" or "no"', "true or false", "yes, or no"]
)
def test_a_choice_is_one_mark(text):
    assert mark_choices(text) == CHOICE


def test_sentences_hold_every_word_and_no_number_is_cut():
    text = "a 3.5 b. c?! d\ne"
    assert [part.text for part in sentences(text)] == ["a 3.5 b.", " c?!", " d\n", "e"]
    assert all(text.startswith(part.text, part.start) for part in sentences(text))


def test_a_word_knows_its_sentence_and_whether_it_leads():
    text = "yes. well, no"
    first, last = explicit_words(text, sentences(text))
    assert (first.sentence, first.leading) == (0, True)
    assert (last.sentence, last.leading) == (1, False)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("y", ("yes", "letter")),
        ("(n).", ("no", "letter")),
        ("absolutely, it is", ("yes", "synonym")),
        ("absolutely not", ("no", "synonym")),
        ("sure", ("yes", "synonym")),
        ("sure, here it is", None),
        ("correctly", None),
        ("definitely a cat", None),
        ("next", None),
        ("", None),
    ],
)
def test_a_stand_in_is_read_where_it_is_an_answer(text, right):
    assert synonym(text) == right
