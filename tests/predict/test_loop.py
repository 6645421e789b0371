"""Which processes run a loop, and what is loaded where."""

from __future__ import annotations

import pickle

import pytest
import torch

from oodexp.error import OodexpError
from oodexp.predict import ranks
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.scoring import score
from tests.world import CATEGORIES, Colour

TORCHRUN = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}
SLURM = {"SLURM_PROCID": "3", "SLURM_NTASKS": "4", "SLURM_LOCALID": "1"}


@pytest.fixture(autouse=True)
def nothing_started(monkeypatch):
    for name in (*TORCHRUN, *SLURM, "SLURM_JOB_NAME"):
        monkeypatch.delenv(name, raising=False)


def started(monkeypatch, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("variables", [TORCHRUN, SLURM, SLURM | TORCHRUN])
def test_torchrun_and_srun_say_which_process_this_is(monkeypatch, variables):
    assert (ranks.rank(), ranks.size(), ranks.local_rank()) == (0, 1, 0)
    started(monkeypatch, variables)
    assert (ranks.rank(), ranks.size(), ranks.local_rank()) == (3, 4, 1)


def test_an_interactive_shell_of_slurm_is_one_process(monkeypatch):
    started(monkeypatch, SLURM | {"SLURM_JOB_NAME": "interactive"})
    assert (ranks.rank(), ranks.size()) == (0, 1)


@pytest.mark.parametrize("variables", [TORCHRUN, SLURM])
def test_a_second_process_that_would_do_all_of_the_work_is_refused(monkeypatch, variables):
    started(monkeypatch, variables)
    with pytest.raises(OodexpError, match=r"process 3 of 4 .*choose predict=slurm"):
        Loop("cpu")


@pytest.mark.parametrize(("devices", "nodes"), [("auto", 1), ("auto", 2), (2, 2), (4, 1), (1, 4)])
def test_processes_are_spread_over_nodes_and_devices(monkeypatch, devices, nodes):
    started(monkeypatch, TORCHRUN)
    assert Loop("cpu", devices, outside=True, num_nodes=nodes)._count == 4 // nodes


@pytest.mark.parametrize(("devices", "nodes"), [(1, 1), (2, 1), ("auto", 3), (4, 2)])
def test_another_number_of_processes_than_asked_for_is_refused(monkeypatch, devices, nodes):
    started(monkeypatch, TORCHRUN)
    with pytest.raises(OodexpError, match="4 processes were started"):
        Loop("cpu", devices, outside=True, num_nodes=nodes)


@pytest.mark.parametrize(
    "wrong",
    [{"devices": 0}, {"devices": "all"}, {"workers": -1}, {"threads": 0}, {"num_nodes": 0},
     {"num_nodes": 2}],
)  # fmt: skip
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(OodexpError, match="predict"):
        Loop("cpu", **wrong)


def test_auto_is_one_process_where_there_is_no_gpu():
    assert Loop("cpu", "auto")._count == 1


def test_more_gpus_than_there_are_are_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert Loop("gpu", "auto")._count == 2
    with pytest.raises(OodexpError, match=r"predict.devices=3: 2 GPUs are visible"):
        Loop("gpu", 3).prepare([])


def test_nothing_that_is_loaded_here_is_sent_to_spawned_processes():
    class Heavy(Colour):
        def load(self, device):
            super().load(device)
            self.net = lambda: device  # cannot be pickled, as what lies on a GPU

    loop, scorer = Loop("cpu", 2), Heavy()
    loaded = loop.load(scorer)
    assert loaded.loads == ["cpu"]
    assert scorer.loads == []
    assert not hasattr(scorer, "net")
    assert loop.prepare([scorer]) is False
    pickle.dumps(vars(scorer))


def test_a_single_process_loads_a_scorer_once():
    loop, scorer = Loop("cpu"), Colour()
    assert loop.load(scorer) is loop.load(scorer) is scorer
    assert loop.prepare([scorer]) is True
    assert scorer.loads == ["cpu"]


def test_a_mistake_in_the_texts_comes_before_any_image_is_scored(world, store):
    class Refusing(Colour):
        def encode_texts(self, categories):
            raise OodexpError("two names are one text")

    images = scan(world.images(), world.read).images
    with pytest.raises(OodexpError, match="two names are one text"):
        score(images, CATEGORIES, world.read, {"r": Refusing()}, store, Loop("cpu", 2))
    assert not list(store._root.rglob("*.parquet"))


def test_the_number_of_threads_can_be_set():
    before = torch.get_num_threads()
    try:
        Loop("cpu", threads=1).load(Colour())
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_an_accelerator_that_is_not_known_is_named():
    with pytest.raises(OodexpError, match=r"predict.accelerator=tpu: expected one of auto, cpu"):
        Loop(accelerator="tpu")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_asked_for_in_words():
    with pytest.raises(OodexpError, match="torch sees no CUDA device"):
        Loop(accelerator="gpu").device()
