"""Several questions on one image in one sequence, each blind to the others.

The image's tokens are computed once for all its questions; a mask and repeated positions make the
result equal to asking the questions one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oodexp.miniature.fastvlm import TOKENS
from oodexp.miniature.quiz import Ask
from oodexp.miniature.vocabulary import END, IMAGE, PAD, START, words

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Packed:
    """A batch of b images with q questions each; sequences of length t.

    Attributes:
        ids: (b, t) token numbers.
        positions: (b, t) position of each token as if its question stood alone.
        mask: (b, 1, t, t) bool, True where a token may look.
        heads: (b, 2q) where an answer, and after it the end, is predicted.
        targets: (b, 2q) the tokens to be predicted there.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    heads: torch.Tensor
    targets: torch.Tensor


def _row(
    asks: Sequence[Ask], encode: Callable[[str], list[int]], table: dict[str, int]
) -> tuple[list[int], list[int], list[int], list[int], list[int]]:
    """One image's tokens, positions, question numbers (0 is the image), heads and targets."""
    ids = [table[START], table["user"], *[table[IMAGE]] * TOKENS]
    start = len(ids)
    positions, blocks = list(range(start)), [0] * start
    heads: list[int] = []
    targets: list[int] = []
    for number, asked in enumerate(asks, start=1):
        piece = [*encode(asked.text), table[START], table["assistant"], table[asked.answer]]
        positions += range(start, start + len(piece))
        blocks += [number] * len(piece)
        ids += piece
        heads += [len(ids) - 2, len(ids) - 1]
        targets += [table[asked.answer], table[END]]
    return ids, positions, blocks, heads, targets


def pack(asks: Sequence[Sequence[Ask]], encode: Callable[[str], list[int]]) -> Packed:
    """Packs the questions of a batch of images.

    Args:
        asks: For each image its questions; the same number for every image.
        encode: From a question's text to its token numbers.

    Returns:
        The packed batch.
    """
    import torch

    table = {word: number for number, word in enumerate(words())}
    rows = [_row(questions, encode, table) for questions in asks]
    longest = max(len(row[0]) for row in rows)
    ids = torch.full((len(rows), longest), table[PAD])
    positions = torch.zeros_like(ids)
    blocks = torch.full_like(ids, -1)
    for number, (tokens, places, numbers, _, _) in enumerate(rows):
        ids[number, : len(tokens)] = torch.tensor(tokens)
        positions[number, : len(tokens)] = torch.tensor(places)
        blocks[number, : len(tokens)] = torch.tensor(numbers)
    before = torch.ones(longest, longest, dtype=torch.bool).tril()
    own = (blocks[:, None, :] == 0) | (blocks[:, None, :] == blocks[:, :, None])
    return Packed(
        ids,
        positions,
        (before & own)[:, None],
        torch.tensor([row[3] for row in rows]),
        torch.tensor([row[4] for row in rows]),
    )
