"""Questions in parts."""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd
import pytest

from oodexp import record, table
from oodexp.error import OodexpError
from oodexp.export.base import Content
from oodexp.export.part import parts
from oodexp.export.shard import cut
from tests.export import made


def beside(category: str) -> record.Question:
    """A question about a category that no pair of the division has."""
    return record.Question(
        f"beside/{category}", "left", made.CLIMB, category, "existence", "present", "?", "no",
        split="ID", strategy="random",
    )  # fmt: skip


def with_questions(*more: record.Question) -> Content:
    both = pd.concat([made.questions(), table.frame(record.Question, more)], ignore_index=True)
    return made.content(questions=both)


def test_parts_are_splits_and_kinds_in_order() -> None:
    found = parts(made.content(), "oodexp", "drawn")
    assert [(p.split, p.kind, len(p.items)) for p in found] == [
        ("ID", "counting", 1), ("ID", "existence", 2), ("OOD-H", "counting", 2),
        ("OOD-H", "existence", 4), ("OOD-S", "existence", 2),
    ]  # fmt: skip
    assert [p.verdicts for p in found] == [False, True, False, True, True]


def test_questions_of_an_image_stand_side_by_side_in_the_order_of_the_run() -> None:
    shuffled = made.questions().sample(frac=1, random_state=3)
    for part in parts(made.content(questions=shuffled), "oodexp", "all"):
        runs = [picture for picture, _ in itertools.groupby(i.picture for i in part.items)]
        assert len(set(runs)) == len(runs)
        place = {q: n for n, q in enumerate(shuffled["question_id"])}
        for _, mine in itertools.groupby(part.items, key=lambda item: item.picture):
            numbers = [place[item.question_id] for item in mine]
            assert numbers == sorted(numbers)


def test_a_question_about_no_pair_of_the_division_stays() -> None:
    found = parts(with_questions(beside("cat")), "oodexp", "drawn")
    asked = {item.question_id for part in found for item in part.items}
    assert "beside/cat" in asked
    assert not any("left over" in question for question in asked)


def test_a_question_without_split_is_a_part_of_its_own() -> None:
    content = made.content(questions=made.questions().assign(split=None))
    assert {p.name for p in parts(content, "oodexp", "all")} == {
        "oodexp_no_split_existence", "oodexp_no_split_counting"
    }  # fmt: skip


def test_an_image_that_is_not_listed_is_named() -> None:
    images = made.content().images.iloc[1:]
    with pytest.raises(OodexpError, match="not in the table images"):
        parts(made.content(images=images), "oodexp", "drawn")


def test_kinds_that_differ_by_signs_alone_are_refused() -> None:
    questions = made.questions(counting=False)
    kinds = ["a-b" if n % 2 else "a b" for n in range(len(questions))]
    with pytest.raises(OodexpError, match="two have one name"):
        parts(made.content(questions=questions.assign(kind=kinds)), "oodexp", "drawn")


@pytest.mark.parametrize("limit", [1, 3000, 5000, 10**9])
def test_runs_keep_the_order_the_limit_and_an_image_together(limit: int) -> None:
    items = [item for part in parts(made.content(), "x", "all") for item in part.items]
    items.sort(key=lambda item: item.picture)

    def cost(picture: Any, questions: int) -> float:
        return picture.size * questions

    runs = cut(items, limit, cost)
    assert [item for run in runs for item in run] == items
    for run in runs:
        sizes = [item.picture.size for item in run]
        assert sum(sizes) <= limit or len({item.picture for item in run}) == 1
    owners = [{item.picture for item in run} for run in runs]
    assert sum(map(len, owners)) == len(set.union(*owners))


def test_pair_ids_do_not_run_together() -> None:
    (part, *_) = parts(made.content(), "oodexp", "drawn")
    assert part.items[0].pair_id.count("/") == 2
