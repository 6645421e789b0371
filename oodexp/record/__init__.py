"""The nouns of oodexp: one record a table, one documented field a column.

The unit is the image-category **pair** ("image 139, chair"). A record's `KEY` names the columns
that together occur once in its table; `oodexp.table` turns a record into a checked Parquet schema.
Optional fields are null when there is no value, and then a reason stands beside them.
"""

from __future__ import annotations

from oodexp.record.answer import Answer, Completion, Estimate, Question, Request
from oodexp.record.bundle import BundledImage
from oodexp.record.code import ABSENT, PRESENT, SPLITS, UNKNOWN, Float32
from oodexp.record.division import ConceptScore, Membership, Score, Signal
from oodexp.record.finding import Finding, Problem
from oodexp.record.image import Concept, Image, Pair
from oodexp.record.measurement import Calibration, Measurement, Recognition
from oodexp.record.review import OUTCOMES, REASONS, VERDICTS, Review, Verdict
from oodexp.record.trial import Trial, TrialMix, TrialValue

__all__ = [
    "ABSENT",
    "OUTCOMES",
    "PRESENT",
    "REASONS",
    "SPLITS",
    "UNKNOWN",
    "VERDICTS",
    "Answer",
    "BundledImage",
    "Calibration",
    "Completion",
    "Concept",
    "ConceptScore",
    "Estimate",
    "Finding",
    "Float32",
    "Image",
    "Measurement",
    "Membership",
    "Pair",
    "Problem",
    "Question",
    "Recognition",
    "Request",
    "Review",
    "Score",
    "Signal",
    "Trial",
    "TrialMix",
    "TrialValue",
    "Verdict",
]
