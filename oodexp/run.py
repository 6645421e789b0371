"""The only way in: compose the configuration, check it, open a tracked run, call the recipe."""

from __future__ import annotations

import copy
import logging
import signal
import sys
import typing
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, ListConfig, OmegaConf

from oodexp.command import LEFT_OUT, check, clean_exit
from oodexp.predict.ranks import rank
from oodexp.process import settle
from oodexp.setting import register_resolvers
from oodexp.short import lengthen
from oodexp.tracker.silent import Silent

VERSION = "1.3"  # of Hydra's behaviour


def run(config: DictConfig) -> bool:
    """Runs one composed configuration; whether something was left out."""
    config.paths.runs = str(Path(config.paths.runs).expanduser().absolute())
    experiment = str(HydraConfig.get().runtime.choices["experiment"])
    with clean_exit():
        plain = OmegaConf.to_container(config, resolve=True)
        recipe = hydra.utils.get_method(config.recipe)
        wanted = typing.get_type_hints(recipe)["parts"]
        parts = wanted.of(partial(build, config))
        if rank() > 0:  # its work is part of the run of rank 0, which tells how it ended
            with Silent() as silent:
                recipe(silent, parts)
            return False
        tracker = hydra.utils.instantiate(config.tracker)
        with tracker.open(experiment=experiment, config=plain) as tracked:
            return bool(recipe(tracked, parts))


def build(config: DictConfig, group: str, of: Mapping[str, Any] | None = None) -> Any:
    """Makes what a group chose, or gives a plain setting.

    Args:
        config: The configuration of this run.
        group: Key of the top level; `group:partial` gives classes with their arguments unmade.
        of: The resolved configuration of an earlier run, to make what that one chose.
    """
    name, _, unmade = group.partition(":")
    node = copy.deepcopy(config[name]) if of is None else OmegaConf.create(of[name])
    if not isinstance(node, DictConfig | ListConfig):
        return node
    if unmade:
        OmegaConf.set_struct(node, False)
        for part in node.values():
            part["_partial_"] = True
    return hydra.utils.instantiate(node, _convert_="all")


def compose(overrides: list[str]) -> DictConfig:
    """The configuration of a list of overrides."""
    return hydra.compose("config", overrides)


def main() -> None:
    """Command line: `python -m oodexp.run experiment=main`; see `--help`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    settle()
    register_resolvers()
    # Hydra lets only errors through; that a run waits for something is to be seen, too.
    logging.getLogger("oodexp").setLevel(logging.WARNING)
    with clean_exit(), hydra.initialize_config_module("oodexp.conf", version_base=VERSION):
        sys.argv[1:] = check(lengthen(sys.argv[1:], compose), compose)
    left_out: list[bool] = []

    @hydra.main(version_base=VERSION, config_path="conf", config_name="config")
    def job(config: DictConfig) -> None:
        left_out.append(run(config))

    job()
    sys.exit(LEFT_OUT if any(left_out) else 0)


if __name__ == "__main__":
    main()
