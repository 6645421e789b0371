"""What each form of corpus holds, and what of it cannot be read."""

from __future__ import annotations

import json
import pickle

import pytest

from oodexp.corpus.base import Lost
from oodexp.corpus.coco_captions import CocoCaptions
from oodexp.corpus.jsonl import Jsonl
from oodexp.corpus.llava import Llava
from oodexp.corpus.refcoco import Refcoco
from oodexp.corpus.visual_genome import VisualGenome
from oodexp.error import OodexpError
from tests.corpus import made
from tests.corpus.made import TURNS, lines, write


def read(corpus):
    lost = Lost(corpus.name)
    texts = [tuple(text) for text in corpus.read(lost)]
    return texts, [(p.subject, p.reason) for p in lost.problems()]


def test_a_conversation_gives_all_its_turns_to_its_image(tmp_path):
    texts, lost = read(made.llava(tmp_path))
    spoken = ["<image>\nWhat?", "A dog."]
    assert texts == [(key, said) for key in ("139", "gqa/images/139.jpg") for said in spoken]
    assert [place for place, _ in lost] == ["entry 1", "entry 2"]
    assert "give genome=image_data.json" in lost[0][1]
    assert "text only" in lost[1][1]


def test_turns_of_some_roles_only_may_count(tmp_path):
    path = write(tmp_path, "m.json", [{"image": "a.jpg", "conversations": TURNS}])
    assert read(Llava(path, roles=["gpt"]))[0] == [("a.jpg", "A dog.")]
    assert Llava(path, roles=["gpt"]).fingerprint() != Llava(path).fingerprint()


def test_messages_in_parts_and_several_images_are_read(tmp_path):
    parts = [{"type": "image"}, {"type": "text", "text": "Two cats?"}]
    row = {"images": ["a.jpg", "b.jpg"], "messages": [{"role": "user", "content": parts}]}
    path = lines(tmp_path, "m.jsonl", [row])
    assert read(Llava(path)) == ([("a.jpg", "Two cats?"), ("b.jpg", "Two cats?")], [])


def test_rows_that_are_no_conversation_are_told_and_the_rest_is_read(tmp_path):
    rows = [
        {"image": "a.jpg"}, 5, {"image": {"x": 1}, "conversations": TURNS}, "{",
        {"image": "b.jpg", "conversations": [{"from": "gpt"}, "hello", TURNS[1]]},
    ]  # fmt: skip
    texts, lost = read(Llava(lines(tmp_path, "m.jsonl", rows)))
    assert texts == [("b.jpg", "A dog.")]
    assert [place for place, _ in lost] == ["line 1", "line 3", "line 4", "line 5"]
    assert lost[0][1].endswith("(2)")
    assert lost[3][1].endswith("(2)")


def test_images_of_visual_genome_in_a_mixed_set_are_cocos_with_its_list(tmp_path):
    genome = write(tmp_path, "g.json", [{"image_id": 139, "coco_id": 55}])
    path = write(tmp_path, "m.json", [{"image": "gqa/images/139.jpg", "conversations": TURNS[1:]}])
    assert read(Llava(path, genome=genome)) == ([("55", "A dog.")], [])
    assert len(Llava(path, genome=genome).fingerprint()["files"]) == 2


def test_captions_are_read_and_other_lists_are_passed_over(tmp_path):
    texts, lost = read(made.coco_captions(tmp_path))
    assert texts == [("139", f"caption {n}") for n in range(3)]
    assert lost == []


def test_captions_of_other_data_sets_are_named_by_file(tmp_path):
    made.coco_captions(tmp_path)
    texts, _ = read(CocoCaptions(str(tmp_path / "captions.json"), keys="file"))
    assert {image for image, _ in texts} == {"street.jpg"}


