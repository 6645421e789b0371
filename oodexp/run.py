"""The only way in: compose the configuration, check it, open a tracked run, call the recipe."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from oodexp.command import LEFT_OUT, check, clean_exit
from oodexp.recipe.base import Parts
from oodexp.setting import register_resolvers

VERSION = "1.3"  # of Hydra's behaviour


def run(config: DictConfig) -> bool:
    """Runs one composed configuration; whether something was left out."""
    config.paths.runs = str(Path(config.paths.runs).expanduser().absolute())
    experiment = str(HydraConfig.get().runtime.choices["experiment"])
    with clean_exit():
        plain = OmegaConf.to_container(config, resolve=True)
        parts = hydra.utils.instantiate(config, _convert_="all")
        recipe = hydra.utils.get_method(config.recipe)
        with parts["tracker"].open(experiment=experiment, config=plain) as tracked:
            return bool(recipe(tracked, Parts.of(parts)))


def main() -> None:
    """Command line: `python -m oodexp.run experiment=main`; see `--help`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Threads that wait must not spin: with other work on the machine that costs ten times the time.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    register_resolvers()
    with clean_exit(), hydra.initialize_config_module("oodexp.conf", version_base=VERSION):
        check(sys.argv[1:], lambda overrides: hydra.compose("config", overrides))
    left_out: list[bool] = []

    @hydra.main(version_base=VERSION, config_path="conf", config_name="config")
    def job(config: DictConfig) -> None:
        left_out.append(run(config))

    job()
    sys.exit(LEFT_OUT if any(left_out) else 0)


if __name__ == "__main__":
    main()
