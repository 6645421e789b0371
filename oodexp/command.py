"""The command line checked before anything is opened, and mistakes told without a traceback."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from oodexp.error import OodexpError
from oodexp.setting import closest, mistakes

if TYPE_CHECKING:
    from omegaconf import DictConfig

USAGE = 2
"""Exit status of a mistake that the person at the keyboard can mend."""

LEFT_OUT = 3
"""Exit status of a run that ended but had to leave something out (table `problems`)."""

_CONF = Path(__file__).resolve().parent / "conf"
_PLAIN = re.compile(r"^([A-Za-z_][\w.\-]*)=(.*)$", re.DOTALL)
_SWEEP = re.compile(r"^[^\[\]{}'\"]*,|^(choice|range|interval|glob)\(")


@contextmanager
def clean_exit() -> Iterator[None]:
    """Prints an `OodexpError`, also one that another library wrapped, and exits with status 2."""
    try:
        yield
    except Exception as error:
        mistake = _mistake_in(error)
        if mistake is None:
            raise
        sys.stderr.write(f"oodexp: {mistake}\n")
        sys.exit(USAGE)


def check(arguments: Sequence[str], compose: Callable[[list[str]], DictConfig]) -> None:
    """Composes what the command line asks for and checks it whole.

    Args:
        arguments: The command line, without the program.
        compose: Composes a configuration from overrides.

    Raises:
        OodexpError: Names every unknown key, missing value, wrong type, unknown choice and broken
            reference.
    """
    options, overrides = _split(arguments)
    if options.help or options.info:
        return
    folder = [f"hydra.searchpath=[file://{Path(options.config_dir).absolute()}]"]
    asked = [_forced(o, options.config_dir) for o in overrides if not _swept(o, options.multirun)]
    try:
        config = compose((folder if options.config_dir else []) + asked)
    except Exception as error:  # Hydra has many kinds; each says what it could not compose
        raise OodexpError(_composition(str(error))) from error
    found = mistakes(config)
    if found and not options.cfg:
        raise OodexpError("the configuration cannot be run:\n  " + "\n  ".join(found))


def _mistake_in(error: BaseException | None) -> OodexpError | None:
    while error is not None:
        if isinstance(error, OodexpError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _split(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--help", "-h", "--hydra-help", "--version", action="store_true")
    parser.add_argument("--info", "-i", nargs="?", const="all")
    parser.add_argument("--cfg", "-c")
    parser.add_argument("--multirun", "-m", action="store_true")
    parser.add_argument("--config-dir", "-cd", default="")
    for name in ("--package", "--config-name", "--config-path"):
        parser.add_argument(name)
    options, rest = parser.parse_known_args(arguments)
    return options, [argument for argument in rest if not argument.startswith("-")]


def _swept(override: str, multirun: bool) -> bool:
    return multirun and bool(_SWEEP.match(override.partition("=")[2]))


def _forced(override: str, config_dir: str) -> str:
    """`++key=value` for a value, so that every unknown key is found, not only the first."""
    plain = _PLAIN.match(override)
    if plain is None or plain[1].startswith("hydra"):
        return override
    roots = [_CONF, *([Path(config_dir)] if config_dir else [])]
    is_group = any((root / plain[1].replace(".", "/")).is_dir() for root in roots)
    return override if is_group else f"++{override}"


def _composition(message: str) -> str:
    """Hydra's message, with the nearest choice when one was misspelt."""
    missed = re.search(r"Could not (?:find|load) '([^']+)'", message)
    if missed is None:
        return message.strip()
    group, _, name = missed[1].rpartition("/")
    known = sorted(path.stem for path in (_CONF / group).glob("*.yaml"))
    return f"{group}={name}: no such choice{closest(name, known)}; expected one of {known}"
