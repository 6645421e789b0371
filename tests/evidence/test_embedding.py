"""OODConceptBench, Figure D2: a t-SNE map of at most 300 samples of each layer and source.

Witnesses: scikit-learn called by hand, planted clusters whose neighbours must stay, numpy means.
Deviation from the paper: it states neither perplexity nor seed; 30 and a seed are settings.
"""

import math

import numpy as np
import pytest
from sklearn.manifold import TSNE, trustworthiness

from oodexp.error import OodexpError
from oodexp.evidence.embedding import tsne

GROUP = np.repeat([0, 1, 2], [50, 30, 40])
POINTS = np.random.default_rng(9).normal(size=(120, 8)) + 6 * np.eye(8)[GROUP]


def test_neighbours_stay_and_centroids_are_means():
    found = tsne(POINTS, GROUP, 4, perplexity=12, seed=1)
    assert found.chosen.tolist() == list(range(120))
    assert trustworthiness(POINTS, found.points, n_neighbors=5) > 0.9
    for one in range(3):
        np.testing.assert_allclose(found.centroids[one], found.points[one == GROUP].mean(axis=0))
    assert np.isnan(found.centroids[3]).all()
    nearest = np.linalg.norm(found.points[:, None] - found.centroids[:3], axis=2).argmin(axis=1)
    assert (nearest == GROUP).mean() > 0.95
    assert (found.perplexity, found.seed, found.reason) == (12, 1, None)


def test_it_is_scikit_learns_map_of_the_chosen_rows_and_a_seed_repeats_it():
    found = tsne(POINTS, GROUP, 3, perplexity=9, most=20, seed=2)
    model = TSNE(perplexity=9, init="pca", random_state=2)
    np.testing.assert_allclose(found.points, model.fit_transform(POINTS[found.chosen]), rtol=1e-5)
    assert found.divergence == pytest.approx(model.kl_divergence_)
    again = tsne(POINTS, GROUP, 3, perplexity=9, most=20, seed=2)
    np.testing.assert_array_equal(again.points, found.points)


def test_large_groups_are_drawn_from_and_small_ones_are_whole():
    found = tsne(POINTS, GROUP, 3, perplexity=9, most=35, seed=3)
    assert np.bincount(GROUP[found.chosen]).tolist() == [35, 30, 35]
    assert len(set(found.chosen.tolist())) == 100
    other = tsne(POINTS, GROUP, 3, perplexity=9, most=35, seed=4)
    assert set(other.chosen.tolist()) != set(found.chosen.tolist())


@pytest.mark.parametrize(
    ("points", "why"),
    [
        (POINTS[:9], "9 points: perplexity 9 needs more"),
        (np.ones((20, 8)), "all points are the same"),
        (POINTS[:20, :1], "features of one dimension have no map in the plane"),
        (POINTS[:0], "0 points: perplexity 9 needs more"),
    ],
)
def test_what_cannot_be_placed_has_a_reason(points, why):
    found = tsne(points, np.zeros(len(points), int), 1, perplexity=9)
    assert found.reason == why
    assert found.points.shape == (0, 2)
    assert math.isnan(found.divergence)


def test_bad_input_is_refused():
    holed = POINTS.copy()
    holed[4, 2] = np.nan
    with pytest.raises(OodexpError, match="finite features"):
        tsne(holed, GROUP, 3)
    with pytest.raises(OodexpError, match="one group a row"):
        tsne(POINTS, GROUP[:5], 3)
    for bad in ({"most": 0}, {"perplexity": 0.0}):
        with pytest.raises(OodexpError, match="expected >= 1 and > 0"):
            tsne(POINTS, GROUP, 3, **bad)
