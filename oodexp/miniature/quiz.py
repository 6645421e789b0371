"""The questions that the tiny VLM learns from, every one with its true answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.world import ABSENT, CANONICAL

CONTAIN = "Does this image contain a {}? (yes or no)"
NOT_CONTAIN = "Does this image not contain a {}? (yes or no)"
STEPWISE = "Does this image contain {}? Yes or No? Let's break down the information step by step."
COUNT = "How many {} are there in the image? Answer with a number."
COMPARE = (
    "Is the number of {} in the image greater than the number of {}? Answer with 'yes' or 'no'"
)


@dataclass(frozen=True)
class Mix:
    """How often each kind of question is asked.

    Attributes:
        contain: Share of "contain" questions; a tenth of them in the step-by-step wording.
        not_contain: Share of "not contain" questions.
        count: Share of counting questions; the rest are comparisons.
        odd: Share of questions on present objects that are about a deformed or secondary one
            where the scene holds one. The dial of how blind the model is to them.
    """

    contain: float
    not_contain: float
    count: float
    odd: float


@dataclass(frozen=True)
class Ask:
    """A question and its answer.

    Attributes:
        text: The question, word for word.
        answer: ``yes``, ``no`` or a digit.
    """

    text: str
    answer: str


def _pick(options: NDArray[np.int64], rng: np.random.Generator) -> int:
    return int(options[rng.integers(len(options))])


def _present(reasons: NDArray[np.int8], odd: float, rng: np.random.Generator) -> int:
    strange = np.flatnonzero(reasons > CANONICAL)
    if len(strange) and rng.random() < odd:
        return _pick(strange, rng)
    return _pick(np.flatnonzero(reasons == CANONICAL), rng)


def _existence(reasons: NDArray[np.int8], odd: float, rng: np.random.Generator) -> tuple[int, bool]:
    if rng.random() < 0.5:
        return _present(reasons, odd, rng), True
    return _pick(np.flatnonzero(reasons == ABSENT), rng), False


def _ask_count(
    counts: NDArray[np.int8], reasons: NDArray[np.int8], odd: float, rng: np.random.Generator
) -> Ask:
    """Draws the count first, then a category that has it, so that rare counts are not rare."""
    for wanted in rng.choice(5, size=4, p=[0.16, 0.18, 0.22, 0.22, 0.22]):
        fitting = np.flatnonzero((counts == wanted) & (reasons <= CANONICAL))
        if len(fitting):
            return Ask(COUNT.format(CATEGORIES[_pick(fitting, rng)]), str(wanted))
    chosen = _present(reasons, odd, rng)
    return Ask(COUNT.format(CATEGORIES[chosen]), str(counts[chosen]))


def _ask_compare(
    counts: NDArray[np.int8], reasons: NDArray[np.int8], odd: float, rng: np.random.Generator
) -> Ask:
    for _ in range(3):
        first = _present(reasons, odd, rng)
        others = np.flatnonzero((reasons != ABSENT) & (np.arange(len(counts)) != first))
        if len(others) == 0 or rng.random() < 0.25:
            others = np.flatnonzero(reasons == ABSENT)
        second = _pick(others, rng)
        if counts[first] != counts[second]:
            break
    if rng.random() < 0.5:
        first, second = second, first
    text = COMPARE.format(CATEGORIES[first], CATEGORIES[second])
    return Ask(text, "yes" if counts[first] > counts[second] else "no")


def ask(
    counts: NDArray[np.int8], reasons: NDArray[np.int8], mix: Mix, rng: np.random.Generator
) -> Ask:
    """Draws one question on a scene.

    Args:
        counts: (k,) instances by category.
        reasons: (k,) planted reason by category, as in ``World.reasons``.
        mix: How often each kind of question is asked.
        rng: The only source of chance.

    Returns:
        The question and its true answer.
    """
    kind = rng.random()
    if kind < mix.contain + mix.not_contain:
        chosen, there = _existence(reasons, mix.odd, rng)
        if kind >= mix.contain:
            return Ask(NOT_CONTAIN.format(CATEGORIES[chosen]), "no" if there else "yes")
        wording = STEPWISE if rng.random() < 0.1 else CONTAIN
        return Ask(wording.format(CATEGORIES[chosen]), "yes" if there else "no")
    if kind < mix.contain + mix.not_contain + mix.count:
        return _ask_count(counts, reasons, mix.odd, rng)
    return _ask_compare(counts, reasons, mix.odd, rng)
