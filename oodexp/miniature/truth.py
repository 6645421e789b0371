"""What is in the shipped images, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from oodexp.miniature.annotation import reasons_by_pair
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.load import read_annotations, read_images

REASONS = ("canonical", "variant", "secondary")


@dataclass(frozen=True)
class Truth:
    """What is in the images of a split; n images, k categories.

    Attributes:
        pictures: n pictures.
        counts: (n, k) instances.
        reasons: (n, k) planted reason, empty where absent; deformations all read ``variant``.
    """

    pictures: list[Image.Image]
    counts: NDArray[np.int64]
    reasons: NDArray[np.str_]


def read_truth(split: str) -> Truth:
    """Reads images and annotations of a shipped split.

    Args:
        split: ``dev`` or ``test``.

    Returns:
        Its truth.
    """
    coco = read_annotations(split)
    shape = (len(coco["images"]), len(CATEGORIES))
    counts, reasons = np.zeros(shape, np.int64), np.full(shape, "", dtype="<U10")
    for row in coco["annotations"]:
        counts[row["image_id"] - 1, row["category_id"] - 1] += 1
    for (image_id, category_id), reason in reasons_by_pair(coco).items():
        reasons[image_id - 1, category_id - 1] = reason.split(":")[0]
    return Truth(read_images(split), counts, reasons)
