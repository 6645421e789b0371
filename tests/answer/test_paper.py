import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oodexp.answer.paper import Paper


def read(text, polarity="present"):
    return Paper().read(text, polarity=polarity, category="dog")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Yes.", "yes"),
        ("YES!", "yes"),
        ("Yes, the image does not contain a dog.", "yes"),
        ("No", "no"),
        ("Yes, and there is no cat.", "no"),
        ("Yesterday", "no"),
        ("I notice a dog", "no"),
        ("", "no"),
        ("I'm sorry, I can't help with that", "no"),
        ("<think>yes", "yes"),
    ],
)
@pytest.mark.parametrize("polarity", ["present", "absent"])
def test_only_a_yes_without_a_no_is_yes_whatever_was_asked(text, right, polarity):
    assert read(text, polarity) == (right, "read", None)


def test_no_text_is_an_error():
    assert read(None) == (None, "error", None)


@given(st.lists(st.sampled_from(["yes", "No", "dog", "nope", ".", ",", "yes_", "-", "YES"])))
def test_the_rule_agrees_with_sets_of_words(parts):
    text = " ".join(parts)
    words = set(re.split(r"[^A-Za-z0-9_]+", text.lower()))
    assert read(text).value == ("yes" if "yes" in words and "no" not in words else "no")
