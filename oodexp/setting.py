"""The shape of the configuration, checked whole before anything is opened.

`Settings` names every key of the top level. A part (a node with `_target_`) is checked against its
constructor, so a new part needs no entry here. All mistakes are named at once, with a suggestion.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import typing
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from oodexp.kind import fits, no_recipe, said
from oodexp.reference import unresolved

TARGET = "_target_"
_OPEN = "???"
_SPECIAL = (TARGET, "_partial_", "_recursive_", "_convert_", "_args_")


class Part:
    """A node with `_target_`: a class or function and its arguments."""


class Parts:
    """Parts by name, in order."""


class AnyParts(Parts):
    """Parts by name, in order, or none."""


@dataclass(frozen=True)
class Paths:
    """Where things are kept."""

    runs: str
    """Database, artifacts and store of all runs."""
    data: str
    """Where downloaded data sets lie."""
    exports: str
    """Below it lies a folder per run and format of an export."""


@dataclass(frozen=True)
class Reading:
    """How completions are read."""

    reader: str
    """Name of the reader of the headline."""
    readers: Parts
    """All readers; the others stand beside the headline."""

    @staticmethod
    def also(node: dict[str, Any], path: str) -> Iterator[str]:
        """What the types of the keys cannot tell."""
        reader, readers = node.get("reader"), node.get("readers")
        if isinstance(reader, str) and isinstance(readers, dict) and reader not in readers:
            near = closest(reader, list(readers))
            yield f"{path}.reader={reader}: no such reader{near}; expected one of {list(readers)}"


@dataclass(frozen=True)
class Settings:
    """The top level of the configuration."""

    recipe: str
    """Dotted path of the main line to run."""
    source: Parts
    scorer: AnyParts
    """None, `scorer=[]`, for a division that needs none."""
    division: Part
    question: Part
    vlm: Parts
    answer: Reading
    metric: Part
    predict: Part
    store: Part
    tracker: Part
    search: Part
    ablation: Part
    corpus: Parts
    evidence: Parts
    feature: Parts
    concept: Part
    common: Parts
    """Sources of common categories, the first calibrates T1: `source@common=...`."""
    rare: Parts
    """Sources of the long tail: `source@rare=...`."""
    negative: Parts
    """Sources that show no concept: `source@negative=...`."""
    export: Parts
    """Formats of `experiment=export`."""
    review: Part
    train: Parts
    """Sources of a training split, chosen by `source@train=...`."""
    run: str | None
    """Id of an earlier run that the experiment is about, or null."""
    runs: list[str]
    """Ids of earlier runs that are held against each other."""
    paths: Paths

    @staticmethod
    def also(node: dict[str, Any], path: str) -> Iterator[str]:
        """What the types of the keys cannot tell."""
        name = str(node.get("recipe"))
        if name not in (_OPEN, "None") and "${" not in name:
            wrong = no_recipe(name)
            yield from [] if wrong is None else [f"recipe={name}: {wrong}"]


def register_resolvers() -> None:
    """Makes `${package:a/b}` the absolute path of a file that ships with oodexp."""
    home = Path(__file__).resolve().parent
    OmegaConf.register_new_resolver("package", lambda path: str(home / path), replace=True)


def mistakes(config: DictConfig, shape: type = Settings) -> list[str]:
    """All that is wrong with a configuration, one line each; empty when it can be run.

    Args:
        config: The composed configuration, unresolved.
        shape: A dataclass that names the keys.
    """
    found = list(unresolved(config, ""))
    plain = OmegaConf.to_container(config, resolve=False)
    return found + list(_against(plain, shape, ""))


def closest(name: str, known: Sequence[str], prefix: str = "") -> str:
    """` (did you mean X?)` for a misspelt name, empty when nothing is near."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f" (did you mean {prefix}{near[0]}?)" if near else ""


def _against(node: Any, shape: Any, path: str) -> Iterator[str]:
    if shape is Part:
        yield from _part(node, path)
    elif shape is Parts or (shape is AnyParts and node != {}):
        yield from _parts(node, path)
    elif shape is AnyParts:
        return
    elif is_dataclass(shape):
        yield from _dataclass(node, shape, path)
    elif node == _OPEN:
        yield _to_give(path)
    elif not fits(node, shape):
        yield f"{path}={node!r}: expected {said(shape)}"


def _dataclass(node: Any, shape: Any, path: str) -> Iterator[str]:
    hints = typing.get_type_hints(shape)
    known = {f.name: f.default is MISSING and f.default_factory is MISSING for f in fields(shape)}
    if not isinstance(node, dict):
        yield f"{path}={node!r}: expected the keys {', '.join(known)}"
        return
    prefix = f"{path}." if path else ""
    yield from _unknown([str(k) for k in node if k not in known], list(known), prefix)
    yield from (f"{prefix}{k}: missing" for k, needed in known.items() if needed and k not in node)
    for key in known:
        if key in node:
            yield from _against(node[key], hints[key], f"{prefix}{key}")
    if hasattr(shape, "also"):
        yield from shape.also(node, path)


def _unknown(names: Sequence[str], known: Sequence[str], prefix: str) -> Iterator[str]:
    for name in names:
        yield f"{prefix}{name}{closest(name, known, prefix)}: unknown key"


def _to_give(path: str) -> str:
    return f"{path}: missing; give it on the command line, {path}=..."


def _parts(node: Any, path: str) -> Iterator[str]:
    if not isinstance(node, dict) or not node:
        yield f"{path}={node!r}: expected one or more parts, as in {path}=[a,b]"
        return
    for name, part in node.items():
        yield from _part(part, f"{path}.{name}")


def _part(node: Any, path: str) -> Iterator[str]:
    if not isinstance(node, dict) or TARGET not in node:
        yield f"{path}: expected a part with {TARGET}, as in conf/{path.split('.')[0]}/*.yaml"
        return
    try:
        module, _, name = str(node[TARGET]).rpartition(".")
        target = getattr(importlib.import_module(module), name)
        taken = inspect.signature(target).parameters
    except Exception as error:  # whatever a module does when it is imported; what is no class
        told = f"{type(error).__name__}: {error}"
        yield f"{path}.{TARGET}={node[TARGET]}: cannot be imported or called ({told})"
        return
    open_ended = any(p.kind == p.VAR_KEYWORD for p in taken.values())
    parameters = {n: p for n, p in taken.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    given = {k: v for k, v in node.items() if k not in _SPECIAL}
    if not open_ended:
        unknown = [str(k) for k in given if k not in parameters]
        yield from _unknown(unknown, list(parameters), f"{path}.")
    for key, parameter in parameters.items():
        if key not in given and parameter.default is parameter.empty:
            yield f"{path}.{key}: missing; {node[TARGET]} needs it"
        elif key in given:
            yield from _argument(given[key], parameter, target, f"{path}.{key}")


def _argument(value: Any, parameter: inspect.Parameter, target: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict) and TARGET in value:
        yield from _part(value, path)
        return
    for name, part in value.items() if isinstance(value, dict) else ():
        if isinstance(part, dict) and TARGET in part:
            yield from _part(part, f"{path}.{name}")
    if value == _OPEN:
        yield _to_give(path)
        return
    hint = parameter.annotation
    try:
        if isinstance(hint, str):
            hint = eval(hint, vars(importlib.import_module(target.__module__)))
    except (NameError, SyntaxError, TypeError):  # a type that is imported for checking only
        return
    if not fits(value, hint):
        yield f"{path}={value!r}: expected {said(hint)}"
