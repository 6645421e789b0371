import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp.answer.unwrap import THINK_TAGS, in_plain_words, normalise, unwrap, without_thought


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>b", "b"),
        ("<THINK>a</Think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a</think>b<think>c</think>d", "b\nd"),
        ("<think>a<think>b</think>c", "c"),
        ("<think>a</think>", ""),
        ("<think>a", None),
        ("a<think>b", None),
        ("<thinking>a</think>b", None),
        ("a", "a"),
    ],
)
def test_reasoning_is_taken_off(text, left):
    kept = without_thought(text, THINK_TAGS)
    assert (kept.strip() if kept is not None else None) == left


def test_without_tags_everything_is_kept():
    assert without_thought("<think>a", ()) == "<think>a"


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("Answer: No", ("No",)),
        (
            "The answer is no. So the final answer is: yes",
            ("yes", "no. So the final answer is: yes"),
        ),
        ("Q: dog?\nA: No", ("No",)),
        ("<answer>\\boxed{No}</answer>", ("No",)),
        ("<answer>The answer is No</answer>", ("No", "The answer is No")),
        ("<|begin_of_box|>Yes<|end_of_box|>", ("Yes",)),
        ("Answering: no", ()),
        ("No", ()),
    ],
)
def test_declared_answers_are_found_last_first(text, declared):
    assert unwrap(text).declared == declared


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (None, "error"),
        ("Failed to obtain answer via API.", "error"),
        ("<think>a", "truncated"),
        ("", "empty"),
        ("<think></think>", "empty"),
        ("<answer></answer>", "empty"),
        ("...", None),
    ],
)
def test_what_leaves_nothing_to_read_has_a_status(text, status):
    assert unwrap(text).status == status


@given(st.text())
def test_normal_text_is_its_own_normal_form_up_to_dropped_characters(text):
    once = normalise(text)
    assert normalise(once) == normalise(normalise(once))
    assert not set("\u200b\ue000\ue001\u2019") & set(once)


@given(st.text(st.characters(max_codepoint=0x24F, categories=["L", "N", "Z"])))
def test_letters_and_digits_are_folded_as_unicode_says(text):
    assert normalise(text) == unicodedata.normalize("NFKC", text.strip()).strip()


def test_a_long_run_of_combining_marks_is_cut():
    assert len(normalise("a" + "\u0315\u0300" * 50_000)) < 40


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I can't", "i can not"),
        ("won't", "will not"),
        ("There isn't", "there is not"),
        ("doesnt", "does not"),
        ("It's", "it is"),
        ("dog's", "dog's"),
        ("appears to be", "is"),
        ("does not seem to contain", "does not contain"),
    ],
)
def test_contractions_are_spelt_out(text, plain):
    assert in_plain_words(text) == plain
