"""Opening a run: a new one, or one whose process ended without a word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from oodexp.error import OodexpError
from oodexp.tracker import process
from oodexp.tracker.notes import as_json
from oodexp.tracker.provenance import provenance
from oodexp.tracker.run import CONFIG, TrackedRun, bury, create, reopen
from oodexp.tracker.settings import differences, digest, plain, settings
from oodexp.tracker.store import RUNNING, Store, Stored

AUTO, NEVER = "auto", "never"
"""Words for `resume`; anything else is the id of a run."""


def open_run(store: Store, *, experiment: str, config: dict[str, Any], resume: str) -> TrackedRun:
    """Opens the run that this configuration asks for; one process at a time may call this.

    A RUNNING run of the experiment whose process is dead is taken up again if it had the same
    settings (and `resume` is `auto`), else marked KILLED. Living runs, and those of other
    machines, are left alone.

    Args:
        store: Where runs are kept.
        experiment: Name of the experiment.
        config: The whole configuration.
        resume: `auto`, `never` or the id of the run to go on with.

    Raises:
        OodexpError: If the run named by `resume` cannot be gone on with.
    """
    resume = str(resume)  # An id of digits only reaches us as a number.
    if not experiment.strip():
        raise OodexpError(f"the experiment name {experiment!r} is blank: give it a name")
    earlier = (
        _left_off(store, experiment, config, resume == AUTO)
        if resume in (AUTO, NEVER)
        else _named(store, resume, experiment, config)
    )
    if earlier is None:
        asked = digest(config)
        run = create(store, experiment, f"{experiment}-{asked[:8]}", None, {CONFIG: asked})
    else:
        run = reopen(store, earlier)
    _keep_config(store, run.run_id, config)
    opened = TrackedRun(store, run, resumed=earlier is not None)
    opened.params(settings(config))
    opened.tags(provenance())
    return opened


def _left_off(
    store: Store, experiment: str, config: Mapping[str, Any], wanted: bool
) -> Stored | None:
    """The newest dead run with these settings, if one is wanted; marks all others KILLED."""
    dead = [r for r in store.running(experiment) if r.parent is None and _is_dead(r)]
    same = [r for r in dead if r.tags.get(CONFIG) == digest(config)] if wanted else []
    again = max(same, key=lambda r: r.started, default=None)
    for run in dead:
        if run is not again:
            bury(store, run, _obituary(run))
    return again


def _named(store: Store, run_id: str, experiment: str, config: Mapping[str, Any]) -> Stored:
    run = store.get(run_id)
    if run is None or run.deleted:
        fate = "was deleted" if run else "is not there"
        raise OodexpError(
            f"resume={run_id}: that run {fate}; expected `{AUTO}`, `{NEVER}` or the id of a run "
            f"of experiment {experiment!r}"
        )
    if run.experiment != experiment:
        raise OodexpError(
            f"resume={run_id}: that run belongs to experiment {run.experiment!r}, not to "
            f"{experiment!r}"
        )
    if run.parent is not None:
        raise OodexpError(
            f"resume={run_id}: that is a part of run {run.parent}; resume={run.parent} instead"
        )
    if run.status == RUNNING and not _is_dead(run) and process.is_here(process.owner(run.tags)):
        raise OodexpError(
            f"resume={run_id}: process {run.tags[process.PID]} is still at work on it; wait for "
            "it or stop it first"
        )
    _same_settings(store, run, config)
    return run


def _same_settings(store: Store, run: Stored, config: Mapping[str, Any]) -> None:
    if run.tags.get(CONFIG) == digest(config):
        return
    kept = store.read(run.run_id, "config.json")
    lines = differences(json.loads(kept), config) if kept else ["its configuration was not kept"]
    raise OodexpError(
        f"resume={run.run_id}: that run had other settings, so its numbers would be mixed:\n  "
        + "\n  ".join(lines)
        + f"\nask for the stored values, or start anew with resume={NEVER}"
    )


def _is_dead(run: Stored) -> bool:
    return process.is_dead(process.owner(run.tags))


def _obituary(run: Stored) -> str:
    return (
        f"process {run.tags[process.PID]} on {run.tags[process.HOST]} ended without a word "
        "(killed, out of memory, or the machine went down); found by a later run"
    )


def _keep_config(store: Store, run_id: str, config: Mapping[str, Any]) -> None:
    import yaml

    values = plain(config)
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)
    store.write(run_id, "config.yaml", text.encode("utf-8", "backslashreplace"))
    store.write(run_id, "config.json", as_json(values))
