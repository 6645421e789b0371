"""The words that the tiny models know, and the three tokenizers made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oodexp.miniature.background import BACKGROUNDS
from oodexp.miniature.caption import NUMBERS, plural
from oodexp.miniature.icon import CATEGORIES

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

PAD, START, END, UNKNOWN, IMAGE = "<pad>", "<start>", "<end>", "<unk>", "<image>"
SPECIALS = (PAD, START, END, UNKNOWN, IMAGE)
_QUESTION_TEXT = (
    "does this image contain a not yes or no how many are there in the answer with number is of "
    "greater than less equal to let s break down information step by first second then because "
    "so therefore an photo picture drawing on background and what which one color colour size "
    "small large left right top bottom user assistant please only word it i see can you do have "
    "has present absent object objects"
)
_SIGNS = tuple("?.,:;!'\"()[]-/")


def words() -> tuple[str, ...]:
    """Lists the vocabulary, in the order of the token numbers.

    Returns:
        Special tokens, then digits, signs, category names, grounds and words of questions.
    """
    listed = [*SPECIALS, *"0123456789", *_SIGNS, *CATEGORIES]
    listed += [plural(name) for name in CATEGORIES]
    listed += [*BACKGROUNDS, *NUMBERS, *_QUESTION_TEXT.split()]
    return tuple(dict.fromkeys(listed))


def _splitter(*, framed: bool) -> Tokenizer:
    """Splits at blanks, signs and digits; frames a text by start and end where asked."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    table = {word: number for number, word in enumerate(words())}
    inner = Tokenizer(models.WordLevel(table, unk_token=UNKNOWN))
    inner.normalizer = normalizers.Lowercase()
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Punctuation("isolated"),
            pre_tokenizers.Digits(individual_digits=True),
        ]
    )
    if framed:
        inner.post_processor = processors.TemplateProcessing(
            single=f"{START} $A {END}",
            special_tokens=[(START, table[START]), (END, table[END])],
        )
    return inner


def make_tokenizer(kind: str, max_length: int) -> PreTrainedTokenizerFast:
    """Makes a tokenizer of whole words; unknown words become one token each.

    Args:
        kind: ``caption`` frames a text by start and end and pads on the right; ``chat`` adds
            nothing and pads on the left.
        max_length: Longest text in tokens.

    Returns:
        A tokenizer that lowers case and splits every sign and digit off.

    Raises:
        ValueError: If the kind is unknown.
    """
    from transformers import PreTrainedTokenizerFast

    if kind not in ("caption", "chat"):
        raise ValueError(f"tokenizer kind {kind!r}: expected 'caption' or 'chat'")
    maker: Any = PreTrainedTokenizerFast
    made: PreTrainedTokenizerFast = maker(
        tokenizer_object=_splitter(framed=kind == "caption"),
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        unk_token=UNKNOWN,
        extra_special_tokens={"image_token": IMAGE},
        padding_side="left" if kind == "chat" else "right",
        model_max_length=max_length,
        clean_up_tokenization_spaces=False,
    )
    return made
