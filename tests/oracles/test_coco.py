"""COCO annotations as pycocotools reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from oodexp.source.coco import Coco
from tests.source import made

pytestmark = pytest.mark.oracle


def _same(file: Path, source: Coco) -> None:
    coco = pytest.importorskip("pycocotools.coco").COCO(str(file))
    names = {c["id"]: c["name"] for c in coco.loadCats(coco.getCatIds())}
    expected = {}
    for image in coco.getImgIds():
        for category in coco.getCatIds():
            notes = coco.loadAnns(coco.getAnnIds(imgIds=[image], catIds=[category]))
            if notes:
                whole = coco.getAnnIds(imgIds=[image], catIds=[category], iscrowd=False)
                crowd = len(whole) < len(notes)
                expected[str(image), names[category]] = -1 if crowd else len(whole)
    pairs = source.pairs()
    keys = zip(pairs["image_id"], pairs["category"], strict=True)
    assert dict(zip(keys, pairs["count"].fillna(-1), strict=True)) == expected
    assert expected
    sizes = {str(i): len(coco.getAnnIds(imgIds=[i])) for i in coco.getImgIds()}
    assert dict(source.images()[["image_id", "objects"]].itertuples(index=False)) == sizes


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_pycocotools_on_drawn_annotations(tmp_path, seed):
    document = made.coco_document(seed, images=30, categories=12)
    file = made.write(tmp_path, document, [])
    _same(file, Coco(str(file), str(tmp_path)))


def test_counts_are_those_of_pycocotools_on_photographs(shared, tmp_path):
    file = next((shared / "data/coco128").rglob("*.json"))
    document = json.loads(file.read_text())
    (tmp_path / "f.json").write_text(json.dumps(document))
    _same(tmp_path / "f.json", Coco(str(file), str(tmp_path)))
