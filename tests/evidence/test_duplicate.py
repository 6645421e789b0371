"""OODConceptBench, Table E1: near-duplicates before a release.

Hash: signs of the 8 x 8 lowest DCT frequencies about their median; Hamming distance; feature
cosine; groups by union-find. Witnesses: the cosine sums of the DCT written out, all couples in a
double loop, scipy's connected components, drawn pictures that were resized, recompressed or
brightened. Deviation from the paper: it names no method.
"""

import io
import itertools

import numpy as np
import pytest
from PIL import Image, ImageFilter
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from oodexp.error import OodexpError
from oodexp.evidence import duplicate
from oodexp.evidence.duplicate import Couples, Hash, by_cosine, by_hash, grey, groups, kept, phash
from oodexp.evidence.nearest import unit


def picture(seed, side=128):
    """Soft random shapes in colour."""
    rng = np.random.default_rng(seed)
    small = Image.fromarray(rng.integers(0, 256, (6, 6, 3), dtype=np.uint8))
    return small.resize((side, side), Image.Resampling.BICUBIC)


def code(image):
    return phash(grey(image))


def bits_apart(one, two):
    return (one.bits ^ two.bits).bit_count()


def as_jpeg(image, quality):
    held = io.BytesIO()
    image.save(held, "JPEG", quality=quality)
    return Image.open(held)


def test_the_hash_is_that_of_the_cosine_sums():
    levels = np.random.default_rng(1).uniform(0, 255, (32, 32))
    at = np.arange(32)
    low = np.array([
        [
            (levels * np.outer(*(np.cos(np.pi * (2 * at + 1) * k / 64) for k in (u, v)))).sum()
            * (0.5**0.5 if u == 0 else 1) * (0.5**0.5 if v == 0 else 1)
            for v in range(8)
        ]
        for u in range(8)
    ]).ravel()  # fmt: skip
    middle = sorted(low[1:])[31]
    text = "0" + "".join("1" if one > middle else "0" for one in low[1:])
    assert phash(levels) == Hash(int(text, 2), None)


@pytest.mark.parametrize("seed", range(5))
def test_small_changes_of_a_picture_change_few_bits(seed):
    image = picture(seed)
    own = code(image)
    for other in (
        image.resize((90, 90)), as_jpeg(image, 40), image.point(lambda v: 0.8 * v + 20),
        image.filter(ImageFilter.GaussianBlur(1)), image.convert("L"),
    ):  # fmt: skip
        assert bits_apart(own, code(other)) <= duplicate.MOST_BITS


def test_other_pictures_are_far_and_so_is_the_mirror_image():
    codes = [code(picture(seed)) for seed in range(60)]
    apart = [bits_apart(one, two) for one, two in itertools.combinations(codes, 2)]
    assert min(apart) > duplicate.MOST_BITS
    assert np.mean(apart) == pytest.approx(32, abs=1.5)
    mirrored = picture(0).transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    assert bits_apart(codes[0], code(mirrored)) > duplicate.MOST_BITS


def test_a_flat_image_has_no_hash_and_is_nobodys_duplicate():
    flat = [code(Image.new("RGB", (50, 50), colour)) for colour in ("red", "navy")]
    assert flat == [Hash(0, "the image is flat")] * 2
    joined = groups(3, by_hash([flat[0], Hash(0, None), flat[1]]))
    assert joined.tolist() == [0, 1, 2]


