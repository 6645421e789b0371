"""Tiny models of the real classes, and the promises that every extractor keeps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.feature.nets import save

os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def images() -> list[Image.Image]:
    """Five images of different sizes and content."""
    rng = np.random.default_rng(5)
    sizes = [(40, 30), (64, 64), (31, 57), (90, 40), (33, 33)]
    return [Image.fromarray(rng.integers(0, 256, (h, w, 3), np.uint8)) for w, h in sizes]


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The saved model of a class."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = save(name, tmp_path_factory.mktemp(name))
        return made[name]

    return of


@pytest.fixture
def keeps_promises(images: list[Image.Image]) -> Callable[[Any], np.ndarray]:
    """Checks what `oodexp.feature.base.Extractor` promises of one that is not yet loaded."""

    def check(extractor: Any) -> np.ndarray:
        import torch

        text = json.dumps(extractor.fingerprint(), sort_keys=True)
        extractor.load("cpu")
        assert json.dumps(extractor.fingerprint(), sort_keys=True) == text
        pixels = torch.stack([extractor.preprocess(image) for image in images])
        assert pixels.dtype == torch.float32
        assert pixels.ndim == 4
        together = extractor.encode_images(pixels)
        assert together.dtype == torch.float32
        assert together.ndim == 2
        assert together.device.type == "cpu"
        close = {"rtol": 1e-4, "atol": 1e-5 * float(together.abs().max())}
        alone = torch.cat([extractor.encode_images(one[None]) for one in pixels])
        torch.testing.assert_close(alone, together, **close)
        backwards = extractor.encode_images(pixels.flip(0)).flip(0)
        torch.testing.assert_close(backwards, together, **close)
        hurt = pixels.clone()
        hurt[1] = torch.nan
        others = [0, 2, 3, 4]
        torch.testing.assert_close(extractor.encode_images(hurt)[others], together[others], **close)
        assert not np.allclose(together[0], together[1], **close)
        return np.asarray(together)

    return check
