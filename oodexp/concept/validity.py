"""The checks of a concept benchmark, from vectors and scores to rows of tables (D1 to D10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from oodexp.concept.recognise import LEVELS
from oodexp.evidence.acquisition import Images, sources
from oodexp.evidence.embedding import Embedding, tsne
from oodexp.evidence.entropy import category_mean, concept_entropy, semantic_loss
from oodexp.evidence.nearest import nearest, scopes
from oodexp.evidence.perturbation import FACTORS, local, more_names, perturbed, pruning
from oodexp.evidence.perturbation import expanded as with_names
from oodexp.evidence.probe import layer, probe
from oodexp.evidence.relation import relations
from oodexp.metric.ood import METRICS, detection, expected_calibration_error
from oodexp.report.concept_relation_tables import Nearest, Related, Spread
from oodexp.report.concept_tables import Expanded, Perturbed
from oodexp.report.concept_validity_tables import Acquired, Detected, Probed
from oodexp.report.concept_value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oodexp.concept.bench import Bench
    from oodexp.concept.protocol import Protocol
    from oodexp.evidence.band import Band

NAMED = {"common": "T1", "rare": "T2", "target": "T3"}


def detections(bench: Bench, protocol: Protocol) -> list[Detected]:
    """The benchmark told from the common images by the highest cosine with a common text (D1).

    ECE: how far that cosine, taken for a probability of being in distribution, is from the share of
    images that are; cosines below 0 count as 0.
    """
    texts = bench.reference.common_texts
    inside = nearest(bench.reference.common, texts).similarity
    rng, made = np.random.default_rng(protocol.seed), []
    for level, column in LEVELS.items():
        images = bench.reference.images[bench.cascade.kept[:, column]]
        outside = nearest(images, texts).similarity if len(images) else np.zeros(0)
        confidence = np.concatenate([inside, outside])
        label = np.arange(len(confidence)) < len(inside)
        found = detection(confidence, label, protocol.resamples, rng)
        at = {name: _at(found, n) for n, name in enumerate(METRICS)}
        ece = expected_calibration_error(np.clip(confidence, 0, 1), label)
        made.append(
            Detected(
                "common", level, len(inside), len(outside),
                Value(float(outside.mean()) if len(outside) else float("nan")),
                at["auroc"], at["fpr95_out"], at["fpr95_in"], at["aupr_in"], at["aupr_out"],
                Value(ece.value, reason=ece.reason),
            )
        )  # fmt: skip
    return made


def probe_protocol(model: str, protocol: Protocol) -> Mapping[str, str]:
    """What the probes are (Table D2)."""
    return {
        "encoder": f"{model}, unit-length image vectors",
        "task": "benchmark image or common image, for each level and category",
        "classifier": "logistic regression, liblinear, at most 200 iterations",
        "positive class": "images of the category on the level",
        "control": "the images of source@common, all together",
        "shots of a class": ", ".join(map(str, protocol.shots)),
        "repeats": f"{protocol.repeats}, training images drawn anew; the others are tested",
    }


def probes(bench: Bench, protocol: Protocol) -> list[Probed]:
    """Accuracy of few-shot probes by level and number of shots (Table D3)."""
    control, names = bench.reference.common, bench.names
    made = []
    for level, column in LEVELS.items():
        kept = bench.cascade.kept[:, column]
        for shots in protocol.shots:
            each = [
                probe(*_sides(bench, kept & (names.category == c), control), shots,
                      protocol.repeats, protocol.seed, protocol.resamples)
                for c in range(len(names.categories))
            ]  # fmt: skip
            told = layer(each, names.categories)
            made.append(
                Probed(level, shots, Value(told.mean, reason=told.reason), Value(told.lowest),
                       Value(told.highest))
            )  # fmt: skip
    return made


def _sides(
    bench: Bench, chosen: np.ndarray, control: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    features = np.concatenate([bench.reference.images[chosen], control])
    positive = np.arange(len(features)) < chosen.sum()
    return features, positive, np.arange(len(features))


def mapped(bench: Bench, protocol: Protocol) -> tuple[Embedding, np.ndarray, np.ndarray]:
    """A t-SNE map of images by level and source, and the two codes of its points (Figure D2)."""
    kept = bench.cascade.kept
    inside = np.flatnonzero(kept[:, LEVELS["L1"]])
    level = kept[inside, LEVELS["L2"]].astype(np.int64)
    way, ways = bench.names.way[inside], len(bench.names.ways)
    found = tsne(
        bench.reference.images[inside], level * ways + way, 2 * ways, most=protocol.points,
        seed=protocol.seed,
    )  # fmt: skip
    return found, level[found.chosen], way[found.chosen]


def acquisitions(
    bench: Bench, protocol: Protocol
) -> Iterator[tuple[tuple[str, str], list[Acquired]]]:
    """Every two ways of acquisition by level and category (Tables D4, D5)."""
    names = bench.names
    for second in range(1, len(names.ways)):
        ways = names.ways[0], names.ways[second]
        rows = []
        for level, column in LEVELS.items():
            mine = bench.cascade.kept[:, column] & np.isin(names.way, (0, second))
            told = sources(
                Images(
                    bench.reference.images[mine], names.way[mine] == second, np.flatnonzero(mine),
                    bench.scores.target[mine], 1 - bench.scores.common[mine], names.category[mine],
                ), names.categories, protocol.resamples, protocol.seed,
            )  # fmt: skip
            rows += [
                Acquired(level, one.category, (one.first, one.second), _value(one.centroid),
                         _value(one.frechet), _value(one.target_gap), _value(one.confidence_gap))
                for one in told if one.first and one.second
            ]  # fmt: skip
        yield ways, rows


def perturbations(bench: Bench) -> list[Perturbed]:
    """L2 with thresholds moved by up to 5 % (Table D6)."""
    settings = perturbed(bench.scores, bench.calibrated.thresholds)
    factors = list(FACTORS)
    return [
        Perturbed(
            NAMED.get(one.moved, one.moved), min(factors), max(factors), one.settings, one.fewest,
            one.most, *(Value(v, reason=one.reason) for v in (one.lowest, one.highest, one.mean)),
        )
        for one in local(settings)
    ]  # fmt: skip


def further_names(common: Sequence[str], protocol: Protocol) -> list[str]:
    """Common names beyond those of the source, given or of WordNet."""
    return more_names(common, protocol.names or (), protocol.wordnet)


def expanded(bench: Bench, texts: np.ndarray) -> list[Expanded]:
    """What more common names remove from L1 by category (Table D7).

    Args:
        bench: The benchmark.
        texts: Vectors of the further names, (name, d).
    """
    after = with_names(bench.scores, bench.reference.images, texts)
    names = bench.names
    rows = pruning(
        bench.scores, after, bench.calibrated.thresholds, names.category, names.categories, "L1"
    )
    return [Expanded(one.category, one.images, one.before, one.after) for one in rows]


def spreads(bench: Bench, protocol: Protocol) -> list[Spread]:
    """Entropy of the concepts within categories, and semantic loss 1 - S_Txt (Table D8)."""
    names, made = bench.names, []
    for level, column in LEVELS.items():
        kept = bench.cascade.kept[:, column]
        active = np.unique(names.category[kept])
        each = [concept_entropy(names.phrase[kept & (names.category == c)]) for c in active]
        codes = np.searchsorted(active, names.category[kept])
        loss, _ = category_mean(
            semantic_loss(bench.scores.target[kept]), codes, np.flatnonzero(kept),
            protocol.resamples, protocol.seed,
        )  # fmt: skip
        ends = (min(each), max(each)) if each else (float("nan"), float("nan"))
        mean = float(np.mean(each)) if each else float("nan")
        made.append(
            Spread(level, len(active), Value(mean), Value(ends[0]), Value(ends[1]), _value(loss))
        )
    return made


def nearest_names(bench: Bench, protocol: Protocol) -> list[Nearest]:
    """Similarity of phrases with their nearest common text, by scope (Table D9)."""
    names, kept = bench.names, bench.cascade.kept
    found = nearest(bench.reference.phrases, bench.reference.common_texts).similarity
    active = {"all phrases": np.ones(len(names.phrases), dtype=bool)}
    for level, column in LEVELS.items():
        inside = np.zeros(len(names.phrases), dtype=bool)
        inside[names.phrase[kept[:, column]]] = True
        active[f"active in {level}"] = inside
    rng = np.random.default_rng(protocol.seed)
    told = scopes(found, active, protocol.resamples, rng)
    return [
        Nearest(one.name, int(active[one.name].sum()), _value(one.mean), _value(one.median))
        for one in told
    ]


def related(bench: Bench, protocol: Protocol) -> list[Related]:
    """Nearest-ID and target similarity of the images of a level (Table D10)."""
    made = []
    for level, column in LEVELS.items():
        kept = bench.cascade.kept[:, column]
        near, target = 1 - bench.scores.common[kept], bench.scores.target[kept]
        (told,) = relations(
            {"nearest-ID": near, "target": target}, np.flatnonzero(kept), protocol.resamples,
            protocol.seed,
        )  # fmt: skip
        means = [float(v.mean()) if len(v) else float("nan") for v in (near, target)]
        made.append(
            Related(level, int(kept.sum()), Value(means[0]), Value(means[1]),
                    _value(told.pearson), _value(told.spearman))
        )  # fmt: skip
    return made


def _value(band: Band) -> Value:
    return Value(band.value, band.lower, band.upper, band.reason)


def _at(found: object, n: int) -> Value:
    values, lower, upper, reasons = found[:4]  # type: ignore[index]
    return Value(float(values[n]), float(lower[n]), float(upper[n]), reasons[n])
