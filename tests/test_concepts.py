"""The experiments on concepts through the front door, on the drawn concepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_experiments import Ran, run

FIXED = ["tracker=folder", "predict.accelerator=cpu", "predict.progress=false"]
FEW = ["concept.resamples=100", "concept.shots=[1,5]", "concept.repeats=2"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


def ran(runs: Path, experiment: str, *more: str) -> Ran:
    done = run(runs, experiment, *FEW, *more, fixed=FIXED)
    assert done.status == 0, done.out
    return done


@pytest.fixture(scope="module")
def build(runs: Path) -> Ran:
    return ran(runs, "concept_build")


@pytest.fixture(scope="module")
def recognition(runs: Path) -> Ran:
    return ran(runs, "concept_recognition")


def test_every_image_keeps_its_scores_and_levels_nest(build):
    scores = build.table("concept_scores")
    assert len(scores) == 840
    assert scores[["common", "rare", "target"]].notna().all().all()
    assert (scores["l2"] <= scores["l1"]).all()
    assert (scores["l1"] <= scores["rule_1"]).all()
    numbers = build.metrics()
    assert numbers["concepts/L2/images"] == scores["l2"].sum() > 0
    for family in build.table("concepts")["category"].unique():
        assert family.split("/")[0] in build.out


def test_the_build_writes_a_data_card_and_checks_its_release(build):
    card = (build.folder / "data_card.md").read_text()
    assert "Every requirement of a release is met or waived" in card
    assert "T1" in card
    assert "near-duplicates" in build.out
    names = {p.name for p in build.folder.rglob("figures/*.svg")}
    assert {"composition.svg", "scores.svg"} <= names


def test_recognition_falls_from_l1_to_l2_and_rises_with_the_training(recognition):
    rows = recognition.table("recognition").query("category == 'all'")
    rate = rows.set_index(["model", "level"])["rate"]
    models = ["concept_2021", "concept_2023", "concept_2025_small", "concept_2025"]
    for model in models:
        assert rate[model, "L2"] < rate[model, "L1"]
    falling = [rate[m, "L1"] for m in models]
    assert falling == sorted(falling)
    assert "Recognition is lower on L2 for 4 of 4 models." in recognition.out
    for title in ("Recognition by model", "by category on L2", "by release year", "Variants",
                  "Recognition in 2021 and 2025"):  # fmt: skip
        assert title in recognition.out


def test_a_chat_model_stands_beside_the_encoders(recognition):
    assert "Recognised by a dual encoder, a chat model, both or neither" in recognition.out
    numbers = recognition.metrics()
    assert 0 <= numbers["chat/fastvlm_miniature/controls"] <= 1
    questions = recognition.table("questions")
    assert set(questions["kind"]) == {"concept"}
    assert set(questions["split"]) == {"L1", "L2"}


def test_figures_of_recognition_are_kept(recognition):
    names = {p.stem for p in recognition.folder.rglob("figures/**/*.png")}
    assert {"models", "years", "landscape", "L1", "L2"} <= names


def test_one_more_model_costs_its_own_pass_alone(tmp_path):
    few = ["vlm=[always_yes]", "source.limit=2"]

    def vectors() -> set[Path]:
        return set(tmp_path.glob("store/vectors/*/*.parquet"))

    ran(tmp_path, "concept_recognition", "scorer=[concept_2021]", *few)
    before = vectors()
    ran(tmp_path, "concept_recognition", "scorer=[concept_2021,concept_2025]", *few)
    new = vectors() - before
    assert before <= vectors()
    assert len({path.parent for path in new}) == 1
    assert not {path.parent for path in new} & {path.parent for path in before}


def test_every_table_of_validity_is_printed(runs, build):
    done = ran(runs, "concept_validity")
    for title in (
        "OOD detection against a fixed ID set", "The few-shot probe", "from a few shots",
        "crawled beside generated", "Small changes of the thresholds", "6 more names",
        "Entropy and semantic loss", "nearest ID class", "Nearest-ID and target similarity",
    ):  # fmt: skip
        assert title in " ".join(done.out.split()), title
    assert (done.folder / "figures/tsne.png").exists()


@pytest.mark.slow
def test_removed_near_duplicates_leave_every_level(runs, build):
    done = ran(runs, "concept_build", "concept.remove=true")
    scores = done.table("concept_scores")
    gone = scores[scores["reason"] == "a near-duplicate of another image"]
    assert len(gone) > 0
    assert not gone[["rule_1", "l1", "l2"]].any().any()


def test_a_source_without_concepts_is_named_with_the_remedy(tmp_path):
    done = run(tmp_path, "concept_build", "source=miniature", "source.limit=4", fixed=FIXED)
    assert done.status == 2
    assert "source=concepts" in done.out
