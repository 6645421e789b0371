"""The questions of a run as files that other evaluation programs run (`oodexp/export/`)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Self

from oodexp.export.base import Content
from oodexp.predict.ranks import rank
from oodexp.recipe import step
from oodexp.recipe.base import Desk, Parts
from oodexp.tracker.base import Run
from oodexp.tracker.provenance import checksums, provenance

if TYPE_CHECKING:
    from oodexp.export.base import Exporter
    from oodexp.recipe.base import Build


@dataclass(frozen=True, slots=True)
class Exported(Parts):
    """All parts of the main line but its VLMs, and the formats."""

    formats: dict[str, Exporter]
    folder: Path
    """Below it lies a folder per run and format."""

    @classmethod
    def of(cls, build: Build) -> Self:
        """The parts of the configuration; no VLM is made, as none is asked."""
        without = Parts.of(lambda group, of=None: {} if group == "vlm" else build(group, of))
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
        _write(desk, parts)
    return step.finish(desk)


def _write(desk: Desk, parts: Exported) -> None:
    """Writes every format, and keeps the SHA-256 of its files."""
    sources = {source.name: source for source in parts.sources.values()}
    about = {"run": desk.run.run_id, **provenance()}
    tables = desk.tables
    content = Content(
        tables["questions"], tables["memberships"], tables["pairs"], tables["images"],
        lambda source, image_id: sources[source].read(image_id), about,
    )  # fmt: skip
    for name, format_ in parts.formats.items():
        folder = parts.folder / desk.run.run_id / name
        files = format_.write(folder, content)
        sums = checksums({path.relative_to(folder).as_posix(): path for path in files})
        text = "".join(f"{digest}  {file}\n" for file, digest in sums.items())
        desk.run.text(f"exports/{name}.sha256", text)
        desk.notes.append(f"export {name}: {folder} ({len(files)} files; README.md tells how)")
