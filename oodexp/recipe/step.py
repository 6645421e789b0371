"""Steps that recipes share: each runs one stage over all sources and keeps what it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from oodexp import record, table
from oodexp.answer.judge import judge_parts
from oodexp.error import OodexpError
from oodexp.metric.base import Evidence, Metric
from oodexp.predict.scoring import Scored
from oodexp.predict.scoring import score as score_images
from oodexp.predict.store import digest
from oodexp.process import give_back
from oodexp.question.base import Known, Presence, asked_in_parts
from oodexp.recipe.base import Desk, Parts
from oodexp.recipe.calibration import keep_curves
from oodexp.recipe.refine import marks, refine, tell
from oodexp.recipe.summary import (
    headline,
    incomplete,
    planted_auroc,
    presence_auroc,
    score_parts,
    split_sizes,
    together,
)
from oodexp.recipe.world import World, look, undecodable
from oodexp.report.layout import console
from oodexp.report.terminal import SHOWN, show
from oodexp.stored import sliced
from oodexp.vlm.base import Calibrated

if TYPE_CHECKING:
    from oodexp.answer.base import Reader
    from oodexp.question.base import Questioner
    from oodexp.scorer.base import Pairwise, Scorer
    from oodexp.source.base import Source
    from oodexp.vlm.base import Vlm


class Models(Protocol):
    """Whatever holds scorers and VLMs."""

    @property
    def scorers(self) -> dict[str, Scorer | Pairwise]:
        """By name."""

    @property
    def vlms(self) -> dict[str, Vlm]:
        """By name."""


def at_hand(parts: Models) -> None:
    """Finds the files of every model before any of them is run.

    Raises:
        OodexpError: If the weights of a scorer or VLM are not here and cannot be had.
    """
    for scorer in parts.scorers.values():
        scorer.fingerprint()
    for vlm in parts.vlms.values():
        if not isinstance(vlm, Calibrated):  # which has none before it has seen the images
            vlm.fingerprint()


def beside(*groups: Mapping[str, Source]) -> dict[str, Source]:
    """Sources of several groups: a part may be chosen in more than one, under the same word."""
    return {f"{n}/{name}": s for n, group in enumerate(groups) for name, s in group.items()}


def annotate(desk: Desk, sources: Mapping[str, Source]) -> list[World]:
    """Keeps `images` and `pairs`; every file has been read once when it returns.

    Raises:
        OodexpError: If two sources have one name, or a source holds no pair or readable image.
    """
    names = [source.name for source in sources.values()]
    if len(set(names)) < len(names):
        raise OodexpError(f"sources {names}: give each its own name, as in source.coco.name=mine")
    worlds = [look(source) for source in sources.values()]
    for world in worlds:
        labels = world.source.labels_sha256
        if labels is not None:
            desk.run.tags({f"source/{world.source.name}/labels_sha256": labels})
        desk.problem(world.source.problems())
        desk.problem(world.problems)
    desk.datasets = [world.dataset for world in worlds]
    desk.run.datasets(desk.datasets)
    desk.keep("images", table.concat(record.Image, [w.images for w in worlds]))
    desk.keep("pairs", table.concat(record.Pair, [w.pairs for w in worlds]))
    return worlds


def score(desk: Desk, parts: Parts, worlds: Sequence[World]) -> list[Scored]:
    """Keeps `scores/<scorer>` and each scorer's AUROC for presence."""
    done, settled = [], []
    for world in worlds:
        source, names = world.source, world.matrix.categories
        scored = score_images(
            world.images, names, source.read, parts.scorers, parts.store, parts.loop
        )
        told = undecodable(world)
        scored = replace(scored, reasons=told | scored.reasons)
        scored, again = refine(parts, world, scored)
        done.append(scored)
        settled.append(again)
        files = dict(world.images.dropna(subset="sha256")[["image_id", "file"]].to_numpy())
        rows = [
            record.Problem("decode", "", source.name, i, files[i], why)
            for i, why in scored.reasons.items()
            if i not in told
        ]
        desk.problem(table.frame(record.Problem, rows))
    desk.torn(parts.store.torn())
    metrics = {"scored_images": float(sum(s.scored_images for s in done))}
    for name in parts.scorers:
        fingerprint = done[0].fingerprints[name]
        desk.fingerprint(name, fingerprint)
        mark = digest(fingerprint)
        parts_of = (
            score_parts(w.matrix, s.logits[name], s.reasons, marks(mark, again.get(name)))
            for w, s, again in zip(worlds, done, settled, strict=True)
        )
        desk.keep_parts(f"scores/{name}", chain.from_iterable(parts_of))
        give_back()
        metrics[f"scorer/{name}/presence_auroc"] = presence_auroc(
            [w.matrix for w in worlds], [s.logits[name] for s in done]
        )
    desk.run.metrics(metrics | tell(desk, settled))
    return done


