"""A VLM over questions: images outside, questions inside, every completion kept word for word."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from oodexp import table
from oodexp.predict.completion import COLUMNS
from oodexp.predict.content import shown
from oodexp.predict.loop import Loop
from oodexp.predict.store import Store
from oodexp.record import Completion

if TYPE_CHECKING:
    from PIL.Image import Image

    from oodexp.vlm.base import Vlm


class Asked(NamedTuple):
    """One question as a batch carries it."""

    key: str
    """sha256 over image bytes and prompt."""
    image: Image | None
    """RGB pixels; None when they could not be decoded."""
    prompt: str
    """The text put to the model."""
    reason: str | None
    """Why there are no pixels."""
    max_tokens: int | None
    """Most new tokens of the reply; None for the VLM's own setting."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What asking a VLM gave."""

    completions: pd.DataFrame
    """`record.Completion`, in the order of the questions."""
    fingerprint: dict[str, Any]
    """What the completions rest on: model and generation settings."""
    asked_questions: int
    """Number of questions that the model was run on; 0 when all came from the store."""


class Row(NamedTuple):
    """A question still to ask."""

    key: str
    """sha256 over image bytes and prompt."""
    image_id: str
    """Id of the image."""
    prompt: str
    """The text put to the model."""
    most: int | None
    """Most new tokens of the reply."""


class Asking:
    """The questions still to ask (see `chunk.Items`); an image is decoded once a batch.

    Args:
        rows: The questions, those of an image side by side.
        read: Gives an image's bytes by its id.
    """

    def __init__(self, rows: Sequence[Row], read: Callable[[str], bytes]) -> None:
        self._rows = rows
        self._read = read

    def __len__(self) -> int:
        return len(self._rows)

    def __getitems__(self, indices: Sequence[int]) -> list[Asked]:
        """The questions of a batch."""
        rows = [self._rows[n] for n in indices]
        pixels = {i: self._pixels(i) for i in dict.fromkeys(row.image_id for row in rows)}
        return [
            Asked(row.key, pixels[row.image_id][0], row.prompt, pixels[row.image_id][1], row.most)
            for row in rows
        ]

    def _pixels(self, image_id: str) -> tuple[Image | None, str | None]:
        return shown(self._read, image_id)


def answer(
    name: str, vlm: Vlm, questions: pd.DataFrame, images: pd.DataFrame,
    read: Callable[[str], bytes], store: Store, loop: Loop,
) -> Answered:  # fmt: skip
    """Completions of one VLM to every question, from the store where they are.

    The key of a completion is what can change it: the image's bytes, the prompt, and (in the
    shelf's fingerprint) the model and its generation settings.

    Args:
        name: Name of the VLM.
        vlm: The model.
        questions: `record.Question` rows of one source.
        images: `record.Image` rows of that source, with content hashes.
        read: Gives an image's bytes by its id.
        store: Keeps completions.
        loop: How to run.
    """
    sha = questions["image_id"].map(images.set_index("image_id")["sha256"])
    # A file that could not be read has no bytes to tell it by.
    content = sha.fillna("no file: " + questions["image_id"])
    most = [None if pd.isna(m) else int(m) for m in questions["max_tokens"]]
    keys = [_key(*of) for of in zip(content, questions["prompt"], most, strict=True)]
    fingerprint = vlm.fingerprint()
    shelf = store.shelf("completions", fingerprint)
    asked = zip(keys, questions["image_id"], questions["prompt"], most, strict=True)
    every = {key: Row(key, *rest) for key, *rest in asked}
    rows = loop.agreed(lambda: _ordered([every[k] for k in shelf.missing(keys, retry=True)]))
    if rows:
        from oodexp.predict.module import AnsweringModule

        module = AnsweringModule(vlm, name)
        title = f"asking {name}"
        loop.run(title, module, Asking(rows, read), loop.answering_batch, {name: shelf})
    found = shelf.read(keys, loop.patience).to_pandas() if keys else pd.DataFrame(columns=_VALUES)
    columns = {"vlm": name, "question_id": questions["question_id"].tolist()}
    # Shards of an older version have fewer columns.
    columns |= {value: found.get(value, pd.Series(None, found.index)) for value in _VALUES}
    columns |= {value: columns[value].astype("Int64") for value in ("tokens", "prompt_tokens")}
    completions = table.frame(Completion, columns)
    return Answered(completions, fingerprint, len(rows))


_VALUES = [*COLUMNS, "seconds"]


def _ordered(rows: list[Row]) -> list[Row]:
    """Short replies first, questions of an image side by side: a batch goes on to its longest."""
    first = {image: n for n, image in enumerate(dict.fromkeys(row.image_id for row in rows))}
    return sorted(rows, key=lambda row: (row.most or 0, first[row.image_id]))


def _key(sha256: str, prompt: str, most: int | None) -> str:
    limit = "" if most is None else f"\0{most} tokens"
    return hashlib.sha256(f"{sha256}\0{prompt}{limit}".encode()).hexdigest()
