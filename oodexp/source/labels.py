"""The renaming of categories: annotated names to the texts that models are shown.

A table may come from the configuration or from a file. Its digest stands in the record of a run,
because another text is another question: renaming moves every score.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oodexp.error import OodexpError
from oodexp.text import brief

Given = Mapping[str, str | None] | str | None
"""What a source's `labels` takes: a table, the path of a file that holds one, or null for none."""

_COMPARED, _LONGEST = 20_000, 200
"""Names, and letters of a name, that a misspelt one is compared with: it takes the product."""

_HEADER = ["name", "text"]
_FORMS = (
    "expected a mapping of annotated name to text (or null, which drops the category), as YAML "
    "(.yaml, .yml) or JSON (.json), or a CSV file (.csv) with the header name,text"
)


@dataclass(frozen=True, slots=True)
class Labels:
    """A renaming table: annotated name to text, or to None for a category that is dropped."""

    table: dict[str, str | None]
    """Texts by annotated name; a name that is not listed keeps its text."""
    where: str
    """Where the table was given, for messages."""

    @classmethod
    def of(cls, given: Given) -> Labels | None:
        """The table that was given, checked; None where none was.

        Args:
            given: A table, or the path of a YAML, JSON or CSV file.

        Raises:
            OodexpError: If the file is not there or cannot be read, a name is repeated, or a text
                is empty or no text.
        """
        if given is None:
            return None
        where = f"labels={given}" if isinstance(given, str) else "labels"
        entries = _load(Path(given).expanduser(), where) if isinstance(given, str) else given
        if not isinstance(entries, Mapping):
            raise OodexpError(f"{where}: {_FORMS}")
        for name, text in entries.items():
            if not isinstance(name, str) or not (text is None or isinstance(text, str)):
                told = f"{where}: {brief(name)}: {brief(text)}"
                raise OodexpError(f"{told}; expected text (put it in quotes) or null")
            if text is not None and not text.strip():
                raise OodexpError(f"{where}: {brief(name)}: empty text; null drops the category")
        return cls(dict(entries), where)

    @property
    def sha256(self) -> str:
        """Hex digest of the table's content; the order and the form of the file do not matter."""
        text = json.dumps(self.table, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def texts(
        self, names: Sequence[str], source: str, default: Sequence[str] | None = None
    ) -> list[str | None]:
        """The text of each name, None for a category that is dropped.

        Args:
            names: Annotated names.
            source: Name of the data set, for messages.
            default: Texts of names that are not in the table; the names themselves if None.

        Raises:
            OodexpError: If the table has a name that the source has not, or drops all.
        """
        known = set(names)
        for name in self.table:
            if name not in known:
                raise OodexpError(
                    f"{self.where}: {source} has no category {brief(name)}{suggestion(name, names)}"
                )
        pairs = zip(names, default or names, strict=True)
        texts = [self.table.get(name, text) for name, text in pairs]
        if names and all(text is None for text in texts):
            raise OodexpError(f"{self.where}: every category of {source} is dropped")
        return texts


def suggestion(name: str, known: Sequence[str]) -> str:
    """` (did you mean 'X'?)` for a misspelt name, or the names there are when nothing is near."""
    short = [k for k in known[:_COMPARED] if len(k) <= _LONGEST]
    near = difflib.get_close_matches(name, short, n=1, cutoff=0.6)
    if near:
        return f" (did you mean {near[0]!r}?)"
    more = ", ..." if len(known) > 8 else ""
    return f"; it has {', '.join(brief(k) for k in known[:8])}{more}"


def _load(path: Path, where: str) -> Any:
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise OodexpError(f"{where}: cannot be read ({error.strerror}); {_FORMS}") from error
    except UnicodeDecodeError as error:
        raise OodexpError(f"{where}: not UTF-8 text ({error}); {_FORMS}") from error
    if path.suffix == ".csv":
        pairs = two_columns(text, where, _HEADER)
        return _once(((name, said or None) for name, said in pairs), where)
    if path.suffix == ".json":
        try:
            return json.loads(text, object_pairs_hook=lambda pairs: _once(pairs, where))
        except (ValueError, RecursionError) as error:
            raise OodexpError(f"{where}: not JSON ({error})") from error
    if path.suffix in (".yaml", ".yml"):
        return _yaml(text, where)
    raise OodexpError(f"{where}: ending {path.suffix!r}; {_FORMS}")


def _once(pairs: Iterable[tuple[Any, Any]], where: str) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for name, text in pairs:
        if name in found:
            raise OodexpError(f"{where}: the name {brief(name)} is repeated")
        found[name] = text
    return found


def two_columns(text: str, where: str, header: Sequence[str]) -> list[tuple[str, str]]:
    """The rows of a CSV text below its header; empty lines are no rows.

    Raises:
        OodexpError: If the header is another, or a row has not two fields; names the line.
    """
    rows = csv.reader(text.splitlines())
    pairs = []
    try:
        if next(rows, None) != list(header):
            raise OodexpError(f"{where}, line 1: expected the header {','.join(header)}")
        for row in filter(None, rows):
            if len(row) != len(header):
                raise OodexpError(f"{where}, line {rows.line_num}: {len(row)} fields; expected 2")
            pairs.append((row[0], row[1]))
    except csv.Error as error:
        raise OodexpError(f"{where}, line {rows.line_num}: {error}") from error
    return pairs


def _yaml(text: str, where: str) -> Any:
    import yaml

    try:
        node = yaml.compose(text, yaml.SafeLoader)
        if isinstance(node, yaml.MappingNode):
            # The loader would let the last of two equal names win.
            plain = (key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
            _once(((name, None) for name in plain), where)
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date that is none, a depth
        raise OodexpError(f"{where}: not YAML ({error})") from error
