"""A store and a loop on the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from oodexp.predict.loop import Loop
from oodexp.predict.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


@pytest.fixture
def loop() -> Loop:
    return Loop("cpu", scoring_batch=2, answering_batch=3, progress=False)
