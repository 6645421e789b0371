"""The command line checked before anything is opened, and mistakes told without a traceback."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oodexp.error import OodexpError, Paused
from oodexp.refused import refused
from oodexp.setting import closest, mistakes
from oodexp.text import printable

if TYPE_CHECKING:
    from omegaconf import DictConfig

USAGE = 2
"""Exit status of a mistake that the person at the keyboard can mend."""

LEFT_OUT = 3
"""Exit status of a run that ended but had to leave something out (table `problems`)."""

PAUSED = 4
"""Exit status of a run that stopped in between and goes on with the same command."""

_CONF = Path(__file__).resolve().parent / "conf"
_PLAIN = re.compile(r"^([A-Za-z_][\w./\-]*)=(.*)$", re.DOTALL)
_RANGE = re.compile(r"^(range|interval|glob)\(")


@contextmanager
def clean_exit() -> Iterator[None]:
    """Prints an `OodexpError`, also one that another library wrapped, and exits with its status.

    What the machine refused (`oodexp.refused`) is told in one line, too.
    """
    try:
        yield
    except Exception as error:
        mistake = _mistake_in(error) or refused(error)
        if mistake is None:
            raise
        sys.stderr.write(f"oodexp: {printable(str(mistake))}\n")
        sys.exit(PAUSED if isinstance(mistake, Paused) else USAGE)


def check(arguments: Sequence[str], compose: Callable[[list[str]], DictConfig]) -> list[str]:
    """Composes what the command line asks for and checks it whole.

    Args:
        arguments: The command line, without the program.
        compose: Composes a configuration from overrides.

    Returns:
        The command line as Hydra takes it: a setting that a part has and its file does not name can
        be given like any other.

    Raises:
        OodexpError: Names every unknown key, missing value, wrong type, unknown choice and broken
            reference.
    """
    options, overrides = _split(arguments)
    if options.help or options.info:
        return list(arguments)
    known = _Known(Path(options.config_dir) if options.config_dir else None)
    found: dict[str, None] = {}
    for asked in _jobs(overrides) if options.multirun else [overrides]:
        config, wrong = _composed(asked, known, compose)
        found |= dict.fromkeys(wrong)
        if config is not None and not options.cfg:
            found |= dict.fromkeys(mistakes(config))
    if found:
        raise OodexpError("the configuration cannot be run:\n  " + "\n  ".join(found))
    return [a if a.startswith("-") else _forced(a, known) for a in arguments]


@dataclass(frozen=True, slots=True)
class _Known:
    """Where configuration files lie."""

    folder: Path | None
    """The folder of `--config-dir`."""

    @property
    def search(self) -> list[str]:
        """The override that makes Hydra look in the folder too."""
        if self.folder is None:
            return []
        return [f"hydra.searchpath=['file://{self.folder.absolute()}']"]

    def is_group(self, name: str) -> bool:
        """Whether `name=...` chooses a file."""
        return any((root / name).is_dir() for root in self._roots)

    def choices(self, group: str) -> list[str]:
        """What can be chosen in a group."""
        return sorted({f.stem for root in self._roots for f in (root / group).glob("*.yaml")})

    @property
    def _roots(self) -> list[Path]:
        return [_CONF, *([] if self.folder is None else [self.folder])]


def _composed(
    asked: list[str], known: _Known, compose: Callable[[list[str]], DictConfig]
) -> tuple[DictConfig | None, list[str]]:
    """The configuration, and what is wrong with the choices; without those if it must be."""
    forced = [_forced(override, known) for override in asked]
    try:
        return compose(known.search + forced), []
    except Exception as error:  # Hydra has many kinds; each says what it could not compose
        told = _composition(str(error), known)
    wrong = {o: found for o in asked if (found := list(_no_choice(o, known)))}
    if not wrong:
        return None, [told]
    rest, others = _composed([o for o in asked if o not in wrong], known, compose)
    return rest, [*(m for found in wrong.values() for m in found), *others]


def _mistake_in(error: BaseException | None) -> OodexpError | None:
    while error is not None:
        if isinstance(error, OodexpError):
            return error
        if isinstance(error, MemoryError):
            return OodexpError(f"not enough memory ({error}); take fewer images or smaller batches")
        error = error.__cause__ or error.__context__
    return None


def _split(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--help", "-h", "--hydra-help", "--version", action="store_true")
    parser.add_argument("--info", "-i", nargs="?", const="all")
    parser.add_argument("--cfg", "-c")
    parser.add_argument("--multirun", "-m", action="store_true")
    parser.add_argument("--config-dir", "-cd", default="")
    for long, short in (("package", "p"), ("config-name", "cn"), ("config-path", "cp")):
        parser.add_argument(f"--{long}", f"-{short}")
    options, rest = parser.parse_known_args(arguments)
    return options, [argument for argument in rest if not argument.startswith("-")]


def _jobs(overrides: list[str]) -> Iterator[list[str]]:
    """Every swept value once, beside the first value of the other sweeps."""
    values = [_values(override) for override in overrides]
    yield [v[0] for v in values if v]
    for at, others in enumerate(values):
        for other in others[1:]:
            yield [other if n == at else v[0] for n, v in enumerate(values) if v]


def _values(override: str) -> list[str]:
    """`key=value` for each value of a sweep; none for a range, whose values are Hydra's affair."""
    key, _, value = override.partition("=")
    if _RANGE.match(value):
        return []
    if value.startswith("choice(") and value.endswith(")"):
        value = value[len("choice(") : -1]
    parts, depth, quote = [""], 0, ""
    for letter in value:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [f"{key}={part}" for part in parts] if "=" in override else [override]


def _forced(override: str, known: _Known) -> str:
    """`++key=value` for a value, so that every unknown key is found, not only the first."""
    plain = _PLAIN.match(override)
    if plain is None or plain[1].startswith("hydra") or known.is_group(plain[1]):
        return override
    return f"++{override}"


def _no_choice(override: str, known: _Known) -> Iterator[str]:
    """What `group=choice` or `group=[a,b]` names that is not there."""
    plain = _PLAIN.match(override)
    if plain is None or not known.is_group(plain[1]):
        return
    for name in (part.strip(" '\"") for part in plain[2].strip("[]").split(",")):
        if name not in (*known.choices(plain[1]), "null"):
            yield _no_such(plain[1], name, known)


def _composition(message: str, known: _Known) -> str:
    """Hydra's message, with the nearest choice when one was misspelt in a file."""
    missed = re.search(r"Could not (?:find|load) '([^']+)'", message)
    if missed is None:
        return message.strip()
    group, _, name = missed[1].rpartition("/")
    return _no_such(group, name, known)


def _no_such(group: str, name: str, known: _Known) -> str:
    choices = known.choices(group)
    return f"{group}={name}: no such choice{closest(name, choices)}; expected one of {choices}"
