"""LVIS v1: federated annotations on images of COCO's train2017 and val2017."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oodexp.error import OodexpError
from oodexp.pixel import decode
from oodexp.record import ABSENT, PRESENT, UNKNOWN
from oodexp.source.lvis import Lvis
from tests.source import made

TEXTS = ["aerosol can", "bat (animal)", "bat (sports)", "car (automobile)", "dog", "sofa bed"]
SYNONYMS = ["aerosol can", "bat (animal)", "club", "automobile", "dog", "sofa bed"]


def changed(section: str, number: int, **fields: Any) -> dict[str, Any]:
    document = made.lvis_document()
    document[section][number] |= fields
    return document


def expected(document: dict[str, Any]) -> dict[tuple[str, str], tuple[int, int | None]]:
    """Presence and count of every cell, by the definition, one at a time."""
    counts = Counter((n["image_id"], n["category_id"]) for n in document["annotations"])
    found = {}
    for image in document["images"]:
        for category, text in enumerate(TEXTS, 1):
            number = counts[image["id"], category]
            code = PRESENT if number else UNKNOWN
            if not number and category in image["neg_category_ids"]:
                code = ABSENT
            whole = category not in image["not_exhaustive_category_ids"]
            found[str(image["id"]), text] = code, number if number and whole else None
    return found


def told(source: Lvis) -> dict[tuple[str, str], tuple[int, int | None]]:
    pairs = source.pairs()
    keys = zip(pairs["image_id"], pairs["category"], strict=True)
    counts = dict(zip(keys, pairs["count"].fillna(0), strict=True))
    return {
        (i, c): (int(source.presence()[row, column]), int(counts.get((i, c), 0)) or None)
        for row, i in enumerate(source.images()["image_id"])
        for column, c in enumerate(source.categories())
    }


@pytest.mark.parametrize("seed", range(4))
def test_every_cell_is_what_the_definition_says(tmp_path, seed):
    document = made.lvis_document(seed)
    source = made.lvis(tmp_path, document)
    assert told(source) == expected(document)
    assert {ABSENT, PRESENT, UNKNOWN} == set(np.unique(source.presence()).tolist())
    assert len(source.problems()) == 0


def test_a_count_that_is_not_exhaustive_says_so(tmp_path):
    document = made.lvis_document()
    pairs = made.lvis(tmp_path, document).pairs()
    partial = {
        (str(i["id"]), TEXTS[c - 1])
        for i in document["images"]
        for c in i["not_exhaustive_category_ids"]
    }
    unknown = pairs[pairs["count"].isna()]
    assert partial
    assert set(zip(unknown["image_id"], unknown["category"], strict=True)) == partial
    assert set(unknown["count_reason"]) == {"not exhaustive"}
    assert pairs[pairs["count"].notna()]["count_reason"].isna().all()


def test_images_come_from_both_parts_of_coco_by_their_address(tmp_path):
    document = made.lvis_document()
    source = made.lvis(tmp_path, document)
    files = source.images()["file"].tolist()
    assert files == ["/".join(i["coco_url"].split("/")[3:]) for i in document["images"]]
    assert {f.split("/")[0] for f in files} == {"train2017", "val2017"}
    for number, image_id in enumerate(source.images()["image_id"]):
        assert decode(source.read(image_id)).getpixel((0, 0)) == (number, 0, 77)


def test_minival_keeps_the_images_of_val2017_and_what_is_annotated_there(tmp_path):
    document = made.lvis_document()
    whole = told(made.lvis(tmp_path, document))
    source = made.lvis(tmp_path, document, minival=True)
    kept = {str(i["id"]) for i in document["images"] if "/val2017/" in i["coco_url"]}
    assert 0 < len(kept) < len(document["images"])
    assert told(source) == {key: cell for key, cell in whole.items() if key[0] in kept}
    assert len(source.problems()) == 0


def test_minival_needs_no_training_images(tmp_path):
    made.lvis(tmp_path)
    for file in (tmp_path / "images/train2017").iterdir():
        file.unlink()
    (tmp_path / "images/train2017").rmdir()
    source = made.lvis_source(tmp_path, minival=True)
    assert len(source.images())
    with pytest.raises(OodexpError, match=r"no folder train2017/ in it.*minival=true"):
        made.lvis_source(tmp_path)


def test_minival_of_a_file_without_val2017_is_refused(tmp_path):
    document = made.lvis_document()
    document["images"] = document["images"][1::2]
    with pytest.raises(OodexpError, match="no coco_url leads into val2017/"):
        made.lvis(tmp_path, document, minival=True).images()


@pytest.mark.parametrize(("names", "texts"), [("name", TEXTS), ("synonym", SYNONYMS)])
def test_texts_are_names_with_spaces_or_plain_synonyms(tmp_path, names, texts):
    assert made.lvis(tmp_path, names=names).categories() == texts


def test_a_text_that_two_categories_would_share_is_not_used(tmp_path):
    document = made.lvis_document()
    document["categories"][1]["synonyms"] = ["club"]
    document["categories"][4] |= {"name": "automobile", "synonyms": ["automobile"]}
    texts = made.lvis(tmp_path, document, names="synonym").categories()
    assert texts == [*TEXTS[:4], "automobile", "sofa bed"]
    document["categories"][0]["name"] = "sofa__bed"
    texts = made.lvis(tmp_path, document).categories()
    assert texts[0] == "sofa__bed"
    assert texts[5] == "sofa_bed"


def test_labels_are_by_annotated_name_on_top_of_the_texts(tmp_path):
    table = {"bat_(animal)": "bat", "bat_(sports)": "bat", "dog": None}
    source = made.lvis(tmp_path, labels=table)
    assert source.categories() == ["aerosol can", "bat", "car (automobile)", "sofa bed"]
    merged = {(i, c): cell for (i, c), cell in told(source).items() if c == "bat"}
    plain = expected(made.lvis_document())
    for (image, _), (code, count) in merged.items():
        one, two = plain[image, "bat (animal)"], plain[image, "bat (sports)"]
        codes = {one[0], two[0]}
        assert code == next(k for k in (PRESENT, UNKNOWN, ABSENT) if k in codes)
        certain = all(c == ABSENT or n is not None for c, n in (one, two))
        assert count == ((one[1] or 0) + (two[1] or 0) or None if certain else None)


@pytest.mark.parametrize(
    ("number", "fields", "said"),
    [
        (1, {"coco_url": None}, "images: entry 1 has no coco_url; expected LVIS v1"),
        (0, {"neg_category_ids": None}, "entry 0 has no neg_category_ids"),
        (0, {"not_exhaustive_category_ids": None}, "entry 0 has no not_exhaustive_category_ids"),
        (2, {"neg_category_ids": 4}, "has neg_category_ids 4; expected a list"),
        (2, {"id": None}, "entry 2 has no id"),
    ],
)
def test_a_field_that_is_missing_or_wrong_is_named(tmp_path, number, fields, said):
    with pytest.raises(OodexpError, match=said):
        made.lvis(tmp_path, changed("images", number, **fields)).images()


def test_a_repeated_image_is_refused(tmp_path):
    document = made.lvis_document()
    document["images"].append(copy.copy(document["images"][0]))
    with pytest.raises(OodexpError, match=r"images: id \d+ is repeated \(entry 16\)"):
        made.lvis(tmp_path, document).images()


def test_a_coco_file_is_told_from_lvis(tmp_path):
    with pytest.raises(OodexpError, match=r"no coco_url, neg_category_ids.*expected LVIS v1"):
        made.lvis(tmp_path, made.coco_document()).images()


def test_ids_that_lead_nowhere_are_named_problems_and_the_rest_is_read(tmp_path):
    document = made.lvis_document()
    first = document["images"][0]
    first["neg_category_ids"] = [*first["neg_category_ids"], 99, None]
    document["images"][1]["not_exhaustive_category_ids"].append("x")
    document["annotations"] += [made.note(1, 77_777, 1), made.note(1, first["id"], 99), None]
    source = made.lvis(tmp_path, document)
    total = len(document["annotations"])
    problems = source.problems()[["image_id", "subject", "reason"]].itertuples(index=False)
    assert [tuple(p) for p in problems] == [
        ("", f"annotation {total - 3}", "image_id 77777 is not listed"),
        (str(first["id"]), f"annotation {total - 2}", "category_id 99 is not listed"),
        ("", f"annotation {total - 1}",
         "annotation None is not listed under any image: it is no object"),
        (str(first["id"]), "neg_category_ids", "category 99 is not listed"),
        (str(first["id"]), "neg_category_ids", "category None is not listed"),
        (str(document["images"][1]["id"]), "not_exhaustive_category_ids",
         "category 'x' is not listed"),
    ]  # fmt: skip
    assert told(source) == expected(made.lvis_document())


def test_what_is_annotated_and_listed_as_absent_is_present_and_a_problem(tmp_path):
    document = made.lvis_document()
    image = next(i for i in document["images"] if i["id"] == document["annotations"][0]["image_id"])
    category = document["annotations"][0]["category_id"]
    image["neg_category_ids"] = [category]
    source = made.lvis(tmp_path, document)
    assert told(source)[str(image["id"]), TEXTS[category - 1]][0] == PRESENT
    assert source.problems()["subject"].tolist() == ["neg_category_ids"]
    assert "listed as absent but annotated" in source.problems()["reason"].iloc[0]


def test_an_address_that_leads_out_of_the_folder_is_never_opened(tmp_path):
    document = changed("images", 0, coco_url="http://images.example/../secret.png")
    image = document["images"][0]["id"]
    (tmp_path / "secret.png").write_bytes(b"secret")
    source = made.lvis(tmp_path, document)
    assert source.problems()["subject"].tolist() == ["../secret.png"]
    assert str(image) not in set(source.images()["image_id"])
    with pytest.raises(KeyError):
        source.read(str(image))


def test_another_choice_of_names_is_refused(tmp_path):
    with pytest.raises(OodexpError, match="names=first: expected one of name, synonym"):
        made.lvis(tmp_path, names="first")


def test_what_to_download_depends_on_the_part(tmp_path):
    def paths(**options: Any) -> list[str]:
        return [Path(n.path).name for n in Lvis.needs("a/lvis.json", "coco", **options)]

    assert paths() == ["lvis.json", "val2017", "train2017"]
    assert paths(minival=True) == ["lvis.json", "val2017"]


def test_an_outline_is_never_parsed(tmp_path, monkeypatch):
    document = made.lvis_document()
    seen: list[Any] = []
    real = json.JSONDecoder.raw_decode
    made.lvis(tmp_path, document)
    from oodexp.source import stream

    def decode_and_look(text: str, at: int) -> Any:
        value, end = real(json.JSONDecoder(), text, at)
        if isinstance(value, dict):
            seen.append(value.get("segmentation"))
        return value, end

    monkeypatch.setattr(stream, "_decode", decode_and_look)
    assert told(made.lvis_source(tmp_path)) == expected(document)
    assert seen
    assert set(seen) == {None}


@pytest.mark.parametrize("field", ["neg_category_ids", "not_exhaustive_category_ids"])
def test_a_long_value_in_the_place_of_a_list_is_told_in_short(tmp_path, field):
    document = made.lvis_document()
    document["images"][0][field] = "x" * 1_000_000
    with pytest.raises(OodexpError, match=rf"has {field} 'xxx.*\.\.\..*; expected a list") as told:
        made.lvis(tmp_path, document).images()
    assert len(str(told.value)) < 1_000
