"""What the miniature's VLM answers, by division: existence both ways, counting, comparing."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import Answerer
from oodexp.miniature.quiz import COMPARE, CONTAIN, COUNT, NOT_CONTAIN
from oodexp.miniature.truth import REASONS, Truth
from oodexp.miniature.yardstick import bootstrap_difference

Figures = list[tuple[str, str]]
DIVISIONS = ("ID", "OOD-S", "OOD-H")
Numbers = NDArray[np.int64]


def _ask_present(
    vlm: Answerer, truth: Truth, image: Numbers, category: Numbers, text: str
) -> list[str]:
    names = [CATEGORIES[c] for c in category]
    return vlm.answer([truth.pictures[i] for i in image], [text.format(n) for n in names])


def _within(right: NDArray[np.bool_], group: Numbers, reason: NDArray[np.str_]) -> Figures:
    """Accuracy by division, and by planted reason within each: the control of composition."""
    figures = []
    for number, name in enumerate(DIVISIONS):
        cells = [right[(group == number) & (reason == r)] for r in REASONS]
        inner = " / ".join(f"{c.mean():.2f} (n={len(c)})" if len(c) else "-" for c in cells)
        label = f"VLM accuracy {name}; within canonical / variant / secondary"
        figures.append((label, f"{right[group == number].mean():.3f}; {inner}"))
    return figures


def existence_figures(vlm: Answerer, division: Numbers, truth: Truth) -> Figures:
    """Asks about every present pair and about one absent category per image, both ways.

    Args:
        vlm: The model.
        division: (n, k) division of each pair.
        truth: The split.

    Returns:
        Label and value: speed; accuracy by division; differences; what absent categories get.
    """
    rng = np.random.default_rng(0)
    image, category = np.nonzero(truth.counts > 0)
    start = time.process_time()
    plain = _ask_present(vlm, truth, image, category, CONTAIN)
    negated = _ask_present(vlm, truth, image, category, NOT_CONTAIN)
    speed = 2 * len(image) / (time.process_time() - start)
    right = np.array([[a == "yes", b == "no"] for a, b in zip(plain, negated, strict=True)])
    group = division[image, category]
    figures = [("VLM questions per CPU second", f"{speed:.0f}")]
    figures += _within(right, group, truth.reasons[image, category])
    every = (np.repeat(group, 2), np.repeat(image, 2))
    for one, two in ((0, 1), (1, 2), (0, 2)):
        value, low, high = bootstrap_difference(right.ravel(), *every, (one, two), rng)
        label = f"{DIVISIONS[one]} - {DIVISIONS[two]}, 95 % by image"
        figures.append((label, f"{value:.3f} [{low:.3f}, {high:.3f}]"))
    return [*figures, _absent_figure(vlm, truth, rng)]


def _absent_figure(vlm: Answerer, truth: Truth, rng: np.random.Generator) -> tuple[str, str]:
    image = np.arange(len(truth.pictures))
    category = np.array([int(rng.choice(np.flatnonzero(row == 0))) for row in truth.counts])
    plain = _ask_present(vlm, truth, image, category, CONTAIN)
    negated = _ask_present(vlm, truth, image, category, NOT_CONTAIN)
    denied = np.mean([answer == "no" for answer in plain])
    affirmed = np.mean([answer == "yes" for answer in negated])
    return "absent: 'no' to contain / 'yes' to not contain", f"{denied:.3f} / {affirmed:.3f}"


def count_figures(vlm: Answerer, division: Numbers, truth: Truth) -> Figures:
    """Asks how many there are of every present category, and compares two of one division.

    Args:
        vlm: The model.
        division: (n, k) division of each pair.
        truth: The split.

    Returns:
        Label and value: accuracy beside that of the best constant answer.
    """
    figures = []
    image, category = np.nonzero(truth.counts > 0)
    said = _ask_present(vlm, truth, image, category, COUNT)
    true = truth.counts[image, category]
    right = np.array([a == str(t) for a, t in zip(said, true, strict=True)])
    for number, name in enumerate(DIVISIONS):
        mine = division[image, category] == number
        constant = np.bincount(true[mine]).max() / mine.sum()
        value = f"{right[mine].mean():.3f}; {constant:.3f}"
        figures.append((f"count {name}; best constant", value))
    return [*figures, *(_compare_figure(vlm, division, truth, d) for d in range(len(DIVISIONS)))]


def _compare_figure(vlm: Answerer, division: Numbers, truth: Truth, number: int) -> tuple[str, str]:
    same = (truth.counts > 0) & (division == number)
    rows = np.flatnonzero(same.sum(1) > 1)
    pairs = [np.random.default_rng(i).permutation(np.flatnonzero(same[i]))[:2] for i in rows]
    texts = [COMPARE.format(CATEGORIES[a], CATEGORIES[b]) for a, b in pairs]
    answers = vlm.answer([truth.pictures[i] for i in rows], texts)
    more = np.array(
        [truth.counts[i, a] > truth.counts[i, b] for i, (a, b) in zip(rows, pairs, strict=True)]
    )
    value = np.mean([(said == "yes") == true for said, true in zip(answers, more, strict=True)])
    constant = max(more.mean(), 1 - more.mean())
    return (
        f"compare {DIVISIONS[number]}; best constant (n)",
        f"{value:.3f}; {constant:.3f} ({len(rows)})",
    )
