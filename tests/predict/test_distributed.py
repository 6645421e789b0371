"""Several processes: the tables of one, and what is told when one of them fails."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from oodexp.error import OodexpError
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.scoring import score
from oodexp.predict.store import Store
from tests.world import CATEGORIES, SCENES, Hashing

pytestmark = pytest.mark.slow


class Wide(Hashing):
    """A model whose last digits tell the batch it ran in."""

    def encode_images(self, batch):
        vectors = super().encode_images(batch)
        return vectors + 1e-3 * batch.mean()


class Refusing(Wide):
    """Fails on rank 1 with a message for the person."""

    def encode_images(self, batch):
        if torch.distributed.get_rank() == 1:
            raise OodexpError("scorer refusing: no.\nDo something else")
        return super().encode_images(batch)


class Dying(Wide):
    """Is killed on rank 1, once."""

    def __init__(self, mark: Path) -> None:
        super().__init__()
        self.mark = mark

    def encode_images(self, batch):
        if torch.distributed.get_rank() == 1 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode_images(batch)


def pair(**more) -> Loop:
    return Loop("cpu", devices=2, scoring_batch=2, progress=False, **more)


def scored(world, scorer, store, loop):
    images = scan(world.images(), world.read).images
    return score(images, CATEGORIES, world.read, {"it": scorer}, store, loop)


def test_two_processes_with_decoders_give_the_table_of_one_and_say_nothing(
    world, store, loop, tmp_path, capfd
):
    one = scored(world, Wide(), store, loop)
    other = Loop("cpu", scoring_batch=3, progress=False)
    bigger = scored(world, Wide(), Store(str(tmp_path / "bigger")), other)
    assert not np.array_equal(bigger.logits["it"], one.logits["it"])  # a batch can be told
    capfd.readouterr()
    two = scored(world, Wide(), Store(str(tmp_path / "other")), pair(workers=1))
    assert capfd.readouterr() == ("", "")
    assert two.scored_images == len(SCENES)
    np.testing.assert_array_equal(two.logits["it"], one.logits["it"])
    mine, theirs = (
        {
            p.name: pd.read_parquet(p).drop(columns="seconds")  # the one column that is measured
            for p in (tmp_path / f).rglob("vectors/*/*.parquet")
        }
        for f in ("other", "store")
    )
    assert mine.keys() == theirs.keys()
    for name, rows in mine.items():
        pd.testing.assert_frame_equal(rows, theirs[name])
    assert len(mine) == 3


def test_a_mistake_in_a_process_reaches_the_person_as_its_message(world, store):
    with pytest.raises(OodexpError) as caught:
        scored(world, Refusing(), store, pair())
    assert str(caught.value) == "scorer refusing: no.\nDo something else"


def test_a_killed_process_is_told_and_the_next_start_does_the_rest(world, store, loop, tmp_path):
    with pytest.raises(OodexpError, match=r"a worker died \(.*SIGKILL.*Start the same command"):
        scored(world, Dying(tmp_path / "mark"), store, pair())
    written = len(list((tmp_path / "store").rglob("vectors/*/*.parquet")))
    assert written < 3
    again = scored(world, Dying(tmp_path / "mark"), store, pair())
    assert again.scored_images == len(SCENES) - 2 * written
    alone = scored(world, Wide(), Store(str(tmp_path / "alone")), loop)
    np.testing.assert_array_equal(again.logits["it"], alone.logits["it"])


SLOW = """
import signal, sys, time
from pathlib import Path
import torch
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.scoring import score
from oodexp.predict.store import Store
from tests.world import CATEGORIES, Hashing, draw

class Slow(Hashing):
    def encode_images(self, batch):
        (FOLDER / f"rank-{torch.distributed.get_rank()}").touch()
        time.sleep(120)
        return super().encode_images(batch)

FOLDER = Path(sys.argv[1])
if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as oodexp.run does
    world = draw(FOLDER)
    images = scan(world.images(), world.read).images
    loop = Loop("cpu", devices=2, scoring_batch=2, progress=False)
    score(images, CATEGORIES, world.read, {"it": Slow()}, Store(str(FOLDER / "store")), loop)
