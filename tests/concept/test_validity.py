"""Rows of the validity tables against plain computations (OODConceptBench, appendix D)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import roc_auc_score

from oodexp.concept import validity as check
from oodexp.concept.protocol import Protocol
from tests.concept.conftest import FEW

PROTOCOL = Protocol(**FEW)
THRESHOLDS = {"rare": 0.1, "target": 0.5}


def test_detection_is_that_of_the_highest_cosine_with_a_common_text(bench):
    made = bench()
    first, second = check.detections(made, PROTOCOL)
    texts = made.reference.common_texts
    inside = (made.reference.common @ texts.T).max(axis=1)
    outside = (made.reference.images[made.cascade.kept[:, 2]] @ texts.T).max(axis=1)
    label = np.r_[np.zeros(len(inside)), np.ones(len(outside))]
    auroc = roc_auc_score(label, -np.r_[inside, outside])
    assert first.auroc.value == pytest.approx(auroc, abs=1e-6)
    assert (first.id_images, first.images) == (len(inside), len(outside))
    assert second.level == "L2"
    assert first.auroc.lower <= first.auroc.value <= first.auroc.upper


def test_probes_have_a_row_for_each_level_and_number_of_shots(bench):
    rows = check.probes(bench(), PROTOCOL)
    assert [(r.level, r.shots) for r in rows] == [("L1", 1), ("L1", 3), ("L2", 1), ("L2", 3)]
    assert all(0.4 <= r.least.value <= r.accuracy.value <= r.largest.value <= 1 for r in rows)


def test_relations_are_the_correlations_of_the_images_of_a_level(bench):
    made = bench()
    row = check.related(made, PROTOCOL)[0]
    kept = made.cascade.kept[:, 2]
    near, target = 1 - made.scores.common[kept], made.scores.target[kept]
    assert row.pearson.value == pytest.approx(pearsonr(near, target)[0], abs=1e-6)
    assert row.spearman.value == pytest.approx(spearmanr(near, target)[0], abs=1e-6)
    assert row.nearest.value == pytest.approx(near.mean())


def test_the_map_shows_each_level_and_source(bench):
    found, level, way = check.mapped(bench(images=240, thresholds=THRESHOLDS), PROTOCOL)
    assert found.points.shape == (len(level), 2)
    assert set(zip(level.tolist(), way.tolist(), strict=True)) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_sources_are_compared_by_level_and_category(bench):
    ((ways, rows),) = check.acquisitions(bench(), PROTOCOL)
    assert ways == ("crawled", "generated")
    assert rows[0].category == "all"
    made = bench()
    kept = made.cascade.kept[:, 2]
    generated = kept & (made.names.way == 1)
    gap = made.scores.target[generated].mean() - made.scores.target[kept & ~generated].mean()
    assert rows[0].target_gap.value == pytest.approx(gap, abs=1e-6)


def test_moved_thresholds_and_more_names_change_what_they_must(bench):
    made = bench()
    rows = {row.change: row for row in check.perturbations(made)}
    assert set(rows) == {"T1", "T2", "T3", "joint"}
    assert all(row.fewest <= made.cascade.kept[:, 3].sum() <= row.most + 1 for row in rows.values())
    texts = made.reference.phrases  # as if the phrases themselves were common names
    after = check.expanded(made, texts)
    assert sum(row.after for row in after) < sum(row.before for row in after)
    assert sum(row.before for row in after) == made.cascade.kept[:, 2].sum()


def test_entropy_and_loss_weigh_categories_alike(bench):
    made = bench()
    row = check.spreads(made, PROTOCOL)[0]
    kept = made.cascade.kept[:, 2]
    means = [1 - made.scores.target[kept & (made.names.category == c)].mean() for c in (0, 1)]
    assert row.loss.value == pytest.approx(np.mean(means), abs=1e-6)
    assert row.least.value <= row.entropy.value <= row.largest.value


def test_nearest_names_are_told_for_all_and_for_active_phrases(bench):
    made = bench()
    rows = {row.scope: row for row in check.nearest_names(made, PROTOCOL)}
    assert rows["all phrases"].phrases == 6
    near = (made.reference.phrases @ made.reference.common_texts.T).max(axis=1)
    assert rows["all phrases"].mean.value == pytest.approx(near.mean(), abs=1e-6)


def test_further_names_leave_out_those_that_are_there():
    protocol = Protocol(names=["Dog", "cat", "owl"])
    assert check.further_names(["dog"], protocol) == ["cat", "owl"]
    assert check.further_names(["dog"], Protocol()) == []