def every(found):
    """All couples of an iterator as a dict, each met once."""
    rows = [row for block in found for row in zip(*(part.tolist() for part in block), strict=True)]
    told = {(one, two): measure for one, two, measure in rows}
    assert len(told) == len(rows)
    return told


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_couples_by_hash_are_those_of_a_double_loop_whatever_the_block(monkeypatch, block):
    monkeypatch.setattr(duplicate, "BLOCK", block)
    rng = np.random.default_rng(2)
    base = [int(one) for one in rng.integers(0, 2**63, 12)]
    which, flips = rng.integers(0, 12, 50).tolist(), rng.integers(0, 6, 50).tolist()
    bits = [
        base[n] ^ sum(1 << int(b) for b in rng.choice(64, k, False))
        for n, k in zip(which, flips, strict=True)
    ]
    hashes = [Hash(one, "flat" if n % 11 == 3 else None) for n, one in enumerate(bits)]
    expected = {
        (n, m): (bits[n] ^ bits[m]).bit_count()
        for n, m in itertools.combinations(range(50), 2)
        if n % 11 != 3 and m % 11 != 3 and (bits[n] ^ bits[m]).bit_count() <= 6
    }
    assert len(expected) > 20
    assert every(by_hash(hashes, 6)) == expected


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_couples_by_cosine_are_those_of_a_double_loop_whatever_the_block(monkeypatch, block):
    monkeypatch.setattr(duplicate, "BLOCK", block)
    rng = np.random.default_rng(3)
    features = np.repeat(rng.normal(size=(20, 6)), 2, axis=0) + rng.normal(0, 0.2, (40, 6))
    points = unit(features)
    expected = {
        (n, m): float(points[n] @ points[m])
        for n, m in itertools.combinations(range(40), 2)
        if points[n] @ points[m] >= 0.9
    }
    found = every(by_cosine(5 * features, 0.9))
    assert found == pytest.approx(expected, abs=1e-6)
    assert 10 < len(found) < 200


def test_groups_are_connected_components_from_any_order_of_couples():
    rng = np.random.default_rng(4)
    one, two = np.sort(rng.integers(0, 200, (2, 120)), axis=0)
    proper = one < two
    one, two = one[proper], two[proper]
    _, label = connected_components(coo_array((np.ones(len(one)), (one, two)), shape=(200, 200)))
    lowest = [int(np.flatnonzero(label == mine)[0]) for mine in label]
    for order in (np.arange(len(one)), rng.permutation(len(one))):
        blocks = [Couples(one[part], two[part], one[part]) for part in np.array_split(order, 5)]
        assert groups(200, iter(blocks)).tolist() == lowest
    assert groups(3, []).tolist() == [0, 1, 2]


def test_what_stays_depends_on_rank_and_key_and_not_on_the_order():
    rng = np.random.default_rng(5)
    label, keys = rng.integers(0, 12, 60), np.array([f"k{n:02d}" for n in rng.permutation(60)])
    rank = rng.integers(0, 3, 60)
    expected = {
        min((rank[n], keys[n]) for n in np.flatnonzero(label == one))[1] for one in set(label)
    }
    for order in (np.arange(60), rng.permutation(60)):
        lowest = np.array([np.flatnonzero(label[order] == one)[0] for one in label[order]])
        stays = kept(lowest, keys[order].tolist(), rank[order])
        assert set(keys[order][stays]) == expected
        plain = kept(lowest, keys[order].tolist())
        assert set(keys[order][plain]) == {min(keys[label == one]) for one in set(label)}


def test_a_larger_image_is_kept_before_a_smaller_copy():
    images = [picture(1, 64), picture(2), picture(1, 128), picture(3)]
    joined = groups(4, by_hash([code(one) for one in images]))
    assert joined.tolist() == [0, 1, 0, 3]
    pixels = np.array([one.width * one.height for one in images])
    assert kept(joined, list("abcd"), -pixels).tolist() == [False, True, True, True]
    assert kept(joined, list("abcd")).tolist() == [True, True, False, True]


def test_both_measures_may_join_one_group():
    hashes = [Hash(0b111, None), Hash(0b110, None), Hash(2**62 - 1, None)]
    features = np.array([[1.0, 0], [0, 1], [0.01, 1]])
    both = itertools.chain(by_hash(hashes, 2), by_cosine(features, 0.99))
    assert groups(3, both).tolist() == [0, 0, 0]


def test_no_images_have_no_duplicates():
    assert every(by_hash([])) == every(by_cosine(np.zeros((0, 4)), 0.9)) == {}
    assert kept(groups(0, []), []).tolist() == []


def test_what_makes_no_sense_is_refused():
    with pytest.raises(OodexpError, match=r"expected 0 \.\.\. 63"):
        list(by_hash([], 64))
    for least in (-1.0, 1.5):
        with pytest.raises(OodexpError, match=r"expected a cosine in \(-1, 1\]"):
            list(by_cosine(np.eye(2), least))
    with pytest.raises(OodexpError, match="expected \\(32, 32\\)"):
        phash(np.zeros((8, 8)))
    with pytest.raises(OodexpError, match="all different"):
        kept(np.array([0, 0]), ["a", "a"])
