"""Referring expressions of RefCOCO, RefCOCO+ and RefCOCOg, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from oodexp.corpus.base import Lost, Text
from oodexp.corpus.entries import Entry
from oodexp.corpus.file import OneFile, image_name
from oodexp.corpus.key import Rule
from oodexp.error import OodexpError
from oodexp.text import brief

_PICKLED = (".p", ".pkl", ".pickle")


class Refcoco(OneFile):
    """A list of references, `{"file_name" or "image_id", "split", "sentences": [{"sent": ...}]}`.

    The sets come as pickles (`refs(unc).p`). A pickle can run any program when it is opened, so
    none is opened here; who trusts its origin writes the same list as JSON.

    Args:
        path: The file: a JSON list, or an object with the list `refs`.
        name: Name of the corpus in every table.
        keys: `coco` or `file`, see `corpus.key`.
        splits: Which references count; None for all. What a model was trained on is `[train]`.

    Raises:
        OodexpError: If the file is not there, or is a pickle.
    """

    FORM: ClassVar[str] = "RefCOCO's references as JSON: image_id, split, sentences with sent"

    def __init__(
        self,
        path: str,
        name: str = "refcoco",
        keys: Rule = "coco",
        splits: Sequence[str] | None = ("train",),
    ) -> None:
        super().__init__(path, name, keys)
        self._splits = None if splits is None else tuple(splits)
        if self._path.suffix in _PICKLED or _starts_as_pickle(self._path):
            raise OodexpError(
                f"corpus.{name}.path={path}: a pickle, which can run any program when it is "
                "opened; if you trust where it comes from, write it as JSON: python -c 'import "
                'json, pickle, sys; json.dump(pickle.load(open(sys.argv[1], "rb")), '
                'open(sys.argv[2], "w"))\' IN.p OUT.json'
            )

    def fingerprint(self) -> Mapping[str, Any]:
        """See `corpus.base.Corpus`."""
        return {**super().fingerprint(), "splits": self._splits}

    def _texts(self, entry: Entry, lost: Lost) -> Iterator[Text]:
        if entry.list not in ("", "refs"):
            return
        row = entry.value if isinstance(entry.value, dict) else {}
        image = image_name(row.get("file_name")) or image_name(row.get("image_id"))
        sentences = row.get("sentences")
        if image is None or not isinstance(sentences, list):
            lost.add(entry.place, f"no image or no sentences; expected {self.FORM}")
            return
        if self._splits is not None and row.get("split") not in self._splits:
            reason = f"split {brief(row.get('split'))} is left aside; splits={list(self._splits)}"
            lost.add(entry.place, reason)
            return
        spoken = [s.get("sent", s.get("raw")) if isinstance(s, dict) else s for s in sentences]
        yield from self._of(image, spoken, entry.place, lost)


def _starts_as_pickle(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(1) == b"\x80"
