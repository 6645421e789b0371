"""Configurations that were composed once, which takes most of the time of a start."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Sequence


def remember() -> None:
    """Lets a configuration that was composed once be composed again by copying it."""
    import copy

    from hydra._internal.config_loader_impl import ConfigLoaderImpl

    real, known = ConfigLoaderImpl._load_configuration_impl, {}

    def remembered(self, *args, **more):
        key = repr((args, more))
        if key not in known:
            known[key] = real(self, *args, **more)
        return copy.deepcopy(known[key])

    ConfigLoaderImpl._load_configuration_impl = remembered


def compose(words: Sequence[str]) -> None:
    """All that a run does before it is a run, so that forked ones need not do it again."""
    import oodexp.run

    real, oodexp.run.run = oodexp.run.run, lambda _: False
    sys.argv = ["oodexp", *words]
    try:
        with contextlib.suppress(SystemExit):
            oodexp.run.main()
    finally:
        oodexp.run.run = real
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
