"""What a person reads first of a run: its name, its description, its data sets."""

from __future__ import annotations

import pytest

from oodexp.tracker.base import Dataset

CONFIG = {"T": 0.05}
COCO = Dataset("coco", "0123456789abcdef" * 2, {"images": 128, "pairs": 300, "categories": 80})
LVIS = Dataset("lvis", "fedcba9876543210" * 2, {"images": 5, "pairs": 7, "categories": 1203})


@pytest.fixture
def described(kept, experiment):
    with kept.tracker().open(experiment=experiment, config=CONFIG) as run:
        run.describe("qwen2_vl on coco", "It lost 20 points.\n\nNothing was left out.")
        run.datasets([COCO, LVIS])
        run.datasets([COCO])  # as a resumed run does
    return run.run_id


def test_a_name_ends_in_the_hash_of_the_configuration(kept, described):
    past = kept.tracker().past(described)
    assert past.name == f"qwen2_vl on coco {past.tags['oodexp.config_sha256'][:8]}"


def test_a_description_is_kept_where_the_tool_shows_it(kept, described):
    tag = "mlflow.note.content" if kept.kind == "mlflow" else "description"
    assert kept.tags(described)[tag] == "It lost 20 points.\n\nNothing was left out."


def test_each_data_set_is_kept_once_with_its_digest_and_size(kept, described):
    if kept.kind == "folder":
        found = kept.note(described, "datasets.json")
        assert found["coco"] == {"digest": COCO.digest, **COCO.counts}
        assert list(found) == ["coco", "lvis"]
        return
    inputs = kept.client.get_run(described).inputs.dataset_inputs
    found = {one.dataset.name: one.dataset for one in inputs}
    assert len(inputs) == 2
    assert found["coco"].digest == COCO.digest
    assert '"pairs": 7' in found["lvis"].profile


def test_a_run_that_was_renamed_can_still_be_resumed(kept, described, experiment):
    with kept.tracker(resume=described).open(experiment=experiment, config=CONFIG) as run:
        assert run.run_id == described
