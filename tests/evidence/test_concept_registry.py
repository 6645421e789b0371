"""OODConceptBench, Table C1: the dual encoders that are compared, by family, variant and year.

The text that we have prints four rows of the registry and no tag of weights; group sizes are those
of Table C5. The ids are checked against open_clip's own list, without a download.
"""

from __future__ import annotations

from collections import Counter

import open_clip
import pytest

from oodexp.error import OodexpError
from oodexp.evidence.concept_registry import ConceptModel, concept_models, group, parse

RIGHT = {
    "name": "Mine", "library": "open_clip", "model": "ViT-B-32", "tag": "openai", "family": "F",
    "variant": "B/32", "year": 2024, "reading": "ours", "why": "because",
}  # fmt: skip


def text(*rows: dict[str, object]) -> str:
    lines = [", ".join(f"{k}: {v}" for k, v in row.items()) for row in rows]
    return "models:\n" + "".join(f"  - {{{line}}}\n" for line in lines)


def shipped() -> list[ConceptModel]:
    return [m for m in concept_models() if m.library == "open_clip"]


def test_the_years_have_as_many_models_as_table_c5():
    years = {year: len(names) for year, names in group(concept_models(), "year").items()}
    assert list(years.items()) == [(2021, 5), (2022, 9), (2023, 16), (2024, 3), (2025, 4)]
    assert sum(years.values()) == 37


def test_families_fit_what_the_printed_means_say_of_the_years():
    members = Counter((m.year, m.family, m.variant.split()[0]) for m in concept_models())
    assert members[2021, "OpenAI CLIP", "B/32"] == 3
    assert members[2021, "OpenAI CLIP", "B/16"] == 2
    laion = [members[2022, "OpenCLIP-LAION", v] for v in ("B/32", "B/16", "H/14")]
    assert laion == [3, 1, 1]
    assert [members[2024, "DFN-CLIP", v] for v in ("B/16", "L/14")] == [2, 1]
    assert {m.family for m in concept_models() if m.year == 2025} == {"SigLIP2"}


def test_only_the_four_printed_rows_are_called_the_papers():
    rows = {(m.variant, m.year, m.model) for m in concept_models() if m.reading == "paper"}
    assert rows == {
        ("Base-W", 2022, "convnext_base_w"),
        ("Base-W AugReg", 2022, "convnext_base_w"),
        ("Large-D AugReg", 2022, "convnext_large_d"),
        ("Large-D-320 FT", 2022, "convnext_large_d_320"),
    }


@pytest.mark.parametrize("model", shipped(), ids=lambda m: m.name)
def test_open_clip_has_the_architecture_and_the_tag(model):
    assert model.tag in open_clip.list_pretrained_tags_by_model(model.model)


@pytest.mark.parametrize("model", shipped(), ids=lambda m: m.name)
def test_an_activation_that_is_not_that_of_the_weights_is_told(model):
    built = open_clip.get_model_config(model.model).get("quick_gelu", False)
    trained = open_clip.get_pretrained_cfg(model.model, model.tag).get("quick_gelu", False)
    assert (built != trained) == ("without QuickGELU" in model.why)


def test_every_entry_says_what_it_rests_on_and_no_family_has_a_variant_twice():
    found = concept_models()
    assert all(m.why for m in found)
    assert len({(m.family, m.variant) for m in found}) == 37


def test_a_users_file_adds_models_and_replaces_those_of_the_same_name(tmp_path):
    more = tmp_path / "more.yaml"
    other = RIGHT | {"name": "DFN L/14", "model": "ViT-L-14", "tag": "dfn2b_s39b"}
    more.write_text(text(RIGHT, other))
    before, after = concept_models(), concept_models(str(more))
    assert [m.name for m in after] == [*(m.name for m in before), "Mine"]
    assert next(m for m in after if m.name == "DFN L/14").tag == "dfn2b_s39b"


def test_groups_hold_every_model_once():
    found = concept_models()
    for by in ("year", "family", "reading"):
        names = [name for members in group(found, by).values() for name in members]
        assert sorted(names) == sorted(m.name for m in found)
    with pytest.raises(OodexpError, match="by='tag'"):
        group(found, "tag")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"year": "'2024'"}, r"t, model 1 \(Mine\): year='2024'; expected a whole number"),
        ({"year": "true"}, "year=True"),
        ({"library": "timm"}, "library='timm'; expected open_clip or transformers"),
        ({"reading": "mine"}, "reading='mine'; expected paper or ours"),
        ({"tag": "null"}, "tag=None with library=open_clip"),
        ({"library": "transformers"}, "tag='openai' with library=transformers"),
        ({"tag": "3"}, "tag=3; expected text or null"),
        ({"why": "''"}, "why=''; expected text"),
        ({"more": "x"}, "fields .*'more'"),
    ],
)
def test_a_row_that_is_wrong_is_named(changes, words):
    with pytest.raises(OodexpError, match=words):
        parse(text(RIGHT | changes), "t")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("models: [", "not YAML"),
        ("- a", "expected a list under `models`"),
        ("models: [3]", "model 1: fields 3"),
        (text(RIGHT, RIGHT), "model 2: 'Mine' is there twice"),
        (text(RIGHT, RIGHT | {"name": "Other"}), r"\(Other\): the same weights as 'Mine'"),
    ],
)
def test_a_document_that_is_wrong_is_named(document, words):
    with pytest.raises(OodexpError, match=words):
        parse(document, "t")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(OodexpError, match="cannot be read"):
        concept_models(str(tmp_path / "none.yaml"))
