import pytest

from oodexp.answer.yes_no import YesNo


def read(text, polarity="present", category="dog"):
    return YesNo().read(text, polarity=polarity, category=category)


def answer(*arguments, **names):
    reading = read(*arguments, **names)
    return reading.value or reading.status


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Yes there is a dog", "yes"),
        ("No there isn't", "no"),
        ("I would say no because there's only a cat.", "no"),
        ("Yes, no doubt.", "yes"),
        ("No problem! Yes, there is a dog.", "yes"),
        ("Does this image contain a dog? (yes or no)\nNo", "no"),
        ("Answer with yes or no: Yes", "yes"),
        ("\uff39\uff25\uff33", "yes"),
        ("“No”", "no"),
        ("\u200bYes\u200b", "yes"),
        ("Yes</s>", "yes"),
        ("Yes\u2705", "yes"),
    ],
)
def test_a_word_that_answers_is_read(text, right):
    assert read(text) == (right, "read", None)


@pytest.mark.parametrize(
    "text", ["Yes.\nNo.", "Yes, actually no.", "true or false", "Yes / No", "I can't say yes or no"]
)
def test_both_words_without_a_declared_answer_are_ambiguous(text):
    assert answer(text) == "ambiguous"


@pytest.mark.parametrize("text", ["no-brainer", "No1", "Ye", "Bus 5", "N/A", "是", "Oui", "Both"])
def test_a_piece_of_a_word_or_another_language_is_unknown(text):
    assert answer(text) == "unknown"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("There is a cat, so no at first sight. Final answer: yes", "yes"),
        ("Let's think. It could be yes. The answer is **no**.", "no"),
        ('Here it is: {"answer": "No"}', "no"),
        ('{"reasoning": "no cat", "answer": "yes"}', "yes"),
        ("Maybe yes. \\boxed{\\text{No}}", "no"),
        ("Answer: No\n\nReason: The answer is that there is only a cat.", "no"),
        ('```json\n{"answer": "yes"}\n```', "yes"),
    ],
)
def test_a_declared_answer_outweighs_words_before_it(text, right):
    assert answer(text) == right


def test_a_first_word_against_the_declared_answer_is_ambiguous():
    assert answer("Yes. Let me look again. Final answer: no") == "ambiguous"


@pytest.mark.parametrize("polarity", ["present", "absent"])
def test_a_word_answers_the_question_as_it_was_asked(polarity):
    assert answer("Yes", polarity) == "yes"
    assert answer("False", polarity) == "no"


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("The image shows a man walking a dog.", True),
        ("I don't see any dogs in this image.", False),
        ("There is a cat, but no dog.", False),
        ("It appears to be a dog.", True),
    ],
)
def test_a_sentence_answers_opposite_questions_oppositely(text, there):
    right = {"present": "yes" if there else "no", "absent": "no" if there else "yes"}
    for polarity, value in right.items():
        assert read(text, polarity) == (value, "read", "by_content")


@pytest.mark.parametrize(
    ("text", "polarity", "word"),
    [
        ("No, there is no dog.", "absent", "no"),
        ("Yes, there is a dog in the image.", "absent", "yes"),
        ("Yes, the image does not contain a dog.", "present", "yes"),
        ("The image does not contain a dog. Answer: No", "absent", "no"),
        ("Nope, there is a dog", "present", "no"),
    ],
)
def test_a_word_that_its_own_sentence_contradicts_is_read_and_flagged(text, polarity, word):
    assert read(text, polarity) == (word, "read", "conflict")


@pytest.mark.parametrize(
    ("text", "polarity", "word"),
    [
        ("No. There is no dog.", "absent", "no"),
        ("No\n\nThere is no dog.", "absent", "no"),
        ("Yes. There is a dog.", "absent", "yes"),
        ("Yes! There is no dog.", "present", "yes"),
        ("There is no dog. No.", "absent", "no"),
    ],
)
def test_a_word_that_another_sentence_contradicts_is_unread(text, polarity, word):
    assert read(text, polarity) == (None, "conflict", f"conflict:{word}")


@pytest.mark.parametrize(
    "text",
    [
        "Yes. There is no leash on the dog.",
        "Yes. The dog is not moving.",
        "Yes. There is a dog. There is no dog on the sofa.",
        "Yes. Is there no dog?",
        "No. There is a hot dog.",
        "No. There is a stuffed dog.",
        "No. It is a picture of a dog house.",
        "No. There may be a dog outside of it.",
        "No, it's a statue of a dog.",
    ],
)
def test_a_sentence_that_says_nothing_against_the_word_is_no_conflict(text):
    assert read(text) == (text.split(".")[0].split(",")[0].lower(), "read", None)


@pytest.mark.parametrize(
    ("category", "text", "right"),
    [
        ("traffic light", "There are no traffic lights in the picture.", "no"),
        ("cell phone", "I see two cell-phones on the table", "yes"),
        ("Pushable/Pullable Object", "There is no pushable/pullable object", "no"),
        ("C++ (book)", "A C++ (book) is visible", "yes"),
        ("person", "No people are visible", "no"),
        ("knife", "There are three knives", "yes"),
        ("Ampelmännchen", "There is an AMPELMÄNNCHEN", "yes"),
        ("hot dog", "There is a hot dog on the plate.", "yes"),
        (".*", "There is a cat.", "unknown"),
        ("", "There is a cat.", "unknown"),
    ],
)
def test_any_category_name_is_taken_literally(category, text, right):
    assert answer(text, category=category) == right


@pytest.mark.parametrize(
    "text",
    [
        "No, I'm sorry, I can't help with that.",
        "As an AI, I can't see dogs.",
        "Unfortunately, I can't view images.",
        "I don't see any image attached.",
        "I'm sorry.",
    ],
)
def test_a_refusal_is_not_a_no(text):
    assert read(text) == (None, "refused", None)


@pytest.mark.parametrize(
    "text",
    [
        "It's unclear whether there is a dog",
        "There might be a dog",
        "I'm sorry, but I cannot tell.",
        "The presence of a dog cannot be confirmed.",
    ],
)
def test_doubt_is_unknown(text):
    assert read(text) == (None, "unknown", None)


def test_a_yes_beside_a_partial_refusal_stands():
    assert answer("Yes, but I can't help with identifying its owner.") == "yes"


def test_a_failure_notice_of_another_harness_is_an_error():
    assert answer("[LMMS_EVAL_REQUEST_FAILED after 3 tries] no, quota") == "error"


def test_no_text_is_an_error_and_blanks_are_empty():
    assert (answer(None), answer(" \n"), answer("</s>"), answer("**")) == (
        "error",
        "empty",
        "empty",
        "empty",
    )


def test_an_unknown_polarity_is_refused_by_name():
    with pytest.raises(ValueError, match=r"'count'.*present"):
        read("yes", "count")
