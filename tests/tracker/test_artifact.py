"""Tables, texts and drawings, whichever tool keeps them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd
import pytest

from oodexp.error import OodexpError

CONFIG = {"seed": 0}


def test_a_table_file_is_kept_byte_for_byte_with_its_checksum(kept, experiment, tmp_path):
    path = tmp_path / "some name.parquet"
    pd.DataFrame({"x": [1, 2, 3]}).to_parquet(path)
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.table("scores/open_clip_miniature", path)
    name = "tables/scores/open_clip_miniature.parquet"
    assert kept.artifact(run.run_id, name) == path.read_bytes()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert kept.note(run.run_id, "checksums.json") == {name: digest}


def test_a_table_in_memory_is_written_as_parquet(kept, experiment):
    table = pd.DataFrame({"x": [1, 2], "y": ["a", None]})
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.table("small", table)
        run.table("small", table.head(1))
    back = pd.read_parquet(kept.folder(run.run_id) / "tables/small.parquet")
    assert back.to_dict("list") == {"x": [1], "y": ["a"]}
    assert list(kept.note(run.run_id, "checksums.json")) == ["tables/small.parquet"]


def test_a_table_that_is_not_there_is_named(kept, experiment, tmp_path):
    run = kept.tracker().open(experiment=experiment, config=CONFIG)
    with run, pytest.raises(OodexpError, match=r"table 'answers'.*gone\.parquet is no file"):
        run.table("answers", tmp_path / "gone.parquet")


@pytest.mark.parametrize("name", ["../../out", "/etc/out", "a//b", "..", "x" * 400, "é" * 200])
def test_no_artifact_name_leads_out_of_the_run(kept, experiment, name):
    content = f"content of {experiment}"
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.text(name, content)
    files = [path for path in kept.runs.parent.rglob("*") if path.is_file()]
    size = len(content.encode())  # other tests leave files that are larger than the memory
    alike = [path for path in files if path.stat().st_size == size]
    written = [path for path in alike if path.read_bytes() == content.encode()]
    assert len(written) == 1
    assert kept.folder(run.run_id) in written[0].parents
    assert not Path("/etc/out").exists()


def test_a_text_is_kept_under_its_name(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.text("pages/report.html", "<p>Δ = 0.1\n")
    assert kept.artifact(run.run_id, "pages/report.html").decode() == "<p>Δ = 0.1\n"


def test_the_same_figure_gives_the_same_two_files(kept, experiment):
    from matplotlib.figure import Figure

    def draw() -> Figure:
        figure = Figure(figsize=(2, 1))
        figure.subplots().plot([0, 1], [1, 0], label="x")
        return figure

    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.figure("drop/first", draw())
        run.figure("drop/second", draw())
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        first = kept.artifact(run.run_id, f"figures/drop/first.{ending}")
        assert first.startswith(start)
        assert first == kept.artifact(run.run_id, f"figures/drop/second.{ending}")
