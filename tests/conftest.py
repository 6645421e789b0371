"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as oodexp.run does

from oodexp.source.coco import Coco


@pytest.fixture(scope="session")
def shared() -> Path:
    """Small inputs with their right results, and real photographs, beside the repository."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


@pytest.fixture
def world(tmp_path: Path) -> Coco:
    """The six scenes of `tests.world` as a source named `world`."""
    from tests.world import draw  # imports torch, which most tests do without

    return draw(tmp_path / "world")


@pytest.fixture(scope="session")
def timm_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random weights of timm's smallest transformer, its classifier included."""
    import timm
    import torch

    torch.manual_seed(4)
    file = tmp_path_factory.mktemp("timm") / "weights.pth"
    net = timm.create_model("test_vit", num_classes=1000)
    torch.save({k: v * 3 for k, v in net.state_dict().items()}, file)
    return file
