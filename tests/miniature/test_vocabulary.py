"""The tokenizers."""

from __future__ import annotations

import pytest

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.quiz import COMPARE, CONTAIN, COUNT, NOT_CONTAIN, STEPWISE
from oodexp.miniature.vocabulary import make_tokenizer, words


def test_no_word_is_listed_twice():
    assert len(words()) == len(set(words()))


@pytest.mark.parametrize("template", [CONTAIN, NOT_CONTAIN, COUNT, COMPARE, STEPWISE])
def test_questions_hold_no_unknown_word(template):
    tokenizer = make_tokenizer("chat", 256)
    for name in CATEGORIES:
        ids = tokenizer(template.format(name, name))["input_ids"]
        assert tokenizer.unk_token_id not in ids


def test_signs_are_split_off_words_and_off_one_another():
    tokenizer = make_tokenizer("chat", 256)
    tokens = tokenizer.tokenize("a boat?) 'no'")
    assert tokens == ["a", "boat", "?", ")", "'", "no", "'"]


def test_an_unseen_word_becomes_one_unknown_token():
    tokenizer = make_tokenizer("caption", 24)
    tokens = tokenizer.convert_ids_to_tokens(tokenizer("a photo of a zebra")["input_ids"])
    assert tokens == ["<start>", "a", "photo", "of", "a", "<unk>", "<end>"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="'caption' or 'chat'"):
        make_tokenizer("speech", 8)
