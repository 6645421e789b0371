"""Groups of models that cannot be told apart.

OODBench ranks without a test. Piepho (2004), compact letter display; Bron and Kerbosch (1973),
maximal cliques. No deviation.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from oodexp.evidence.letters import groups, letter


def graph(models: int, edges: list[tuple[int, int]]) -> np.ndarray:
    near = np.eye(models, dtype=bool)
    for i, j in edges:
        near[i, j] = near[j, i] = True
    return near


def by_trying(alike: np.ndarray) -> set[frozenset[int]]:
    """Maximal cliques by trying every set of models."""
    models = range(len(alike))
    complete = [
        frozenset(chosen)
        for size in range(1, len(alike) + 1)
        for chosen in combinations(models, size)
        if all(alike[i, j] for i, j in combinations(chosen, 2))
    ]
    return {one for one in complete if not any(one < other for other in complete)}


@pytest.mark.parametrize("seed", range(12))
def test_the_groups_are_the_maximal_cliques(seed):
    rng = np.random.default_rng(seed)
    alike = np.triu(rng.random((7, 7)) < 0.5, 1)
    alike = alike | alike.T | np.eye(7, dtype=bool)
    found = groups(rng.random(7), alike)
    assert {frozenset(one) for one in found.members} == by_trying(alike)
    assert len(found.members) == len(by_trying(alike))
    for i, j in combinations(range(7), 2):
        assert bool(set(found.letters[i]) & set(found.letters[j])) == alike[i, j]


def test_letters_run_from_the_best_to_the_worst():
    values = np.array([0.5, 0.9, 0.7, 0.8])
    found = groups(values, graph(4, [(1, 3), (3, 2)]))
    assert found.members == [[1, 3], [3, 2], [0]]
    assert found.letters == ["c", "a", "b", "ab"]


def test_a_model_without_a_value_is_in_no_group():
    found = groups(np.array([0.5, np.nan, 0.5]), np.ones((3, 3), dtype=bool))
    assert found.members == [[0, 2]]
    assert found.letters == ["a", "", "a"]


def test_no_models_make_no_groups():
    assert groups(np.zeros(0), np.zeros((0, 0), dtype=bool)) == ([], [])


def test_letters_do_not_run_out():
    assert [letter(n) for n in (0, 25, 26, 51, 52)] == ["a", "z", "a1", "z1", "a2"]
