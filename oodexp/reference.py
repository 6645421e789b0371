"""References of a configuration to its own values, as `${paths.runs}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import (
    InterpolationToMissingValueError,
    MissingMandatoryValue,
    OmegaConfBaseException,
)


def unresolved(node: Any, path: str) -> Iterator[str]:
    """Interpolations that lead nowhere, as `key -> what it names`."""
    keys = node.keys() if isinstance(node, DictConfig) else range(len(node))
    for key in keys:
        here = f"{path}.{key!s}" if path else str(key)
        try:
            value = node[key]
        except (MissingMandatoryValue, InterpolationToMissingValueError):
            continue  # the open value is asked for where it stands
        except OmegaConfBaseException:
            raw = str(OmegaConf.to_container(node, resolve=False)[key])  # type: ignore[index,call-overload]
            yield f"{here} -> {', '.join(_names(raw))}: this reference leads nowhere"
            continue
        if isinstance(value, (DictConfig, ListConfig)):
            yield from unresolved(value, here)


def _names(raw: str) -> list[str]:
    inner = [text.strip() for text in re.findall(r"\$\{([^{}]*)\}", raw)]
    return [text.split(":", 1)[1] if ":" in text else text for text in inner]
