"""Settings of a review, and its results without a page."""

from __future__ import annotations

import importlib.util
import webbrowser
from pathlib import Path
from typing import Any

import pytest

from oodexp.error import OodexpError
from oodexp.review import server
from oodexp.review.journal import Journal
from oodexp.review.local import Local
from oodexp.review.sample import PAIR
from oodexp.review.session import Session


def review(folder: Path, **settings: Any) -> Local:
    return Local(str(folder), **{"serve": False, "per_stratum": 3} | settings)


def read(local: Local, division):
    return local.review(division.memberships, division.images, division.read, lambda *_: None)


def test_verdicts_of_the_page_are_found_by_the_sample(tmp_path: Path, division, sample) -> None:
    path = tmp_path / f"{sample.digest[:16]}.jsonl"
    with Journal(path, sample.digest) as journal:
        session = Session(sample, journal, division.read, lambda *_: None, {})
        said = {"verdict": "no", "reason": None, "note": None, "seconds": 1.0}
        session.judge("ann", 3, {"id": "one-and-two", **said})
    found, gathered = read(review(tmp_path), division)
    assert found.digest == sample.digest
    (row,) = gathered.verdicts[PAIR].to_numpy().tolist()
    assert row == sample.rows[PAIR].iloc[3].tolist()


def test_another_seed_or_division_looks_for_another_file(tmp_path: Path, division, sample) -> None:
    Journal(tmp_path / f"{sample.digest[:16]}.jsonl", sample.digest).close()
    read(review(tmp_path), division)
    for changed in ({"seed": 1}, {"per_stratum": 2}):
        with pytest.raises(OodexpError, match=r"no such file.*review\.serve=true"):
            read(review(tmp_path, **changed), division)


def test_a_renamed_file_of_another_sample_is_refused(tmp_path: Path, division, sample) -> None:
    path = tmp_path / "old.jsonl"
    with Journal(path, sample.digest) as journal:
        session = Session(sample, journal, division.read, lambda *_: None, {})
        said = {"verdict": "no", "reason": None, "note": None, "seconds": 1.0}
        session.judge("ann", 3, {"id": "one-and-two", **said})
    with pytest.raises(OodexpError, match=r"line 1 is a verdict on sample .*review\.seed"):
        read(review(tmp_path / "new", verdicts=[str(path)], seed=7), division)


def test_a_table_alone_is_its_own_sample_with_the_sizes_of_its_strata(
    tmp_path: Path, division
) -> None:
    file = tmp_path / "x.csv"
    file.write_text("rater,source,image_id,category,verdict\nann,a,0,apple,yes\nann,a,1,apple,no\n")
    sample, gathered = read(review(tmp_path, verdicts=[str(file)]), division)
    assert sample.rows["image_id"].tolist() == ["0", "1"]
    assert sample.rows["population"].tolist() == [4, 4]
    assert len(gathered.verdicts) == 2


def test_a_table_about_other_pairs_is_refused_with_an_example(tmp_path: Path, division) -> None:
    file = tmp_path / "x.csv"
    file.write_text("rater,source,image_id,category,verdict\nann,coco,7,dog,yes\n")
    with pytest.raises(OodexpError, match=r"no row is about a pair of this run.*\('a', '0'"):
        read(review(tmp_path, verdicts=[str(file)]), division)


def test_a_division_without_present_pairs_is_refused(tmp_path: Path, division) -> None:
    division.memberships = division.memberships.assign(split=None)
    with pytest.raises(OodexpError, match="no present pair in a split"):
        read(review(tmp_path), division)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"per_stratum": 0}, r"review\.per_stratum=0: expected a number >= 1"),
        ({"seed": -1}, r"review\.seed=-1"), ({"port": -1}, r"review\.port=-1"),
        ({"resamples": 10}, r"review\.resamples=10: expected a number >= 100"),
        ({"by": ["source"]}, r"review\.by=\['source'\]: expected split"),
        ({"by": ["split", "vlm"]}, r"review\.by"), ({"by": []}, r"review\.by"),
        ({"raters": ["ann", "ann"]}, r"review\.raters"),
        ({"raters": [" ann"]}, r"review\.raters"), ({"raters": ["x" * 41]}, r"review\.raters"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_are_named(tmp_path: Path, setting: Any, said: str) -> None:
    with pytest.raises(OodexpError, match=said):
        review(tmp_path, **setting)


def test_a_missing_package_is_named_with_its_command(tmp_path: Path, monkeypatch) -> None:
    whole = importlib.util.find_spec
    lacking = {"fastapi"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in lacking else whole(name)
    )
    with pytest.raises(OodexpError, match=r"needs fastapi: pip install fastapi uvicorn"):
        review(tmp_path, serve=True)
    review(tmp_path)  # results alone need neither


def test_a_taken_port_is_named(tmp_path: Path, division) -> None:
    with server.listen(0) as taken:
        port = taken.getsockname()[1]
        assert taken.getsockname()[0] == "127.0.0.1"
        with pytest.raises(OodexpError, match=rf"review\.port={port}: .*0 takes a free one"):
            read(review(tmp_path, serve=True, port=port), division)


def test_a_browser_is_given_the_secret_by_a_private_file(
    tmp_path: Path, division, monkeypatch
) -> None:
    """Everybody on a machine can read the command line that opens a browser."""
    opened: list[tuple[str, int, str]] = []

    def look(uri: str) -> bool:
        page = Path(uri.removeprefix("file://"))
        opened.append((uri, page.parent.stat().st_mode & 0o777, page.read_text()))
        return True

    monkeypatch.setattr(webbrowser, "open", look)
    monkeypatch.setattr(server, "serve", lambda session, token, on: opened.append((token, 0, "")))
    read(review(tmp_path, serve=True, browser=True), division)
    (uri, mode, text), (token, _, _) = opened
    assert f"/#token={token}" in text
    assert token not in uri
    assert mode == 0o700
    assert not Path(uri.removeprefix("file://")).exists()
