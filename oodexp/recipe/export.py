"""The questions of a run as files that other evaluation programs run (`oodexp/export/`)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Self

from oodexp.export.base import Content, Sheet
from oodexp.export.left import clear, finished, sums, sums_beside
from oodexp.predict.ranks import rank
from oodexp.recipe import step
from oodexp.recipe.base import Desk, Parts
from oodexp.scratch import replacing
from oodexp.source.base import Licensed
from oodexp.tracker.base import Run
from oodexp.tracker.provenance import provenance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oodexp.export.base import Exporter
    from oodexp.predict.scoring import Scored
    from oodexp.recipe.base import Build
    from oodexp.recipe.world import World


@dataclass(frozen=True, slots=True)
class Exported(Parts):
    """All parts of the main line but its VLMs, and the formats."""

    formats: dict[str, Exporter]
    folder: Path
    """Below it lies a folder per run and format."""

    @classmethod
    def of(cls, build: Build) -> Self:
        """The parts of the configuration; no VLM is made, as none is asked."""
        without = Parts.unasked(build)
        whole = {f.name: getattr(without, f.name) for f in fields(Parts)}
        folder = Path(build("paths")["exports"]).expanduser().absolute()
        return cls(**whole, formats=build("export"), folder=folder)


def main(run: Run, parts: Exported) -> bool:
    """The main line up to its questions, then a folder per format.

    Returns:
        Whether something was left out.
    """
    desk = Desk(run)
    step.at_hand(parts)
    with desk.stage("source"):
        worlds = step.annotate(desk, parts.sources)
    with desk.stage("score"):
        scored = step.score(desk, parts, worlds)
    with desk.stage("divide"):
        step.divide(desk, parts, worlds, scored)
    step.question(desk, parts.question, worlds)
    if rank() > 0:
        return False
    with desk.stage("export"):
        _write(desk, parts, worlds, scored)
    return step.finish(desk)


def _write(desk: Desk, parts: Exported, worlds: Sequence[World], scored: Sequence[Scored]) -> None:
    """Writes every format, and keeps the SHA-256 of its files."""
    content = _content(desk, parts, worlds, scored)
    for name, format_ in parts.formats.items():
        folder = parts.folder / desk.run.run_id / name
        text = finished(folder) or _whole(format_, folder, content)
        desk.run.text(f"exports/{name}.sha256", text)
        number = len(text.splitlines())
        desk.notes.append(f"export {name}: {folder} ({number} files; README.md tells how)")


def _whole(format_: Exporter, folder: Path, content: Content) -> str:
    """Writes an export and, beside it, the SHA-256 of its files, which says that it is whole."""
    clear(folder)
    text = sums(folder, format_.write(folder, content))
    with replacing(sums_beside(folder)) as scratch:
        scratch.write_text(text, "utf-8")
    return text


def _content(
    desk: Desk, parts: Exported, worlds: Sequence[World], scored: Sequence[Scored]
) -> Content:
    """What the run has, as exporters take it."""
    sources = {world.source.name: world.source for world in worlds}
    about = {"run": desk.run.run_id, **provenance()}
    prints = scored[0].fingerprints
    scorers = {
        name: {"link": part.link, "fingerprint": prints[name]}
        for name, part in parts.scorers.items()
    }
    tables = desk.tables
    return Content(
        tables["questions"], tables["memberships"], tables["pairs"], tables["images"],
        lambda source, image_id: sources[source].read(image_id), about, tables["signals"],
        desk.problems, list(map(_sheet, worlds, scored)), scorers,
    )  # fmt: skip


def _sheet(world: World, scored: Scored) -> Sheet:
    source, matrix = world.source, world.matrix
    licences = source.licences() if isinstance(source, Licensed) else {}
    return Sheet(
        matrix.source, matrix.image_ids, matrix.categories, matrix.presence, scored.logits,
        licences, source.labels_sha256,
    )  # fmt: skip
