"""Names of categories as people write them: the name, its plural, synonyms.

A shipped table holds our own synonyms of the 80 COCO categories, in the manner of CHAIR (Rohrbach
et al., 2018). A missing synonym hides a mention and makes the overlap with a corpus look smaller;
one with a second meaning makes it look larger. So a row without a category lists phrases that hold
a name and mean something else ("train track"), and longer names shadow shorter ones.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from oodexp.error import OodexpError
from oodexp.evidence.plural import plurals
from oodexp.source.labels import two_columns
from oodexp.text import brief

Given = Mapping[str, Sequence[str]] | str | None
"""A user's table: names by category, the path of a CSV or JSON file, `coco`, or null for none."""

OTHER = ""
"""Stands for no category in a table: its phrases hold a name and mean something else."""

_HEADER = ["category", "phrases"]
_FORMS = (
    "expected a mapping of category to a list of names, as JSON (.json), or a CSV file (.csv) with "
    "the header category,phrases and names parted by `;` (an empty category: phrases that mean "
    "none); `coco` is the table that ships"
)


class Names(NamedTuple):
    """What a `mention.Finder` looks for."""

    of: dict[str, tuple[str, ...]]
    """All names of each category."""
    other: tuple[str, ...]
    """Phrases that hold a name and mean something else."""


def names(
    categories: Sequence[str],
    table: Given = None,
    more: Mapping[str, Sequence[str]] | None = None,
) -> Names:
    """All names of categories: each with its plural, several words also written as one.

    Args:
        categories: Category texts; each is a name of its own.
        table: Synonyms in the singular. The shipped table may know more categories than there are:
            what belongs to these means none here. A user's table may not.
        more: Further synonyms by category, as from `wordnet.lemmas`.

    Raises:
        OodexpError: If the table cannot be read, or names a category that there is not.
    """
    rows = read(table)
    shipped = isinstance(table, str) and table == "coco"
    unknown = [c for c in rows if c not in {*categories, OTHER}]
    if unknown and not shipped:
        near = difflib.get_close_matches(unknown[0], categories, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the data set has {len(categories)}"
        raise OodexpError(
            f"synonyms: no category {brief(unknown[0])} ({hint}); rename or drop the row"
        )
    of = {
        c: tuple(dict.fromkeys(_forms([c, *rows.get(c, ()), *(more or {}).get(c, ())])))
        for c in categories
    }
    others = [p for c in unknown for p in (c, *rows[c])] + list(rows.get(OTHER, ()))
    return Names(of, tuple(dict.fromkeys(_forms(others))))


def read(table: Given) -> dict[str, tuple[str, ...]]:
    """A table of synonyms as it was given: phrases by category, `OTHER` for those that mean none.

    Raises:
        OodexpError: If it cannot be read, a category is repeated, or a phrase is no text.
    """
    if table is None:
        return {}
    if isinstance(table, str):
        where, entries = f"synonyms={table}", _load(table)
    else:
        where, entries = "synonyms", table
    if not isinstance(entries, Mapping):
        raise OodexpError(f"{where}: {_FORMS}")
    for category, phrases in entries.items():
        right = isinstance(phrases, (list, tuple)) and all(
            isinstance(p, str) and p.strip() for p in phrases
        )
        if not isinstance(category, str) or not right:
            raise OodexpError(
                f"{where}: category {brief(category)}: {brief(phrases)}; expected a list of names, "
                "each a text that is not empty"
            )
    return {category: tuple(phrases) for category, phrases in entries.items()}


def _forms(phrases: Iterable[str]) -> Iterable[str]:
    for phrase in phrases:
        for form in (phrase, *plurals(phrase)):
            yield form
            if len(parts := re.split(r"[\s_-]+", form.strip())) > 1:
                yield "".join(parts)


def _load(table: str) -> Any:
    where = f"synonyms={table}"
    if table == "coco":
        home = resources.files("oodexp.evidence") / "data" / "coco_synonyms.csv"
        return _csv(home.read_text("utf-8"), where)
    path = Path(table).expanduser()
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise OodexpError(f"{where}: cannot be read ({error}); {_FORMS}") from error
    if path.suffix == ".csv":
        return _csv(text, where)
    if path.suffix != ".json":
        raise OodexpError(f"{where}: ending {path.suffix!r}; {_FORMS}")
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _once(pairs, where))
    except (ValueError, RecursionError) as error:
        raise OodexpError(f"{where}: not JSON ({error})") from error


def _csv(text: str, where: str) -> dict[str, Any]:
    pairs = []
    for category, listed in two_columns(text, where, _HEADER):
        phrases = [phrase.strip() for phrase in listed.split(";")]
        pairs.append((category.strip(), [phrase for phrase in phrases if phrase]))
    return _once(pairs, where)


def _once(pairs: Sequence[tuple[str, Any]], where: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise OodexpError(f"{where}: the category {brief(name)} is repeated; join its rows")
        found[name] = value
    return found
