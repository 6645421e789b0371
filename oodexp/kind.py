"""What YAML must give where a constructor's annotation says so; unknown annotations take all."""

from __future__ import annotations

import importlib
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

_KINDS: dict[Any, tuple[type, ...]] = {
    float: (int, float),
    int: (int,),
    str: (str,),
    bool: (bool,),
    None: (type(None),),
    type(None): (type(None),),
    Mapping: (dict,),
    dict: (dict,),
    Sequence: (list,),
    list: (list,),
    tuple: (list,),
}


def fits(value: Any, hint: Any) -> bool:
    """Whether a plain YAML value may be given where the annotation is `hint`.

    >>> fits(1, float), fits(1, str | None), fits(["a", 1], Sequence[str])
    (True, False, False)
    """
    if isinstance(value, str) and "${" in value:
        return True  # resolved later; its type is not known here
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, h) for h in typing.get_args(hint))
    if origin is typing.Literal:
        return value in typing.get_args(hint)
    kinds = _KINDS.get(origin or hint)
    if kinds is None:
        return True
    if not isinstance(value, kinds) or (isinstance(value, bool) and hint is not bool):
        return False
    inner = typing.get_args(hint)
    if isinstance(value, dict) and len(inner) == 2:
        return all(fits(v, inner[1]) for v in value.values())
    return not isinstance(value, list) or len(inner) != 1 or all(fits(v, inner[0]) for v in value)


def said(hint: Any) -> str:
    """The annotation in words.

    >>> said(int | None)
    'a whole number or null'
    """
    names = {float: "a number", int: "a whole number", str: "text", bool: "true or false"}
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(said(h) for h in typing.get_args(hint))
    if hint in (None, type(None)):
        return "null"
    return names.get(hint, str(hint).replace("collections.abc.", ""))


def no_recipe(name: str) -> str | None:
    """Why a dotted path is no recipe, a function of a run and parts; None if it is one.

    >>> no_recipe("oodexp.recipe.main.main"), no_recipe("os.system")
    (None, 'expected a function of run and parts')
    """
    module, _, function = name.rpartition(".")
    try:
        taken = typing.get_type_hints(getattr(importlib.import_module(module), function))
    except Exception as error:  # whatever a module does when it is imported
        return f"cannot be imported ({type(error).__name__}: {error})"
    return None if "parts" in taken else "expected a function of run and parts"