def divide(
    desk: Desk, parts: Parts, worlds: Sequence[World], scored: Sequence[Scored]
) -> pd.DataFrame:
    """Keeps `signals` and `memberships`, and the size of each split."""
    links = {name: scorer.link for name, scorer in parts.scorers.items()}
    signals, members = [], []
    for world, scores in zip(worlds, scored, strict=True):
        unread = world.images.query("sha256.isna()")["image_id"]
        reasons = dict.fromkeys(unread, "unreadable: see problems") | scores.reasons
        division = parts.division.divide(world.matrix, scores.logits, reasons, links)
        signals.append(division.signals)
        members.append(division.memberships)
        # An image without any score is a problem of its own, listed once.
        of_images = division.memberships["image_id"].isin(list(reasons))
        lost = division.memberships[division.memberships["split"].isna() & ~of_images]
        rows = [
            record.Problem("scorer", "", r.source, r.image_id, r.category, str(r.reason))
            for r in lost.itertuples()
        ]
        desk.problem(table.frame(record.Problem, rows))
    whole = desk.keep_parts("signals", chain.from_iterable(map(sliced, signals)))
    memberships = desk.keep("memberships", table.concat(record.Membership, members))
    pairs = desk.tables.stored("pairs")
    desk.run.metrics(split_sizes(memberships) | planted_auroc(whole, pairs))
    return memberships


def question(desk: Desk, questioner: Questioner, worlds: Sequence[World]) -> None:
    """Keeps `questions`, about all sources at once."""
    matrices = [
        Presence(m.source, m.image_ids, m.categories, m.presence)
        for m in (world.matrix for world in worlds)
    ]
    known = Known(desk.tables["memberships"], desk.tables["pairs"], matrices)
    desk.keep_parts("questions", asked_in_parts(questioner, known))


def read(desk: Desk, readers: Mapping[str, Reader]) -> None:
    """Keeps `answers`."""
    completions, questions = map(desk.tables.stored, ("completions", "questions"))
    desk.keep_parts("answers", judge_parts(completions, questions, readers))


def measure(desk: Desk, metric: Metric) -> None:
    """Keeps `measurements`."""
    names = ("pairs", "memberships", "questions", "answers", "completions")
    evidence = Evidence(*map(desk.tables.stored, names))
    desk.keep("measurements", metric.measure(evidence))
    keep_curves(desk, evidence)


def report(desk: Desk, parts: Parts) -> bool:
    """A child run per VLM, the table `problems`, and what a person reads.

    Returns:
        Whether something was left out; notes do not count.
    """
    measured = desk.tables["measurements"]
    lacking = incomplete(desk.tables.stored("completions"))
    facts = settings(parts)
    found = {name: headline(measured[measured["vlm"] == name]) for name in parts.vlms}
    desk.run.metrics(together(found))
    for name in parts.vlms:
        tags = {"vlm": name} | ({"incomplete": lacking[name]} if name in lacking else {})
        with desk.run.child(name, tags) as child:
            child.params({"vlm": name} | facts)
            child.datasets(desk.datasets)
            child.metrics(found[name])
    if lacking:
        desk.run.tags({"incomplete": "; ".join(f"{n}: {told}" for n, told in lacking.items())})
    lost = left_out(desk)
    desk.run.metrics({f"seconds/{stage}": s for stage, s in desk.seconds.items()})
    shown = {name: desk.tables.stored(name)[list(of)] for name, of in SHOWN.items()}
    show(shown, desk.seconds, place(desk), desk.notes)
    give_back()
    return lost


def settings(parts: Parts) -> dict[str, Any]:
    """What distinguishes the models of one run from those of another: columns of a table."""
    division = getattr(parts.division, "settings", {})  # a divider of one's own may have none
    return {
        "source": ", ".join(source.name for source in parts.sources.values()),
        "scorer": ", ".join(parts.scorers),
    } | {f"division.{name}": value for name, value in division.items()}


def finish(desk: Desk) -> bool:
    """Keeps `problems` and times, prints times and the run's place; whether something is lost."""
    lost = left_out(desk)
    desk.run.metrics({f"seconds/{stage}": s for stage, s in desk.seconds.items()})
    screen = console()
    for note in desk.notes:
        screen.print(note, soft_wrap=True, highlight=False)
    screen.print("seconds: " + ", ".join(f"{k} {v:.1f}" for k, v in desk.seconds.items()))
    screen.print(f"run: {place(desk)}", soft_wrap=True)
    return lost


def place(desk: Desk) -> str:
    """The id by which other experiments take the run, and where it is kept."""
    return f"{desk.run.run_id} at {desk.run.where}"


def left_out(desk: Desk) -> bool:
    """Keeps `problems`; whether something was left out, notes not counted."""
    problems = desk.keep("problems", desk.problems)
    return bool((~problems["reason"].str.startswith("note:")).any())
