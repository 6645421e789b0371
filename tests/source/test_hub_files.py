"""Where the files of a Hugging Face data set are found."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq
import pytest

from oodexp.error import OodexpError
from oodexp.source.hub import Hub
from tests.source import made


def test_only_the_files_of_the_split_are_read(tmp_path):
    rows = made.hub_rows()
    made.hub(tmp_path, rows)
    other = made.hub_table(made.hub_rows(9, images=2), "struct", made.HUB_NAMES)
    (tmp_path / "more/train").mkdir(parents=True)
    pq.write_table(other, tmp_path / "data/train-00000-of-00001.parquet")
    assert len(Hub(str(tmp_path), split="validation").images()) == len(rows)
    assert len(Hub(str(tmp_path), split="train").images()) == 2
    with pytest.raises(OodexpError, match=r"expected test-\*\.parquet.*data/train-00000"):
        Hub(str(tmp_path), split="test")


def test_an_empty_folder_says_what_was_expected(tmp_path):
    with pytest.raises(OodexpError, match=r"expected \*\.parquet; Parquet files there: none"):
        Hub(str(tmp_path))


def test_a_hub_id_that_is_not_here_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(OodexpError, match=r"hf download --repo-type dataset nobody/nothing"):
        Hub("nobody/nothing")


def test_a_download_that_fails_names_the_remedy(monkeypatch):
    import huggingface_hub

    def refuse(*_: Any, **__: Any) -> str:
        raise ConnectionError("no network")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    with pytest.raises(OodexpError, match=r"ConnectionError: no network.*source\.hub\.data=FOLDER"):
        Hub("nobody/nothing", download=True)


def test_a_hub_id_in_the_local_cache_is_read_without_a_network(tmp_path, monkeypatch):
    import huggingface_hub

    rows = made.hub_rows()
    made.hub(tmp_path, rows)
    asked: list[dict[str, Any]] = []

    def cached(name: str, **options: Any) -> str:
        asked.append({"name": name, **options})
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", cached)
    assert len(Hub("some/set").images()) == len(rows)
    assert [(a["name"], a["repo_type"], a["local_files_only"]) for a in asked] == [
        ("some/set", "dataset", True)
    ]


@pytest.mark.parametrize("data", ["nowhere", "a/b/c", "./nowhere"])
def test_a_folder_that_is_not_there_is_named(data):
    with pytest.raises(OodexpError, match=f"data={data}: no such folder"):
        Hub(data)
