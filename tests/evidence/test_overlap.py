"""OODBench, IV and appendix C.1.2-C.1.3: overlap of pairs with training corpora.

r_m = H_m / |C|; Z_m = 1 if the 95 % upper bound of r_m is <= epsilon. Ours where the paper is
silent: the bound is Clopper-Pearson's, one-sided by default; pairs whose image is in no corpus are
counted apart; a bound over images (Korn-Graubard) stands beside. The witnesses are a plain loop,
SciPy, and the miniature's generator, which knows what each caption names.
"""

from __future__ import annotations

import math
import random
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest

from oodexp.corpus.base import Lost
from oodexp.corpus.miniature import Miniature as Captions
from oodexp.error import OodexpError
from oodexp.evidence import overlap
from oodexp.evidence.mention import Finder
from oodexp.evidence.overlap import Coverage, cover, measure, population, union
from oodexp.evidence.synonym import names
from oodexp.miniature.world import captioned
from oodexp.source.miniature import Miniature

CATEGORIES = ["dog", "cat", "hot dog", "boat"]
FINDER = Finder(names(CATEGORIES).of)


def made(seed: int, texts: int = 150) -> SimpleNamespace:
    draw = random.Random(seed)
    images = [str(draw.randrange(40)) for _ in range(60)]
    categories = [draw.choice(CATEGORIES) for _ in images]
    words = ["dog", "dogs", "cat", "hot", "boat", "red", "a", "of"]
    corpus = [
        (str(draw.randrange(10, 60)), " ".join(draw.choices(words, k=3))) for _ in range(texts)
    ]
    return SimpleNamespace(images=images, categories=categories, corpus=corpus)


def by_loop(data: SimpleNamespace) -> tuple[list[bool], list[bool]]:
    covered, seen = [], []
    for image, category in zip(data.images, data.categories, strict=True):
        mine = [f" {text} " for key, text in data.corpus if key == image]
        seen.append(bool(mine))
        if category == "dog":
            mine = [text.replace(" hot dog ", " ").replace(" hot dogs ", " ") for text in mine]
        forms = (f" {category} ", f" {category}s ")
        covered.append(any(form in text for text in mine for form in forms))
    return covered, seen


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("characters", [1, 100, 1 << 22])
def test_covered_pairs_are_those_of_a_plain_loop(seed, characters, monkeypatch):
    monkeypatch.setattr(overlap, "CHARACTERS", characters)
    data = made(seed)
    found = cover(data.images, data.categories, iter(data.corpus), FINDER)
    covered, seen = by_loop(data)
    assert found.covered.tolist() == covered
    assert found.seen.tolist() == seen
    assert 0 < sum(covered) < sum(seen) < len(seen)
    assert found.texts == len(data.corpus)
    assert found.searched == sum(key in set(data.images) for key, _ in data.corpus)


def test_corpora_together_cover_what_either_covers():
    data = made(0)
    halves = [data.corpus[:70], data.corpus[70:]]
    parts = [cover(data.images, data.categories, half, FINDER) for half in halves]
    whole = cover(data.images, data.categories, data.corpus, FINDER)
    together = union(parts)
    assert together.covered.tolist() == whole.covered.tolist()
    assert together.seen.tolist() == whole.seen.tolist()
    assert together[2:] == whole[2:]
    assert not (parts[0].covered == whole.covered).all()


def test_memory_does_not_grow_with_the_corpus(monkeypatch):
    monkeypatch.setattr(overlap, "CHARACTERS", 1 << 14)

    def peak(texts: int) -> int:
        stream = (("1", f"a dog and a boat, number {n}") for n in range(texts))
        tracemalloc.start()
        cover(["1", "2"], ["dog", "cat"], stream, FINDER)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(40_000) < 1.2 * peak(4_000)


def test_no_pair_needs_no_search():
    found = cover([], [], [("1", "dog")], FINDER)
    assert (len(found.covered), found.texts, found.searched) == (0, 1, 0)


def test_a_category_without_names_is_refused():
    with pytest.raises(OodexpError, match="'zebra'"):
        cover(["1"], ["zebra"], [], FINDER)


def coverage(covered: int, seen: int, pairs: int) -> Coverage:
    at = np.arange(pairs)
    return Coverage(at < seen, at < covered, 9, 9)


def apart(pairs: int) -> list[str]:
    return [str(n) for n in range(pairs)]


