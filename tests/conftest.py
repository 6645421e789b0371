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
