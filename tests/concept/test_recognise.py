"""Recognition of several models on a made benchmark (OODConceptBench, 5)."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp import table
from oodexp.concept.protocol import Protocol
from oodexp.concept.recognise import LEVELS, Seen, q95, recognised, rows
from oodexp.record import Recognition


def seen(made, noise, seed=1):
    rng = np.random.default_rng(seed)

    def cosines(vectors):
        whole = vectors @ made.reference.phrases.T
        return np.float32(whole + noise * rng.normal(size=whole.shape))

    ref = made.reference
    return Seen(cosines(ref.images), cosines(ref.common), cosines(ref.negative))


@pytest.mark.parametrize("rule", ["vocabulary_max", "own_category", "mismatched", "negatives", 0.2])
def test_rates_are_shares_of_images_above_the_models_own_threshold(bench, rule):
    made = bench()
    protocol = Protocol(recognition=rule, resamples=100)
    views = {"sharp": seen(made, 0.0), "blurred": seen(made, 0.4)}
    found = recognised(made, views, protocol)
    for m, view in enumerate(views.values()):
        limit = np.float32(q95(made, view, protocol).value)
        own = view.concepts[np.arange(120), made.names.phrase]
        for level, column in LEVELS.items():
            inside = made.cascade.kept[:, column]
            for c in (0, 1):
                mine = inside & (made.names.category == c)
                expected = (own[mine] > limit).mean() if mine.any() else np.nan
                np.testing.assert_allclose(found.table(level)[m, c], expected)


def test_rows_are_a_checked_table_with_intervals_and_reasons(bench):
    made = bench(thresholds={"target": -2.0})  # nothing is in L2
    found = recognised(made, {"a": seen(made, 0.1)}, Protocol(resamples=100))
    kept = table.frame(Recognition, list(rows(made, found)))
    assert len(kept) == 2 * 3
    first = kept.query("level == 'L1' and category == 'all'").iloc[0]
    assert first["lower"] <= first["rate"] <= first["upper"]
    assert first["n"] == made.cascade.kept[:, 2].sum()
    none = kept[kept["level"] == "L2"]
    assert none["rate"].isna().all()
    assert (none["reason"] == "no image").all()


def test_rates_of_concepts_are_those_of_their_images(bench):
    made = bench(thresholds={"rare": 0.1})
    view = seen(made, 0.2)
    protocol = Protocol(recognition=0.3, resamples=100)
    found = recognised(made, {"a": view}, protocol)
    inside = made.cascade.kept[:, 2]
    for n in range(6):
        mine = inside & (made.names.phrase == n)
        assert found.concepts["L1"].values[0, n] == pytest.approx(
            (view.concepts[mine, n] > np.float32(0.3)).mean()
        )
