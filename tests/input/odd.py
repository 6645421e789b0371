"""What goes wrong in files of others: values, shapes and bytes, drawn from a seed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any


def nested(depth: int) -> Any:
    """Lists within lists."""
    return json.loads("[" * depth + "]" * depth)


VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 3, 10**12, 10**30, 10**400, -(10**400), 0.5, -0.0, 1e308,
    float("nan"), float("inf"), float("-inf"), "", " ", "0", "1", "NaN", "null", "\0", "\ud800",
    "a\ud83d", "a" * 5_000, "../../../etc/passwd", "/etc/passwd", "..\\x", "C:\\x", "a/../b", ".",
    "~", "$HOME", "\u202egnp.exe", "[red]", "[/red]", "\x1b]0;owned\x07", "=1+1", "<script>", "é",
    "日本", "😀", "dog\nyes", "dog\r", "%s%n", "{}", "{0.__class__}", "${oc.env:HOME}", "a,b", "'",
    '"', [], [[]], [None], [1, 2, 3, 4], {}, {"id": 0}, {"bytes": None}, nested(40), nested(150),
    ["x"] * 50, {"a": {"b": {"c": 1}}},
]  # fmt: skip


def places(document: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything inside a document."""
    found = [at] if at else []
    if len(at) < 8:
        keys = document.keys() if isinstance(document, dict) else range(
            len(document) if isinstance(document, list) else 0
        )  # fmt: skip
        for key in keys:
            found += places(document[key], (*at, key))
    return found


def changed(document: Any, random: Random, changes: int = 3) -> Any:
    """The document with up to so many mistakes in it, perhaps none."""
    document = copy.deepcopy(document)
    for _ in range(random.randint(0, changes)):
        where = places(document)
        if not where:
            return random.choice(VALUES)
        *way, last = random.choice(where)
        holder = document
        for key in way:
            holder = holder[key]
        random.choice(_CHANGES)(holder, last, random)
    return random.choice(VALUES) if random.random() < 0.01 else document


def _replace(holder: Any, key: Any, random: Random) -> None:
    holder[key] = copy.deepcopy(random.choice(VALUES))


def _delete(holder: Any, key: Any, random: Random) -> None:
    del holder[key]


def _double(holder: Any, key: Any, random: Random) -> None:
    if isinstance(holder, list):
        holder.insert(random.randint(0, len(holder)), copy.deepcopy(holder[key]))
    else:
        holder[f"{key}_"] = copy.deepcopy(holder[key])


def _insert(holder: Any, key: Any, random: Random) -> None:
    value = copy.deepcopy(random.choice(VALUES))
    if isinstance(holder, list):
        holder.insert(key, value)
    else:
        holder[str(random.choice(["id", "", "\ud800", "extra", "NAME", "a" * 300]))] = value


def _retype(holder: Any, key: Any, random: Random) -> None:
    value = holder[key]
    if isinstance(value, str):
        holder[key] = random.choice([len(value), [value], {"text": value}, value.upper()])
    elif isinstance(value, (int, float)):
        holder[key] = random.choice(
            [str(value), [value], float(value) if abs(value) < 1e300 else 0]
        )
    else:
        holder[key] = random.choice([repr(value)[:200], [value], None])


_CHANGES: list[Callable[[Any, Any, Random], None]] = [
    _replace, _replace, _delete, _double, _insert, _retype,
]  # fmt: skip


def dumped(document: Any, random: Random) -> bytes:
    """The document as JSON, with escapes or, where that can be written, without."""
    text = json.dumps(document, ensure_ascii=random.random() < 0.7, default=repr)
    return text.encode("utf-8", "replace")


def damaged(data: bytes, random: Random) -> bytes:
    """The bytes whole (two of five), or with a mistake that files have."""
    if random.random() < 0.4:
        return data
    return random.choice(_DAMAGES)(data, random)


def _anywhere(data: bytes, random: Random, piece: bytes) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] + piece + data[at:]


def _flipped(data: bytes, random: Random) -> bytes:
    held = bytearray(data or b"\0")
    for _ in range(random.randint(1, 4)):
        held[random.randrange(len(held))] ^= 1 << random.randrange(8)
    return bytes(held)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


_DAMAGES: list[Callable[[bytes, Random], bytes]] = [
    lambda data, random: b"",
    lambda data, random: data[: random.randint(0, len(data))],
    lambda data, random: data[: len(data) * random.randint(1, 9) // 10],
    lambda data, random: b"\xef\xbb\xbf" + data,
    lambda data, random: _text(data).encode("utf-16"),
    lambda data, random: _text(data).encode("utf-16-le", "replace"),
    lambda data, random: (_text(data) + "é").encode("latin-1", "replace"),
    lambda data, random: _anywhere(data, random, b"\0"),
    lambda data, random: _anywhere(data, random, b"\xff\xfe"),
    lambda data, random: _anywhere(data, random, b"[" * random.choice([5, 990, 5_000])),
    lambda data, random: _anywhere(data, random, b'{"a":' * 2_000),
    lambda data, random: _anywhere(data, random, b"9" * random.choice([20, 400, 5_000])),
    lambda data, random: _anywhere(data, random, b'"'),
    lambda data, random: _anywhere(data, random, b"\n"),
    lambda data, random: _anywhere(data, random, b"NaN"),
    lambda data, random: data + data,
    lambda data, random: data.replace(b"\n", b"\r\n"),
    _flipped,
    _flipped,
]
