"""The questions the tiny VLM learns from."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.quiz import Ask, Mix, ask
from oodexp.miniature.world import CANONICAL, draw_many, to_world

EVEN = Mix(contain=0.25, not_contain=0.25, count=0.25, odd=0.5)


@pytest.fixture(scope="module")
def asked() -> list[tuple[Ask, np.ndarray, np.ndarray]]:
    world, rng = to_world(draw_many(77, 150, 1)), np.random.default_rng(0)
    return [
        (ask(counts, reasons, EVEN, rng), counts, reasons)
        for counts, reasons in zip(world.counts, world.reasons, strict=True)
        for _ in range(12)
    ]


def _true_answer(text: str, counts: np.ndarray) -> str:
    """Reads the question anew, by a pattern of its own."""
    number = dict(zip(CATEGORIES, counts.tolist(), strict=True))
    if found := re.search(r"number of (\w+) .* number of (\w+)\?", text):
        return "yes" if number[found[1]] > number[found[2]] else "no"
    if found := re.match(r"How many (\w+) are there", text):
        return str(number[found[1]])
    found = re.search(r"contain (?:a )?(\w+)\?", text)
    assert found is not None
    return "yes" if (number[found[1]] > 0) != (" not contain" in text) else "no"


def test_every_answer_is_true(asked):
    for question, counts, _ in asked:
        assert question.answer == _true_answer(question.text, counts), question


def test_yes_and_no_are_balanced_for_existence(asked):
    answers = [q.answer for q, _, _ in asked if "contain" in q.text]
    assert 0.45 < np.mean([a == "yes" for a in answers]) < 0.55


def test_counts_reach_from_none_to_four(asked):
    answers = Counter(q.answer for q, _, _ in asked if q.text.startswith("How many"))
    assert set(answers) >= {"0", "1", "2", "3", "4"}
    assert max(answers.values()) < 0.5 * sum(answers.values())


def test_without_the_odd_share_present_objects_asked_about_are_canonical():
    world, rng = to_world(draw_many(78, 60, 1)), np.random.default_rng(0)
    mix = Mix(contain=1.0, not_contain=0.0, count=0.0, odd=0.0)
    for counts, reasons in zip(world.counts, world.reasons, strict=True):
        question = ask(counts, reasons, mix, rng)
        if question.answer == "yes":
            found = re.search(r"contain (?:a )?(\w+)\?", question.text)
            assert found is not None
            assert reasons[CATEGORIES.index(found[1])] == CANONICAL
