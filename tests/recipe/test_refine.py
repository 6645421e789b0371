"""A fast scorer's verdicts are those of float32, and what it took to make sure of that is told."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from oodexp.division.cross_validation import CrossValidation
from oodexp.predict.loop import Loop
from oodexp.predict.store import Store, digest
from oodexp.recipe import refine as module
from oodexp.recipe.base import Desk
from oodexp.recipe.refine import marks, refine, tell
from oodexp.recipe.world import World, look
from tests.world import CATEGORIES, SIDE, Colour, annotated, document

IMAGES = 150


class Exact(Colour):
    """`Colour` with a number format."""

    precision = "float32"

    def fingerprint(self) -> dict[str, Any]:
        return super().fingerprint() | {"dtype": self.precision}


class Rough(Exact):
    """The same in bfloat16; its twin is counted."""

    precision = "bfloat16"

    def __init__(self, scale: float = 20.0) -> None:
        super().__init__(scale)
        self.twins: list[Exact] = []

    def exact(self) -> Exact:
        self.twins.append(Exact(self.scale))
        return self.twins[-1]

    def encode_images(self, batch: torch.Tensor) -> torch.Tensor:
        return super().encode_images(batch).bfloat16().float()


@pytest.fixture
def colours(tmp_path: Path) -> World:
    """Images of one colour each, between apple and leaf, each said to show one of the two."""
    from PIL import Image

    rng = np.random.default_rng(0)
    names = [f"{n}.png" for n in range(IMAGES)]
    scenes = {
        name: [(str(rng.choice(CATEGORIES[:2])), "apple", (0, 0, 31, 31), "canonical")]
        for name in names
    }
    (tmp_path / "many").mkdir()
    for name in names:
        # Green 4 above red is where the two categories tie.
        colour = tuple(int(v) for v in rng.integers([143, 147, 50], [163, 167, 100]))
        Image.new("RGB", (SIDE, SIDE), colour).save(tmp_path / "many" / name)
    return look(annotated(tmp_path, document(scenes), tmp_path / "many"))


def parts_of(scorers: dict[str, Any], store: Path, **options: Any) -> Any:
    switch = options.pop("refine", True)
    return SimpleNamespace(
        scorers=scorers, division=CrossValidation(**options), store=Store(str(store)),
        loop=Loop("cpu", scoring_batch=32, progress=False, refine=switch),
    )  # fmt: skip


def scored(parts: Any, world: World) -> Any:
    from oodexp.predict.scoring import score

    return score(
        world.images, world.matrix.categories, world.source.read, parts.scorers, parts.store,
        parts.loop,
    )  # fmt: skip


def refined(world: World, scorer: Colour, store: Path, **options: Any) -> Any:
    parts = parts_of({"colour": scorer}, store, **options)
    first = scored(parts, world)
    second, done = refine(parts, world, first)
    flags = [parts.division.flags(world.matrix, s.logits)["colour"] for s in (first, second)]
    return SimpleNamespace(first=first, second=second, done=done, before=flags[0], after=flags[1])


OPTIONS = [
    {"criterion": "rank"}, {"criterion": "score", "threshold": 0.3}, {"threshold": 0.4},
    {"rule": "mean", "criterion": "score", "threshold": 0.3},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
def test_the_verdicts_of_a_fast_scorer_are_those_of_float32(colours, tmp_path, options):
    want = refined(colours, Exact(), tmp_path / "exact", **options)
    have = refined(colours, Rough(), tmp_path / "fast", **options)
    assert (want.after != have.before).any()  # else the case is too easy
    np.testing.assert_array_equal(have.after, want.after)
    told = have.done["colour"]
    assert told.changed == (have.before != have.after).sum() > 0
    assert told.changed <= told.again.sum() < IMAGES


def test_only_the_rows_in_doubt_are_replaced_and_their_logits_are_those_of_float32(
    colours, tmp_path
):
    want = refined(colours, Exact(), tmp_path / "exact", criterion="rank").first.logits["colour"]
    have = refined(colours, Rough(), tmp_path / "fast", criterion="rank")
    again, fast = have.done["colour"].again, have.first.logits["colour"]
    now = have.second.logits["colour"]
    np.testing.assert_array_equal(now[again], want[again])
    np.testing.assert_array_equal(now[~again], fast[~again])
    assert np.abs(fast - want).max() <= have.done["colour"].band
    gap = np.abs(want[np.arange(IMAGES), colours.matrix.presence.argmax(axis=1)][:, None] - want)
    gap[colours.matrix.presence == 1] = np.inf
    assert again[gap.min(axis=1) < 1e-3].all()


def test_a_sample_that_shows_too_little_is_made_up_for_by_what_is_seen_later(
    colours, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "SAMPLE", 1)
    want = refined(colours, Exact(), tmp_path / "exact", criterion="rank")
    have = refined(colours, Rough(), tmp_path / "fast", criterion="rank")
    np.testing.assert_array_equal(have.after, want.after)
    seen = np.abs(have.first.logits["colour"] - want.first.logits["colour"])
    assert have.done["colour"].band >= module.SAFETY * seen[have.done["colour"].again].max()


def test_the_second_time_neither_the_scorer_nor_its_twin_runs(colours, tmp_path):
    first = refined(colours, Rough(), tmp_path / "fast")
    scorer = Rough()
    second = refined(colours, scorer, tmp_path / "fast")
    assert [s.encoded for s in (scorer, *scorer.twins)] == [[], []]
    np.testing.assert_array_equal(second.second.logits["colour"], first.second.logits["colour"])
    assert second.done["colour"].band == first.done["colour"].band


@pytest.mark.parametrize(
    ("scorer", "options"), [(Exact(), {}), (Colour(), {}), (Rough(), {"refine": False})]
)
def test_a_scorer_of_float32_and_a_switch_that_is_off_leave_all_as_it_is(
    colours, tmp_path, scorer, options
):
    found = refined(colours, scorer, tmp_path / "s", **options)
    assert found.done == {}
    assert found.second is found.first


def test_an_unreadable_image_is_not_asked_for_again(colours, tmp_path):
    for name in ("3.png", "9.png"):
        file = tmp_path / "many" / name
        file.write_bytes(file.read_bytes()[:60])
    world = look(colours.source)
    found = refined(world, Rough(), tmp_path / "fast", criterion="rank")
    lost = np.isnan(found.second.logits["colour"]).all(axis=1)
    assert lost.sum() == 2
    assert not found.done["colour"].again[lost].any()


def test_the_run_is_told_band_images_and_changes_and_each_row_names_its_format(colours, tmp_path):
    found = refined(colours, Rough(), tmp_path / "fast", criterion="rank")
    texts: dict[str, str] = {}
    desk = Desk(SimpleNamespace(text=texts.__setitem__))
    done = found.done["colour"]
    metrics = tell(desk, [found.done, found.done])
    assert metrics == {
        "scorer/colour/error_band": done.band,
        "scorer/colour/rescored_images": 2.0 * done.again.sum(),
        "scorer/colour/changed_verdicts": 2.0 * done.changed,
    }
    (note,) = desk.notes
    assert f"{2 * done.again.sum()} of 300 images scored again in float32" in note
    assert f"{2 * done.changed} verdicts changed" in note
    kept = json.loads(texts["fingerprints/colour-float32.json"])
    assert kept["dtype"] == "float32"
    named = marks("own", done)
    assert set(named[done.again]) == {digest(kept)}
    assert set(named[~done.again]) == {"own"}
    assert marks("own", None) == "own"