"""


def test_a_run_that_is_asked_to_end_takes_its_processes_along_at_once(tmp_path):
    program = tmp_path / "slow.py"
    program.write_text(SLOW)
    root = str(Path(__file__).resolve().parents[2])
    run = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(program), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": root}, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        begun = [tmp_path / f"rank-{n}" for n in range(2)]
        while not all(path.exists() for path in begun):
            assert run.poll() is None
            time.sleep(0.05)
        below = children(run.pid)
        assert len(below) >= 2
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait(timeout=60) == 143
        end = time.monotonic() + 60
        while any(alive(pid) for pid in below) and time.monotonic() < end:
            time.sleep(0.05)
        assert not any(alive(pid) for pid in below)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)


def children(parent: int) -> list[int]:
    told = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(pid) for pid in told.split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


MEETING = """
import os, sys, time
from oodexp.error import OodexpError
from oodexp.predict import ranks
made = []
got = ranks.agreed(lambda: made.append(1) or ["what rank 0 saw"])
assert got == ["what rank 0 saw"] and len(made) == (ranks.rank() == 0)
ranks.meet()
if ranks.rank() == 1:
    os._exit(9)
try:
    ranks.meet()
except OodexpError as error:
    print(error)
    sys.exit(2)
"""


def test_a_process_started_by_srun_notices_at_once_that_another_is_gone():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = {
        "SLURM_NTASKS": "2", "SLURM_NTASKS_PER_NODE": "2", "SLURM_NODEID": "0", "SLURM_NNODES": "1",
        "SLURM_JOB_ID": "17", "SLURM_NODELIST": "127.0.0.1", "MASTER_PORT": str(port),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }  # fmt: skip
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", MEETING], text=True, stdout=subprocess.PIPE,
            env={**os.environ, **common, "SLURM_PROCID": str(n), "SLURM_LOCALID": str(n)},
        )
        for n in range(2)
    ]  # fmt: skip
    told = [process.communicate(timeout=240)[0] for process in processes]
    assert [process.returncode for process in processes] == [2, 9]
    assert told[0].startswith("another process of this run ended before its work was done")


ALONE = """
import sys
from datetime import timedelta
from oodexp.error import OodexpError
from oodexp.predict import ranks
ranks.MEETING = timedelta(seconds=3)
try:
    ranks.agreed(lambda: 1)
except OodexpError as error:
    print(error)
    sys.exit(2)
"""


@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_does_not_wait_for_good_for_one_that_never_came(rank):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = {
        "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "GROUP_RANK": "0",
        "MASTER_PORT": str(port), "RANK": str(rank), "LOCAL_RANK": str(rank),
        "TORCHELASTIC_RUN_ID": "alone", "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ALONE], text=True, capture_output=True, timeout=200,
        check=False, env={**os.environ, **common},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stdout.startswith(
        f"not all of the 2 processes of this run came to 127.0.0.1:{port}"
    )


LEFT = """
import os, sys
from oodexp.error import OodexpError
from oodexp.predict import ranks
from oodexp.predict.strategy import Ranks
ranks.agreed(lambda: 1)
if ranks.rank() == 1:
    os._exit(9)
try:
    Ranks(spawned=False, threads=1).broadcast("what Lightning asks for", src=1)
except OodexpError as error:
    print(error)
    sys.exit(2)
"""


def test_a_process_that_dies_while_lightning_sets_up_is_told_in_one_line():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = {
        "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "GROUP_RANK": "0",
        "MASTER_PORT": str(port), "TORCHELASTIC_RUN_ID": "left",
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }  # fmt: skip
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", LEFT], text=True, stdout=subprocess.PIPE,
            env={**os.environ, **common, "RANK": str(n), "LOCAL_RANK": str(n)},
        )
        for n in range(2)
    ]  # fmt: skip
    told = [process.communicate(timeout=240)[0] for process in processes]
    assert [process.returncode for process in processes] == [2, 9]
    assert told[0].startswith("another process of this run ended before its work was done")
