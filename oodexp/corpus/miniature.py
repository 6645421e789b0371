"""The captions that the miniature's models were trained on."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

from oodexp.corpus.base import Lost, Text
from oodexp.error import OodexpError

_FILE = re.compile(r"train_(\d+)\.png")


class Miniature:
    """The full caption of each scene of the training world, as it was drawn.

    The scorers also saw shorter captions, which name one of the same objects. The questions that
    the VLM was trained on after its captions are no part of it: the paper's overlap asks what the
    captions tell.

    Args:
        name: Name of the corpus in every table.
        limit: Take the first so many images only; None for all 26,000.

    Raises:
        OodexpError: If the limit is below 1.
    """

    def __init__(self, name: str = "miniature", limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise OodexpError(f"corpus.{name}.limit={limit}: expected a number >= 1 or null")
        self.name = name
        self._limit = limit

    def read(self, lost: Lost) -> Iterator[Text]:
        """See `corpus.base.Corpus`. Keys are the ids of `source.miniature` with `split=train`."""
        del lost  # nothing of it cannot be read
        for row in json.loads(gzip.decompress(_data()))["images"][: self._limit]:
            yield Text(str(row["id"]), row["caption"])

    def key(self, image: str) -> str:
        """See `corpus.base.Corpus`; a scene of another split has none of these."""
        found = _FILE.fullmatch(image.strip())
        return str(int(found[1])) if found else image.strip()

    def fingerprint(self) -> Mapping[str, Any]:
        """See `corpus.base.Corpus`."""
        digest = hashlib.sha256(_data()).hexdigest()
        return {"form": "Miniature", "limit": self._limit, "files": {"train.json.gz": digest}}


def _data() -> bytes:
    return (resources.files("oodexp.miniature") / "data" / "train.json.gz").read_bytes()