def test_captions_without_image_or_text_are_told(tmp_path):
    rows = [{"image_id": 1}, {"caption": "x"}, {"image_id": 1, "caption": None}, "x"]
    path = write(tmp_path, "c.json", {"annotations": [*rows, {"image_id": 1, "caption": "dog"}]})
    texts, lost = read(CocoCaptions(path))
    assert texts == [("1", "dog")]
    assert [place for place, _ in lost] == ["annotations entry 0", "annotations entry 2"]


def test_expressions_of_the_training_split_count(tmp_path):
    texts, lost = read(made.refcoco(tmp_path))
    assert texts == [("139", "the left dog"), ("139", "dog")]
    assert "'val' is left aside" in lost[0][1]
    whole = Refcoco(str(tmp_path / "refs.json"), splits=None)
    assert len(read(whole)[0]) == 4


def test_a_pickle_is_not_opened_and_the_way_out_is_told(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("it was opened",))

    for name in ("refs(unc).p", "refs.json"):
        (tmp_path / name).write_bytes(pickle.dumps([Bomb()]))
        with pytest.raises(OodexpError, match="write it as JSON"):
            Refcoco(str(tmp_path / name))


def test_the_way_out_of_a_pickle_works(tmp_path):
    import subprocess
    import sys

    rows = [{"image_id": 139, "split": "train", "sentences": [{"sent": "a dog"}]}]
    (tmp_path / "refs.p").write_bytes(pickle.dumps(rows, protocol=0))
    with pytest.raises(OodexpError) as caught:
        Refcoco(str(tmp_path / "refs.p"))
    command = str(caught.value).partition("write it as JSON: ")[2]
    command = command.replace("python", sys.executable, 1).replace("IN.p OUT.json", "refs.p r.json")
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert read(Refcoco(str(tmp_path / "r.json")))[0] == [("139", "a dog")]


def test_regions_are_matched_to_coco_by_visual_genomes_list(tmp_path):
    texts, _ = read(made.visual_genome(tmp_path))
    assert texts == [("139", "the dog 1"), ("VG_100K/2.jpg", "the dog 2")]
    alone = VisualGenome(str(tmp_path / "region_descriptions.json"), None)
    texts, lost = read(alone)
    assert texts[0] == ("VG_100K/1.jpg", "the dog 1")
    assert lost[0][1].endswith("give genome=image_data.json (2)")


def test_a_list_of_visual_genome_without_cocos_numbers_is_named(tmp_path):
    old = write(tmp_path, "old.json", [{"image_id": 1, "url": "x"}])
    regions = write(tmp_path, "r.json", [{"id": 1, "regions": [{"phrase": "dog"}]}])
    with pytest.raises(OodexpError, match="entry 0: expected image_id and coco_id"):
        read(VisualGenome(regions, old))


def test_plain_lines_give_one_text_or_several(tmp_path):
    texts, lost = read(made.jsonl(tmp_path))
    assert texts == [("139", "a dog"), ("b.jpg", "x"), ("b.jpg", "y")]
    assert lost == []


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"image": "a"}, "neither text nor texts"),
        ({"text": "a"}, "text only"),
        ({"image": True, "text": "a"}, "neither text nor a number"),
        ({"image": "a", "texts": [3]}, "a text is no text"),
        ([1], "neither text nor texts"),
    ],
)
def test_plain_lines_that_say_nothing_are_told(row, words, tmp_path):
    path = lines(tmp_path, "c.jsonl", [row, {"image": "b", "text": "dog"}])
    texts, lost = read(Jsonl(path))
    assert texts == [("b", "dog")]
    assert lost[0][0] == "line 1"
    assert words in lost[0][1]


@pytest.mark.parametrize("kind", [CocoCaptions, Refcoco, Jsonl])
def test_a_file_of_another_form_is_named(kind, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"categories": [{"id": 1}]}) if kind is not Jsonl else "[]")
    with pytest.raises(OodexpError, match="no text in it; expected"):
        list(kind(str(path)).read(Lost("c")))
