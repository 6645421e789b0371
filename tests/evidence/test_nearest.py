"""OODConceptBench, Table D9 and Figure D5: nearest-ImageNet similarity of concept phrases.

max over ID names r of cos(u, r). Witnesses: a plain loop, scipy.stats.bootstrap. Deviation from the
paper: intervals over phrases are added.
"""

import math

import numpy as np
import pytest
from scipy.stats import bootstrap

from oodexp.error import OodexpError
from oodexp.evidence import nearest as module
from oodexp.evidence.nearest import nearest, scopes, unit

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_the_nearest_is_that_of_a_loop_whatever_the_chunk(monkeypatch, chunk):
    monkeypatch.setattr(module, "CHUNK", chunk)
    x, bank = RNG.normal(size=(20, 4)), RNG.normal(size=(9, 4))
    found = nearest(x, bank)
    for n, row in enumerate(x):
        cosines = [
            sum(a * b for a, b in zip(row, name, strict=True))
            / math.hypot(*row)
            / math.hypot(*name)
            for name in bank
        ]
        assert found.similarity[n] == pytest.approx(max(cosines))
        assert found.reference[n] == cosines.index(max(cosines))


def test_a_name_is_nearest_to_itself_and_never_beyond_1():
    bank = RNG.normal(size=(30, 8)).astype(np.float32)
    found = nearest(3 * bank, bank)
    assert found.reference.tolist() == list(range(30))
    assert found.similarity == pytest.approx(1)
    assert found.similarity.max() <= 1


def test_vectors_without_a_direction_and_missing_names_are_refused():
    good = np.ones((2, 3))
    for bad in (np.zeros((1, 3)), np.full((1, 3), np.nan), np.full((1, 3), np.inf)):
        with pytest.raises(OodexpError, match="1 of 1 features have no direction"):
            unit(bad)
        with pytest.raises(OodexpError, match="have no direction"):
            nearest(good, bad)
    with pytest.raises(OodexpError, match="at least one ID name"):
        nearest(good, good[:0])


def test_scopes_have_mean_and_median_with_the_bootstrap_of_scipy():
    similarity = RNG.normal(0.7, 0.05, 150)
    active = {"all": np.ones(150, bool), "L2": np.arange(150) % 3 > 0}
    for scope in scopes(similarity, active, 4000, np.random.default_rng(1)):
        mine = similarity[active[scope.name]]
        for found, function in ((scope.mean, np.mean), (scope.median, np.median)):
            assert found.value == function(mine)
            assert found.n == len(mine)
            ends = bootstrap(
                (mine,), function, method="percentile", n_resamples=4000,
                rng=np.random.default_rng(2),
            ).confidence_interval  # fmt: skip
            assert (found.lower, found.upper) == pytest.approx(tuple(ends), abs=0.003)


def test_a_scope_without_phrases_has_a_reason():
    (found,) = scopes(np.ones(3), {"L2": np.zeros(3, bool)}, 10, np.random.default_rng(0))
    assert math.isnan(found.mean.value)
    assert found.median.reason == "no phrase in this scope"


def test_equal_similarities_have_an_interval_without_width():
    (found,) = scopes(np.ones(3), {"all": np.ones(3, bool)}, 10, np.random.default_rng(0))
    assert found.mean == (1, 1, 1, 3, "no variation between the resamples")
