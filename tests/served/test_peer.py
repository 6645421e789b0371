"""A server of somebody else: `transformers serve` with the miniature VLM on this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from sys import executable

import pandas as pd
import pytest

from oodexp import table
from oodexp.answer.judge import judge
from oodexp.answer.yes_no import YesNo
from oodexp.miniature.load import MODELS
from oodexp.predict.answering import answer
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.store import Store
from oodexp.record import Question
from oodexp.source.miniature import Miniature
from oodexp.vlm.openai_api import OpenAIApi
from oodexp.vlm.transformers_chat import TransformersChat

FOLDER = MODELS / "fastvlm"
UP = 120.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    program = Path(executable).with_name("transformers")
    log = (tmp_path_factory.mktemp("serve") / "log").open("w")
    server = subprocess.Popen(
        [program, "serve", "--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype",
         "float32", str(FOLDER)],
        env=os.environ | {"HF_HUB_OFFLINE": "1"}, stdout=log, stderr=log, start_new_session=True,
    )  # fmt: skip
    url, end = f"http://127.0.0.1:{port}", time.monotonic() + UP
    try:
        while True:
            assert server.poll() is None, "the server ended; are openai and accelerate installed?"
            assert time.monotonic() < end, "the server did not come up"
            try:
                urllib.request.urlopen(f"{url}/health", timeout=1).close()
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        yield f"{url}/v1"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)
        log.close()


@pytest.mark.slow
def test_a_served_model_is_read_as_the_same_model_here(peer, tmp_path):
    world = Miniature(limit=10)
    pairs = world.pairs()
    rows = [
        Question(f"{p.image_id}/{p.category}/{polarity}", p.source, p.image_id, p.category,
                 "existence", polarity,
                 f"Does this image {word}contain a {p.category}? (yes or no)", target)
        for p in pairs.head(22).itertuples()
        for polarity, word, target in (("present", "", "yes"), ("absent", "not ", "no"))
    ]  # fmt: skip
    questions, images = table.frame(Question, rows), scan(world.images(), world.read).images
    loop, store = Loop(accelerator="cpu", progress=False), Store(str(tmp_path))
    vlms = {
        "here": TransformersChat(str(FOLDER), max_new_tokens=8),
        "served": OpenAIApi(str(FOLDER), peer, max_tokens=8, temperature=0.0, concurrency=2),
    }
    found = [
        answer(name, vlm, questions, images, world.read, store, loop).completions
        for name, vlm in vlms.items()
    ]
    assert len(rows) > 40
    assert set(found[1]["status"]) == {"ok"}
    read = judge(pd.concat(found, ignore_index=True), questions, {"yes_no": YesNo()})
    readings = read.pivot(index="question_id", columns="vlm", values="reading")
    assert (readings["here"] == readings["served"]).all()
    assert set(readings["here"]) == {"yes", "no"}
