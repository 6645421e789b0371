"""A trial against the division and the measurement that it stands for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from oodexp.ablation.lot import group, lot
from oodexp.ablation.regroup import ROWS, Setting, named, regroup
from oodexp.ablation.stock import stock
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError
from oodexp.metric.binary import METRICS
from oodexp.metric.measure import Binary
from oodexp.record import SPLITS

PAIR = ["source", "image_id", "category"]
CONTRASTS = {"ID": 0, "OOD-S": 1, "OOD-H": 2}


def options():
    """Settings of a division that together touch every value of every option."""
    grid = itertools.product(
        (0.0, 0.2, 0.5, 1.0), ("either", "score", "rank", "both"), ("per_model", "per_criterion"),
        ("all", "majority", "mean", "parity"), ("present", "random", "balanced"),
        ("larger", "all", 9), (None, 5, 12), (0, 7),
    )  # fmt: skip
    names = ["threshold", "criterion", "combine", "rule", "id_pool", "id_size", "cap", "seed"]
    whole = [dict(zip(names, values, strict=True)) for values in grid]
    rng = np.random.default_rng(0)
    return [whole[n] for n in rng.choice(len(whole), 60, replace=False)]


SUBSETS = (("s0",), ("s1", "s0"), ("s2", "s0", "s1"), ("s0", "s1"))


def members(made, stock, found) -> dict[tuple[str, ...], tuple[int, bool]]:
    """Split and drawing of each pair that a trial puts anywhere, by name."""
    told = {}
    for lot_, start, absent in zip(stock.lots, stock.starts, stock.absent, strict=True):
        m = lot_.matrix
        rows, columns = np.divmod(absent, len(m.categories))
        cells = zip([*lot_.rows, *rows], [*lot_.columns, *columns], strict=True)
        for n, (r, c) in enumerate(cells):
            if n < len(lot_.rows) or found.drawn[start + n]:
                key = m.source, m.image_ids[r], m.categories[c]
                told[key] = int(found.split[start + n]), bool(found.drawn[start + n])
    return told


def divided(rows) -> dict[tuple[str, ...], tuple[int, bool]]:
    keys = rows[PAIR].itertuples(index=False, name=None)
    codes = [SPLITS.index(s) if isinstance(s, str) else -1 for s in rows["split"]]
    return dict(zip(keys, zip(codes, rows["drawn"], strict=True), strict=True))


@pytest.mark.parametrize(("sources", "lost"), [(1, 0.0), (1, 0.03), (2, 0.01)])
def test_memberships_are_those_of_the_division_over_many_settings(made, sources, lost):
    world = made(seed=sources, sources=sources, lost=lost, unknown=0.1)
    whole, seen = world.stock(), set()
    for n, chosen in enumerate(options()):
        scorers, division = SUBSETS[n % len(SUBSETS)], CrossValidation(**chosen)
        found = regroup(whole, Setting(scorers, division, "mine"))
        want = divided(world.memberships(scorers, division))
        assert members(world, whole, found) == want, (chosen, scorers)
        seen |= {code for code, _ in want.values()}
    assert seen == {-1, 0, 1, 2}


@pytest.mark.parametrize("field", [{"competitors": "all"}, {"unknown": "exclude"}])
def test_memberships_are_those_of_the_division_with_other_competitors(made, field):
    world = made(seed=5, unknown=0.2)
    division = CrossValidation(0.3, thresholds={"s0": 0.1}, **field)
    found = regroup(world.stock(**field), Setting(("s0", "s1"), division, "mine"))
    want = divided(world.memberships(("s0", "s1"), division))
    assert members(world, world.stock(**field), found) == want


def measured(world, setting, resamples=100):
    rows = world.memberships(setting.scorers, setting.division)
    return Binary("mine", "theirs", resamples).measure(world.evidence(rows))


def values_of(measured, convention: str) -> dict[tuple[str, str, str], object]:
    pooled = measured.query("source == 'pooled' and group == 'all' and convention == @convention")
    return {
        (r.vlm, r.split if r.contrast == "none" else f"drop/{r.split}", r.metric): r
        for r in pooled.itertuples()
    }


@pytest.mark.parametrize("convention", ["headline", "read", "paper"])
@pytest.mark.parametrize("sources", [1, 2])
def test_values_are_those_of_the_measurement(made, convention, sources):
    world = made(seed=10 + sources, sources=sources, lost=0.01)
    whole, reader = world.stock(), "theirs" if convention == "paper" else "mine"
    compared = 0
    for n, chosen in enumerate(options()[:12]):
        division = CrossValidation(**chosen)
        setting = Setting(SUBSETS[n % 4], division, reader, convention)
        found = regroup(whole, setting)
        want = values_of(measured(world, setting), convention)
        for (v, vlm), (r, row), (m, metric) in itertools.product(
            enumerate(whole.vlms), enumerate(ROWS[:5]), enumerate(METRICS)
        ):
            row_wanted = want.get((vlm, row, metric))
            if row_wanted is None or row_wanted.value is None or np.isnan(row_wanted.value):
                assert np.isnan(found.values[v, r, m]), (chosen, vlm, row, metric)
                continue
            assert found.values[v, r, m] == pytest.approx(row_wanted.value, abs=1e-12)
            if r < 3:
                assert found.counts[v, r].sum() == row_wanted.n
                assert found.unread[v, r] == row_wanted.n_unread
            compared += 1
        assert not found.unasked.any()
    assert compared > 300


def test_the_gap_is_ood_s_minus_ood_h(made):
    found = regroup(made().stock(), Setting(("s0", "s1"), CrossValidation(0.3), "mine"))
    np.testing.assert_array_equal(
        found.values[:, ROWS.index("gap")], found.values[:, 1] - found.values[:, 2]
    )
    assert np.isfinite(found.values[:, :, 0]).all()


def test_pairs_without_questions_are_told_and_not_counted(made):
    world = made(seed=3)
    gone = world.questions["question_id"].iloc[::7]
    world.answers = world.answers[~world.answers["question_id"].isin(gone)].reset_index(drop=True)
    setting = Setting(("s0", "s1"), CrossValidation(0.3, cap=None, id_size="all"), "mine")
    found = regroup(world.stock(), setting)
    assert 0 < found.unasked.sum() <= 2 * len(gone)
    want = values_of(measured(world, setting), "headline")
    assert found.counts[0, 1].sum() == want["a", "OOD-S", "accuracy"].n
    assert found.values[0, 1, 0] == pytest.approx(want["a", "OOD-S", "accuracy"].value)
    told = named(world.stock(), found)
    assert told["a/OOD-S/unasked"] == found.unasked[0, 1] > 0


def test_absent_pairs_that_nobody_was_asked_about_are_told(made):
    world = made(seed=4, absent=False)
    division = CrossValidation(0.3, id_pool="balanced", id_size=10)
    found = regroup(world.stock(), Setting(("s0", "s1"), division, "mine"))
    assert found.drawn_pairs[0] == 10
    assert (found.unasked[:, 0] == 5).all()
    assert (found.counts[:, 0].sum(axis=-1) == 10).all()


def test_numbers_have_the_names_of_a_tracked_run(made):
    whole = made().stock()
    found = regroup(whole, Setting(("s0", "s1"), CrossValidation(0.3), "mine"))
    told = named(whole, found)
    assert told["division/OOD-H/pairs"] == (found.split == 2).sum()
    assert told["b/OOD-H/f1"] == found.values[1, 2, METRICS.index("f1")]
    assert told["a/gap/accuracy"] == pytest.approx(
        told["a/OOD-S/accuracy"] - told["a/OOD-H/accuracy"]
    )
    assert told["a/drop/OOD-S/mcc"] == pytest.approx(told["a/ID/mcc"] - told["a/OOD-S/mcc"])
    assert told["mean/OOD-H/f1"] == pytest.approx((told["a/OOD-H/f1"] + told["b/OOD-H/f1"]) / 2)
    assert len(told) == 6 + 6 * 5 + 2 * (6 * 5 + 3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scorers": ("s9",)}, r"scorers \['s9'\]: expected one or more of s0, s1, s2"),
        ({"scorers": ()}, "expected one or more"),
        ({"scorers": ("s0", "s0")}, "each once"),
        ({"reader": "x"}, "reader=x: no such reader; have"),
        ({"division": CrossValidation(competitors="all")}, "make another lot"),
        ({"division": CrossValidation(thresholds={"s2": 0.1})}, r"no scorer \['s2'\]"),
    ],
)
def test_a_setting_that_the_stock_cannot_serve_is_refused(made, change, said):
    setting = {"scorers": ("s0", "s1"), "division": CrossValidation(), "reader": "mine"} | change
    with pytest.raises(OodexpError, match=said):
        regroup(made().stock(), Setting(**setting))


def test_an_unknown_convention_is_refused():
    with pytest.raises(OodexpError, match="convention=strict: expected one of headline, read"):
        Setting(("s0",), CrossValidation(), convention="strict")


def test_questions_of_another_run_are_refused(made):
    world = made()
    wrong = world.questions.assign(target=world.questions["target"].map({"yes": "no", "no": "yes"}))
    with pytest.raises(OodexpError, match="its target does not follow from the annotations"):
        stock(world.lots(), world.pairs, wrong, world.answers)
    strange = world.questions.assign(image_id="i999")
    with pytest.raises(OodexpError, match=r"src0/i999/c.: no such image or category"):
        stock(world.lots(), world.pairs, strange, world.answers)


def test_the_tiny_world_divides_as_the_division_does(world, tmp_path):
    from oodexp.predict.loop import Loop
    from oodexp.predict.scoring import score
    from oodexp.predict.store import Store
    from oodexp.recipe.world import look
    from tests.world import Colour, Hashing

    seen = look(world)
    parts = {"colour": Colour(), "hashing": Hashing()}
    scored = score(
        seen.images, seen.matrix.categories, world.read, parts, Store(str(tmp_path / "s")),
        Loop("cpu", progress=False),
    )  # fmt: skip
    source = lot(seen.matrix, scored.logits)
    for chosen in options():
        division = CrossValidation(**chosen)
        rows = division.divide(seen.matrix, scored.logits, {}).memberships
        found, present = group(source, list(parts), division), rows["present"].to_numpy()
        want = divided(rows[present])
        assert list(want.values()) == list(zip(found.split, found.drawn, strict=True))
        assert len(found.absent) == (~present).sum()
