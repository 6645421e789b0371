"""How weights are held: devices, attention, quantization, and what is missing."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from oodexp.error import OodexpError
from oodexp.vlm.checkpoint import Placement, _held
from oodexp.vlm.transformers_chat import TransformersChat

PROMPTS = ["Yes or no?", "Does this image contain a very long traffic light? (yes or no)", "Hm"]


@pytest.fixture(scope="module")
def greedy(llava_folder: Path) -> TransformersChat:
    vlm = TransformersChat(str(llava_folder), max_new_tokens=12)
    vlm.load("cpu")
    return vlm


@pytest.mark.parametrize(
    ("changes", "library"),
    [({"quantization": "int8"}, "bitsandbytes"), ({"device_map": "auto"}, "accelerate")],
)
def test_a_missing_library_is_named_before_anything_is_loaded(
    llava_folder: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], library: str
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n, *a: None if n == library else found(n, *a)
    )
    monkeypatch.setattr(torch.nn.Module, "__init__", lambda *_: pytest.fail("a network was built"))
    with pytest.raises(OodexpError, match=f"needs {library}, which is not installed"):
        TransformersChat(str(llava_folder), **changes).load("cpu")


def test_quantization_asks_transformers_for_it(
    llava_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting, held in (("int8", "load_in_8bit"), ("int4", "load_in_4bit")):
        told = _held(Placement("bfloat16", None, None, setting), "cuda:1")
        assert told["device_map"] == {"": "cuda:1"}
        assert told["quantization_config"].to_dict()[held] is True
    assert told["quantization_config"].bnb_4bit_compute_dtype == torch.bfloat16


def test_layers_may_be_spread_over_devices(
    greedy: TransformersChat, llava_folder: Path, images: list[Image.Image]
) -> None:
    pytest.importorskip("accelerate")
    vlm = TransformersChat(str(llava_folder), max_new_tokens=12, device_map="auto")
    vlm.load("cpu")
    assert vlm.complete(images[:2], PROMPTS[:2]) == greedy.complete(images[:2], PROMPTS[:2])


def test_attention_may_be_chosen(
    greedy: TransformersChat, llava_folder: Path, images: list[Image.Image]
) -> None:
    vlm = TransformersChat(str(llava_folder), max_new_tokens=12, attn_implementation="eager")
    vlm.load("cpu")
    assert vlm._net.config.text_config._attn_implementation == "eager"
    assert vlm.complete(images[:2], PROMPTS[:2]) == greedy.complete(images[:2], PROMPTS[:2])


def test_loading_again_on_the_same_device_does_nothing(llava_folder: Path) -> None:
    vlm = TransformersChat(str(llava_folder))
    vlm.load("cpu")
    before = vlm._net
    vlm.load("cpu")
    assert vlm._net is before


def test_missing_weights_are_an_error_not_random_numbers(
    llava_folder: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    copy = tmp_path / "copy"
    shutil.copytree(llava_folder, copy)
    state = load_file(copy / "model.safetensors")
    lost = next(name for name in state if "multi_modal_projector" in name)
    del state[lost]
    save_file(state, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(OodexpError, match="multi_modal_projector"):
        TransformersChat(str(copy)).load("cpu")
