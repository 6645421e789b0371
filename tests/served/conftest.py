"""Questions about the tiny drawn world, put to a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from oodexp import table
from oodexp.predict.answering import Answered, answer
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.store import Store
from oodexp.record import Question
from oodexp.vlm.openai_api import OpenAIApi
from tests.served.stub import KEY, Stub
from tests.world import draw

QUICK = {"backoff": 0.01, "timeout": 0.5, "concurrency": 8, "key_variable": "STUB_KEY"}


@pytest.fixture
def world(tmp_path):
    return draw(tmp_path)


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(str(tmp_path / "store"))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUB_KEY", KEY)


def questions(number: int, images: int = 6) -> pd.DataFrame:
    rows = [
        Question(f"q{n}", "world", str(n % images), "apple", "existence", "present", f"No. {n}?",
                 "yes")
        for n in range(number)
    ]  # fmt: skip
    return table.frame(Question, rows)


@pytest.fixture
def ask(world, store) -> Callable[..., Answered]:
    """Puts so many questions to a server."""
    images = scan(world.images(), world.read).images
    loop = Loop(accelerator="cpu", progress=False, answering_batch=32)

    def put(stub: Stub, number: int = 1, **settings: Any) -> Answered:
        vlm = OpenAIApi("stub-model", stub.url, **(QUICK | settings))
        return answer("stub", vlm, questions(number), images, world.read, store, loop)

    return put
