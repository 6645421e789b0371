"""Groups of models that cannot be told apart, as a compact letter display (Piepho, 2004).

Models are the nodes of a graph whose edges are the pairs that a test did not separate. Its
maximal cliques are the groups, each with a letter; two models differ significantly if, and only
if, they share no letter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Groups(NamedTuple):
    """Groups of models; they may overlap."""

    members: list[list[int]]
    """Models of each group, the best first; the group with the best models first."""
    letters: list[str]
    """Letters of each model's groups; empty for a model without a value."""


def groups(values: np.ndarray, alike: np.ndarray) -> Groups:
    """The groups of models that were not told apart.

    Args:
        values: What the models are ordered by, larger is better, (model,); a model with NaN is in
            no group.
        alike: Whether a pair was not told apart, bool, symmetric, (model, model).
    """
    order = sorted(np.flatnonzero(~np.isnan(values)).tolist(), key=lambda m: (-values[m], m))
    rank = {model: place for place, model in enumerate(order)}
    near = {m: {o for o in order if o != m and alike[m, o]} for m in order}
    found = [sorted(clique, key=rank.__getitem__) for clique in _cliques(near)]
    found.sort(key=lambda clique: [rank[model] for model in clique])
    letters = [""] * len(values)
    for number, clique in enumerate(found):
        for model in clique:
            letters[model] += letter(number)
    return Groups(found, letters)


def letter(number: int) -> str:
    """a, b, ... z, then a1, b1, ...: the name of a group, counted from 0."""
    turn, place = divmod(number, 26)
    return chr(ord("a") + place) + (str(turn) if turn else "")


def _cliques(near: dict[int, set[int]]) -> list[set[int]]:
    """All maximal cliques (Bron and Kerbosch, 1973, with a pivot)."""
    found: list[set[int]] = []

    def extend(clique: set[int], open_: set[int], done: set[int]) -> None:
        if not open_ and not done:
            found.append(clique)
            return
        pivot = max(open_ | done, key=lambda node: len(near[node] & open_))
        for node in sorted(open_ - near[pivot]):
            extend(clique | {node}, open_ & near[node], done & near[node])
            open_, done = open_ - {node}, done | {node}

    if near:
        extend(set(), set(near), set())
    return found
