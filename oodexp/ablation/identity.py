"""What the trials of a study rest on, as a digest: other data are another study."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

import oodexp

if TYPE_CHECKING:
    from oodexp.ablation.regroup import Setting
    from oodexp.ablation.stock import Stock


def identity(stock: Stock, base: Setting) -> str:
    """Digest of scores, annotations, answers, and of the settings that a study leaves alone.

    Args:
        stock: What the trials regroup.
        base: The settings where nothing is chosen.
    """
    found = hashlib.sha256()
    plain = [oodexp.__version__, base.division.settings, base.scorers, base.reader, base.convention]
    found.update(json.dumps([*plain, stock.vlms], sort_keys=True).encode())
    for lot in stock.lots:
        matrix = lot.matrix
        named = [matrix.source, matrix.image_ids, matrix.categories, list(lot.scores)]
        found.update(json.dumps(named).encode())
        found.update(np.ascontiguousarray(matrix.presence).tobytes())
        for values in (*lot.scores.values(), *lot.margins.values()):
            found.update(np.ascontiguousarray(values).tobytes())
    for reader in sorted(stock.readings):
        found.update(reader.encode())
        found.update(np.ascontiguousarray(stock.readings[reader]).tobytes())
    return found.hexdigest()
