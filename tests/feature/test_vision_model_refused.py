"""What a vision model of transformers refuses: random weights, poolings it lacks, other models."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.feature.vision_model import VisionModel
from tests.feature.nets import vectors


@pytest.mark.parametrize(
    ("name", "pooling", "message"),
    [
        ("siglip", "cls", "has no class token; use pooling=`mean` or `pooler`"),
        ("resnet", "cls", "has no class token"),
        ("swin", "mean", "0 of them known and 64 patches; use pooling=`pooler`"),
        ("yolos", "mean", "117 tokens, 1 of them known and 16 patches"),
        ("mae", "cls", "5 tokens, 1 of them known and 16 patches"),
        ("mae", "pooler", "has no pooler; use pooling=`cls` or `mean`"),
    ],
)
def test_a_pooling_that_a_model_has_not_is_refused(
    name: str, pooling: str, message: str, folders: Callable[[str], Path],
    images: list[Image.Image],
) -> None:  # fmt: skip
    with pytest.raises(OodexpError, match=message):
        vectors(folders(name), images, pooling=pooling)


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("dinov2", "embeddings.cls_token"), ("vit", "layernorm.weight"),
        ("clip", "vision_model.embeddings.class_embedding"),
    ],
)  # fmt: skip
def test_missing_weights_are_an_error_not_random_numbers(
    name: str, lost: str, folders: Callable[[str], Path], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(folders(name), tmp_path / "copy")
    state = load_file(copy / "model.safetensors")
    del state[lost]
    save_file(state, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(OodexpError, match=rf"{lost.rpartition('.')[2]}.*would be random"):
        VisionModel(str(copy)).load("cpu")


def test_a_pooler_that_is_not_in_the_weights_is_refused_where_it_is_asked_for(
    folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    with pytest.raises(OodexpError, match=r"pooler\.dense.*would be random"):
        VisionModel(str(folders("vit_classifier")), "pooler").load("cpu")
    first, second = (vectors(folders("vit_classifier"), images) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_weights_of_another_shape_are_refused(
    folders: Callable[[str], Path], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(folders("vit"), tmp_path / "copy")
    state = load_file(copy / "model.safetensors")
    state["layernorm.weight"] = state["layernorm.weight"][:-1].clone()
    save_file(state, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(OodexpError, match=r"layernorm\.weight.*would be random"):
        VisionModel(str(copy)).load("cpu")


def test_a_folder_without_weights_is_refused(
    folders: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = shutil.copytree(folders("vit"), tmp_path / "copy")
    (copy / "model.safetensors").unlink()
    with pytest.raises(OodexpError, match="no weight file"):
        VisionModel(str(copy)).fingerprint()


def test_a_folder_without_an_image_processor_is_refused(
    folders: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = shutil.copytree(folders("vit"), tmp_path / "copy")
    (copy / "preprocessor_config.json").unlink()
    with pytest.raises(OodexpError, match="AutoImageProcessor could not be read"):
        VisionModel(str(copy)).load("cpu")


def test_a_folder_without_a_configuration_is_refused(
    folders: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = shutil.copytree(folders("vit"), tmp_path / "copy")
    (copy / "config.json").unlink()
    with pytest.raises(OodexpError, match="AutoConfig could not be read"):
        VisionModel(str(copy)).fingerprint()


def test_a_model_without_eyes_is_refused(folders: Callable[[str], Path]) -> None:
    with pytest.raises(OodexpError, match=r"model_type 'bert'.*no vision model"):
        VisionModel(str(folders("bert"))).fingerprint()


@pytest.mark.parametrize("name", ["ragged", "naflex"])
def test_images_that_keep_their_shape_are_refused(
    name: str, folders: Callable[[str], Path]
) -> None:
    with pytest.raises(OodexpError, match=r"for two images of different shape"):
        VisionModel(str(folders(name)), "pooler").load("cpu")


@pytest.mark.parametrize("wrong", [{"pooling": "max"}, {"precision": "float16"}])
def test_a_setting_that_is_none_of_its_values_is_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(OodexpError, match=f"{name} '{wrong[name]}': expected"):
        VisionModel("some/model", **wrong)
