"""Batches that do not fit into memory are halved, and nothing is lost or asked twice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from oodexp.vlm.base import Reply
from oodexp.vlm.memory import Fitting


class Small:
    """Answers with the number itself; does not fit more than `room` at once, nor the number 99."""

    def __init__(self, room: int) -> None:
        self.room, self.tried = room, list[int]()

    def __call__(self, numbers: Sequence[int]) -> list[Reply]:
        self.tried.append(len(numbers))
        if len(numbers) > self.room or 99 in numbers:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB\nmore")
        return [Reply(str(n), "ok", None, 1) for n in numbers]


@pytest.mark.parametrize("room", [1, 2, 3, 7, 8, 20])
def test_every_item_is_answered_in_order(room: int) -> None:
    replies = Fitting().run(list(range(20)), Small(room))
    assert [reply.text for reply in replies] == [str(n) for n in range(20)]


def test_later_batches_start_at_a_size_that_fits() -> None:
    fitting, work = Fitting(), Small(3)
    fitting.run(list(range(8)), work)
    work.tried.clear()
    fitting.run(list(range(8)), work)
    assert work.tried == [2, 2, 2, 2]


def test_what_does_not_fit_alone_is_an_error_reply_and_the_rest_is_answered() -> None:
    replies = Fitting().run([1, 99, 2], Small(8))
    assert [reply.text for reply in replies] == ["1", None, "2"]
    assert replies[1].status == "error"
    assert str(replies[1].reason).endswith("CUDA out of memory. Tried to allocate 2 GiB")


def test_other_errors_are_not_swallowed() -> None:
    def broken(_: Sequence[int]) -> list[Reply]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Fitting().run([1, 2], broken)
