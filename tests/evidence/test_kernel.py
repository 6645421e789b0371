"""OODBench, appendix C.1.4: k(z, z') = exp(-|phi - phi'|^2 / (2 sigma^2)) * 1[c = c'].

Deviation from the paper: it does not say how sigma is set. Here it is the median distance between
pairs of one category; witnesses are scikit-learn's kernel and plain loops.
"""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from oodexp.error import OodexpError
from oodexp.evidence import kernel
from oodexp.evidence.kernel import Compute, bandwidth, gaussian, tiles, within


@pytest.fixture
def points():
    rng = np.random.default_rng(5)
    return rng.normal(3, 1, (60, 4)), rng.integers(0, 4, 60)


def full(features, categories, sigma):
    return rbf_kernel(features, gamma=0.5 / sigma**2) * (categories[:, None] == categories)


def loop_median(features, categories):
    n = len(features)
    couples = [(i, j) for i in range(n) for j in range(i) if categories[i] == categories[j]]
    return np.median([np.linalg.norm(features[i] - features[j]) for i, j in couples])


def test_rbf_values_are_those_of_scikit_learn(points):
    features, _ = points
    ours = gaussian(features, features[:9], 1.7)
    assert ours == pytest.approx(rbf_kernel(features, features[:9], gamma=0.5 / 1.7**2), abs=1e-12)
    assert ours.max() <= 1


@pytest.mark.parametrize("tile", [7, 2048])
@pytest.mark.parametrize("device", [None, "cpu"])
def test_tiles_and_their_mirrors_are_the_whole_kernel_matrix(points, tile, device):
    found = np.zeros((60, 60))
    for part in tiles(*points, 1.3, Compute("float64", device, tile)):
        values = np.asarray(part.values)
        found[np.ix_(part.rows, part.columns)] += values
        if not part.diagonal:
            found[np.ix_(part.columns, part.rows)] += values.T
    assert found == pytest.approx(full(*points, 1.3), abs=1e-12)


def test_float32_tiles_far_from_the_origin_lose_no_more_than_near_it(points):
    features, categories = points
    near, far = (
        next(tiles(where, categories, 1.3, Compute("float32"))).values
        for where in (features, features + 1000)
    )
    assert far == pytest.approx(near, abs=1e-5)


def test_median_is_over_distances_within_a_category(points):
    found = bandwidth(*points)
    assert found.value == pytest.approx(loop_median(*points), rel=1e-12)
    assert found.rule == "median"
    assert found.distances == sum(n * (n - 1) // 2 for n in np.bincount(points[1]))


def test_median_all_is_over_all_distances(points):
    found = bandwidth(*points, "median_all")
    assert found.value == pytest.approx(loop_median(points[0], np.zeros(60)), rel=1e-12)
    assert found.distances == 60 * 59 // 2


def test_median_of_drawn_distances_is_near_the_exact_one_and_set_by_the_seed(monkeypatch):
    rng = np.random.default_rng(2)
    # Categories of unequal size and spread: a draw that is not uniform over couples is off.
    categories = np.repeat([0, 1, 2], [150, 40, 10])
    features = rng.normal(0, 1, (200, 3)) * np.array([1.0, 4.0, 9.0])[categories][:, None]
    exact = bandwidth(features, categories).value
    monkeypatch.setattr(kernel, "MOST_DISTANCES", 8000)
    drawn = [bandwidth(features, categories, seed=seed) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1]
    assert drawn[0].value != drawn[2].value
    assert drawn[0].distances == 8000
    assert drawn[0].value == pytest.approx(exact, rel=0.04)


def test_a_number_is_taken_as_it_is(points):
    assert bandwidth(*points, 2.5) == (2.5, "given", 0, None)


def test_equal_points_have_no_bandwidth_and_say_so():
    found = bandwidth(np.ones((5, 2)), np.zeros(5))
    assert np.isnan(found.value)
    assert "zero bandwidth" in found.reason


def test_one_point_a_category_has_no_bandwidth_and_says_so():
    found = bandwidth(np.eye(4), np.arange(4))
    assert np.isnan(found.value)
    assert "no two points" in found.reason


@pytest.mark.parametrize("rule", [0, -1.0, float("nan"), float("inf"), "mean"])
def test_other_rules_are_refused(points, rule):
    with pytest.raises(OodexpError, match="bandwidth"):
        bandwidth(*points, rule)


def test_sums_within_clusters_are_those_of_a_loop(points):
    features, categories = points
    rng = np.random.default_rng(8)
    clusters, weights = rng.integers(0, 9, 60), rng.normal(size=60)
    whole = full(features, categories, 1.3)
    expected = [
        weights[clusters == c]
        @ whole[np.ix_(clusters == c, clusters == c)]
        @ weights[clusters == c]
        for c in range(9)
    ]
    found = within(features, categories, clusters, weights, 1.3)
    assert found == pytest.approx(np.array(expected), abs=1e-12)
