"""Chunks of a loop's items, and who computes which."""

from __future__ import annotations

import json

import pytest

from oodexp import table
from oodexp.predict import chunk
from oodexp.predict.answering import Asking, answer
from oodexp.predict.chunk import Chunks, Turns, loader
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.module import AnsweringModule
from oodexp.record import Question
from oodexp.vlm.scripted import Scripted


class Letters:
    """Items that are told apart."""

    def __init__(self, count: int) -> None:
        self.items = [chr(97 + n) for n in range(count)]

    def __len__(self) -> int:
        return len(self.items)

    def __getitems__(self, indices):
        return "".join(self.items[n] for n in indices)


def ranks(monkeypatch: pytest.MonkeyPatch, rank: int, size: int) -> None:
    monkeypatch.setattr(chunk, "_place", lambda: (rank, size))


@pytest.mark.parametrize(
    ("count", "size", "expected"),
    [(7, 3, ["abc", "def", "g"]), (6, 3, ["abc", "def"]), (2, 3, ["ab"]), (0, 3, [])],
)
def test_items_are_cut_in_their_order(count, size, expected):
    assert list(loader(Chunks(Letters(count), size), 0, pinned=False, shared=True)) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_the_chunks_are_the_same_on_any_number_of_ranks(monkeypatch, size):
    chunks = Chunks(Letters(20), 3)
    alone = list(loader(chunks, 0, pinned=False, shared=True))
    shares = []
    for rank in range(size):
        ranks(monkeypatch, rank, size)
        shares.append(list(loader(chunks, 0, pinned=False, shared=True)))
        assert shares[-1] == alone[rank::size]
    assert sorted(c for share in shares for c in share) == alone


def test_a_rank_without_a_chunk_has_an_empty_share(monkeypatch):
    ranks(monkeypatch, 2, 3)
    assert list(Turns(2, shared=True)) == []
    assert len(Turns(2, shared=True)) == 0


def test_the_rank_is_asked_for_when_the_chunks_are_taken_and_not_before(monkeypatch):
    turns = Turns(4, shared=True)
    ranks(monkeypatch, 1, 2)
    assert list(turns) == [1, 3]


def test_eighty_one_questions_on_four_ranks_give_eighty_one_rows(monkeypatch, shared, world, store):
    expected = json.loads((shared / "cases/g28-padding/expected.json").read_text())
    count, right = expected["questions"], expected["correct"]
    prompts = [f"{'apple' if n < right else 'leaf'}? ({n})" for n in range(count)]
    vlm = Scripted({"apple": "Yes", "leaf": "No"})
    rows = [Question(f"q{n}", "world", "0", "apple", "existence", "present", p, "yes")
            for n, p in enumerate(prompts)]  # fmt: skip
    questions = table.frame(Question, rows)
    images = scan(world.images(), world.read).images
    loop = Loop("cpu", answering_batch=4, progress=False)

    def ask_all():
        return answer("vlm", vlm, questions, images, world.read, store, loop)

    real = Loop.run

    def on_four_ranks(self, title, module, items, batch, shelves):
        assert isinstance(module, AnsweringModule)
        assert isinstance(items, Asking)
        assert len(items) == count
        for rank in range(expected["ranks"]):
            ranks(monkeypatch, rank, expected["ranks"])
            real(self, title, module, items, batch, shelves)

    monkeypatch.setattr(Loop, "run", on_four_ranks)
    monkeypatch.setattr(chunk, "loader", lambda *of: loader(*of[:3], shared=True))
    found = ask_all().completions
    shards = list((store._root / "completions").glob("*/*.parquet"))
    written = [key for s in shards for key in table.pq.read_table(s)["key"].to_pylist()]
    assert len(written) == len(set(written)) == expected["rows_after_merge"]
    assert found["question_id"].tolist() == [f"q{n}" for n in range(count)]
    assert (found["completion"] == "Yes").mean() == pytest.approx(expected["accuracy"], abs=1e-6)


def test_a_loop_that_is_not_shared_takes_all_in_a_process_that_is_connected(monkeypatch):
    """Rank 0 asks a server alone, while the other processes wait for it."""
    monkeypatch.setattr(chunk, "_place", lambda: (1, 3))
    chunks = Chunks(Letters(7), 2)
    assert list(loader(chunks, 0, pinned=False, shared=False)) == ["ab", "cd", "ef", "g"]
    assert list(loader(chunks, 0, pinned=False, shared=True)) == ["cd"]
