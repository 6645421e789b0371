"""`bundle.json`, checksums and the words of a bundle's data card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oodexp
from oodexp.bundle.layout import (
    FORMAT,
    MANIFEST,
    NAMING_THE_RUN,
    SUMS,
    VERSION,
)  # fmt: skip
from oodexp.export.base import files_below

if TYPE_CHECKING:
    import pandas as pd

    from oodexp.export.base import Content, Sheet

_USE = """\
```
{command}
```

asks these very questions on any machine with oodexp {version} or newer; no scorer is run.
`division=bundle_scores question=existence` divides anew by the logits that are in here, and
`source=bundle` alone is the annotated image set, for any experiment. {more}

`sha256sum --check {sums}` tells whether all files are whole. {content} is a
digest of the benchmark itself, of image bytes, splits and questions. Two exports of the same run
differ in {differ} only."""

_CONTENT = {
    "images": ("source", "image_id", "sha256"),
    "memberships": ("source", "image_id", "category", "present", "split", "drawn"),
    "questions": (
        "question_id", "source", "image_id", "category", "kind", "polarity", "prompt", "target",
        "other", "split", "strategy", "max_tokens",
    ),
}  # fmt: skip

_SEVERAL = "The sources {names} keep their names; `source.part={first}` takes one of them."


def use(sheets: Sequence[Sheet], images: str) -> str:
    """How the bundle is read, Markdown.

    Args:
        sheets: The annotations of each source.
        images: `include` or `reference`.
    """
    command = "python -m oodexp.run experiment=bundle source.folder=FOLDER vlm=[qwen2_vl]"
    if images != "include":
        command += " \\\n    source.images=DIR"
    names = [sheet.source for sheet in sheets]
    more = _SEVERAL.format(names=", ".join(names), first=names[0]) if len(names) > 1 else ""
    return _USE.format(
        command=command, version=oodexp.__version__, more=more, sums=SUMS,
        content="`content_sha256` of `bundle.json`",
        differ=", ".join(f"`{name}`" for name in NAMING_THE_RUN),
    ).replace(" \n", "\n")  # fmt: skip


def licences(images: pd.DataFrame) -> dict[str, str]:
    """A line of the card for each source: how many images are under which licence.

    Args:
        images: `record.BundledImage` rows.
    """
    found = {}
    for source, mine in images.groupby("source", sort=False):
        told = mine["licence"].fillna("not known").value_counts()
        ordered = sorted(told.items(), key=lambda item: (-item[1], item[0]))
        found[f"licence of images, {source}"] = "; ".join(f"{n} {text}" for text, n in ordered)
    return found


def content_sha256(tables: Mapping[str, pd.DataFrame]) -> str:
    """One digest of the benchmark itself: the bytes of its images, its splits, its questions.

    It is the same wherever the images lie, with logits or without, and by any version of Parquet.

    Args:
        tables: The tables of the bundle.
    """
    found = hashlib.sha256()
    for name, columns in _CONTENT.items():
        rows = tables[name][list(columns)].astype(object)
        rows = rows.where(rows.notna(), None)
        for row in zip(*(rows[column] for column in columns), strict=True):
            found.update(f"{json.dumps([name, *row])}\n".encode())
    return found.hexdigest()


def write_manifest(
    home: Path, told: Mapping[str, str], content: Content, tables: Mapping[str, pd.DataFrame],
    scorers: Sequence[str],
) -> None:  # fmt: skip
    """Writes `bundle.json` and the checksums of all files that lie in the folder.

    Args:
        home: The folder, with everything else in it.
        told: What the exporter was told.
        content: What was exported.
        tables: The tables of the bundle.
        scorers: Names of those whose logits are in it.
    """
    paths = {path.relative_to(home).as_posix(): path for path in files_below(home)}
    files = {name: _sha256(path) for name, path in paths.items()}
    unknown = tables["images"]["licence"].isna().sum()
    manifest: dict[str, Any] = {
        "format": FORMAT, "version": VERSION, "oodexp": oodexp.__version__, **told,
        "content_sha256": content_sha256(tables),
        "counts": {name: len(rows) for name, rows in tables.items()}
        | {"images_of_unknown_licence": int(unknown)},
        "sources": [_source(sheet) for sheet in content.sheets],
        "scorers": [{"name": name, **content.scorers[name]} for name in scorers],
        "provenance": dict(content.about),
        "files": files,
    }  # fmt: skip
    # Escaped, as a name may hold half a surrogate pair, which is no UTF-8.
    (home / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8", newline="\n")
    files[MANIFEST] = _sha256(home / MANIFEST)
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(files.items()))
    (home / SUMS).write_text(lines, "utf-8", newline="\n")


def _source(sheet: Sheet) -> dict[str, Any]:
    return {
        "name": sheet.source, "categories": sheet.categories, "labels_sha256": sheet.labels_sha256,
        "images": len(sheet.image_ids), "pairs": int((sheet.presence == 1).sum()),
        "unknown_cells": int((sheet.presence == 2).sum()),
    }  # fmt: skip


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
