"""Short names on the command line: with one part chosen, its name may be left out.

`source=coco source.images=DIR` stands for `source=coco source.coco.images=DIR`; with several
sources each is named, as in `source=[coco,lvis] source.coco.images=DIR`.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oodexp.setting import AnyParts, Parts, Settings

_DOTTED = re.compile(r"^(\+{0,2}|~)([a-z_]+)\.([^.=]+)(.*)$", re.DOTALL)


def groups() -> list[str]:
    """Groups of which several parts can be chosen."""
    hints = typing.get_type_hints(Settings)
    return [name for name, hint in hints.items() if hint in (Parts, AnyParts)]


def lengthen(
    arguments: Sequence[str], compose: Callable[[list[str]], Mapping[str, Any]]
) -> list[str]:
    """The command line with every part's name written out.

    Args:
        arguments: The command line, without the program.
        compose: Composes a configuration from overrides; called only if a name may be missing.
    """
    open_names = [a for a in arguments if (m := _DOTTED.match(a)) and m[2] in groups()]
    if not open_names:
        return list(arguments)
    choosing = re.compile(rf"^(experiment|{'|'.join(groups())})(@\w+)?=")
    choices = [a for a in arguments if choosing.match(a)]
    try:
        config = compose(choices)
    except Exception:  # the check that follows says what is wrong with the choices
        return list(arguments)
    nodes = {group: config[group] for group in groups() if group in config}
    chosen = {group: list(node) for group, node in nodes.items() if isinstance(node, Mapping)}
    return [_whole(argument, chosen) for argument in arguments]


def _whole(argument: str, chosen: Mapping[str, list[str]]) -> str:
    match = _DOTTED.match(argument)
    if match is None or match[2] not in chosen:
        return argument
    mark, group, first, rest = match.groups()
    names = chosen[group]
    if first in names or len(names) != 1:
        return argument
    return f"{mark}{group}.{names[0]}.{first}{rest}"
