"""Every family on one process and on two: the same logits."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest

from oodexp import table
from oodexp.predict.loop import Loop
from oodexp.predict.scoring import score
from oodexp.predict.store import Store
from oodexp.record import Image
from oodexp.scorer.blip2 import Blip2
from oodexp.scorer.dual_encoder import DualEncoder
from oodexp.scorer.open_clip import OpenClip
from tests.scorer.families import FAMILIES, save_family

CATEGORIES = ["cat", "dog", "tree", "car"]


@pytest.mark.slow
def test_two_processes_give_the_logits_of_one(images, make_open_clip, blip2_folder, tmp_path):
    folders = {name: str(save_family(name, tmp_path / name)) for name in FAMILIES}
    clip = make_open_clip()

    def fresh():
        families = {name: DualEncoder(folder) for name, folder in folders.items()}
        others = {
            "open_clip": OpenClip(f"local-dir:{clip}"),
            "blip2": Blip2(str(blip2_folder), 14.3),
        }
        return families | others

    files = {str(n): _png(image) for n, image in enumerate(images)}
    rows = [
        Image("made", n, f"{n}.png", hashlib.sha256(data).hexdigest(), None, None, 0)
        for n, data in files.items()
    ]
    one, two = (
        score(
            table.frame(Image, rows), CATEGORIES, files.__getitem__, fresh(),
            Store(str(tmp_path / f"store-{devices}")),
            Loop("cpu", devices=devices, scoring_batch=2, progress=False, threads=1),
        )
        for devices in (1, 2)
    )  # fmt: skip
    assert one.scored_images == two.scored_images == len(images)
    for name, logits in one.logits.items():
        assert np.isfinite(logits).all(), name
        np.testing.assert_array_equal(two.logits[name], logits, err_msg=name)


def _png(image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
