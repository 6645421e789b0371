"""What all experiments on concepts stand on: images, references, scores, levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from oodexp import record, table
from oodexp.concept.bench import Bench, Reference, built, named, prototypes, without
from oodexp.error import OodexpError
from oodexp.predict.image_vectors import image_vectors, text_vectors
from oodexp.predict.scoring import score
from oodexp.recipe import step
from oodexp.recipe.base import Desk
from oodexp.recipe.concept_release import Near, near_duplicates
from oodexp.recipe.world import World, look

if TYPE_CHECKING:
    from oodexp.answer.base import Reader
    from oodexp.concept.protocol import Protocol
    from oodexp.predict.loop import Loop
    from oodexp.predict.store import Store
    from oodexp.question.base import Questioner
    from oodexp.recipe.base import Build
    from oodexp.scorer.base import Pairwise, Scorer
    from oodexp.source.base import Source
    from oodexp.vlm.base import Vlm


@dataclass(frozen=True, slots=True)
class Concepts:
    """A concept set, its references, and the models."""

    sources: dict[str, Source]
    common: dict[str, Source]
    rare: dict[str, Source]
    negative: dict[str, Source]
    scorers: dict[str, Scorer | Pairwise]
    question: Questioner
    vlms: dict[str, Vlm]
    readers: dict[str, Reader]
    reader: str
    loop: Loop
    store: Store
    protocol: Protocol

    @classmethod
    def of(cls, build: Build) -> Self:
        """The parts of the configuration."""
        answer = build("answer")
        return cls(
            build("source"), build("common"), build("rare"), build("negative"), build("scorer"),
            build("question"), build("vlm"), answer["readers"], str(answer["reader"]),
            build("predict"), build("store"), build("concept"),
        )  # fmt: skip

    @property
    def model(self) -> str:
        """Name of the construction scorer.

        Raises:
            OodexpError: If the one that is named is not chosen.
        """
        name = self.protocol.model or next(iter(self.scorers), "")
        if name not in self.scorers:
            raise OodexpError(
                f"concept.model={name}: no such scorer; have "
                f"{', '.join(self.scorers) or 'none'}. Choose it too, or let concept.model=null "
                "take the first; concept=protocol are the settings for sets that are not drawn"
            )
        return name


@dataclass(frozen=True, slots=True)
class Ground:
    """The benchmark with its images."""

    world: World
    """The images of the concepts, all sources together."""
    concepts: pd.DataFrame
    """`record.Concept`, in the order of the images."""
    bench: Bench
    """Scores and levels."""
    near: Near | None = None
    """Near-duplicates that were removed; None when all images stay."""


def lay(desk: Desk, parts: Concepts) -> Ground:
    """Keeps `images`, `concepts` and `concept_scores`; scores and levels of every image.

    Raises:
        OodexpError: If the source has no concepts, or weights or files are missing.
    """
    with desk.stage("check"):
        step.at_hand(parts)
        model = parts.model
    with desk.stage("source"):
        world, concepts = _concepts(desk, parts)
        common = [look(source) for source in parts.common.values()]
        rare = [look(source) for source in parts.rare.values()]
        negative = [look(source) for source in parts.negative.values()]
    with desk.stage("score"):
        names = named(concepts)
        texts = common[0].matrix.categories
        vectors = _Vectors(parts, model)
        reference = Reference(
            vectors.of(world, names.phrases), vectors.texts(names.phrases), vectors.texts(texts),
            _known(vectors.of(common[0], texts)),
            _known(np.concatenate([vectors.of(w, texts) for w in common[1:]] or [_none(vectors)])),
            np.concatenate([_prototypes(vectors, w) for w in rare]),
            _known(np.concatenate([vectors.of(w, texts) for w in negative])),
        )  # fmt: skip
        desk.fingerprint(model, parts.scorers[model].fingerprint())
        bench, near = built(names, reference, parts.protocol), None
        if parts.protocol.remove:
            near = near_duplicates(world, reference.images, parts.protocol)
            bench = without(bench, near.stays)
    _keep(desk, concepts, bench)
    return Ground(world, concepts, bench, near)


def _concepts(desk: Desk, parts: Concepts) -> tuple[World, pd.DataFrame]:
    """The concept set: one source, its images and phrases."""
    if len(parts.sources) != 1:
        raise OodexpError(
            f"source={list(parts.sources)}: a concept set is one source; join its tables first"
        )
    (source,) = parts.sources.values()
    listing = getattr(source, "concepts", None)
    if listing is None:
        raise OodexpError(
            f"source {source.name}: it has no concepts; choose source=concepts with a table of "
            "image, phrase, category, or source=concept_miniature"
        )
    (world,) = step.annotate(desk, parts.sources)
    rows = listing()
    order = pd.Index(rows["image_id"]).get_indexer(world.images["image_id"])
    return world, desk.keep("concepts", rows.iloc[order].reset_index(drop=True))


class _Vectors:
    """Vectors of the construction model, scored where the store has none."""

    def __init__(self, parts: Concepts, model: str) -> None:
        self._parts, self._model = parts, model
        self._scorer = parts.scorers[model]

    def of(self, world: World, texts: list[str]) -> np.ndarray:
        """Image vectors of a source, (image, d)."""
        parts, mine = self._parts, {self._model: self._scorer}
        score(world.images, texts, world.source.read, mine, parts.store, parts.loop)
        return image_vectors(world.images, self._model, self._scorer, parts.store, parts.loop)

    def texts(self, texts: list[str]) -> np.ndarray:
        """Text vectors, (text, d)."""
        parts = self._parts
        return text_vectors(self._model, self._scorer, texts, parts.store, parts.loop)


def _prototypes(vectors: _Vectors, world: World) -> np.ndarray:
    """Prototypes of the rare classes of one source: each image counts for its first category."""
    label = world.matrix.presence.argmax(axis=1)
    return prototypes(vectors.of(world, world.matrix.categories), label)


def _none(vectors: _Vectors) -> np.ndarray:
    return np.zeros((0, vectors.texts(["object"]).shape[1]), dtype=np.float32)


def _known(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors[np.isfinite(vectors).all(axis=1)])


def _keep(desk: Desk, concepts: pd.DataFrame, bench: Bench) -> None:
    kept, scores = bench.cascade.kept, bench.scores
    rows = concepts[["source", "image_id"]].assign(
        common=scores.common, rare=scores.rare, target=scores.target, rule_1=kept[:, 1],
        l1=kept[:, 2], l2=kept[:, 3],
        reason=pd.array(list(bench.cascade.reasons), dtype="str"),
    )  # fmt: skip
    desk.keep("concept_scores", table.check(record.ConceptScore, rows))
    numbers: dict[str, float] = {}
    for name, found in bench.calibrated._asdict().items():
        numbers[f"threshold/{name}"] = found.value
    for level, column in (("L0", 0), ("rule_1", 1), ("L1", 2), ("L2", 3)):
        numbers[f"concepts/{level}/images"] = float(kept[:, column].sum())
    desk.run.metrics(numbers)
