"""Questions out of a bundle."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from oodexp.error import OodexpError
from oodexp.export.base import Content
from oodexp.export.bundle import Bundle as Exporter
from oodexp.question.base import Known
from oodexp.question.bundle import Recorded
from tests.source import bundle_made, made


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Content]:
    home = tmp_path_factory.mktemp("run")
    content = bundle_made.content([made.coco(home / "one"), made.lvis(home / "two")])
    Exporter().write(home / "bundle", content)
    return str(home / "bundle"), content


def known(content: Content, memberships: pd.DataFrame | None = None) -> Known:
    return Known(content.memberships if memberships is None else memberships, content.pairs, [])


def test_the_questions_come_back_word_for_word(run: tuple[str, Content]) -> None:
    folder, content = run
    pd.testing.assert_frame_equal(Recorded(folder).ask(known(content)), content.questions)


def test_questions_of_a_source_that_is_not_chosen_are_left_out(run: tuple[str, Content]) -> None:
    folder, content = run
    mine = content.memberships[content.memberships["source"] == "lvis"]
    found = Recorded(folder).ask(known(content, mine))
    want = content.questions[content.questions["source"] == "lvis"].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, want)


def test_nothing_is_asked_about_an_image_without_a_split(run: tuple[str, Content]) -> None:
    folder, content = run
    image = content.questions["image_id"].iloc[0]
    gone = content.memberships["image_id"] == image
    members = content.memberships.assign(split=content.memberships["split"].mask(gone))
    found = Recorded(folder).ask(known(content, members))
    assert len(found) == (content.questions["image_id"] != image).sum() < len(content.questions)


def test_another_division_is_not_asked_the_questions_of_this_one(
    run: tuple[str, Content],
) -> None:
    folder, content = run
    split = content.memberships["split"].map({"ID": "OOD-H", "OOD-H": "ID", "OOD-S": "OOD-S"})
    changed = content.memberships.assign(split=split)
    number = 2 * np.isin(content.memberships["split"].astype(object), ["ID", "OOD-H"]).sum()
    with pytest.raises(OodexpError, match=rf"{number} questions .*choose division=bundle"):
        Recorded(folder).ask(known(content, changed))


def test_a_question_about_an_absent_category_counts_for_the_pair_beside_it(
    tmp_path: Path,
) -> None:
    """Polling of a division whose ID is drawn from all cells asks about such a cell for OOD-H."""
    content = bundle_made.content([made.coco(tmp_path / "one")], id_pool="random")
    members = content.memberships
    absent = members[~members["present"]].iloc[0]
    rows = content.questions.copy()
    key = (rows["image_id"] == absent["image_id"]) & (rows["category"] == absent["category"])
    rows.loc[key, "split"] = "OOD-H"
    assert absent["split"] == "ID"
    assert key.sum() == 2
    Exporter().write(tmp_path / "b", dataclasses.replace(content, questions=rows))
    found = Recorded(str(tmp_path / "b")).ask(known(content))
    pd.testing.assert_frame_equal(found, rows)


def test_a_changed_table_of_questions_is_refused(run: tuple[str, Content], tmp_path: Path) -> None:
    Exporter().write(tmp_path / "b", run[1])
    with (tmp_path / "b/tables/questions.parquet").open("ab") as file:
        file.write(b"x")
    with pytest.raises(OodexpError, match=r"questions\.parquet: sha256"):
        Recorded(str(tmp_path / "b")).ask(known(run[1]))
