"""Keys taken out of what servers say."""

from __future__ import annotations

import pytest

from oodexp.vlm.redact import MARK, MOST, Redactor

KEY = "sk-proj-Zx9_abcDEF0123456789"


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {KEY}. Find yours at ...",
        f"{{'authorization': 'Bearer {KEY}'}}",
        f"x{KEY}{KEY}x",
        "Authorization: Bearer other-secret-of-a-proxy",
        "key sk-live-000011112222 is not known",
        "key AIzaSyA0123456789abcdefghij is not valid",
    ],
)
def test_a_key_is_taken_out_wherever_it_stands(text):
    told = Redactor(KEY).message(text)
    assert MARK in told
    for secret in (KEY, "other-secret", "000011112222", "AIzaSy"):
        assert secret not in told


@pytest.mark.parametrize("masked", ["sk-pr****6789", "sk-p...6789", "sk-proj…6789", "*****6789"])
def test_a_masked_key_is_taken_out_too(masked):
    assert "6789" not in Redactor(KEY).message(f"Incorrect API key provided: {masked}.")


def test_an_ellipsis_that_shows_no_key_stays():
    assert Redactor(KEY).message("waiting...done") == "waiting...done"


def test_a_short_key_goes_from_messages_and_stays_an_ordinary_word_in_completions():
    assert Redactor("EMPTY").message("key EMPTY refused") == f"key {MARK} refused"
    assert Redactor("EMPTY").completion("The room is EMPTY") == "The room is EMPTY"


def test_a_completion_is_changed_only_where_it_holds_the_very_key():
    assert Redactor(KEY).completion(f"I was given {KEY}") == f"I was given {MARK}"
    text = "Bearer bonds ***  sk-live-000011112222\n"
    assert Redactor(KEY).completion(text) == text
    assert Redactor(KEY).completion(None) is None
    assert Redactor().completion("Yes") == "Yes"


def test_every_secret_goes_also_one_that_is_a_part_of_another():
    told = Redactor("abcdefgh", "abcdefgh-ijkl").message("abcdefgh-ijkl abcdefgh")
    assert told == f"{MARK} {MARK}"


def test_a_key_that_a_cut_goes_through_is_gone_before_the_cut():
    told = Redactor(KEY).message("x" * (MOST - 10) + KEY)
    assert KEY[:8] not in told
    assert len(told) <= MOST + 4


def test_a_message_stands_on_one_line():
    assert Redactor().message("a\n\n  b\tc ") == "a b c"
