"""A run that is killed in the middle of paid questions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter

from tests.served.stub import completion, serving

CHILD = """
    import sys
    from pathlib import Path
    from oodexp.predict.answering import answer
    from oodexp.predict.content import scan
    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.vlm.openai_api import OpenAIApi
    from tests.served.conftest import QUICK, questions
    from tests.world import draw

    folder, url = sys.argv[1:]
    world = draw(Path(folder))
    images = scan(world.images(), world.read).images
    vlm = OpenAIApi("stub-model", url, **(QUICK | {"timeout": 5.0}))
    loop = Loop(accelerator="cpu", progress=False, answering_batch=16)
    done = answer("stub", vlm, questions(400), images, world.read, Store(folder + "/store"), loop)
    print((done.completions["status"] == "ok").sum(), done.asked_questions)
"""


def start(tmp_path, url, root):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(tmp_path), url], cwd=root, text=True,
        stdout=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def test_a_killed_run_sends_no_answered_question_again(tmp_path, request):
    def script(*_):
        time.sleep(0.005)
        return completion()

    root = request.config.rootpath
    with serving(script) as stub:
        child = start(tmp_path, stub.url, root)
        while stub.answered.total() < 120:
            assert child.poll() is None
            time.sleep(0.005)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        time.sleep(0.2)
        before = Counter(stub.asked)
        child = start(tmp_path, stub.url, root)
        out, _ = child.communicate(timeout=120)
    answered, asked = map(int, out.split())
    assert answered == 400
    again = [name for name, times in stub.asked.items() if times > 1]
    # Those in flight at the kill, at most as many as there are workers, had no answer to keep.
    assert len(again) <= 8
    assert asked == 400 - (len(before) - len(again))
    assert not list((tmp_path / "store").rglob("*.jsonl"))
