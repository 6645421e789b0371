"""The words of the concept encoders: those of the miniature, and those of the concepts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oodexp.miniature.concept_icon import NEW_SHAPES, RARE_SHAPES
from oodexp.miniature.concept_idea import AIRS, CALIBRATION, CONCEPTS, VIEWS
from oodexp.miniature.concept_pattern import ORNAMENTS, TEXTURES
from oodexp.miniature.vocabulary import END, PAD, START, UNKNOWN, make_tokenizer, words

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def concept_words() -> tuple[str, ...]:
    """Lists the vocabulary, in the order of the token numbers.

    A model of an early year has words for later concepts, too, but never met them: their vectors
    stay as they were drawn, as those of a rare word in a real tokenizer.

    Returns:
        The miniature's words, then those that only concepts need.
    """
    phrases = [idea.phrase for part in (CONCEPTS, *CALIBRATION.values()) for idea in part]
    more = " ".join([*phrases, *AIRS, *VIEWS, *TEXTURES, *ORNAMENTS, *NEW_SHAPES, *RARE_SHAPES])
    return tuple(dict.fromkeys([*words(), *more.split()]))


def make_concept_tokenizer(max_length: int) -> PreTrainedTokenizerFast:
    """Makes the miniature's caption tokenizer with the words of the concepts added.

    Args:
        max_length: Longest text in tokens.

    Returns:
        A tokenizer of whole words; unknown words become one token each.
    """
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    described = json.loads(make_tokenizer("caption", max_length).backend_tokenizer.to_str())
    described["model"]["vocab"] = {word: number for number, word in enumerate(concept_words())}
    maker: Any = PreTrainedTokenizerFast
    made: PreTrainedTokenizerFast = maker(
        tokenizer_object=Tokenizer.from_str(json.dumps(described)),
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        unk_token=UNKNOWN,
        padding_side="right",
        model_max_length=max_length,
        clean_up_tokenization_spaces=False,
    )
    return made
