"""The tokens of yes and no, and their probabilities."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import softmax

from oodexp.error import OodexpError
from oodexp.vlm.verdict_tokens import VerdictTokens, names_both


class Words:
    """A tokenizer of whole words; what it does not know is token 0."""

    unk_token_id = 0

    def __init__(self, *words: str) -> None:
        self.known = {word: n for n, word in enumerate(("<unk>", *words))}

    def get_vocab(self) -> dict[str, int]:
        return self.known

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return [self.known.get(text, 0)]


MANY = ("yes", "Yes", "YES", "Ġyes", "▁Yes", " no", "no", "ĠNo", "NO", "Ġnot", "yesterday", "None")


def test_every_form_of_the_words_counts_and_nothing_else() -> None:
    tokens = VerdictTokens(Words(*MANY))
    assert (list(tokens.yes), list(tokens.no)) == ([1, 2, 3, 4, 5], [6, 7, 8, 9])


def test_an_unknown_form_is_not_counted() -> None:
    assert list(VerdictTokens(Words("yes", "no")).yes) == [1]


@pytest.mark.parametrize("words", [("yes",), ("no", "ye", "s"), ()])
def test_a_tokenizer_without_the_words_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(OodexpError, match="decode=generate"):
        VerdictTokens(Words(*words))


def test_probabilities_are_sums_of_a_softmax_over_the_whole_vocabulary() -> None:
    logits = np.random.default_rng(0).normal(0, 5, (50, 13)).astype(np.float32)
    found = VerdictTokens(Words(*MANY)).read(torch.tensor(logits))
    chances = softmax(logits.astype(np.float64), axis=1)
    yes, no = chances[:, 1:6].sum(1), chances[:, 6:10].sum(1)
    np.testing.assert_allclose([v.mass for v in found], yes + no, rtol=1e-5)
    np.testing.assert_allclose([v.yes for v in found], yes / (yes + no), rtol=1e-5)


def test_words_that_are_nearly_impossible_still_have_a_ratio() -> None:
    logits = torch.full((1, 3), -300.0)
    logits[0, 0] = 0
    logits[0, 1] = -299
    (verdict,) = VerdictTokens(Words("yes", "no")).read(logits)
    assert verdict.mass == 0
    assert verdict.yes == pytest.approx(np.e / (1 + np.e))


@pytest.mark.parametrize(
    ("prompt", "both"),
    [
        ("Does this image contain a dog? (yes or no)", True),
        ("Yes or No? Let's break down the information step by step.", True),
        ("Answer with 'yes' or 'no'", True),
        ("Is there a dog? Do not say yes.", False),
        ("yesterday or now", False),
        ("How many dogs? No words.", False),
    ],
)
def test_a_prompt_offers_both_words_as_words(prompt: str, both: bool) -> None:
    assert names_both(prompt) == both
