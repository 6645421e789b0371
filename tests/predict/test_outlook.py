"""What scoring will take, against what it then took."""

from __future__ import annotations

from oodexp.predict.loop import Loop
from oodexp.predict.outlook import SAMPLE, outlook
from oodexp.predict.scoring import score
from oodexp.predict.store import Store
from oodexp.recipe.world import look
from tests.world import Hashing


def test_a_scorer_that_never_ran_is_timed_on_a_sample_that_is_kept(world, tmp_path):
    seen, store, loop = look(world), Store(str(tmp_path / "s")), Loop("cpu", progress=False)
    names = seen.matrix.categories
    scorer = Hashing()
    known = seen.images.dropna(subset="sha256")["sha256"].nunique()
    found = outlook("h", scorer, "w", seen.images, names, world.read, store, loop)
    assert found.images == known
    assert 0 < found.timed == found.stored <= min(SAMPLE, known)
    assert found.seconds >= 0
    scored = score(seen.images, names, world.read, {"h": Hashing()}, store, loop)
    assert scored.scored_images <= known - found.stored


def test_nothing_is_left_and_nothing_runs_when_all_is_stored(world, tmp_path):
    seen, store, loop = look(world), Store(str(tmp_path / "s")), Loop("cpu", progress=False)
    names = seen.matrix.categories
    score(seen.images, names, world.read, {"h": Hashing()}, store, loop)
    idle = Hashing()
    found = outlook("h", idle, "w", seen.images, names, world.read, store, loop)
    assert (found.seconds, found.size) == (0.0, 0.0)
    assert found.stored == found.images == found.timed
    assert idle.loads == []


def test_disk_is_four_bytes_a_number_of_the_vectors_still_to_come(world, tmp_path):
    seen, store, loop = look(world), Store(str(tmp_path / "s")), Loop("cpu", progress=False)
    names, first = seen.matrix.categories, seen.images.dropna(subset="sha256").iloc[:1]
    score(first, names, world.read, {"h": Hashing()}, store, loop)
    found = outlook("h", Hashing(), "w", seen.images, names, world.read, store, loop)
    assert found.size == 4 * Hashing().width * (found.images - 1)
