"""The mix of the splits of a trial, and its accuracies by a common mix."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.ablation.composition import mixes, reference, reweighted
from oodexp.ablation.regroup import Setting, regroup
from oodexp.division.cross_validation import CrossValidation
from oodexp.metric.bootstrap import resample_weights
from oodexp.metric.measure import Binary
from oodexp.metric.mix import crossed
from oodexp.record import SPLITS

EVERY = {"cap": None, "id_size": "all"}


def trial(stock, threshold=0.3, **options):
    return regroup(stock, Setting(("s0", "s1"), CrossValidation(threshold, **options), "mine"))


@pytest.mark.parametrize("planted", [False, True])
def test_the_mix_is_that_of_the_drawn_pairs(made, planted):
    world = made(seed=50, planted=planted)
    whole = world.stock()
    found = mixes(whole, trial(whole), reference(whole))
    setting = trial(whole).setting
    rows = world.memberships(setting.scorers, setting.division)
    joined = rows[rows["drawn"]].merge(world.pairs, on=["source", "image_id", "category"])
    for split, mine in joined.groupby("split"):
        mix = found[split]
        assert mix.pairs == len(mine) > 5
        assert mix.images == mine["image_id"].nunique()
        assert mix.area == mine["area"].median()
        assert mix.count == pytest.approx(mine["count"].mean())
        assert mix.categories == mine["category"].nunique()
        if planted:
            want = (mine["planted"] == "secondary").mean()
            assert mix.shares["planted: secondary"] == pytest.approx(want)
        else:
            want = (mine["area"] == 5000).mean()
            assert mix.shares["size: medium"] == pytest.approx(want)
        assert set(mix.distance) == ({"planted"} if planted else {"size", "count"})
        assert all(value == 1 for value in mix.known.values())


def test_absent_pairs_are_in_the_mix_without_a_group(made):
    whole = made(seed=51).stock()
    found = mixes(whole, trial(whole, id_pool="balanced", id_size=20), reference(whole))
    assert found["ID"].pairs == 20
    assert found["ID"].known == {"size": 0.5, "count": 0.5}


def test_the_reference_against_itself_has_no_distance(made):
    whole = made(seed=52).stock()
    one = trial(whole, **EVERY)
    everything = mixes(whole, one, one.drawn & (one.split == 1))
    assert everything["OOD-S"].distance == {"size": 0, "count": 0}
    assert everything["ID"].distance["size"] > 0


def test_group_accuracies_are_those_of_the_measurement(made):
    world = made(seed=53)
    whole = world.stock()
    one = trial(whole, **EVERY)
    rows = world.memberships(one.setting.scorers, one.setting.division)
    want = Binary("mine", "theirs", 100).measure(world.evidence(rows)).query(
        "source == 'pooled' and contrast == 'none' and convention == 'headline'"
    )  # fmt: skip
    size = next(g for g in whole.groupings if g.name == "size")
    by_name = want.set_index(["group", "vlm", "split"])["value"]
    for code, label in enumerate(size.labels):
        found = reweighted(whole, one, size, (size.codes == code) & whole.present)
        for v, vlm in enumerate(whole.vlms):
            wanted = [by_name[label, vlm, split] for split in SPLITS]
            assert found.values[v] == pytest.approx(wanted, abs=1e-12)


def test_reweighting_to_a_splits_own_mix_changes_nothing(made):
    whole = made(seed=54).stock()
    one = trial(whole)
    both = crossed(whole.groupings)
    for split in range(3):
        own = one.drawn & (one.split == split)
        found = reweighted(whole, one, both, own)
        np.testing.assert_allclose(found.values[:, split], one.values[:, split, 0], atol=1e-12)
        assert found.covered[:, split] == pytest.approx(1)
        assert found.missing[split] == []


def test_a_loss_by_mix_alone_goes_and_a_loss_within_groups_stays(made):
    world = made(seed=55, images=300, planted=True)
    whole = world.stock()
    (planted,) = whole.groupings
    one = trial(whole, **EVERY)
    # Right on canonical pairs only, whatever the split; the splits are mixed unlike on purpose.
    easy = planted.codes == planted.labels.index("planted: canonical")
    rng = np.random.default_rng(0)
    keep = (one.split == 2) & easy & (rng.random(len(easy)) < 0.6)
    one.drawn[keep] = False
    right = np.stack([whole.present, ~whole.present], axis=1)
    whole.readings["mine"][:] = np.where(easy[:, None], right, ~right)[None]
    mixed = regroup_of(whole, one)
    plain = mixed[0]
    assert plain[0] - plain[2] > 0.1
    found = reweighted(whole, one, planted, reference(whole))
    assert found.common_values[0, :3] == pytest.approx([found.common_values[0, 0]] * 3)
    assert found.common_values[0, 3:] == pytest.approx([0, 0, 0])
    # Now wrong on half of the hard split's canonical pairs, too.
    worse = easy & (one.split == 2) & (rng.random(len(easy)) < 0.5)
    whole.readings["mine"][:, worse] = ~right[worse]
    again = reweighted(whole, one, planted, reference(whole))
    assert again.common_values[0, 4] > 0.1


def regroup_of(stock, found):
    """Accuracy of each VLM and split by a plain mean."""
    right = np.stack([stock.present, ~stock.present], axis=1)
    correct = stock.readings["mine"] == right
    return np.array(
        [[vlm[found.drawn & (found.split == s)].mean() for s in range(3)] for vlm in correct]
    )


def test_the_mix_of_a_named_setting_can_be_the_reference(made):
    whole = made(seed=56).stock()
    one, other = trial(whole, 0.05), trial(whole, 0.6)
    size = whole.groupings[0]
    found = reweighted(whole, other, size, reference(whole, one))
    again = reweighted(whole, other, size, one.drawn)
    np.testing.assert_array_equal(found.values, again.values)
    assert (reference(whole) & ~whole.present).sum() == 0


def test_what_a_split_lacks_is_named_with_its_share(made):
    whole = made(seed=57).stock()
    one, size = trial(whole, **EVERY), whole.groupings[0]
    large = size.labels.index("size: large")
    one.drawn[(size.codes == large) & (one.split == 2)] = False
    found = reweighted(whole, one, size, reference(whole))
    share = (size.codes == large)[reference(whole)].mean()
    assert found.missing == [[], [], ["size: large"]]
    left = size.codes[one.drawn & (one.split == 2)]
    assert found.fewest[2] == min((left == g).sum() for g in range(3) if g != large) > 0
    assert found.covered[0] == pytest.approx([1, 1, 1 - share])
    assert found.common[0] == pytest.approx(1 - share)


def test_intervals_hold_the_value_and_are_those_of_a_slow_loop(made):
    whole = made(seed=58, images=200).stock()
    one, size = trial(whole, **EVERY), whole.groupings[0]
    weights = resample_weights(whole.images, 100, np.random.default_rng(0))
    found = reweighted(whole, one, size, reference(whole), weights)
    assert (found.lower <= found.common_values).all()
    assert (found.common_values <= found.upper).all()
    right = np.stack([whole.present, ~whole.present], axis=1)
    correct = (whole.readings["mine"][0] == right).sum(axis=1)
    share = np.array([(size.codes == g)[reference(whole)].mean() for g in range(3)])
    drawn = []
    for weight in weights:
        of_pair = weight[whole.image]
        groups = []
        for g in range(3):
            mine = one.drawn & (one.split == 2) & (size.codes == g)
            groups.append((of_pair * correct)[mine].sum() / (2 * of_pair[mine].sum()))
        drawn.append(share @ groups)
    ends = np.percentile(drawn, [2.5, 97.5])
    assert (found.lower[0, 2], found.upper[0, 2]) == pytest.approx(tuple(ends), abs=1e-9)
