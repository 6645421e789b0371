"""Prompts in SigLIP's canonical form."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from open_clip.tokenizer import canonicalize_text

from oodexp.error import OodexpError
from oodexp.scorer.canonical import check_cleaning, cleaned


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("A photo of a Cat.", "a photo of a cat"),
        ("hot-dog", "hotdog"),
        ("traffic_light", "traffic light"),
        ("  Pushable/Pullable\tObject ", "pushablepullable object"),
        ("O'Brien's (old) car", "obriens old car"),
        ("ÉCLAIR № 5", "éclair № 5"),
    ],
)
def test_canonical_text_by_hand(text: str, canonical: str) -> None:
    assert cleaned([text], "canonical") == [canonical]


@given(st.text(st.characters(codec="utf-8")))
def test_canonical_text_is_that_of_open_clip(text: str) -> None:
    once = cleaned([text], "canonical")
    assert once == [canonicalize_text(text)]
    assert not set(once[0]) & set(string.punctuation)


def test_other_cleanings_do_what_they_say() -> None:
    assert cleaned(["A  Cat."], "as_is") == ["A  Cat."]
    assert cleaned(["A  Cat."], "lower") == ["a  cat."]


def test_an_unknown_cleaning_is_refused() -> None:
    with pytest.raises(OodexpError, match="expected one of family, as_is, lower, canonical"):
        check_cleaning("tidy")  # type: ignore[arg-type]
