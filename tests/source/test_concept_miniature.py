"""The drawn concepts that ship with the package, as a source."""

from __future__ import annotations

from multiprocessing import get_context

import pytest

from oodexp import table
from oodexp.error import OodexpError
from oodexp.miniature.concept_idea import CALIBRATION, CONCEPTS, FAMILIES
from oodexp.miniature.concept_world import PARTS, number_of
from oodexp.pixel import decode
from oodexp.record import PRESENT, UNKNOWN, Concept
from oodexp.source.concept_miniature import ConceptMiniature

IDEAS = {"concepts": CONCEPTS, **CALIBRATION}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_holds_its_concepts_with_their_numbers_of_images(part):
    source = ConceptMiniature(part)
    assert source.categories() == [idea.phrase for idea in IDEAS[part]]
    counts = source.concepts().groupby("phrase", sort=False).size()
    assert counts.tolist() == [number_of(part, place) for place in range(len(IDEAS[part]))]
    assert len(source.images()) == counts.sum()


def test_the_benchmark_has_seven_families_of_ten_concepts_with_10_to_14_images():
    found = ConceptMiniature().concepts()
    by_family = found.groupby("category")["phrase"].nunique()
    assert by_family.to_dict() == dict.fromkeys(FAMILIES, 10)
    sizes = found.groupby("phrase").size()
    assert (sizes.min(), sizes.max()) == (10, 14)
    assert 120 in found.groupby("category").size().tolist()


def test_both_acquisitions_occur_in_four_families_each_a_third_at_least():
    found = ConceptMiniature().concepts()
    share = found["acquisition"].eq("generated").groupby(found["category"]).mean()
    mixed = share[share.between(1 / 3, 2 / 3)].index
    assert set(mixed) == {
        "fine-grained/texture", "environmental shift", "viewpoint/scale", "typographic conflict",
    }  # fmt: skip
    assert set(share.drop(mixed)) == {0.0, 1.0}


@pytest.mark.parametrize("part", PARTS)
def test_every_row_is_a_concept_with_licence_and_origin(part):
    source = ConceptMiniature(part, name="drawn")
    found = source.concepts()
    assert table.check(Concept, found).equals(found)
    assert found["image_id"].tolist() == source.images()["image_id"].tolist()
    assert found[["licence", "origin"]].notna().all(axis=None)
    assert set(found["source"]) == {"drawn"}


def test_an_image_shows_its_phrase_and_its_family_is_why_it_is_odd():
    source = ConceptMiniature(limit=2)
    presence = source.presence()
    assert (presence == PRESENT).sum(axis=1).tolist() == [1] * 140
    assert (presence == UNKNOWN).sum() == presence.size - 140
    assert source.pairs()["planted"].tolist() == source.concepts()["category"].tolist()
    assert set(ConceptMiniature("id").pairs()["planted"]) == {"canonical"}


@pytest.mark.parametrize("part", PARTS)
def test_every_image_is_a_picture_of_64_by_64(part):
    source = ConceptMiniature(part, limit=2)
    for image_id in source.images()["image_id"]:
        assert decode(source.read(image_id)).size == (64, 64)


def test_no_two_images_of_all_parts_are_the_same():
    seen = [s.read(i) for s in map(ConceptMiniature, PARTS) for i in s.images()["image_id"]]
    assert len(set(seen)) == len(seen) > 1400


def test_a_limit_keeps_the_first_images_of_each_phrase():
    few, all_ = ConceptMiniature(limit=3).concepts(), ConceptMiniature().concepts()
    assert few.equals(all_.groupby("phrase", sort=False).head(3).reset_index(drop=True))


def test_forked_processes_read_the_same_bytes():
    source = ConceptMiniature("id", limit=1)
    known = {i: source.read(i) for i in source.images()["image_id"]}
    with get_context("fork").Pool(2) as pool:
        assert pool.map(source.read, known) == list(known.values())


def test_settings_that_are_wrong_are_named():
    with pytest.raises(OodexpError, match=r"source\.part=ood: expected one of concepts, id"):
        ConceptMiniature("ood")
    with pytest.raises(OodexpError, match=r"source\.limit=0: expected a number >= 1"):
        ConceptMiniature(limit=0)
