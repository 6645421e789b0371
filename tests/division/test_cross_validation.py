"""The paper's division as a whole."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from oodexp.division.base import Matrix
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError
from oodexp.record import PRESENT, SPLITS

KEY = ["source", "image_id", "category"]


def splits(division) -> dict[tuple[str, str], str | None]:
    rows = division.memberships
    names = rows["split"].astype(object).where(rows["split"].notna(), None)
    return dict(zip(zip(rows["image_id"], rows["category"], strict=True), names, strict=True))


def test_every_present_pair_has_one_membership_and_one_signal_a_scorer(drawn):
    matrix, logits = drawn(scorers=3)
    found = CrossValidation().divide(matrix, logits, {})
    pairs = int((matrix.presence == PRESENT).sum())
    assert len(found.memberships) == pairs
    assert found.signals.groupby("scorer", sort=False).size().to_dict() == dict.fromkeys(
        logits, pairs
    )
    assert found.memberships["split"].isin(SPLITS).all()
    assert (found.memberships["scorers"] == 3).all()


def test_memberships_are_told_by_the_flags_of_the_signals(drawn):
    matrix, logits = drawn(scorers=3, seed=1)
    found = CrossValidation().divide(matrix, logits, {})
    counted = found.signals.groupby(KEY)["flagged"].sum()
    rows = found.memberships.set_index(KEY)
    assert (rows["flags"] == counted.loc[rows.index]).all()
    assert set(counted) == {0, 1, 2, 3}
    want = counted.map({0: "ID", 1: "OOD-S", 2: "OOD-S", 3: "OOD-H"})
    assert (rows["split"] == want.loc[rows.index]).all()


def test_a_flag_is_a_low_score_or_a_negative_margin(drawn):
    signals = CrossValidation(threshold=0.4).divide(*drawn(images=300), {}).signals
    low, below = signals["score"] < np.float32(0.4), signals["margin"] < 0
    assert (signals["flagged"] == (low | below)).all()
    assert (low & ~below).any()
    assert (below & ~low).any()


def test_a_surrogate_is_an_absent_category_that_beats_the_pair_where_the_margin_is_negative(drawn):
    matrix, logits = drawn()
    for row in CrossValidation().divide(matrix, logits, {}).signals.itertuples():
        x, c = matrix.image_ids.index(row.image_id), matrix.categories.index(row.category)
        s = matrix.categories.index(row.surrogate)
        assert matrix.presence[x, s] != PRESENT
        assert (logits[row.scorer][x, s] > logits[row.scorer][x, c]) == (row.margin < 0)


def test_the_two_readings_coincide_for_thresholds_below_one_in_n(drawn):
    matrix, logits = drawn(seed=2)
    candidates = 1 + (matrix.presence != PRESENT).sum(axis=1).max()
    readings = [
        splits(CrossValidation(1 / candidates, combine=c).divide(matrix, logits, {}))
        for c in ("per_model", "per_criterion")
    ]
    assert readings[0] == readings[1]
    wide = [
        splits(CrossValidation(0.9, combine=c).divide(matrix, logits, {}))
        for c in ("per_model", "per_criterion")
    ]
    assert [list(w.values()).count("OOD-H") > 0 for w in wide] == [True, True]


def test_a_smaller_threshold_than_one_in_n_changes_no_membership(drawn):
    matrix, logits = drawn(seed=3)
    tables = [
        CrossValidation(t, id_size="all").divide(matrix, logits, {}).memberships
        for t in (1 / 6, 0.01, 0.0)
    ]
    for other in tables[1:]:
        pd.testing.assert_frame_equal(tables[0], other)


def test_a_scorers_own_threshold_overrides_the_common_one(drawn):
    matrix, logits = drawn()
    options = {"criterion": "score", "thresholds": {"s1": 1.0}}
    signals = CrossValidation(0.0, **options).divide(matrix, logits, {}).signals
    flagged = signals.groupby("scorer")["flagged"].sum()
    assert flagged["s0"] == 0
    assert flagged["s1"] == (signals.query("scorer == 's1'")["score"] < 1).sum() > 0


def test_a_threshold_for_a_scorer_that_is_not_there_is_refused(drawn):
    with pytest.raises(OodexpError, match=r"no scorer \['s9'\]; have \['s0', 's1'\]"):
        CrossValidation(thresholds={"s9": 0.1}).divide(*drawn(), {})


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"criterion": "any"}, "division.criterion=any: expected one of either"),
        ({"combine": "x"}, "division.combine=x"),
        ({"rule": "most"}, "division.rule=most: expected one of all, majority, mean, parity"),
        ({"competitors": "none"}, "division.competitors=none"),
        ({"unknown": "x"}, "division.unknown=x"),
        ({"threshold": 1.5}, "threshold is 1.5"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"thresholds": {"s0": -0.1}}, "s0 is -0.1"),
        ({"thresholds": {"s0": "low"}}, "s0 is low"),
        ({"id_pool": "x"}, "division.id_pool=x"),
        ({"id_size": "small"}, "division.id_size=small"),
        ({"id_size": 0}, "division.id_size=0"),
        ({"cap": 0}, "division.cap=0"),
        ({"seed": -1}, "division.seed=-1"),
    ],
)
def test_an_option_that_is_none_of_its_values_is_refused_at_once(option, said):
    with pytest.raises(OodexpError, match=said):
        CrossValidation(**option)


def test_a_nan_logit_leaves_its_pair_in_no_split_and_names_the_scorer():
    # a.png and c.png have a clear score by both scorers, b.png has none by clip.
    matrix = Matrix("case", ["a.png", "b.png", "c.png"], ["fox", "hen"], np.uint8([[1, 0]] * 3))
    logits = {
        "clip": np.float32([[5, 0], [np.nan, 0], [0, 5]]),
        "blip2": np.float32([[5, 0], [0, 5], [0, 5]]),
    }
    found = CrossValidation(0.05).divide(matrix, logits, {})
    assert splits(found) == {
        ("a.png", "fox"): "ID", ("b.png", "fox"): None, ("c.png", "fox"): "OOD-H",
    }  # fmt: skip
    lost = found.memberships.set_index("image_id").loc["b.png"]
    assert lost["reason"] == "clip: NaN"
    assert lost["flags"] is pd.NA
    assert not lost["drawn"]
    signals = found.signals.set_index(["scorer", "image_id"])
    assert signals.loc[("clip", "b.png"), "flagged"] is pd.NA
    assert signals.loc[("clip", "b.png"), "reason"] == "clip: NaN"
    assert signals.loc[("blip2", "b.png"), "flagged"]
    assert pd.isna(signals.loc[("blip2", "b.png"), "reason"])


@pytest.mark.parametrize("rule", ["all", "majority", "mean", "parity"])
@pytest.mark.parametrize("pool", ["present", "random", "balanced"])
def test_an_image_without_scores_is_in_no_split_by_any_rule_or_pool(drawn, rule, pool):
    matrix, logits = drawn(scorers=2)
    logits["s1"][4] = np.nan
    found = CrossValidation(rule=rule, id_pool=pool).divide(matrix, logits, {"i4": "unreadable: x"})
    rows = found.memberships.query("image_id == 'i4'")
    assert len(rows) == (matrix.presence[4] == PRESENT).sum() > 0
    assert rows["split"].isna().all()
    assert not rows["drawn"].any()
    assert (rows["reason"] == "unreadable: x").all()


def test_a_pair_that_parity_leaves_out_says_so(drawn):
    matrix, logits = drawn(scorers=3)
    rows = CrossValidation(rule="parity").divide(matrix, logits, {}).memberships
    out = rows[rows["split"].isna()]
    assert len(out) > 0
    assert (out["flags"] == 2).all()
    assert (out["reason"] == "even number of flags (rule parity)").all()


def test_a_lone_category_is_always_in_distribution():
    matrix = Matrix("s", ["a"], ["fox"], np.uint8([[1]]))
    found = CrossValidation(0.9).divide(matrix, {"s0": np.float32([[-30]])}, {})
    row = found.signals.iloc[0]
    assert (row["score"], row["margin"], row["flagged"]) == (1, 1, False)
    assert pd.isna(row["surrogate"])
    assert splits(found) == {("a", "fox"): "ID"}


def test_a_source_without_pairs_has_no_memberships():
    matrix = Matrix("s", ["a"], ["fox", "hen"], np.zeros((1, 2), np.uint8))
    found = CrossValidation().divide(matrix, {"s0": np.zeros((1, 2), np.float32)}, {})
    assert len(found.memberships) == len(found.signals) == 0


@pytest.mark.parametrize("pool", ["present", "random", "balanced"])
def test_the_planted_reason_is_never_an_input(world, tmp_path, pool):
    from tests.world import SCENES, annotated, document

    def divided(source):
        rng = np.random.default_rng(0)
        matrix = Matrix(
            source.name, source.images()["image_id"].tolist(), source.categories(),
            source.presence(),
        )  # fmt: skip
        logits = {n: rng.normal(size=matrix.presence.shape).astype(np.float32) for n in "ab"}
        return CrossValidation(id_pool=pool).divide(matrix, logits, {})

    other = document(SCENES)
    for note in other["annotations"]:
        note["planted"] = "secondary" if note["planted"] == "canonical" else "canonical"
    relabelled = annotated(tmp_path / "other", other, tmp_path / "world/images")
    assert json.dumps(relabelled.pairs()["planted"].tolist()) != json.dumps(
        world.pairs()["planted"].tolist()
    )
    for one, two in zip(divided(world), divided(relabelled), strict=True):
        pd.testing.assert_frame_equal(one, two)
