"""What a search may choose from: named dimensions, each a list of choices or a range."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from oodexp.error import OodexpError
from oodexp.search.base import MAXIMIZE, MINIMIZE

SCALARS = (str, int, float, bool, type(None))
_KEYS = ("low", "high", "log", "step")


@dataclass(frozen=True, slots=True)
class Choices:
    """A dimension that is one of several values, without order."""

    values: tuple[Any, ...]
    """The values; numbers, text, true, false, null, or lists and mappings of such."""

    @property
    def labels(self) -> tuple[Any, ...]:
        """The values as a database takes them: lists and mappings as their JSON text."""
        return tuple(v if isinstance(v, SCALARS) else _text(v) for v in self.values)

    def cells(self) -> tuple[Any, ...]:
        """All values."""
        return self.values

    def read(self, label: Any) -> Any:
        """The value of a label."""
        return self.values[self.labels.index(label)]

    def label(self, value: Any) -> Any:
        """The label of a value."""
        return self.labels[self.values.index(value)]

    def plain(self) -> Any:
        """The dimension as it stands in YAML."""
        return list(self.values)


@dataclass(frozen=True, slots=True)
class Range:
    """A dimension that is a number from `low` to `high`, both included."""

    low: float
    high: float
    log: bool = False
    """Whether each factor of ten is as likely as the next."""
    step: float | None = None
    """Distance of the values from `low` on; None: any value."""
    whole: bool = False
    """Whether the values are whole numbers."""

    def cells(self) -> tuple[float, ...] | None:
        """All values; None when they cannot be counted."""
        step = self.step or (1 if self.whole else None)
        if step is None:
            return None
        count = math.floor((self.high - self.low) / step + 1e-9) + 1
        return tuple(self._at(k, step) for k in range(count))

    def read(self, label: Any) -> float:
        """A sampled value without the rounding errors of its steps."""
        if self.whole:
            return int(label)
        if self.step is None:
            return float(label)
        return self._at(round((label - self.low) / self.step), self.step)

    def label(self, value: Any) -> Any:
        """The value itself."""
        return value

    def plain(self) -> Any:
        """The dimension as it stands in YAML."""
        return {"low": self.low, "high": self.high, "log": self.log, "step": self.step}

    def _at(self, k: int, step: float) -> float:
        value = self.low + k * step
        return int(value) if self.whole else min(float(f"{value:.12g}"), float(self.high))


@dataclass(frozen=True, slots=True)
class Space:
    """All dimensions of a search, by name."""

    dimensions: Mapping[str, Choices | Range]

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """A space as it stands in YAML.

        >>> Space.of({"template": ["a", "b"], "cap": {"low": 10, "high": 50, "step": 20}}).size
        6

        Args:
            content: A list of choices, or a range `{low, high, log, step}`, for each name. Whole
                numbers at both ends (and as the step) make whole numbers; write 0.0 for others.

        Raises:
            OodexpError: Names what is wrong with which dimension.
        """
        if not isinstance(content, Mapping) or not content:
            raise OodexpError(f"the space {content!r} has no dimension; expected `name: [a, b]`")
        return cls({str(name): _dimension(str(name), node) for name, node in content.items()})

    @property
    def size(self) -> int | None:
        """How many different settings there are; None when they cannot be counted."""
        counts = [d.cells() for d in self.dimensions.values()]
        return None if None in counts else math.prod(len(c) for c in counts if c is not None)

    def cells(self) -> Iterator[dict[str, Any]]:
        """All settings in order; the first dimension changes slowest.

        Raises:
            OodexpError: If a range has no step.
        """
        values = []
        for name, dimension in self.dimensions.items():
            cells = dimension.cells()
            if cells is None:
                raise OodexpError(
                    f"{name}: a grid cannot hold every value from {dimension.plain()['low']} to "
                    f"{dimension.plain()['high']}; give a step, a list of values, or sampler=tpe"
                )
            values.append(cells)
        for cell in itertools.product(*values):
            yield dict(zip(self.dimensions, cell, strict=True))

    def key(self, settings: Mapping[str, Any]) -> str:
        """A text that two settings share exactly when they are the same."""
        return _text({name: settings[name] for name in self.dimensions})

    def plain(self) -> dict[str, Any]:
        """The space as it stands in YAML."""
        return {name: dimension.plain() for name, dimension in self.dimensions.items()}


def study_name(name: str, space: Space, directions: Mapping[str, str], fingerprint: str) -> str:
    """The full name of a study: another space, objective or fingerprint is another study.

    Raises:
        OodexpError: If the name is blank or a direction is none.
    """
    if not name.strip():
        raise OodexpError(f"the study name {name!r} is blank: give it a name")
    if not directions:
        raise OodexpError(f"study {name}: no objective; expected `name: {MAXIMIZE}`")
    for objective, direction in directions.items():
        if direction not in (MAXIMIZE, MINIMIZE):
            raise OodexpError(
                f"objective {objective}: {direction!r}; expected {MAXIMIZE} or {MINIMIZE}"
            )
    rests_on = _text([space.plain(), list(directions.items()), fingerprint])
    return f"{name}-{hashlib.sha256(rests_on.encode()).hexdigest()[:12]}"


def _dimension(name: str, node: Any) -> Choices | Range:
    if isinstance(node, Mapping):
        return _range(name, node)
    if not isinstance(node, Sequence) or isinstance(node, str) or not node:
        raise OodexpError(f"{name}={node!r}: expected a list of choices or {{low: .., high: ..}}")
    choices = Choices(tuple(node))
    labels = choices.labels
    for at, label in enumerate(labels):
        if isinstance(label, float) and not math.isfinite(label):
            raise OodexpError(f"{name}: the choice {label} is no number")
        if label in labels[:at]:
            raise OodexpError(
                f"{name}: the choice {node[at]!r} stands twice (1, 1.0 and true are the same to a "
                "database); leave one out, or write them as text"
            )
    return choices


def _range(name: str, node: Mapping[str, Any]) -> Range:
    unknown = [str(key) for key in node if key not in _KEYS]
    if unknown or "low" not in node or "high" not in node:
        wrong = f"unknown key {unknown[0]}" if unknown else "low or high is missing"
        raise OodexpError(f"{name}: {wrong}; expected {{low, high}} and perhaps log, step")
    low, high, step = node["low"], node["high"], node.get("step")
    log = node.get("log") or False
    for key, value in (("low", low), ("high", high), ("step", step)):
        if not _is_number(value) and not (key == "step" and value is None):
            raise OodexpError(f"{name}.{key}={value!r}: expected a number")
    if low > high:
        raise OodexpError(f"{name}: low={low} is above high={high}")
    if step is not None and (step <= 0 or log):
        raise OodexpError(f"{name}.step={step}: expected a number above 0, and none with log")
    if log and low <= 0:
        raise OodexpError(f"{name}.low={low}: a logarithmic range starts above 0")
    whole = all(isinstance(v, int) for v in (low, high, 1 if step is None else step))
    return Range(low, high, bool(log), step, whole)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
