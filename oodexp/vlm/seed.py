"""A seed for each question, so that a sampled reply can be repeated in any batch."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from oodexp.vlm.pixels import pixel_digest

if TYPE_CHECKING:
    from PIL.Image import Image


def question_seed(seed: int, prompt: str, image: Image) -> int:
    """A number below 2**63 made of a run's seed, the prompt and the pixels."""
    text = f"{seed}\n{prompt}\n".encode()
    digest = hashlib.sha256(text + pixel_digest(image)).digest()
    return int.from_bytes(digest[:8], "big") >> 1
