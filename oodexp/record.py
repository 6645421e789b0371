"""The nouns of oodexp: one record a table, one documented field a column.

The unit is the image-category **pair** ("image 139, chair"). A record's `KEY` names the columns
that together occur once in its table; `oodexp.table` turns a record into a checked Parquet schema.
Optional fields are null when there is no value, and then a reason stands beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

Float32 = Annotated[float, "float32"]
"""A number that a threshold is compared with: exact before and after storage."""

ABSENT, PRESENT, UNKNOWN = 0, 1, 2
"""Codes of a presence matrix (image, category): annotated as absent, as present, or neither."""

SPLITS = ("ID", "OOD-S", "OOD-H")
"""The three splits of OODBench (section III-D): in-distribution, OOD-simple, OOD-hard."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image of a source, with or without annotated objects."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id")

    source: str
    """Name of the data set, e.g. `coco`."""
    image_id: str
    """The data set's own id, as text; unique within the source."""
    file: str
    """Path below the image folder, with forward slashes."""
    sha256: str | None
    """Hex digest of the file's bytes; null when the file could not be read (see `problems`)."""
    width: int | None
    """Annotated width in pixels, before any orientation tag is applied."""
    height: int | None
    """Annotated height in pixels, before any orientation tag is applied."""
    objects: int
    """Number of annotated objects, crowd regions included; 0 for an empty image."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A category that is annotated as present in an image."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id", "category")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text, verbatim as shown to the models."""
    count: int | None
    """Number of instances, >= 1; null when it is not known."""
    count_reason: str | None
    """Why the count is null, e.g. `crowd`."""
    area: float | None
    """Area in square pixels of the largest instance, as annotated; null when not annotated."""
    planted: str | None
    """Drawn worlds only: why the pair is out of distribution (`canonical` when it is not).
    For validation; never an input of the division."""


@dataclass(frozen=True, slots=True)
class Score:
    """A scorer's logit for one cell of the matrix (image, category); table `scores/<scorer>`."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id", "category")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text."""
    fingerprint: str
    """Digest of all that can change a logit of this scorer; `fingerprints/<scorer>.json` of the run
    spells it out."""
    presence: str
    """`present`, `absent` or `unknown`, by annotation."""
    logit: Float32 | None
    """Scaled image-text logit, higher is a better match; null when unscored."""
    reason: str | None
    """Why the logit is null, e.g. `NaN` or `unreadable: ...`."""


@dataclass(frozen=True, slots=True)
class Signal:
    """What one scorer says of one present pair (OODBench, III-D, eq. 15 and 24)."""

    KEY: ClassVar[tuple[str, ...]] = ("scorer", "source", "image_id", "category")

    scorer: str
    """Name of the scorer."""
    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text of the pair."""
    score: Float32 | None
    """S(x, c) in [0, 1]; higher is more in-distribution; null when unscored."""
    margin: Float32 | None
    """Delta(x, c) in [-1, 1]: S minus the best rival's; negative is a ranking anomaly."""
    surrogate: str | None
    """The best rival: the category that the scorer prefers among the competitors."""
    flagged: bool | None
    """Whether this scorer calls the pair out of distribution; null when unscored."""
    reason: str | None
    """Why the pair is unscored."""


