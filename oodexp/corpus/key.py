"""One name for an image, whatever a corpus calls it.

COCO numbers its images once over all releases: `COCO_train2014_000000000139.jpg`,
`train2017/000000000139.jpg`, `139` and the address of the image are one. Other data sets number
theirs from one, too, and corpora mix them: `gqa/images/139.jpg` is another image. So a bare number
is taken for COCO's only where no folder or ending says otherwise.

About half of Visual Genome's images are COCO's under another number. Only its own list
(`image_data.json`) tells which; without it such images do not match, and an overlap is missed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from oodexp.error import OodexpError

Rule = Literal["coco", "file"]
"""`coco`: COCO's number where there is one; `file`: the name of the file without its folders."""

_COCO = re.compile(r"(?:COCO_(?:train|val|test)20\d\d_)?([0-9]{12})(?:_[0-9]+)?(?:\.\w+)?")
_NUMBER = re.compile(r"[0-9]{1,18}")
_GENOME = re.compile(r"(?:^|/)(?:VG_100K(?:_2)?|gqa/images|gqa)/([0-9]{1,18})\.\w+$")


def coco(name: str, genome: Mapping[int, int] | None = None) -> str:
    """The key of an image among corpora that use COCO's images.

    >>> coco("COCO_train2014_000000000139.jpg"), coco("coco/train2017/000000000139.jpg")
    ('139', '139')
    >>> coco("139"), coco("gqa/images/139.jpg"), coco("gqa/images/139.jpg", {139: 42})
    ('139', 'gqa/images/139.jpg', '42')

    Args:
        name: An id, a file name, a path or an address.
        genome: Visual Genome's number to COCO's, of the images that are COCO's.

    Returns:
        COCO's number without leading zeros; for another image the name as it is.
    """
    path = re.split(r"[?#]", name.strip().replace("\\", "/"), maxsplit=1)[0]
    file = path.rpartition("/")[2]
    found = _COCO.fullmatch(file)
    if found is not None:
        return str(int(found[1]))
    if _NUMBER.fullmatch(path):
        return str(int(path))
    found = _GENOME.search(path)
    if found is not None and genome and int(found[1]) in genome:
        return str(genome[int(found[1])])
    return name.strip()


def of_genome(name: str) -> bool:
    """Whether an image goes by Visual Genome's number, in its own folders or GQA's.

    Args:
        name: A path.
    """
    return _GENOME.search(name) is not None


def file(name: str) -> str:
    """The name of the file without folders; for data sets whose file names are unique.

    >>> file("https://host/a/b/street_017.png?size=l"), file("7")
    ('street_017.png', '7')

    Args:
        name: A file name, a path or an address.
    """
    path = re.split(r"[?#]", name.strip().replace("\\", "/"), maxsplit=1)[0]
    return path.rpartition("/")[2] or name.strip()


def by(rule: Rule, name: str, genome: Mapping[int, int] | None = None) -> str:
    """The key of an image by either rule.

    Raises:
        OodexpError: If there is no such rule.
    """
    if rule == "coco":
        return coco(name, genome)
    if rule == "file":
        return file(name)
    raise OodexpError(f"corpus.keys={rule}: expected `coco` or `file`")