@pytest.mark.parametrize(
    ("side", "tail"), [("one", {"alternative": "less"}), ("two", {"alternative": "two-sided"})]
)
def test_rate_bound_and_verdict_are_those_of_scipy(side, tail):
    found = measure(coverage(30, 900, 1000), apart(1000), 0.05, side=side)
    upper = binomtest(30, 1000, **tail).proportion_ci(0.95, "exact").high
    assert found[:6] == (30, 1000, 100, 1000, 0.03, 30 / 900)
    assert found.bounds.upper == pytest.approx(upper)
    assert found.bounds.side == side
    assert found.out is True
    assert measure(coverage(30, 900, 1000), apart(1000), 0.04, side=side).out is (upper <= 0.04)
    assert measure(coverage(30, 900, 1000), apart(1000), 0.035, side=side).out is False


def test_the_verdict_holds_at_epsilon_itself():
    upper = measure(coverage(3, 90, 90), apart(90)).bounds.upper
    assert measure(coverage(3, 90, 90), apart(90), upper).out is True
    assert measure(coverage(3, 90, 90), apart(90), np.nextafter(upper, 0)).out is False


def test_pairs_that_share_an_image_make_the_bound_over_images_wider():
    alone = measure(coverage(40, 800, 800), apart(800))
    shared = measure(coverage(40, 800, 800), [str(n // 5) for n in range(800)])
    assert (alone.images, shared.images) == (800, 160)
    assert shared.bounds == alone.bounds
    assert alone.clustered.upper == pytest.approx(alone.bounds.upper, abs=1e-3)
    assert shared.clustered.upper > alone.clustered.upper + 0.01


def test_an_overlap_of_nothing_seen_is_told_to_be_no_evidence():
    found = measure(coverage(0, 0, 500), apart(500))
    assert found.rate == 0
    assert math.isnan(found.seen_rate)
    assert "no evidence" in found.reason
    assert found.unseen == 500


def test_no_pair_gives_no_verdict_and_says_so():
    found = measure(coverage(0, 0, 0), [])
    assert found.out is None
    assert found.clustered_out is None
    assert math.isnan(found.rate)
    assert found.reason == "no pair"


def test_pairs_of_one_image_have_no_bound_over_images():
    found = measure(coverage(1, 4, 4), ["1"] * 4)
    assert found.clustered_out is None
    assert found.clustered.reason == "one cluster"
    assert found.out is False


@pytest.mark.parametrize(
    ("settings", "words"), [((["1"], 5.0), "epsilon=5.0"), ((["1", "2"], 0.05), "2 images for 1")]
)
def test_wrong_settings_are_refused(settings, words):
    with pytest.raises(OodexpError, match=words):
        measure(coverage(0, 1, 1), *settings)


def test_a_model_without_corpora_and_corpora_of_other_pairs_are_refused():
    with pytest.raises(OodexpError, match="without any corpus"):
        union([])
    with pytest.raises(OodexpError, match="different pairs"):
        union([coverage(0, 0, 1), coverage(0, 0, 2)])


def test_the_papers_population_bounds_are_all_four_there_and_labelled():
    found = population([True] * 49 + [False] + [None] * 3)
    assert (found.out, found.models, found.without) == (49, 50, 3)
    lower = {bounds.label: bounds.lower for bounds in found.bounds}
    assert lower == pytest.approx(
        {
            "Clopper-Pearson, two-sided 95 %": 0.8935,
            "Clopper-Pearson, one-sided 95 %": 0.9086,
            "Beta(1,1) posterior, two-sided 95 %": 0.8955,
            "Beta(1,1) posterior, one-sided 95 %": 0.9103,
        },
        abs=5e-5,
    )


def test_a_population_without_a_verdict_has_no_bounds_and_says_so():
    found = population([None, None])
    assert found.reason == "no model has a verdict"
    assert all(math.isnan(bounds.lower) for bounds in found.bounds)


def test_on_the_miniature_captions_cover_what_they_name_and_planted_oddities_seldom():
    source, corpus = Miniature(split="train", limit=1500), Captions(limit=1500)
    pairs = source.pairs()
    finder = Finder(names(source.categories()).of)
    keys = [corpus.key(image_id) for image_id in pairs["image_id"]]
    found = cover(keys, pairs["category"].tolist(), corpus.read(Lost("c")), finder)
    assert found.seen.all()
    known = {str(n): set(captioned(0, n - 1)[1]) for n in range(1, 61)}
    cells = zip(pairs["image_id"], pairs["category"], found.covered, strict=True)
    mine = [(covered, category in known[image]) for image, category, covered in cells
            if image in known]  # fmt: skip
    assert len(mine) > 100
    assert all(covered == told for covered, told in mine)
    canonical = (pairs["planted"] == "canonical").to_numpy()
    assert found.covered[canonical].all()
    assert found.covered[~canonical].mean() < 0.15