@dataclass(frozen=True, slots=True)
class Membership:
    """The split of a present pair, and whether it was drawn into the benchmark."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id", "category")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text."""
    present: bool
    """True for an annotated pair; False for an absent pair of a random or balanced ID pool."""
    split: str | None
    """`ID`, `OOD-S` or `OOD-H`; null when some scorer has no score for the pair."""
    flags: int | None
    """Number of scorers that flag the pair, 0 ... K; null when unscored."""
    scorers: int
    """Number K of scorers of the division."""
    drawn: bool
    """Whether the pair is in the benchmark after sampling ID and applying the caps."""
    reason: str | None
    """Why the split is null, naming the scorer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt about one image, with its target."""

    KEY: ClassVar[tuple[str, ...]] = ("question_id",)

    question_id: str
    """Unique name of the question: source, image, category, kind and polarity."""
    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    category: str
    """Category text, inserted verbatim into the prompt."""
    kind: str
    """What is asked: `existence`, `existence_cot`, `counting`, `logic`, `polling` or `concept`."""
    polarity: str
    """`present` ("... contain ..."), `absent` ("... not contain ..."), `count` (a number) or
    `compare` (is the number of `category` greater than that of `other`)."""
    prompt: str
    """The full text put to the model."""
    target: str
    """The right answer, in lower case: `yes`, `no`, or a whole number >= 0."""
    other: str | None = None
    """Second category of a comparison; null for every other question."""
    split: str | None = None
    """Split that the question counts for: that of its pair, or, for an absent category of polling,
    that of the present pair it stands beside."""
    strategy: str | None = None
    """Polling and concepts: `present`, or how an absent category or control was chosen."""
    max_tokens: int | None = None
    """Most new tokens of the reply; null for the VLM's own setting."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a VLM returned, word for word, before it is read."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "question_id")

    vlm: str
    """Name of the VLM."""
    question_id: str
    """The question that was put."""
    completion: str | None
    """The text as generated, unchanged; null when there is none."""
    status: str
    """`ok`, `truncated` (token limit reached), `refused` (by the model, in a field of its own),
    `filtered` (by a provider's content filter), `empty` (no text) or `error`."""
    reason: str | None
    """What went wrong, when the status is `error`; such a question is asked again the next time."""
    tokens: int | None
    """Number of generated tokens, reasoning included; null when the model does not say."""
    seconds: float | None
    """Wall time of the request, or of the batch divided by its size."""
    prompt_tokens: int | None = None
    """Number of tokens of prompt and image; null when the model does not say."""
    yes_probability: float | None = None
    """P(yes) / (P(yes) + P(no)) of the first token, in [0, 1]; null unless it was measured."""
    yes_no_mass: float | None = None
    """P(yes) + P(no) of the first token, in [0, 1]: small where neither is what the model says."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request that was sent to a VLM behind a network in this run, answered or not."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "number")

    vlm: str
    """Name of the VLM."""
    number: int
    """In the order that the requests ended in, from 0."""
    key: str
    """Names the image's bytes and the prompt."""
    attempt: int
    """From 1; more when earlier ones failed."""
    status: str
    """Status of the completion, or what went wrong: `http 503`, `timeout`, ..."""
    prompt_tokens: int | None
    """As billed; null when nobody said."""
    completion_tokens: int | None
    """As billed; null when nobody said."""
    cost: float | None
    """In the currency of the price; null when it may have been billed and nobody said."""
    most_cost: float
    """What it may have cost at the most."""
    seconds: float
    """Wall time."""
    at: str
    """When it was sent, UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A completion as one reader reads it."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "reader", "question_id")

    vlm: str
    """Name of the VLM."""
    reader: str
    """Name of the reader, e.g. `yes_no`, `paper`."""
    question_id: str
    """The question that was put."""
    reading: str | None
    """`yes`, `no` or a number, as an answer to the question as asked; null when unread."""
    status: str
    """`read`, or why there is no reading: `unknown`, `ambiguous`, `refused`, `truncated`, ..."""
    flag: str | None
    """How the reading was reached when not by an explicit word, e.g. `by_content`, `conflict`."""
    correct: bool
    """Whether the reading equals the target; an unread answer is not correct."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A metric of a VLM on a group of questions, with its interval."""

    KEY: ClassVar[tuple[str, ...]] = (
        "vlm", "kind", "source", "split", "contrast", "group", "convention", "metric",
    )  # fmt: skip

    vlm: str
    """Name of the VLM."""
    kind: str
    """The question set: `existence`, `existence_cot`, `progression` or `polling`."""
    source: str
    """Name of the data set, or `pooled` for all of the run together."""
    split: str
    """`ID`, `OOD-S` or `OOD-H`."""
    contrast: str
    """`none` for the value itself; `ID` for the drop, value on ID minus value on the split; the
    name of another kind for the value of this kind minus that of the other, on the same pairs."""
    group: str
    """`all`, or a composition group such as `planted: secondary` or `size: small`."""
    convention: str
    """`headline` (unread is wrong), `read` (read answers only), `paper` (the authors' rule), or
    `constant` (what the best constant answer would score)."""
    metric: str
    """`accuracy`, `precision`, `recall`, `f1`, `mcc`; others are named by the kind's metric."""
    value: float | None
    """The metric as a fraction; null when undefined."""
    lower: float | None
    """Lower end of the 95 % interval from a bootstrap over images."""
    upper: float | None
    """Upper end of the 95 % interval from a bootstrap over images."""
    n: int
    """Number of questions the value rests on (of the split itself, for a drop)."""
    n_unread: int
    """How many of the asked questions have no reading."""
    n_images: int
    """Number of images (clusters) the value rests on."""
    reason: str | None
    """Why the value or its interval is null."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """One bin of the calibration curve of a VLM whose probabilities of yes and no were measured."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "kind", "split", "lower")

    vlm: str
    """Name of the VLM."""
    kind: str
    """The question set, as in `Question`."""
    split: str
    """`ID`, `OOD-S` or `OOD-H`."""
    lower: float
    """Lower end of the bin, left out of it (the first bin holds 0)."""
    upper: float
    """Upper end of the bin."""
    probability: float
    """Mean P(yes) of the questions in the bin."""
    share: float
    """Share of these questions whose right answer is yes."""
    n: int
    """Number of questions in the bin."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking one VLM about one source will take: worked out before anything is asked."""

    KEY: ClassVar[tuple[str, ...]] = ("vlm", "source")

    vlm: str
    """Name of the VLM."""
    source: str
    """Name of the data set."""
    questions: int
    """Number of different questions, counted once where they are the same."""
    stored: int
    """How many of them are in the store already."""
    images: int
    """Number of images that the others are about."""
    prompt_tokens: int | None
    """Tokens of all prompts still to send, images included; null when an image's are not known."""
    new_tokens: int | None
    """Generated tokens to expect, from what the VLM said before; null when it said nothing."""
    most_tokens: int | None
    """Generated tokens if every reply is as long as it may be; null without a limit."""
    cost: float | None
    """Price to expect; null when it is not known, 0 when asking costs no money."""
    most_cost: float | None
    """Price if every reply is as long as it may be, failed requests not counted."""
    seconds: float | None
    """Time to expect, from the stored completions; null when there are none."""
    basis: str
    """What the estimate rests on."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of an ablation: other settings over the same scores and answers."""

    KEY: ClassVar[tuple[str, ...]] = ("study", "trial")

    study: str
    """Name of the study."""
    trial: int
    """Number of the trial in its study, from 0."""
    label: str
    """The settings in a few words, e.g. `T=0.05`."""
    settings: str
    """The settings, JSON."""
    objectives: str
    """Value of each objective, JSON; null where it has none."""
    state: str
    """`complete`, `undefined`, `failed` or `lost`."""
    front: bool
    """Whether no other trial of the study is better in one objective and as good in the others."""
    run_id: str
    """Id of the tracked run that holds the trial."""
    reason: str | None
    """Why an objective has no value."""


@dataclass(frozen=True, slots=True)
class TrialValue:
    """A metric of a VLM in one trial, with its interval."""

    KEY: ClassVar[tuple[str, ...]] = ("study", "trial", "vlm", "row", "contrast", "mix", "metric")

    study: str
    """Name of the study."""
    trial: int
    """Number of the trial."""
    vlm: str
    """Name of the VLM."""
    row: str
    """A split; `drop/<split>`, ID minus it; or `gap`, OOD-S minus OOD-H."""
    contrast: str
    """`none` for the value itself; the label of another trial for the difference to that trial."""
    mix: str
    """`own` for the split as it is; `planted`, `size`, `count` for its pairs re-weighted to how all
    scored pairs are mixed in these groups."""
    metric: str
    """`accuracy`, `precision`, `recall`, `f1` or `mcc`."""
    value: float | None
    """The metric as a fraction; null when undefined."""
    lower: float | None
    """Lower end of the 95 % interval from a bootstrap over images, the same draws in all trials."""
    upper: float | None
    """Upper end of the 95 % interval."""
    n: int
    """Number of questions the value rests on (of both splits, for a difference of splits)."""
    n_unread: int
    """How many of the asked questions have no reading."""
    covered: float
    """Share of all scored pairs whose group every split of the trial has; 1 for the own mix."""
    reason: str | None
    """Why the value or its interval is null."""


@dataclass(frozen=True, slots=True)
class TrialMix:
    """What the pairs of one split are in one trial: a loss may come from the mix alone."""

    KEY: ClassVar[tuple[str, ...]] = ("study", "trial", "split")

    study: str
    """Name of the study."""
    trial: int
    """Number of the trial."""
    split: str
    """`ID`, `OOD-S` or `OOD-H`."""
    pairs: int
    """Present pairs by the division."""
    drawn: int
    """Pairs in the benchmark, of which all below speaks."""
    images: int
    """Number of images that they are about."""
    area: float | None
    """Median area of a pair's largest instance in square pixels; null where none is annotated."""
    count: float | None
    """Mean number of instances; null where none is known."""
    entropy: float | None
    """Entropy of the categories in bits; null without pairs."""
    categories: int
    """Number of categories that occur."""
    shares: str
    """Share of each composition group, JSON."""
    distance: str
    """Share of pairs that would have to change group to be mixed as all scored pairs, by grouping,
    JSON."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one test or estimate of the evidence came to (OODBench, IV and appendices C, D)."""

    KEY: ClassVar[tuple[str, ...]] = ("test", "subject", "statistic")

    test: str
    """Name of the test, e.g. `overlap`, `equivalence`, `degradation`, `permutation`."""
    subject: str
    """What it is about: a model and metric, two splits, two models."""
    claim: str
    """What would be shown."""
    null: str
    """The hypothesis that has to be rejected for it; empty for an estimate."""
    statistic: str
    """Name of the value."""
    value: float | None
    """The statistic; null when undefined."""
    lower: float | None
    """Lower end of the interval; null when there is none."""
    upper: float | None
    """Upper end of the interval; null when there is none."""
    level: float | None
    """Confidence of the interval, e.g. 0.95; null without interval."""
    bound: float | None
    """What the value or interval is held against (epsilon, xi, eta); null when nothing."""
    p: float | None
    """p-value, > 0; null when the finding is no test or could not be computed."""
    p_floor: float | None
    """Smallest p that the number of resamples allows, 1 / (B + 1); null for other tests."""
    n: int
    """Number of observations: questions, pairs or models, as the statistic says."""
    clusters: int
    """Number of images that they lie on; 0 where images play no part."""
    resamples: int | None
    """Number B of resamples or permutations; null when there are none."""
    seed: int | None
    """Seed of the resamples; null when there are none."""
    verdict: str
    """`holds`, `not shown`, `contradicted`, `not tested`; `estimate` where nothing is claimed."""
    words: str
    """The verdict as a sentence."""
    assumption: str
    """What would break it."""
    reason: str | None
    """Why the value, the interval or the p-value is null."""


@dataclass(frozen=True, slots=True)
class Concept:
    """An image collected for an open-world concept (OODConceptBench, 3): one phrase an image."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    phrase: str
    """The concept, verbatim as inserted into prompts, e.g. `origami elephant`."""
    category: str
    """Family of the concept: the paper has seven, e.g. `viewpoint and scale`."""
    acquisition: str
    """How the image was got, e.g. `crawled`, `generated`; `unknown` where nobody says."""
    licence: str | None
    """Licence of the image, e.g. `CC BY 4.0`; null where nobody says."""
    origin: str | None
    """Where the image is from: a page, a collection, a generator; null where nobody says."""


@dataclass(frozen=True, slots=True)
class ConceptScore:
    """The three scores of a concept's image and the levels it reaches (OODConceptBench, 3.2)."""

    KEY: ClassVar[tuple[str, ...]] = ("source", "image_id")

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    common: Float32 | None
    """S_1K = 1 - best cosine with a common category; larger is farther; null when unscored."""
    rare: Float32 | None
    """S_21K = 1 - best cosine with a rare reference; larger is farther; null when unscored."""
    target: Float32 | None
    """S_Txt = cosine with the own phrase; smaller is less aligned; null when unscored."""
    rule_1: bool
    """Whether S_1K > T1."""
    l1: bool
    """Whether the image is in L1: rule 1 and S_21K > T2."""
    l2: bool
    """Whether the image is in L2: L1 and S_Txt < T3."""
    reason: str | None
    """Why the image is in no level at all."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """How often one dual encoder recognises concepts (OODConceptBench, 5; Tables C1 to C3)."""

    KEY: ClassVar[tuple[str, ...]] = ("model", "level", "category")

    model: str
    """Name of the scorer."""
    level: str
    """`L1` or `L2`."""
    category: str
    """Family of concepts, or `all`."""
    threshold: float | None
    """Q_95 of the model, a cosine; null where none could be learnt."""
    rule: str
    """What Q_95 is the percentile of."""
    rate: float | None
    """Share of images whose phrase is recognised, cosine > Q_95; images weigh alike."""
    lower: float | None
    """Lower end of the 95 % interval over images (Wilson)."""
    upper: float | None
    """Upper end."""
    concept_lower: float | None
    """Lower end of the 95 % interval over concepts (bootstrap)."""
    concept_upper: float | None
    """Upper end."""
    n: int
    """Number of scored images."""
    unscored: int
    """Images without a cosine."""
    concepts: int
    """Concepts with a scored image."""
    reason: str | None
    """Why the rate or an interval is null."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was left out, and why: never silent, never the end of the rest."""

    KEY: ClassVar[tuple[str, ...]] = ("stage", "part", "source", "image_id", "subject", "reason")

    stage: str
    """Where it was met: `source`, `decode`, `scorer`, `vlm`, ..."""
    part: str
    """Name of the scorer or VLM concerned; empty when none is."""
    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image; empty when the problem is not one image's."""
    subject: str
    """The file, field or category concerned."""
    reason: str
    """What is wrong, what was expected."""
