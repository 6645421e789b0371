"""Divisions out of a bundle: as recorded, and anew by the recorded logits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from oodexp.division.base import Division, Matrix
from oodexp.division.bundle import Recorded
from oodexp.division.bundle_scores import BundleScores
from oodexp.division.cross_validation import CrossValidation
from oodexp.error import OodexpError
from oodexp.export.base import Content
from oodexp.export.bundle import Bundle as Exporter
from oodexp.recipe.world import look
from tests.source import bundle_made, made

CONF = Path(__file__).resolve().parents[2] / "conf/division"


class Made(NamedTuple):
    folder: str
    content: Content
    matrices: list[Matrix]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Two sources, the first with an image that nobody can read."""
    home = tmp_path_factory.mktemp("run")
    sources = [made.coco(home / "one"), made.lvis(home / "two")]
    file = sources[0].images()["file"].iloc[3]
    (home / "one/images" / file).unlink()
    content = bundle_made.content(sources, id_pool="random", seed=5)
    Exporter().write(home / "bundle", content)
    matrices = [look(source).matrix for source in sources]
    return Made(str(home / "bundle"), content, matrices)


def unread(matrix: Matrix) -> dict[str, str]:
    lost = {matrix.image_ids[3]} if matrix.source == "coco" else set()
    return dict.fromkeys(lost, "unreadable: see problems")


def of(rows: pd.DataFrame, source: str) -> pd.DataFrame:
    return rows[rows["source"] == source].reset_index(drop=True)


def equal(found: Division, run: Made, source: str) -> None:
    pd.testing.assert_frame_equal(found.signals, of(run.content.signals, source))
    pd.testing.assert_frame_equal(found.memberships, of(run.content.memberships, source))


def test_what_was_recorded_comes_back_without_a_scorer(run: Made) -> None:
    assert not Recorded.NEEDS_SCORERS
    for matrix in run.matrices:
        equal(Recorded(run.folder).divide(matrix, {}, unread(matrix)), run, matrix.source)
    assert (~run.content.memberships["present"]).any()
    assert run.content.memberships["split"].isna().any()


def test_the_recorded_logits_give_the_recorded_division(run: Made) -> None:
    division = BundleScores(run.folder, threshold=0.3, id_pool="random", seed=5)
    for matrix in run.matrices:
        equal(division.divide(matrix, {}, unread(matrix)), run, matrix.source)


def test_other_settings_divide_as_the_run_itself_would(run: Made) -> None:
    settings: dict[str, Any] = {"threshold": 0.6, "rule": "majority", "criterion": "score"}
    links = {"s1": "sigmoid"}
    for matrix, sheet in zip(run.matrices, run.content.sheets, strict=True):
        want = CrossValidation(**settings).divide(
            matrix, {"s1": sheet.logits["s1"]}, unread(matrix), links
        )
        found = BundleScores(run.folder, ["s1"], **settings).divide(matrix, {}, unread(matrix))
        for one, two in zip(found, want, strict=True):
            pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("kind", [Recorded, BundleScores])
def test_pairs_of_an_image_that_cannot_be_read_here_lose_their_split(kind: Any, run: Made) -> None:
    matrix = run.matrices[1]
    whole = kind(run.folder).divide(matrix, {}, {})
    image = whole.memberships.dropna(subset="split")["image_id"].iloc[0]
    found = kind(run.folder).divide(matrix, {}, {image: "gone"})
    mine = found.memberships["image_id"] == image
    assert found.memberships[mine & found.memberships["present"]]["split"].isna().all()
    assert not found.memberships[mine]["drawn"].any()
    assert (found.memberships[mine & found.memberships["present"]]["reason"] == "gone").all()
    lost = found.signals["image_id"] == image
    assert found.signals[lost][["score", "margin", "surrogate", "flagged"]].isna().all(axis=None)
    if kind is Recorded:
        pd.testing.assert_frame_equal(found.memberships[~mine], whole.memberships[~mine])
        pd.testing.assert_frame_equal(found.signals[~lost], whole.signals[~lost])


def test_a_source_that_is_not_in_the_bundle_is_refused(run: Made) -> None:
    other = replace(run.matrices[0], source="voc")
    for kind in (Recorded, BundleScores):
        with pytest.raises(OodexpError, match=r"no source 'voc'; it holds \['coco', 'lvis'\]"):
            kind(run.folder).divide(other, {}, {})


def test_other_annotations_than_those_of_the_run_are_refused(run: Made) -> None:
    matrix = run.matrices[0]
    fewer = replace(matrix, image_ids=matrix.image_ids[:-1], presence=matrix.presence[:-1])
    renamed = replace(matrix, categories=["x", *matrix.categories[1:]])
    for other in (fewer, renamed):
        with pytest.raises(OodexpError, match="choose source=bundle"):
            Recorded(run.folder).divide(other, {}, {})
        with pytest.raises(OodexpError, match="choose source=bundle"):
            BundleScores(run.folder).divide(other, {}, {})
    more = matrix.presence.copy()
    more[0] = 1  # an image without objects
    with pytest.raises(OodexpError, match="other present pairs"):
        Recorded(run.folder).divide(replace(matrix, presence=more), {}, {})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scorers": ["s9"]}, r"holds logits of \['s0', 's1'\]"),
        ({"scorers": []}, "only division=bundle divides"),
        ({"treshold": 1}, "unexpected keyword argument 'treshold'"),
        ({"threshold": 2}, "threshold is 2"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_refused(options: Any, said: str, run: Made) -> None:
    with pytest.raises(OodexpError, match=said):
        BundleScores(run.folder, **options)


def test_a_bundle_without_logits_says_what_still_divides(run: Made, tmp_path: Path) -> None:
    Exporter(scores=False).write(tmp_path / "b", run.content)
    with pytest.raises(OodexpError, match="only division=bundle divides"):
        BundleScores(str(tmp_path / "b"))
    matrix = run.matrices[1]
    equal(Recorded(str(tmp_path / "b")).divide(matrix, {}, {}), run, "lvis")


def test_a_torn_table_of_logits_is_named(run: Made, tmp_path: Path) -> None:
    Exporter().write(tmp_path / "b", run.content)
    (tmp_path / "b/scores/1-0.parquet").write_bytes(b"PAR1")
    with pytest.raises(OodexpError, match=r"scores/1-0\.parquet: sha256"):
        BundleScores(str(tmp_path / "b")).divide(run.matrices[0], {}, {})
    bundle_made.seal(tmp_path / "b")
    with pytest.raises(OodexpError, match="not a whole Parquet file"):
        BundleScores(str(tmp_path / "b")).divide(run.matrices[0], {}, {})


def test_the_configuration_ships_both(run: Made) -> None:
    plain = OmegaConf.load(CONF / "bundle.yaml")
    plain.folder = run.folder
    assert isinstance(instantiate(plain), Recorded)
    own = {"defaults", "_target_", "folder", "scorers"}
    assert set(OmegaConf.load(CONF / "bundle_scores.yaml")) == own


def test_not_a_number_stays_where_it_was(run: Made) -> None:
    lost = [np.isnan(sheet.logits["s0"]).sum() for sheet in run.content.sheets]
    assert min(lost) >= 1
