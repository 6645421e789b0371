"""OODBench, appendix C.1.1, Tables VII and VIII: which models were audited, and why not others.

The rows of the tables are not in the text that we have; the shipped entries say so.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from oodexp.error import OodexpError
from oodexp.evidence.registry import SHIPPED, TIERS, models, parse, searched

ROW = """
  - name: {name}
    tier: {tier}
    reading: {reading}
    included: {included}
    why: {why}
    corpora: {corpora}
"""
RIGHT = {
    "name": "Mine", "tier": 4, "reading": "ours", "included": "true", "why": "because",
    "corpora": "[]",
}  # fmt: skip
CORPUS = "[{name: a, part: coco_captions, included: true, why: x}]"


def text(**changes: object) -> str:
    return "models:" + ROW.format(**(RIGHT | changes))


@pytest.mark.parametrize("shipped", SHIPPED)
def test_shipped_models_give_a_reason_for_everything(shipped):
    found = models(shipped=shipped)
    assert len(found) >= 5
    for model in found:
        assert model.tier in TIERS
        assert model.reading == "ours"
        assert model.why
        assert all(used.why for used in model.corpora)
        assert model.included <= any(used.included for used in model.corpora)


def test_only_models_of_open_data_are_counted():
    assert {model.tier for model in models() if model.included} == {4}


def test_corpora_name_a_part_that_ships_or_one_that_the_file_calls_the_users_own():
    parts = {f.stem for f in (Path(__file__).parents[2] / "conf" / "corpus").glob("*.yaml")}
    named = {u.part for m in models(shipped="miniature_models") for u in m.corpora if u.part}
    assert named <= parts
    of_papers = {u.part for m in models() for u in m.corpora if u.part}
    own = {"sharegpt4v_pt", "sharegpt4v_mix665k", "vqa", "gqa"}
    assert own & parts == set()
    assert of_papers <= parts | own
    assert of_papers >= {"llava_instruct_150k", "coco_captions", "refcoco", "visual_genome"}


def test_every_model_of_the_miniature_is_in_its_registry():
    conf = Path(__file__).parents[2] / "conf"
    parts = {f.stem for group in ("scorer", "vlm") for f in (conf / group).glob("*miniature*.yaml")}
    assert {m.name for m in models(shipped="miniature_models")} == parts


def test_a_users_file_adds_models_and_replaces_those_of_the_same_name(tmp_path):
    more = tmp_path / "more.yaml"
    more.write_text(text(corpora=CORPUS) + ROW.format(**(RIGHT | {"name": "LLaVA", "tier": 1})))
    before, after = models(), models(str(more))
    assert [m.name for m in after] == [*(m.name for m in before), "Mine"]
    assert next(m for m in after if m.name == "LLaVA").tier == 1


def test_a_model_is_searched_only_if_every_counted_corpus_is_at_hand():
    further = [
        "{name: b, part: other, included: true, why: x}",
        "{name: c, part: null, included: false, why: x}",
    ]
    two = f"{CORPUS[:-1]}, {', '.join(further)}]"
    (model,) = parse(text(corpora=two), "t")
    assert searched(model, {"coco_captions", "other"}) == (("coco_captions", "other"), None)
    assert searched(model, {"coco_captions"}) == (("coco_captions",), "not at hand: b")
    assert searched(model, set()) == ((), "not at hand: a, b")


def test_models_that_are_left_out_or_have_no_corpus_say_so():
    (left,) = parse(text(included="false", corpora=CORPUS), "t")
    assert searched(left, {"coco_captions"}) == ((), "left out: because")
    (bare,) = parse(text(), "t")
    assert searched(bare, {"coco_captions"}) == ((), "no corpus of it is counted")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tier": 5}, r"t, model 1 \(Mine\): tier=5; expected 1"),
        ({"tier": "true"}, r"tier=True; expected a whole number"),
        ({"reading": "mine"}, "reading='mine'"),
        ({"included": "'yes'"}, "included='yes'; expected true or false"),
        ({"why": "''"}, "why=''; expected text"),
        ({"corpora": "[{name: a}]"}, r"\(Mine\), corpus 1: fields \['name'\]"),
        ({"corpora": CORPUS.replace("coco_captions", "3")}, "part=3; expected text or null"),
        ({"corpora": "[3]"}, "corpus 1: fields 3; expected"),
    ],
)
def test_a_row_that_is_wrong_is_named(changes, words):
    with pytest.raises(OodexpError, match=words):
        parse(text(**changes), "t")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("models: [", "not YAML"),
        ("- a", "expected a list under `models`"),
        ("models: [3]", "model 1: fields 3"),
        (text() + ROW.format(**RIGHT), "model 2: 'Mine' is there twice"),
    ],
)
def test_a_file_that_is_no_registry_is_named(document, words):
    with pytest.raises(OodexpError, match=words):
        parse(document, "t")


def test_a_file_that_is_not_there_and_a_registry_that_does_not_ship_are_named(tmp_path):
    with pytest.raises(OodexpError, match=r"none\.yaml: cannot be read"):
        models(str(tmp_path / "none.yaml"))
    with pytest.raises(OodexpError, match="registry=paper"):
        models(shipped="paper")
