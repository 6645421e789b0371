"""Completions through readers to answers."""

from __future__ import annotations

import pytest

from oodexp import table
from oodexp.answer.base import Reading
from oodexp.answer.judge import judge
from oodexp.answer.paper import Paper
from oodexp.answer.yes_no import YesNo
from oodexp.record import Answer, Completion, Question

READERS = {"yes_no": YesNo(), "paper": Paper()}


def question(name="q", polarity="present", target="yes", category="dog"):
    prompt = f"Does this image {'' if polarity == 'present' else 'not '}contain a {category}?"
    return Question(name, "s", "1", category, "existence", polarity, prompt, target)


def completion(text, status="ok", name="q", vlm="m", reason=None):
    return Completion(vlm, name, text, status, reason, None, None)


def read(*completions, asked=(), readers=READERS):
    return judge(
        table.frame(Completion, completions), table.frame(Question, asked or [question()]), readers
    )


def lone(text, status="ok", **about):
    """Status, reading and correctness by the polarity-aware reader."""
    (row,) = read(
        completion(text, status), asked=[question(**about)], readers={"yes_no": YesNo()}
    ).itertuples()
    return row.status, row.reading if isinstance(row.reading, str) else None, row.correct


def test_every_reader_reads_every_completion():
    asked = [question("a"), question("b", target="no")]
    found = read(completion("Yes", name="a"), completion("No", name="b"), asked=asked)
    keys = list(found[["reader", "question_id"]].itertuples(index=False, name=None))
    assert keys == [(r, q) for r in ("yes_no", "paper") for q in ("a", "b")]
    assert found["correct"].all()


@pytest.mark.parametrize(
    ("text", "target", "correct"),
    [("Yes", "yes", True), ("Yes", "no", False), ("no.", "no", True), ("no.", "yes", False)],
)
def test_a_reading_is_correct_when_it_equals_the_target(text, target, correct):
    assert lone(text, target=target)[2] is correct


def test_the_reader_is_told_polarity_and_category_of_the_question():
    seen = []

    class Watching:
        name = "watching"

        def read(self, text, *, polarity, category):
            seen.append((text, polarity, category))
            return Reading("yes", "read", None)

    asked = [question("a", "absent", "no", "traffic light")]
    read(completion("x", name="a"), asked=asked, readers={"w": Watching()})
    assert seen == [("x", "absent", "traffic light")]


def test_a_statement_is_read_as_an_answer_to_the_question_as_asked():
    text = "There is no dog in the image."
    assert lone(text, polarity="present", target="no") == ("read", "no", True)
    assert lone(text, polarity="absent", target="yes") == ("read", "yes", True)


@pytest.mark.parametrize("target", ["yes", "no"])
@pytest.mark.parametrize("text", ["", "I cannot see the image.", "Bananas are yellow."])
def test_an_unread_answer_is_never_correct(text, target):
    status, reading, correct = lone(text, target=target)
    assert status != "read"
    assert reading is None
    assert correct is False


@pytest.mark.parametrize("text", [None, "Yes"])
def test_a_failed_request_is_an_error_to_every_reader_whatever_text_it_left(text):
    found = read(completion(text, "error", reason="HTTP 503"))
    assert found["status"].tolist() == ["error", "error"]
    assert found["reading"].isna().all()
    assert not found["correct"].any()


def test_a_clear_answer_before_the_cut_counts():
    assert lone("Yes, there is a dog that", "truncated") == ("read", "yes", True)


@pytest.mark.parametrize("text", ["", "Let us look at the picture. In the", "<think>The dog is"])
def test_a_text_that_was_cut_off_before_an_answer_is_truncated(text):
    assert lone(text, "truncated") == ("truncated", None, False)


def test_a_refusal_that_was_cut_off_is_still_a_refusal():
    assert lone("I'm sorry, but I can't help with identifying", "truncated")[0] == "refused"


def test_answers_of_several_vlms_stand_side_by_side():
    found = read(completion("Yes", vlm="a"), completion("No", vlm="b"))
    assert found["vlm"].tolist() == ["a", "b", "a", "b"]
    assert found["correct"].tolist() == [True, False, True, False]


def test_completions_are_joined_to_questions_by_id_and_not_by_position():
    asked = [question("a", target="yes"), question("b", target="no")]
    found = read(completion("No", name="b"), completion("Yes", name="a"), asked=asked)
    assert found["correct"].all()


def test_nothing_to_read_gives_an_empty_table():
    assert read().equals(table.frame(Answer))
