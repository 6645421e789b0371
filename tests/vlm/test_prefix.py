"""Where the questions on an image part, by their tokens alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from oodexp.vlm.prefix import Split, split

IMAGE, START, CLOSE = 9, 1, 2


class Spelled:
    """A wording whose processor writes an image as START, IMAGE twice, CLOSE, then the text."""

    def __init__(self, before: bool = True) -> None:
        self.before = before
        self.processed: list[str] = []

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._told([IMAGE], text) for text in texts]

    def batch(self, images: Sequence[Any], texts: Sequence[str]) -> dict[str, Any]:
        self.processed += texts
        rows = [self._told([START, IMAGE, IMAGE, CLOSE], text) for text in texts]
        width = max(map(len, rows))
        pads = [width - len(row) for row in rows]
        return {
            "input_ids": torch.tensor([[0] * p + r for p, r in zip(pads, rows, strict=True)]),
            "attention_mask": torch.tensor([[0] * p + [1] * (width - p) for p in pads]),
        }

    def _told(self, image: list[int], text: str) -> list[int]:
        letters = [ord(letter) for letter in text]
        return [5, *image, *letters] if self.before else [*letters, *image]


def cut(texts: list[str], owners: list[int], wording: Any = None) -> Split | None:
    pictures = [object() for _ in range(max(owners) + 1)]
    return split(wording or Spelled(), [pictures[n] for n in owners], texts, IMAGE)  # type: ignore[misc]


def spelled(tokens: list[int]) -> str:
    return "".join(chr(token) for token in tokens if token > CLOSE + 10)


def test_heads_hold_all_that_the_questions_of_an_image_share() -> None:
    found = cut(["a cat?", "a car?", "no", "now"], [0, 0, 1, 1])
    assert found is not None
    assert found.heads[0] == [5, START, IMAGE, IMAGE, CLOSE, *map(ord, "a ca")]
    assert [spelled(head) for head in found.heads] == ["a ca", "n"]
    assert [spelled(tail) for tail in found.tails] == ["t?", "r?", "o", "ow"]
    assert found.owner == [0, 0, 1, 1]


def test_at_least_one_token_is_left_to_go_on_with() -> None:
    found = cut(["same", "same", "lone"], [0, 0, 1])
    assert found is not None
    assert [spelled(tail) for tail in found.tails] == ["e", "e", "e"]
    assert [spelled(head) for head in found.heads] == ["sam", "lon"]


def test_an_image_is_processed_once_whatever_the_order_of_its_questions() -> None:
    wording = Spelled()
    found = cut(["one", "two", "six", "ten"], [0, 1, 0, 1], wording)
    assert found is not None
    assert wording.processed == ["one", "two"]
    whole = [
        spelled(found.heads[o]) + spelled(t) for o, t in zip(found.owner, found.tails, strict=True)
    ]
    assert whole == ["one", "two", "six", "ten"]


def test_an_image_behind_its_question_is_not_cut() -> None:
    assert cut(["one", "two"], [0, 0], Spelled(before=False)) is None


def test_a_prompt_without_image_tokens_is_not_cut() -> None:
    pictures = [object()] * 2
    assert split(Spelled(), pictures, ["one", "two"], 77) is None  # type: ignore[arg-type]
