"""The vision models of transformers, each from a small model of its real class."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oodexp.feature.vision_model import VisionModel
from tests.feature.nets import vectors

LEADING = {
    "dinov2": 1, "registers": 5, "dinov3": 4, "vit": 1, "vit_classifier": 1, "deit": 2, "clip": 1,
    "siglip": 0,
}  # fmt: skip
"""Tokens before the patches, as the papers of the models say."""


def own_forward(folder: Path, images: list[Image.Image], **more: Any) -> Any:
    """What the class itself gives for inputs made here by its own processor."""
    import torch
    import transformers

    config = json.loads((folder / "config.json").read_text())
    kind = config["architectures"][0]
    kind = {"ViTForImageClassification": "ViTModel"}.get(kind, kind)
    net = getattr(transformers, kind).from_pretrained(folder, **more).eval()
    net = getattr(net, "vision_model", net)
    seen = transformers.AutoImageProcessor.from_pretrained(folder)(images, return_tensors="pt")
    with torch.no_grad():
        return net(**seen)


@pytest.mark.parametrize("pooling", ["cls", "mean", "pooler"])
@pytest.mark.parametrize("name", ["dinov2", "vit", "clip"])
def test_a_model_keeps_the_promises_of_an_extractor(
    name: str, pooling: Any, folders: Callable[[str], Path], keeps_promises: Callable[..., Any]
) -> None:
    assert keeps_promises(VisionModel(str(folders(name)), pooling)).shape == (5, 32)


@pytest.mark.parametrize("name", [name for name in LEADING if name != "siglip"])
def test_cls_is_the_first_token_of_the_last_hidden_state(
    name: str, folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    own = own_forward(folders(name), images).last_hidden_state[:, 0]
    np.testing.assert_allclose(vectors(folders(name), images), own, atol=1e-5)


@pytest.mark.parametrize("name", LEADING)
def test_mean_is_that_of_the_16_patches_alone(
    name: str, folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    hidden = own_forward(folders(name), images).last_hidden_state
    assert hidden.shape[1] == LEADING[name] + 16
    expected = hidden[:, LEADING[name] :].mean(1)
    np.testing.assert_allclose(vectors(folders(name), images, pooling="mean"), expected, atol=1e-5)


@pytest.mark.parametrize("name", ["dinov2", "vit", "clip", "siglip", "swin", "resnet"])
def test_pooler_is_what_the_class_pools(
    name: str, folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    expected = own_forward(folders(name), images).pooler_output.flatten(1)
    np.testing.assert_allclose(
        vectors(folders(name), images, pooling="pooler"), expected, atol=1e-5
    )


def test_the_mean_of_a_convolutional_map_is_over_its_places(
    folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    expected = own_forward(folders("resnet"), images).last_hidden_state.mean((2, 3))
    found = vectors(folders("resnet"), images, pooling="mean")
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_normalised_vectors_are_the_directions_of_the_others(
    folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    plain, unit = (vectors(folders("vit"), images, normalise=on) for on in (False, True))
    lengths = np.linalg.norm(plain, axis=1, keepdims=True)
    assert np.abs(lengths - 1).max() > 0.5
    np.testing.assert_allclose(unit, plain / lengths, atol=1e-6)


def test_bfloat16_gives_float32_vectors_that_are_rounded(
    folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    exact, fast = (vectors(folders("dinov2"), images, precision=p) for p in ("float32", "bfloat16"))
    assert fast.dtype == np.float32
    assert not np.array_equal(exact, fast)
    np.testing.assert_allclose(fast, exact, atol=0.05 * np.abs(exact).max())


@pytest.mark.parametrize(
    "changed", [{"pooling": "mean"}, {"normalise": True}, {"precision": "bfloat16"}]
)
def test_every_setting_is_in_the_fingerprint(
    changed: dict[str, Any], folders: Callable[[str], Path]
) -> None:
    name = str(folders("vit"))
    assert VisionModel(name).fingerprint() != VisionModel(name, **changed).fingerprint()


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "preprocessor_config.json"])
def test_every_file_is_in_the_fingerprint(
    file: str, folders: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = shutil.copytree(folders("vit"), tmp_path / "copy")
    before = VisionModel(str(copy)).fingerprint()
    with (copy / file).open("ab") as sink:
        sink.write(b"\n")
    assert VisionModel(str(copy)).fingerprint() != before


def test_a_fingerprint_builds_no_network(
    folders: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    extractor = VisionModel(str(folders("clip")))

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a network was built")

    monkeypatch.setattr(torch.nn.Module, "__init__", refuse)
    assert extractor.fingerprint()["class"] == "CLIPVisionModel"
