"""OODBench, appendix C.1.2: which words express a category.

The paper does not list them. Ours are a table in the manner of CHAIR (Rohrbach et al., 2018),
written for this project; COCO's names are taken from torchvision as a witness.
"""

from __future__ import annotations

import json

import pytest

from oodexp.error import OodexpError
from oodexp.evidence.mention import Finder
from oodexp.evidence.synonym import OTHER, names, read


@pytest.fixture(scope="module")
def coco() -> list[str]:
    from torchvision.models.detection import FasterRCNN_ResNet50_FPN_Weights

    listed = FasterRCNN_ResNet50_FPN_Weights.DEFAULT.meta["categories"]
    return [name for name in listed if name not in ("__background__", "N/A")]


@pytest.fixture(scope="module")
def finder(coco) -> Finder:
    return Finder(*names(coco, "coco"))


def said(finder: Finder, text: str) -> set[str]:
    return {finder.categories[c] for c in finder.find([text]).category}


def test_the_shipped_table_knows_the_80_categories_of_coco(coco):
    assert len(coco) == 80
    assert set(read("coco")) - {OTHER} == set(coco)


def test_no_name_of_the_shipped_table_belongs_to_two_categories_but_the_toaster_oven(coco):
    owners: dict[str, set[str]] = {}
    for category, forms in names(coco, "coco").of.items():
        for form in forms:
            owners.setdefault(form, set()).add(category)
    twice = {form for form, of in owners.items() if len(of) > 1}
    assert {form.replace(" ", "").removesuffix("s") for form in twice} == {"toasteroven"}


def test_no_phrase_that_means_something_else_is_a_name(coco):
    found = names(coco, "coco")
    assert not set(found.other) & {form for forms in found.of.values() for form in forms}


def test_every_phrase_that_means_something_else_holds_a_name(coco):
    bare = Finder(names(coco, "coco").of)
    idle = [p for p in read("coco")[OTHER] if not said(bare, p) and not said(bare, p + "s")]
    assert idle == []


@pytest.mark.parametrize(
    ("caption", "categories"),
    [
        ("Two policemen and a woman ride their motorbikes.", {"person", "motorcycle"}),
        ("A stuffed teddy-bear beside a grizzly", {"teddy bear", "bear"}),
        ("Hotdogs and doughnuts on a table", {"hot dog", "donut", "dining table"}),
        ("A stop light above a fire hydrant", {"traffic light", "fire hydrant"}),
        ("the light of the sun", set()),
        ("an orange cat under an orange umbrella", {"cat", "umbrella"}),
        ("a glass of orange juice", set()),
        ("an orange", {"orange"}),
        ("empty train tracks by the train station", set()),
        ("A baby elephant and its calf", {"elephant", "cow"}),
        ("someone typing at a laptop keyboard with a computer mouse", {"keyboard", "mouse"}),
        ("people at a ski resort", {"person"}),
        ("a pair of skis", {"skis"}),
        ("knives, forks and wine-glasses", {"knife", "fork", "wine glass"}),
        ("the catcher's mitt", {"baseball glove"}),
        ("location of the carpet dogma", set()),
        ("cell-phones and tv's", {"cell phone", "tv"}),
        ("toilet paper", set()),
    ],
)
def test_captions_name_what_a_reader_would_say(finder, caption, categories):
    assert said(finder, caption) == categories


def test_a_name_alone_is_found_in_one_and_in_many(coco, finder):
    for category in coco:
        assert said(finder, f"a {category}!") == {category}
    assert said(finder, "buses, mice, sheep, benches, people") == {
        "bus", "mouse", "sheep", "bench", "person",
    }  # fmt: skip


def test_what_belongs_to_categories_that_are_not_asked_for_still_shadows_others():
    finder = Finder(*names(["bear", "dog"], "coco"))
    assert said(finder, "a teddy bear and a hot dog") == set()
    assert said(finder, "a bear and a puppy") == {"bear", "dog"}


def test_without_a_table_a_category_is_its_name_and_plural():
    found = names(["fish", "wine glass"])
    assert found.of["fish"] == ("fish", "fishes")
    assert set(found.of["wine glass"]) == {
        "wine glass", "wineglass", "wine glasses", "wineglasses",
    }  # fmt: skip
    assert found.other == ()


TABLE = {"dog": ["puppy", "hound"], "cat": [], "": ["dog house"]}


@pytest.mark.parametrize("form", ["dict", "json", "csv"])
def test_a_table_may_be_given_in_three_forms(form, tmp_path):
    given = TABLE
    if form == "json":
        given = tmp_path / "t.json"
        given.write_text(json.dumps(TABLE))
    if form == "csv":
        given = tmp_path / "t.csv"
        given.write_text("category,phrases\ndog,puppy; hound\ncat,\n,dog house\n")
    found = names(["dog", "cat"], given if form == "dict" else str(given))
    assert {"dog", "dogs", "puppy", "puppies", "hounds"} <= set(found.of["dog"])
    assert found.of["cat"] == ("cat", "cats")
    assert "dog house" in found.other


def test_further_words_are_added():
    assert "mutts" in names(["dog"], None, {"dog": ("mutt",)}).of["dog"]


def test_a_table_of_a_category_that_is_not_there_is_refused_with_a_suggestion():
    with pytest.raises(OodexpError, match=r"'dgo' \(did you mean 'dog'\?\)"):
        names(["dog"], {"dgo": ["puppy"]})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.csv", "name,phrases\n", "line 1: expected the header"),
        ("t.csv", "category,phrases\ndog,a,b\n", "line 2: 3 fields"),
        ("t.csv", "category,phrases\ndog,a\ndog,b\n", "'dog' is repeated"),
        ("t.json", '{"dog": ["a"], "dog": []}', "'dog' is repeated"),
        ("t.json", '{"dog": "a"}', "expected a list of names"),
        ("t.json", '{"dog": [" "]}', "expected a list of names"),
        ("t.json", '["dog"]', "expected a mapping"),
        ("t.json", "{", "not JSON"),
        ("t.txt", "", "ending '.txt'"),
    ],
)
def test_a_table_that_cannot_be_read_is_named(name, text, words, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(OodexpError, match=words):
        read(str(tmp_path / name))


def test_a_table_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OodexpError, match=r"none\.csv: cannot be read"):
        read(str(tmp_path / "none.csv"))
