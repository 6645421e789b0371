"""Bundles of small sources, written as a run would write them; and ways to spoil them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from oodexp import record, table
from oodexp.division.cross_validation import CrossValidation
from oodexp.export.base import Content, Sheet
from oodexp.export.bundle import Bundle as Exporter
from oodexp.question.base import Known, Presence
from oodexp.question.existence import Existence
from oodexp.recipe.world import World, look
from oodexp.source.base import Licensed, Source
from oodexp.source.bundle import Bundle

WORDS = {"present": "A {}?", "absent": "No {}?"}
LINKS = {"s0": "softmax", "s1": "sigmoid"}


def logits(world: World) -> dict[str, np.ndarray]:
    """Random logits that prefer what is present; the first pair has none by the first scorer."""
    draw = np.random.default_rng(len(world.images))
    seen = 4 * (world.matrix.presence == record.PRESENT)
    found = {n: (seen + draw.normal(0, 3, seen.shape)).astype(np.float32) for n in LINKS}
    found["s0"][tuple(np.argwhere(world.matrix.presence == record.PRESENT)[0])] = np.nan
    return found


def content(sources: Sequence[Source], **division: Any) -> Content:
    """What a run over the sources has."""
    worlds = [look(source) for source in sources]
    sheets, signals, members = [], [], []
    for world in worlds:
        source, matrix, values = world.source, world.matrix, logits(world)
        unread = world.images.query("sha256.isna()")["image_id"]
        reasons = dict.fromkeys(unread, "unreadable: see problems")
        for image in unread:
            for cells in values.values():
                cells[matrix.image_ids.index(image)] = np.nan
        done = CrossValidation(**({"threshold": 0.3} | division)).divide(
            matrix, values, reasons, LINKS
        )
        signals.append(done.signals)
        members.append(done.memberships)
        licences = source.licences() if isinstance(source, Licensed) else {}
        sheets.append(
            Sheet(matrix.source, matrix.image_ids, matrix.categories, matrix.presence, values,
                  licences, source.labels_sha256)
        )  # fmt: skip
    memberships = table.concat(record.Membership, members)
    pairs = table.concat(record.Pair, [w.pairs for w in worlds])
    matrices = [Presence(s.source, s.image_ids, s.categories, s.presence) for s in sheets]
    by_name = {source.name: source for source in sources}
    problems = [w.source.problems() for w in worlds] + [w.problems for w in worlds]
    return Content(
        Existence(WORDS).ask(Known(memberships, pairs, matrices)), memberships, pairs,
        table.concat(record.Image, [w.images for w in worlds]),
        lambda source, image: by_name[source].read(image), {"run": "made"},
        table.concat(record.Signal, signals), table.concat(record.Problem, problems), sheets,
        {name: {"link": link, "fingerprint": {}} for name, link in LINKS.items()},
    )  # fmt: skip


def written(folder: Path, *sources: Source, **options: Any) -> Path:
    """The bundle of a run over the sources."""
    Exporter(**options).write(folder, content(sources))
    return folder


def opened(folder: Path, source: Source, **options: Any) -> Bundle:
    """A source whose bundle is written to `folder/bundle` and opened."""
    home = folder / "bundle"
    kind = "reference" if options.get("images") else "include"
    if not home.exists():
        written(home, source, images=kind)
    return Bundle(str(home), **options)


def seal(folder: Path) -> None:
    """Makes all checksums true again, as a person who spoils a bundle on purpose would."""
    manifest = json.loads((folder / "bundle.json").read_text())
    for name in manifest["files"]:
        if (folder / name).is_file():
            manifest["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "bundle.json").write_text(json.dumps(manifest))
    digest = hashlib.sha256((folder / "bundle.json").read_bytes()).hexdigest()
    (folder / "checksums.sha256").write_text(f"{digest}  bundle.json\n")


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes `bundle.json` in place, and seals it."""
    manifest = json.loads((folder / "bundle.json").read_text())
    change(manifest)
    (folder / "bundle.json").write_text(json.dumps(manifest))
    digest = hashlib.sha256((folder / "bundle.json").read_bytes()).hexdigest()
    (folder / "checksums.sha256").write_text(f"{digest}  bundle.json\n")


def change_table(
    folder: Path, name: str, change: Callable[[pd.DataFrame], pd.DataFrame]
) -> None:  # fmt: skip
    """Changes a table, keeps its types, and seals the bundle."""
    file = folder / f"tables/{name}.parquet"
    old = pq.read_table(file)
    rows = change(old.to_pandas())
    pq.write_table(pa.Table.from_pandas(rows, old.schema, preserve_index=False), file)
    seal(folder)
