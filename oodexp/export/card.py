"""The data card of an export: what it holds, where it comes from, how it is run and read back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oodexp.export.part import Part

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")


def plain(text: str) -> str:
    """A text as Markdown that shows it as it is, on one line."""
    one_line = " ".join(text.split())
    return _MARKUP.sub(lambda m: {"<": "&lt;", ">": "&gt;"}.get(m[0], f"\\{m[0]}"), one_line)


def card(
    title: str, parts: Sequence[Part], about: Mapping[str, str], use: str,
    left_out: Mapping[str, str] | None = None, front: str = "",
) -> str:  # fmt: skip
    """The text of `README.md`.

    Args:
        title: First heading.
        parts: What is exported.
        about: Lines of provenance by title.
        use: How another program runs it, Markdown.
        left_out: Why, by part or kind, something of the run is not here.
        front: Front matter, `---` lines included; empty for none.
    """
    lines = [
        f"# {plain(title)}",
        "",
        "Questions about image-category pairs, divided by whether contrastive models recognise "
        "the object: ID where all do, OOD-S where some fail, OOD-H where all fail.",
        "",
        "| part | split | kind | questions | images | pairs | right answers |",
        "|---|---|---|---:|---:|---:|---|",
        *map(_row, parts),
        "",
        "Image files are the bytes of the data set, never decoded and written again; `index.jsonl` "
        "holds the sha256 of each.",
        "",
        *_listed("Left out", left_out or {}),
        *_listed("Provenance", about),
        "## Use",
        "",
        use.strip(),
        "",
        "Predictions are read back by `vlm=recorded vlm.index=index.jsonl vlm.predictions=FILE`.",
        "",
    ]
    return front + "\n".join(lines)


def write_card(folder: Path, text: str) -> None:
    """Writes `README.md`."""
    (folder / "README.md").write_text(text, "utf-8", "backslashreplace", "\n")


def _row(part: Part) -> str:
    images = {item.picture for item in part.items}
    pairs = {item.pair_id for item in part.items}
    targets = [item.target for item in part.items]
    numbers = sum(target not in ("yes", "no") for target in targets)
    told = [
        f"{n} {word}"
        for word, n in (("yes", targets.count("yes")), ("no", targets.count("no")))
        if n
    ]
    told += [f"{numbers} number{'s' if numbers > 1 else ''}"] if numbers else []
    return (
        f"| `{part.name}` | {plain(part.split or 'none')} | {plain(part.kind)} "
        f"| {len(part.items)} | {len(images)} | {len(pairs)} | {', '.join(told)} |"
    )


def _listed(title: str, lines: Mapping[str, str]) -> list[str]:
    if not lines:
        return []
    return [f"## {title}", "", *(f"- {plain(k)}: {plain(v)}" for k, v in lines.items()), ""]
