"""The same concepts put to VLMs, beside what dual encoders recognise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from oodexp import table
from oodexp.concept.recognise import LEVELS, Recognised
from oodexp.metric.agreement import kappa
from oodexp.predict.scoring import score
from oodexp.question.base import Presence
from oodexp.question.concept import KIND, OWN, KnownConcepts
from oodexp.recipe import step
from oodexp.recipe.asking import ask
from oodexp.record import Membership
from oodexp.report.concept_agreement import Alone, Beside, agreement_table, alone_table
from oodexp.report.concept_value import Value
from oodexp.report.layout import console

if TYPE_CHECKING:
    from oodexp.recipe.base import Desk
    from oodexp.recipe.concept_ground import Concepts, Ground


def chat(desk: Desk, parts: Concepts, ground: Ground, found: Recognised) -> None:
    """Asks every VLM about all images of L1; keeps the tables, prints agreement with the encoders.

    Args:
        desk: The run's desk.
        parts: The parts of the run; the questions are those of `question=concept`.
        ground: The benchmark.
        found: What the dual encoders recognise.
    """
    world = ground.world
    matrix = world.matrix
    with desk.stage("ask"):
        members = desk.keep("memberships", table.check(Membership, _members(ground)))
        presence = Presence(matrix.source, matrix.image_ids, matrix.categories, matrix.presence)
        known = KnownConcepts(members, desk.tables["pairs"], [presence], ground.concepts)
        desk.keep("questions", parts.question.ask(known))
        own = {parts.model: parts.scorers[parts.model]}
        phrases, read = ground.bench.names.phrases, world.source.read
        scored = score(world.images, phrases, read, own, parts.store, parts.loop)
        ask(desk, parts, [world], [scored])
    with desk.stage("read"):
        step.read(desk, parts.readers)
    said = _said(desk, parts, ground)
    screen = console()
    screen.print(agreement_table(list(_beside(ground, found, said))))
    for vlm, mine in said.groupby("vlm"):
        rows = list(_alone(ground, found, mine, 0))
        screen.print(alone_table(found.models[0], str(vlm), rows))
        yes, controls = _own(mine, ground)["yes"], mine[mine["strategy"] != OWN]
        desk.run.metrics(
            {f"chat/{vlm}/L1": float(yes.mean()), f"chat/{vlm}/controls": _share(controls["yes"])}
        )


def _members(ground: Ground) -> pd.DataFrame:
    """Images of L1 as pairs; their split is the hardest level that they reach."""
    kept = ground.bench.cascade.kept
    rows = ground.concepts[["source", "image_id"]].assign(category=ground.concepts["phrase"])
    first, second = (kept[:, column] for column in LEVELS.values())
    split = np.where(second, "L2", "L1").astype(object)
    split[~first] = None
    reason = np.full(len(rows), "not in L1", dtype=object)
    reason[first] = None
    return rows.assign(
        present=True, split=split, flags=pd.array([None] * len(rows), dtype="Int64"), scorers=1,
        drawn=first, reason=reason,
    )  # fmt: skip


def _said(desk: Desk, parts: Concepts, ground: Ground) -> pd.DataFrame:
    """Answers to the positive wording: vlm, image_id, strategy, yes, unread."""
    answers = desk.tables["answers"]
    answers = answers[answers["reader"] == parts.reader]
    questions = desk.tables["questions"].query(f"kind == {KIND!r} and polarity == 'present'")
    both = answers.merge(questions, on="question_id")
    return both[["vlm", "image_id", "strategy"]].assign(
        yes=(both["reading"] == "yes").to_numpy(), unread=both["reading"].isna().to_numpy()
    )


def _own(said: pd.DataFrame, ground: Ground) -> pd.DataFrame:
    """Answers of one VLM about own phrases, in the order of the images of L1."""
    mine = said[said["strategy"] == OWN].set_index("image_id")
    inside = ground.bench.cascade.kept[:, LEVELS["L1"]]
    return mine.reindex(ground.concepts.loc[inside, "image_id"]).fillna(
        {"yes": False, "unread": True}
    )


def _beside(ground: Ground, found: Recognised, said: pd.DataFrame) -> Iterator[Beside]:
    kept = ground.bench.cascade.kept
    inside = kept[:, LEVELS["L1"]]
    for vlm, mine in said.groupby("vlm"):
        own = _own(mine, ground)
        controls = mine[mine["strategy"] != OWN]
        for m, model in enumerate(found.models):
            for level, column in LEVELS.items():
                chosen = kept[inside, column]
                encoder = found.found.recognised[inside, m][chosen]
                yes = own["yes"].to_numpy(dtype=bool)[chosen]
                agreed = kappa(encoder.astype(np.int64), yes.astype(np.int64))
                why = "both verdicts are constant" if np.isnan(agreed) else None
                yield Beside(
                    model, str(vlm), level, int((encoder & yes).sum()),
                    int((encoder & ~yes).sum()), int((~encoder & yes).sum()),
                    int((~encoder & ~yes).sum()),
                    int(own["unread"].to_numpy(dtype=bool)[chosen].sum()),
                    Value(agreed, reason=why),
                    Value(_share(controls["yes"]), reason=None if len(controls) else "no controls"),
                )  # fmt: skip


def _alone(ground: Ground, found: Recognised, mine: pd.DataFrame, model: int) -> Iterator[Alone]:
    names = ground.bench.names
    inside = ground.bench.cascade.kept[:, LEVELS["L1"]]
    yes = _own(mine, ground)["yes"].to_numpy(dtype=bool)
    phrase, seen = names.phrase[inside], found.found.recognised[inside, model]
    for n, text in enumerate(names.phrases):
        of: Sequence[int] = np.flatnonzero(phrase == n).tolist()
        if of:
            yield Alone(
                text, names.categories[names.of_phrase[n]], len(of), Value(float(seen[of].mean())),
                Value(float(yes[of].mean())),
            )  # fmt: skip


def _share(values: pd.Series) -> float:
    return float(values.mean()) if len(values) else float("nan")
