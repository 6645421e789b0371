"""What a bundle holds beside that of every export."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from oodexp.bundle.layout import NAMING_THE_RUN
from oodexp.error import OodexpError
from oodexp.export.bundle import Bundle
from tests.export import made


def manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "bundle.json").read_text())


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_the_checksums_are_those_of_all_files(tmp_path: Path) -> None:
    Bundle().write(tmp_path, made.content())
    want = {name: hashlib.sha256(data).hexdigest() for name, data in files(tmp_path).items()}
    lines = (tmp_path / "checksums.sha256").read_text().splitlines()
    sums = {line[66:]: line[:64] for line in lines}
    assert sums == {name: d for name, d in want.items() if name != "checksums.sha256"}
    assert manifest(tmp_path)["files"] == {n: d for n, d in sums.items() if n != "bundle.json"}
    if shutil.which("sha256sum"):
        call = ["sha256sum", "--check", "--quiet", "checksums.sha256"]
        subprocess.run(call, cwd=tmp_path, check=True)


def test_only_three_files_name_the_run(tmp_path: Path) -> None:
    for run in ("one", "two"):
        Bundle().write(tmp_path / run, dataclasses.replace(made.content(), about={"run": run}))
    one, two = files(tmp_path / "one"), files(tmp_path / "two")
    assert {name for name in one if one[name] != two[name]} == set(NAMING_THE_RUN)
    assert set(one) == set(two)
    digests = [manifest(tmp_path / run)["content_sha256"] for run in ("one", "two")]
    assert digests[0] == digests[1]


def digest(folder: Path, content: Any, **options: Any) -> str:
    Bundle(**options).write(folder, content)
    return manifest(folder)["content_sha256"]


def test_the_digest_of_the_benchmark_is_that_of_images_splits_and_questions(
    tmp_path: Path,
) -> None:
    base = made.content()
    first = digest(tmp_path / "0", base)
    same = [{"images": "reference"}, {"scores": False}, {"name": "other"}]
    for n, options in enumerate(same):
        assert digest(tmp_path / f"same{n}", base, **options) == first
    split = base.memberships.assign(split="ID")
    images = base.images.assign(sha256=None)
    left = made.questions().query("source == 'left'")
    others = [
        made.content(questions=made.questions(counting=False)),
        made.content(memberships=split),
        made.content(memberships=base.memberships.assign(drawn=True)),
        made.content(questions=left),
        made.content(questions=left, images=images.where(images["source"] == "right", base.images)),
    ]
    found = {digest(tmp_path / f"other{n}", other) for n, other in enumerate(others)}
    assert len(found | {first}) == 1 + len(others)


def test_tables_and_matrices_are_those_of_the_run(tmp_path: Path) -> None:
    content = made.content()
    Bundle().write(tmp_path, content)
    for name in ("pairs", "memberships", "questions"):
        found = pq.read_table(tmp_path / f"tables/{name}.parquet").to_pandas()
        pd.testing.assert_frame_equal(found, getattr(content, name), check_dtype=False)
    for number, sheet in enumerate(content.sheets):
        presence = pq.read_table(tmp_path / f"presence/{number}.parquet").to_pydict()
        assert presence == {"image_id": sheet.image_ids, "values": sheet.presence.tolist()}
        for k, name in enumerate(made.SCORERS):
            found = pq.read_table(tmp_path / f"scores/{k}-{number}.parquet")["values"].to_pylist()
            assert np.array_equal(np.float32(found), sheet.logits[name], equal_nan=True)
    told = manifest(tmp_path)
    assert [s["name"] for s in told["sources"]] == ["left", "right"]
    assert [s["unknown_cells"] for s in told["sources"]] == [1, 0]
    assert [(s["name"], s["link"]) for s in told["scorers"]] == [
        ("clip", "softmax"), ("siglip", "sigmoid")
    ]  # fmt: skip
    assert told["counts"]["questions"] == len(content.questions)
    assert told["provenance"] == content.about | {}


def test_licences_stand_by_image_and_what_nobody_knows_is_said(tmp_path: Path) -> None:
    Bundle().write(tmp_path, made.content())
    rows = pq.read_table(tmp_path / "tables/images.parquet").to_pylist()
    assert [row["licence"] for row in rows] == ["CC0 1.0", None, "CC0 1.0"]
    assert manifest(tmp_path)["counts"]["images_of_unknown_licence"] == 1
    card = (tmp_path / "README.md").read_text()
    assert "licence of images, left: 1 CC0 1.0; 1 not known" in card
    assert "licence of images, right: 1 CC0 1.0" in card


def test_images_without_a_question_are_in_it(tmp_path: Path) -> None:
    questions = made.questions().query("source == 'left'")
    Bundle().write(tmp_path, made.content(questions=questions))
    rows = pq.read_table(tmp_path / "tables/images.parquet").to_pylist()
    for row in rows:
        data = made.FILES[row["source"], row["image_id"]]
        assert (tmp_path / row["stored"]).read_bytes() == data
    assert len(rows) == len(made.FILES)


def test_by_reference_no_image_is_copied(tmp_path: Path) -> None:
    Bundle(images="reference").write(tmp_path, made.content())
    rows = pq.read_table(tmp_path / "tables/images.parquet").to_pylist()
    for row in rows:
        data = made.FILES[row["source"], row["image_id"]]
        assert row["stored"] is None
        assert row["sha256"] == hashlib.sha256(data).hexdigest()
    assert not (tmp_path / "images").exists()
    index = [json.loads(line) for line in (tmp_path / "index.jsonl").read_text().splitlines()]
    assert {row["image"] for row in index} == {None}
    card = (tmp_path / "README.md").read_text()
    assert "source.images=DIR" in card
    assert "named by path and SHA-256" in card


def test_an_unread_image_is_told_of(tmp_path: Path) -> None:
    images = made.content().images
    images.loc[2, "sha256"] = None
    questions = made.questions().query("source == 'left'")
    Bundle().write(tmp_path, made.content(images=images, questions=questions))
    rows = pq.read_table(tmp_path / "tables/images.parquet").to_pylist()
    assert [row["stored"] is None for row in rows] == [False, False, True]
    assert "1 image files: the run could not read them" in (tmp_path / "README.md").read_text()


def test_a_changed_image_without_a_question_is_refused_too(tmp_path: Path) -> None:
    questions = made.questions().query("source == 'left'")

    def read(source: str, image: str) -> bytes:
        return made.FILES[source, image] + (b"x" if source == "right" else b"")

    with pytest.raises(OodexpError, match="sha256"):
        Bundle().write(tmp_path, made.content(questions=questions, read=read))
    assert not (tmp_path / "checksums.sha256").exists()


def test_logits_can_be_left_out(tmp_path: Path) -> None:
    Bundle(scores=False).write(tmp_path, made.content())
    assert not (tmp_path / "scores").exists()
    assert manifest(tmp_path)["scorers"] == []
    assert "export.scores=false" in (tmp_path / "README.md").read_text()


def test_images_are_in_it_or_referred_to() -> None:
    with pytest.raises(OodexpError, match="include"):
        Bundle(images="embed")
