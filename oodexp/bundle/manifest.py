"""`bundle.json` read with distrust: what it must hold, checked before anything rests on it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oodexp.bundle.layout import FORMAT, IMAGES, MANIFEST, VERSION
from oodexp.error import OodexpError

_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST = 80  # of a wrong value in a message


@dataclass(frozen=True, slots=True)
class BundledSource:
    """A source of the bundle."""

    number: int
    """Its place among the sources, from 0."""
    name: str
    """Name of the data set in every table."""
    categories: list[str]
    """Category texts, in order."""
    labels_sha256: str | None
    """Digest of the renaming table of the run (`source.base.Source`)."""


@dataclass(frozen=True, slots=True)
class BundledScorer:
    """A scorer whose logits the bundle holds."""

    number: int
    """Its place among the scorers, from 0."""
    name: str
    """Name of the scorer in the run."""
    link: str
    """`softmax` or `sigmoid`."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `bundle.json` says."""

    images: str
    """`include` or `reference`."""
    content: str
    """One digest of the benchmark itself."""
    sources: list[BundledSource]
    """At least one."""
    scorers: list[BundledScorer]
    """In the order of the run; empty when the bundle holds no logits."""
    files: dict[str, str]
    """SHA-256 by path; paths are not checked."""


def parse(data: bytes, path: Path) -> Manifest:
    """Reads the manifest.

    Args:
        data: The bytes of the file.
        path: Where they are from, for messages.

    Raises:
        OodexpError: If it is no JSON, of another format or version, or a field is not as it should
            be.
    """
    try:
        node = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise OodexpError(
            f"{path}: not JSON ({error}); expected {MANIFEST} of a bundle, copy it again"
        ) from error
    told = _Field(str(path), node)
    if told.get("format", str) != FORMAT:
        raise told.wrong("format", f"{FORMAT}: this is no bundle of oodexp")
    if told.get("version", int) != VERSION:
        raise told.wrong("version", f"{VERSION}: install the oodexp that wrote it, or export again")
    if told.get("images", str) not in IMAGES:
        raise told.wrong("images", " or ".join(IMAGES))
    sources = [_source(n, each) for n, each in enumerate(told.entries("sources"))]
    scorers = [_scorer(n, each) for n, each in enumerate(told.entries("scorers"))]
    if not sources:
        raise told.wrong("sources", "one or more")
    told.once("sources")
    told.once("scorers")
    files = told.get("files", dict)
    if not all(isinstance(d, str) and _DIGEST.fullmatch(d) for d in files.values()):
        raise told.wrong("files", "a SHA-256 in lower case for every path")
    return Manifest(node["images"], told.get("content_sha256", str), sources, scorers, files)


@dataclass(frozen=True, slots=True)
class _Field:
    """A JSON object and where it stands."""

    where: str
    node: Any

    def get(self, key: str, kind: type) -> Any:
        """A value of a type; `True` is no number."""
        value = self.node.get(key) if isinstance(self.node, dict) else None
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.wrong(key, f"a {kind.__name__}")
        return value

    def entries(self, key: str) -> list[_Field]:
        return [_Field(f"{self.where}: {key}[{n}]", each)
                for n, each in enumerate(self.get(key, list))]  # fmt: skip

    def once(self, key: str) -> None:
        names = [each.node["name"] for each in self.entries(key)]
        if len(set(names)) < len(names):
            raise self.wrong(key, "each name once")

    def wrong(self, key: str, expected: str) -> OodexpError:
        value = self.node.get(key) if isinstance(self.node, dict) else self.node
        return OodexpError(f"{self.where}: {key} is {repr(value)[:_LONGEST]}; expected {expected}")


def _source(number: int, told: _Field) -> BundledSource:
    categories = told.get("categories", list)
    whole = all(isinstance(text, str) and text for text in categories)
    if not categories or not whole or len(set(categories)) < len(categories):
        raise told.wrong("categories", "texts, each once")
    labels = told.node.get("labels_sha256")
    if labels is not None and not (isinstance(labels, str) and _DIGEST.fullmatch(labels)):
        raise told.wrong("labels_sha256", "a SHA-256 or null")
    return BundledSource(number, told.get("name", str), categories, labels)


def _scorer(number: int, told: _Field) -> BundledScorer:
    if told.get("link", str) not in ("softmax", "sigmoid"):
        raise told.wrong("link", "softmax or sigmoid")
    return BundledScorer(number, told.get("name", str), told.node["link"])
