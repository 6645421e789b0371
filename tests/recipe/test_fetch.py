"""`experiment=fetch`: what to download, where it goes, what is there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from oodexp.recipe.fetch import Plans, main
from oodexp.source.coco import Coco
from oodexp.source.miniature import Miniature


@pytest.fixture
def coco(tmp_path: Path) -> Any:
    annotations, images = tmp_path / "instances_val2017.json", tmp_path / "val2017"
    return partial(Coco, annotations=str(annotations), images=str(images))


def test_what_is_not_there_is_named_with_its_official_page(coco, capsys):
    assert main(None, Plans({"coco": coco}))
    out = capsys.readouterr().out
    assert "cocodataset.org" in out
    assert out.count("missing") == 2, out


def test_a_source_that_is_whole_needs_nothing(coco, capsys):
    Path(coco.keywords["annotations"]).write_text("{}")
    folder = Path(coco.keywords["images"])
    folder.mkdir()
    for n in range(5000):
        (folder / f"{n:012}.jpg").touch()
    assert not main(None, Plans({"coco": coco}))
    assert "missing" not in capsys.readouterr().out


def test_a_source_that_ships_has_nothing_to_download(capsys):
    assert not main(None, Plans({"miniature": partial(Miniature)}))
    assert "nothing to download" in capsys.readouterr().out
