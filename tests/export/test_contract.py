"""Every exporter of the configuration, by its YAML alone."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import get_class, instantiate
from omegaconf import OmegaConf

from oodexp import record, table
from oodexp.error import OodexpError
from tests.export import made, opened

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "export"
FILES = sorted(FOLDER.glob("*.yaml"))
NAMES = [file.stem for file in FILES]


def exporter(part: str, /, **settings: Any) -> Any:
    return instantiate(OmegaConf.load(FOLDER / f"{part}.yaml")[part], **settings)


def expected(name: str, population: str = "drawn") -> dict[str, Any]:
    """The questions that a format holds, by id."""
    rows = made.questions().itertuples()
    drawn = {pair[:3] for pair in made.PAIRS if pair[4]}
    return {
        row.question_id: row
        for row in rows
        if (population == "all" or (row.source, row.image_id, row.category) in drawn)
        and not (name == "pope" and row.kind == "counting")
    }


def bytes_below(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_every_format_has_a_reader_here() -> None:
    assert set(NAMES) == set(opened.READERS)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_holds_one_part_of_its_name_and_says_what_it_is(file: Path) -> None:
    assert list(OmegaConf.load(file)) == [file.stem]
    assert file.read_text("utf-8").startswith("# ")
    node = dict(OmegaConf.load(file)[file.stem])
    kind = get_class(node.pop("_target_"))
    assert set(node) == set(inspect.signature(kind).parameters)


@pytest.mark.parametrize("population", ["drawn", "all"])
@pytest.mark.parametrize("name", NAMES)
def test_every_question_is_there_once_with_the_bytes_of_its_image(
    name: str, population: str, tmp_path: Path
) -> None:
    exporter(name, population=population).write(tmp_path, made.content())
    want = expected(name, population)
    rows = opened.index(tmp_path)
    assert sorted(row["question_id"] for row in rows) == sorted(want)
    seen = {(s.part, s.row): s for s in opened.READERS[name](tmp_path)}
    assert len(seen) == len(want)
    for row in rows:
        found, asked = seen[row["part"], row["row"]], want[row["question_id"]]
        assert found.image == made.FILES[asked.source, asked.image_id]
        assert hashlib.sha256(found.image).hexdigest() == row["image_sha256"]
        assert found.prompt == asked.prompt == row["prompt"]
        assert found.answer.lower() == asked.target == row["target"]
        assert (row["source"], row["image_id"]) == (asked.source, asked.image_id)
        assert (row["split"], row["kind"]) == (asked.split, asked.kind)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_content_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        exporter(name).write(tmp_path / folder, made.content())
    assert bytes_below(tmp_path / "one") == bytes_below(tmp_path / "two")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_returned_is_what_lies_there_and_nothing_lies_elsewhere(
    name: str, tmp_path: Path
) -> None:
    home = tmp_path / "deep" / "deeper" / "export"
    found = exporter(name).write(home, made.content())
    everything = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert found == everything
    assert all(home in path.resolve().parents for path in everything)
    assert {home / "README.md", home / "index.jsonl"} <= set(everything)


@pytest.mark.parametrize("name", NAMES)
def test_images_of_the_index_lie_below_the_folder(name: str, tmp_path: Path) -> None:
    exporter(name).write(tmp_path, made.content())
    for row in opened.index(tmp_path):
        if row["image"] is not None:
            data = (tmp_path / row["image"]).read_bytes()
            assert data == made.FILES[row["source"], row["image_id"]]


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_that_holds_something_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(OodexpError, match=r"mine\.txt"):
        exporter(name).write(tmp_path, made.content())
    assert bytes_below(tmp_path) == {"mine.txt": b"keep"}


@pytest.mark.parametrize("name", NAMES)
def test_an_image_that_changed_since_the_run_is_refused(name: str, tmp_path: Path) -> None:
    other = made.picture(9, "PNG")
    with pytest.raises(OodexpError, match="sha256"):
        exporter(name).write(tmp_path, made.content(read=lambda source, image: other))
    assert not bytes_below(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_an_image_that_is_gone_is_named(name: str, tmp_path: Path) -> None:
    def gone(source: str, image: str) -> bytes:
        raise FileNotFoundError(2, "No such file", image)

    with pytest.raises(OodexpError, match="climb"):
        exporter(name).write(tmp_path, made.content(read=gone))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_drawn_is_nothing_to_export(name: str, tmp_path: Path) -> None:
    members = made.content().memberships.assign(drawn=False)
    with pytest.raises(OodexpError, match="population=all"):
        exporter(name, population="drawn").write(tmp_path, made.content(memberships=members))
    nothing = made.content(questions=table.frame(record.Question))
    with pytest.raises(OodexpError, match="nothing to export"):
        exporter(name).write(tmp_path, nothing)


@pytest.mark.parametrize("name", NAMES)
def test_the_card_counts_the_parts_and_shows_texts_as_they_are(name: str, tmp_path: Path) -> None:
    exporter(name).write(tmp_path, dataclasses.replace(made.content(), about={"a": made.MARKUP}))
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "| OOD-H | existence | 4 | 2 | 2 | 2 yes, 2 no |" in card
    assert "<script" not in card
    assert ("| 2 numbers |" in card) == (name != "pope")
    assert ("2 questions, as some answers are numbers" in card) == (name == "pope")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("settings", [{"population": "some"}, {"name": "数"}])
def test_a_setting_that_cannot_be_used_is_refused(
    name: str, settings: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(OodexpError, match=next(iter(settings))):
        exporter(name, **settings).write(tmp_path, made.content())
