"""Both trackers behind one face, and eyes on what they keep that do not use their own reading."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from oodexp.tracker.folder import Folder
from oodexp.tracker.mlflow import Mlflow

ROOT = Path(__file__).resolve().parents[2]

VICTIM = """
import sys, time
from oodexp.tracker.{module} import {name}
for experiment in sys.argv[2:]:
    config = {{"T": 0.05, "model": "m1", "paths": {{"runs": "elsewhere"}}}}
    run = {name}(sys.argv[1]).open(experiment=experiment, config=config)
    run.params({{"T": 0.05}})
    run.metrics({{"first": 0.5}})
    run.child("vlm a", {{"vlm": "a"}}).metrics({{"inner": 0.25}})
    print(run.run_id, flush=True)
time.sleep(600)
"""


@dataclass(frozen=True)
class Kept:
    """What lies in a tracker, seen from outside."""

    kind: str
    runs: Path

    def tracker(self, resume: str = "auto") -> Mlflow | Folder:
        return (Mlflow if self.kind == "mlflow" else Folder)(self.runs, resume=resume)

    def status(self, run_id: str) -> str:
        return self._about(run_id)["status"]

    def params(self, run_id: str) -> dict[str, str]:
        return self._data(run_id, "params")

    def tags(self, run_id: str) -> dict[str, str]:
        return self._data(run_id, "tags")

    def metrics(self, run_id: str) -> dict[str, float]:
        return self._data(run_id, "metrics")

    def artifact(self, run_id: str, name: str) -> bytes | None:
        path = self.folder(run_id) / name
        return path.read_bytes() if path.is_file() else None

    def note(self, run_id: str, name: str) -> Any:
        content = self.artifact(run_id, name)
        return None if content is None else json.loads(content)

    def folder(self, run_id: str) -> Path:
        if self.kind == "mlflow":
            return self.runs / "artifacts" / run_id / "artifacts"
        top, *below = run_id.split("/")
        (home,) = (self.runs / "folder").glob(f"*/{top}")
        return home.joinpath(*(part for name in below for part in ("children", name)))

    def retag(self, run_id: str, **tags: str) -> None:
        """Overwrites tags behind the tracker's back; `_` stands for a dot."""
        changed = {name.replace("_", ".", 1): value for name, value in tags.items()}
        if self.kind == "mlflow":
            for name, value in changed.items():
                self.client.set_tag(run_id, name, value)
        else:
            path = self.folder(run_id) / "tags.json"
            path.write_text(json.dumps({**json.loads(path.read_bytes()), **changed}))

    @property
    def client(self) -> Any:
        from mlflow import MlflowClient

        return MlflowClient(f"sqlite:///{self.runs / 'mlflow.db'}")

    def _about(self, run_id: str) -> dict[str, Any]:
        if self.kind == "mlflow":
            return dict(self.client.get_run(run_id).info)
        return json.loads((self.folder(run_id) / "run.json").read_bytes())

    def _data(self, run_id: str, what: str) -> dict[str, Any]:
        if self.kind == "mlflow":
            return dict(getattr(self.client.get_run(run_id).data, what))
        path = self.folder(run_id) / f"{what}.json"
        return json.loads(path.read_bytes()) if path.exists() else {}


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One runs folder for all tests: making MLflow's database takes seconds."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session", params=["folder", "mlflow"])
def kept(request: pytest.FixtureRequest, runs: Path) -> Kept:
    return Kept(request.param, runs)


@pytest.fixture(scope="session")
def in_mlflow(runs: Path) -> Kept:
    return Kept("mlflow", runs)


@pytest.fixture
def experiment(request: pytest.FixtureRequest) -> str:
    """A name that no other test uses."""
    return request.node.name


@pytest.fixture(scope="session")
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts Python on a script and its arguments; whatever still runs at the end is killed."""
    begun: list[subprocess.Popen[str]] = []

    def begin(script: str, *arguments: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", script, *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
        )
        begun.append(process)
        return process

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def killed(kept: Kept, start: Callable[..., subprocess.Popen[str]]) -> dict[str, str]:
    """Runs, by experiment, whose process was ended with SIGKILL in the middle."""
    experiments = ["killed same", "killed changed", "killed never", "killed named", "killed gone"]
    script = VICTIM.format(module=kept.kind, name=kept.kind.capitalize())
    with kept.tracker().open(experiment="warm-up", config={}):
        pass
    victim = start(script, str(kept.runs), *experiments)
    assert victim.stdout is not None
    ids = {name: victim.stdout.readline().strip() for name in experiments}
    victim.kill()
    _, complaint = victim.communicate()
    assert all(ids.values()), complaint
    return ids
