"""`transformers serve` with the miniature VLM, on this machine."""

from __future__ import annotations

import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pandas as pd
import pytest

from oodexp import table
from oodexp.answer.judge import judge
from oodexp.answer.yes_no import YesNo
from oodexp.miniature.load import MODELS
from oodexp.predict.answering import Answered, answer
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.store import Store
from oodexp.record import Question
from oodexp.source.miniature import Miniature
from oodexp.vlm.openai_api import OpenAIApi
from oodexp.vlm.transformers_chat import TransformersChat
from tests.peers.port import until
from tests.peers.server import BIN, Server

pytestmark = pytest.mark.slow

FOLDER = str(MODELS / "fastvlm")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("openai", reason="`transformers serve` wants the package openai")
    command = [
        str(BIN / "transformers"), "serve", "--host", "127.0.0.1", "--port", "{port}", "--device",
        "cpu", "--dtype", "float32", FOLDER,
    ]  # fmt: skip
    log = tmp_path_factory.mktemp("serve") / "log"
    made = Server(command, log, HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1")
    try:
        made.start()
        yield made
    finally:
        made.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def world() -> Miniature:
    return Miniature(limit=10)


@pytest.fixture(scope="module")
def questions(world: Miniature) -> pd.DataFrame:
    rows = [
        Question(f"{p.image_id}/{p.category}/{polarity}", p.source, p.image_id, p.category,
                 "existence", polarity,
                 f"Does this image {word}contain a {p.category}? (yes or no)", target)
        for p in world.pairs().head(22).itertuples()
        for polarity, word, target in (("present", "", "yes"), ("absent", "not ", "no"))
    ]  # fmt: skip
    return table.frame(Question, rows)


def ask(name: str, vlm: Any, world: Miniature, questions: pd.DataFrame, store: Path) -> Answered:
    images = scan(world.images(), world.read).images
    loop = Loop(accelerator="cpu", progress=False)
    return answer(name, vlm, questions, images, world.read, Store(str(store)), loop)


@pytest.fixture(scope="module")
def here(world, questions, tmp_path_factory) -> Answered:
    """What the same model answers in this process."""
    vlm = TransformersChat(FOLDER, max_new_tokens=8)
    return ask("here", vlm, world, questions, tmp_path_factory.mktemp("here"))


def api(server: Server, **settings: Any) -> OpenAIApi:
    return OpenAIApi(
        FOLDER, f"{server.address}/v1", max_tokens=8, temperature=0.0, concurrency=2, **settings
    )


def check_the_same(here: Answered, served: Answered, questions: pd.DataFrame) -> None:
    assert len(questions) > 40
    assert set(served.completions["status"]) == {"ok"}
    both = pd.concat([here.completions, served.completions], ignore_index=True)
    read = judge(both, questions, {"yes_no": YesNo()})
    readings = read.pivot(index="question_id", columns="vlm", values="reading")
    assert len(readings) == len(questions)
    assert (readings["here"] == readings["served"]).all()
    assert set(readings["here"]) == {"yes", "no"}


def test_a_served_model_is_read_as_the_same_model_here(server, world, questions, here, tmp_path):
    check_the_same(here, ask("served", api(server), world, questions, tmp_path), questions)


def test_a_server_that_is_killed_in_the_middle_answers_every_question_once(
    server, world, questions, here, tmp_path, monkeypatch
):
    heard: dict[str, list[bool]] = defaultdict(list)
    stream = httpx2.AsyncClient.stream

    @asynccontextmanager
    async def listened(self, method, url, *, json):
        """Notes of each request whether its answer arrived, whatever becomes of it afterwards."""
        image, text = json["messages"][-1]["content"]
        name = image["image_url"]["url"] + text["text"]
        heard[name].append(False)
        turn = len(heard[name]) - 1
        async with stream(self, method, url, json=json) as reply:
            yield reply
            heard[name][turn] = reply.status_code == 200

    def answered() -> int:
        return sum(any(turns) for turns in list(heard.values()))

    def kill_and_start() -> None:
        until(lambda: answered() >= 10, "ten answers")
        server.end(signal.SIGKILL)
        at_the_kill.append(answered())
        time.sleep(5.0)  # longer than one retry waits
        server.start()

    monkeypatch.setattr(httpx2.AsyncClient, "stream", listened)
    at_the_kill: list[int] = []
    other = threading.Thread(target=kill_and_start)
    other.start()
    served = ask("served", api(server, retries=1), world, questions, tmp_path)
    other.join()
    check_the_same(here, served, questions)
    assert 10 <= at_the_kill[0] < len(questions) - 10
    assert len(heard) == len(questions)
    assert all(turns.count(True) == 1 and turns[-1] for turns in heard.values())
    assert sum(map(len, heard.values())) > len(heard)  # some were asked when nobody was there
    assert len(served.requests) == sum(map(len, heard.values()))
