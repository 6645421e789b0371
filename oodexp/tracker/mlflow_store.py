"""MLflow's client as a store of runs: the only file that imports it."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.tracker import process
from oodexp.tracker.address import blot, is_server, place
from oodexp.tracker.database import check_files
from oodexp.tracker.steady import steady
from oodexp.tracker.store import RUNNING, Limits, Stored

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Experiment, Run

    from oodexp.tracker.base import Dataset

_PARENT = "mlflow.parentRunId"


class MlflowStore:
    """A `Store` on MLflow's client; makes the database if there is none (seconds, once).

    Args:
        uri: Tracking address in MLflow's own form.
        artifacts: Where the files of new experiments go, unless a server decides.
        outage: Seconds that a server may be away before a run gives up.

    Raises:
        OodexpError: If the store cannot be opened; `Paused` from a call whose server stays away.
    """

    def __init__(self, uri: str, artifacts: Path, outage: float) -> None:
        self._uri, self._artifacts = uri, artifacts
        self._client = steady(_client(uri), uri, outage)
        from mlflow.utils import validation as most

        few, many = most.MAX_PARAMS_TAGS_PER_BATCH, most.MAX_METRICS_PER_BATCH
        self._a_call: dict[str, int] = {"params": few, "tags": few, "metrics": many}
        values = most.MAX_PARAM_VAL_LENGTH, most.MAX_TAG_VAL_LENGTH
        self.limits = Limits(most.MAX_ENTITY_KEY_LENGTH, *values)

    note = "mlflow.note.content"

    def create(self, experiment: str, name: str, parent: str | None, tags: dict[str, str]) -> str:
        """Adds a run, and its experiment if that is new (see `Store`)."""
        about = {"mlflow.source.name": "oodexp", "mlflow.user": process.user(), **tags}
        about |= {} if parent is None else {_PARENT: parent}
        run = self._client.create_run(self._experiment(experiment), run_name=name, tags=about)
        return str(run.info.run_id)

    def get(self, run_id: str) -> Stored | None:
        """The run of this id (see `Store`)."""
        from mlflow.exceptions import MlflowException

        try:
            run = self._client.get_run(run_id)
        except MlflowException as error:
            if error.error_code in ("RESOURCE_DOES_NOT_EXIST", "INVALID_PARAMETER_VALUE"):
                return None
            raise
        return self._stored(run)

    def running(self, experiment: str) -> list[Stored]:
        """RUNNING runs (see `Store`)."""
        found = self._client.get_experiment_by_name(experiment)
        if found is None:
            return []
        return self._search(found.experiment_id, f"attributes.status = '{RUNNING}'")

    def children(self, run: Stored) -> list[Stored]:
        """Runs directly below (see `Store`)."""
        home = self._client.get_run(run.run_id).info.experiment_id
        return self._search(home, f"tags.`{_PARENT}` = '{run.run_id}'")

    def rename(self, run_id: str, name: str) -> None:
        """Changes the name for people (see `Store`)."""
        self._client.update_run(run_id, name=name)

    def set_status(self, run_id: str, status: str) -> None:
        """Changes the status (see `Store`)."""
        if status == RUNNING:
            self._client.update_run(run_id, status=status)
        else:
            self._client.set_terminated(run_id, status=status)

    def set_tags(self, run_id: str, tags: Mapping[str, str]) -> None:
        """Adds or replaces tags (see `Store`)."""
        from mlflow.entities import RunTag

        self._log(run_id, "tags", [RunTag(name, value) for name, value in tags.items()])

    def drop_tag(self, run_id: str, name: str) -> None:
        """Removes a tag (see `Store`)."""
        self._client.delete_tag(run_id, name)

    def add_params(self, run_id: str, params: Mapping[str, str]) -> None:
        """Adds parameters (see `Store`)."""
        from mlflow.entities import Param

        self._log(run_id, "params", [Param(name, value) for name, value in params.items()])

    def params(self, run_id: str) -> dict[str, str]:
        """The run's parameters (see `Store`)."""
        return dict(self._client.get_run(run_id).data.params)

    def add_datasets(self, run_id: str, datasets: Sequence[Dataset]) -> None:
        """Adds what the run is about (see `Store`)."""
        from mlflow.entities import Dataset as Entry
        from mlflow.entities import DatasetInput, InputTag

        context = [InputTag("mlflow.data.context", "evaluation")]
        entries = []
        for d in datasets:
            told = json.dumps({"name": d.name}), None, json.dumps(dict(d.counts))
            entries.append(DatasetInput(Entry(d.name, d.digest, "local", *told), context))
        self._client.log_inputs(run_id, datasets=entries)

    def add_metrics(self, run_id: str, metrics: Sequence[tuple[str, float, int]]) -> None:
        """Adds metrics (see `Store`)."""
        from mlflow.entities import Metric

        now = time.time_ns() // 1_000_000
        self._log(run_id, "metrics", [Metric(name, v, now, step) for name, v, step in metrics])

    def metrics(self, run_id: str) -> dict[str, float]:
        """Latest values (see `Store`)."""
        return dict(self._client.get_run(run_id).data.metrics)

    def next_step(self, run_id: str, metric: str) -> int:
        """First free step (see `Store`)."""
        steps = [entry.step for entry in self._client.get_metric_history(run_id, metric)]
        return int(max(steps, default=-1)) + 1

    def copy(self, run_id: str, artifact: str, source: Path) -> None:
        """Keeps a copy of a file (see `Store`)."""
        # MLflow takes the name from the path, so the file goes by a link of the right name.
        self._upload(run_id, artifact, lambda path: path.symlink_to(source.resolve()))

    def write(self, run_id: str, artifact: str, content: bytes) -> None:
        """Keeps a file of this content (see `Store`)."""
        self._upload(run_id, artifact, lambda path: path.write_bytes(content))

    def read(self, run_id: str, artifact: str) -> bytes | None:
        """Content of a kept file (see `Store`)."""
        folder = artifact.rpartition("/")[0]
        if artifact not in [f.path for f in self._client.list_artifacts(run_id, folder or None)]:
            return None
        with tempfile.TemporaryDirectory() as scratch:
            return Path(self._client.download_artifacts(run_id, artifact, scratch)).read_bytes()

    def files(self, run_id: str, folder: str) -> list[str]:
        """Paths of the files in a folder (see `Store`)."""
        found = self._client.list_artifacts(run_id, folder)
        below = (self.files(run_id, entry.path) for entry in found if entry.is_dir)
        return [entry.path for entry in found if not entry.is_dir] + [*chain.from_iterable(below)]

    def where(self, run_id: str) -> str:
        """The run's page on a server, else its folder (see `Store`)."""
        info = self._client.get_run(run_id).info
        return place(self._uri, info.experiment_id, run_id, str(info.artifact_uri))

    def _log(self, run_id: str, kind: str, entries: Sequence[Any]) -> None:
        size = self._a_call[kind]
        for start in range(0, len(entries), size):
            batch: dict[str, Any] = {kind: entries[start : start + size]}
            self._client.log_batch(run_id, **batch)

    def _upload(self, run_id: str, artifact: str, fill: Callable[[Path], object]) -> None:
        folder, _, name = artifact.rpartition("/")
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / name
            fill(path)
            self._client.log_artifact(run_id, str(path), folder or None)

    def _experiment(self, name: str) -> str:
        from mlflow.exceptions import MlflowException

        found = self._client.get_experiment_by_name(name)
        if found is not None:
            self._check(found)
            return str(found.experiment_id)
        place = None if is_server(self._uri) else self._artifacts.as_uri()
        try:
            return str(self._client.create_experiment(name, artifact_location=place))
        except MlflowException:
            # Another machine may have been faster.
            found = self._client.get_experiment_by_name(name)
            if found is None:
                raise
            return str(found.experiment_id)

    def _check(self, experiment: Experiment) -> None:
        if experiment.lifecycle_stage == "deleted":
            raise OodexpError(
                f"experiment {experiment.name!r} was deleted in MLflow; bring it back with "
                f"`mlflow experiments restore --experiment-id {experiment.experiment_id}` "
                "or choose another name"
            )
        if not is_server(self._uri):
            check_files(experiment.name, experiment.artifact_location, self._artifacts)

    def _search(self, experiment_id: str, condition: str) -> list[Stored]:
        runs: list[Run] = []
        page = token = None
        while page is None or token:
            page = self._client.search_runs([experiment_id], condition, page_token=token)
            runs, token = [*runs, *page], page.token
        return [self._stored(run) for run in runs]

    def _stored(self, run: Run) -> Stored:
        info, tags = run.info, dict(run.data.tags)
        return Stored(
            run_id=info.run_id,
            name=info.run_name,
            experiment=self._client.get_experiment(info.experiment_id).name,
            status=info.status,
            started=info.start_time / 1000,
            parent=tags.get(_PARENT),
            deleted=info.lifecycle_stage == "deleted",
            tags=tags,
        )


def _client(uri: str) -> MlflowClient:
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    # A line for every file that is read back would bury what the run prints.
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    from mlflow import MlflowClient

    for talker in ("mlflow", "alembic"):
        logging.getLogger(talker).setLevel(logging.WARNING)
    try:
        # This makes the database, or checks that its tables are of this version.
        return MlflowClient(tracking_uri=uri)
    except Exception as error:
        raise OodexpError(
            f"the MLflow store {blot(uri)} cannot be opened: {blot(str(error))}; check "
            "`tracker.uri`, or use `tracker=folder`"
        ) from error
