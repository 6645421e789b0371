"""Codes and kinds that several records share."""

from __future__ import annotations

from typing import Annotated

Float32 = Annotated[float, "float32"]
"""A number that a threshold is compared with: exact before and after storage."""

ABSENT, PRESENT, UNKNOWN = 0, 1, 2
"""Codes of a presence matrix (image, category): annotated as absent, as present, or neither."""

SPLITS = ("ID", "OOD-S", "OOD-H")
"""The three splits of OODBench (section III-D): in-distribution, OOD-simple, OOD-hard."""
